func.func @main(%a: memref<4xi8>) -> memref<4xi8> { return %a : memref<4xi8> }
