func.func @main(%x: tensor<64xi8>) -> tensor<64xi8> {
  %c = "tosa.const"() <{values = dense_resource<__elided__> : tensor<64xi8>}> : () -> tensor<64xi8>
  return %c : tensor<64xi8>
}

