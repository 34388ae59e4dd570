// RUN: tenon-opt %s -pass-pipeline='builtin.module(func.func(tenon-repeat-first-pixels))' | FileCheck %s

// Rows begin a quarter before the first pixel, columns at it.
// CHECK-LABEL: func @rows(
// CHECK-SAME: %[[X:.*]]: tensor<1x5x4x3xi8>)
func.func @rows(%x: tensor<1x5x4x3xi8>) -> tensor<1x10x8x3xi32> {
  // CHECK: %[[START:.*]] = tosa.const_shape {values = dense<0> : tensor<4xindex>}
  // CHECK: %[[SIZE:.*]] = tosa.const_shape {values = dense<[1, 1, 4, 3]> : tensor<4xindex>}
  // CHECK: %[[FIRST:.*]] = tosa.slice %[[X]], %[[START]], %[[SIZE]]
  // CHECK: %[[ALL:.*]] = tosa.concat %[[FIRST]], %[[X]] {axis = 1 : i32} : {{.*}} -> tensor<1x6x4x3xi8>
  // CHECK: %[[AT:.*]] = tosa.const_shape {values = dense<[3, 0]> : tensor<2xindex>}
  // CHECK: tosa.resize %[[ALL]], %{{.*}}, %[[AT]], %{{.*}} {mode = BILINEAR}
  %s = tosa.const_shape {values = dense<[4, 2, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x5x4x3xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x10x8x3xi32>
  return %r : tensor<1x10x8x3xi32>
}

// What is nearest to a place before the first pixel is the first pixel.
// CHECK-LABEL: func @nearest(
func.func @nearest(%x: tensor<1x4x6x3xi8>) -> tensor<1x4x12x3xi8> {
  // CHECK-NOT: tosa.concat
  // CHECK: tosa.resize %arg0
  %s = tosa.const_shape {values = dense<[2, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x4x6x3xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x4x12x3xi8>
  return %r : tensor<1x4x12x3xi8>
}
