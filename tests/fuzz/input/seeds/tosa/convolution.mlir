func.func @main(%x: tensor<1x3x3x2xi8> {tenon.name = "x"}) -> (tensor<1x2x2x1xi8> {tenon.name = "y"}) {
  %multiplier = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %shift = "tosa.const"() <{values = dense<35> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zero32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %bias = "tosa.const"() <{values = dense<[7]> : tensor<1xi32>}> : () -> tensor<1xi32>
  %weights = "tosa.const"() <{values = dense<[[[[1, 2], [3, 4]], [[5, 6], [7, -8]]]]> : tensor<1x2x2x2xi8>}> : () -> tensor<1x2x2x2xi8>
  %sum = tosa.conv2d %x, %weights, %bias, %zero, %zero {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x2xi8>, tensor<1x2x2x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x1xi32>
  %y = tosa.rescale %sum, %multiplier, %shift, %zero32, %zero {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x2x2x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x2x1xi8>
  return %y : tensor<1x2x2x1xi8>
}
