func.func @main(%x: tensor<1x4x4x8xi8>) -> tensor<1x6x6x8xi32> {
  %w = "tosa.const"() <{values = dense<3> : tensor<1x1x8x1xi8>}> : () -> tensor<1x1x8x1xi8>
  %b = "tosa.const"() <{values = dense<1> : tensor<8xi32>}> : () -> tensor<8xi32>
  %xz = "tosa.const"() <{values = dense<-21> : tensor<1xi8>}> : () -> tensor<1xi8>
  %wz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.depthwise_conv2d %x, %w, %b, %xz, %wz {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4x4x8xi8>, tensor<1x1x8x1xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x6x6x8xi32>
  return %y : tensor<1x6x6x8xi32>
}
