module {
  func.func @main(%arg0: tensor<1x20x9x8xi8> {tenon.name = "x"}) -> (tensor<1x20x5x4xi8> {tenon.name = "maxpool_0"}) {
    %0 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x20x9x8xi8>) -> tensor<1x9x8x20xi8>
    %1 = tosa.max_pool2d %0 {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 0>, stride = array<i64: 2, 2>, tenon.tensor = {name = "maxpool_0", perm = array<i64: 0, 3, 1, 2>, shape = array<i64: 1, 20, 5, 4>, unsigned = false}} : (tensor<1x9x8x20xi8>) -> tensor<1x5x4x20xi8>
    %2 = tosa.transpose %1 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x5x4x20xi8>) -> tensor<1x20x5x4xi8>
    return %2 : tensor<1x20x5x4xi8>
  }
}
