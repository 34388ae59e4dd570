func.func @main(%a: tensor<?x4x4x4xi8>) -> tensor<?x4x4x4xi8> { return %a : tensor<?x4x4x4xi8> }
