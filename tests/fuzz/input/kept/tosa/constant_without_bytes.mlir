func.func @main(%x: tensor<64xi8>) -> tensor<64xi8> {
  %c = "tosa.const"() <{values = dense_resource<r> : tensor<64xi8>}> : () -> tensor<64xi8>
  return %c : tensor<64xi8>
}
{-# dialect_resources: { builtin: { r: "0x0100000001020304" } } #-}
