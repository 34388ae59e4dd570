func.func @other(%a: tensor<1x4x4x4xi8>) -> tensor<1x4x4x4xi8> { return %a : tensor<1x4x4x4xi8> }
