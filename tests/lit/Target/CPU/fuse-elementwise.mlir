// RUN: tenon-opt %s -tenon-fuse-elementwise | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// One loop for two operations.
// CHECK-LABEL: func.func @chain
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.addf
// CHECK-NOT: linalg.generic
func.func @chain(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %z = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.addf %i, %i : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// A product reads each element of an operand for every column of its result.
// CHECK-LABEL: func.func @product
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK-NOT: math.exp
// CHECK: return
func.func @product(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %z = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// Zero points are numbers of the body, where a subtraction of nothing goes.
// CHECK-LABEL: func @zero_points(
func.func @zero_points(%x: tensor<3x4xi8>, %w: tensor<4x5xi8>, %sums: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %xz = arith.constant 7 : i32
  %wz = arith.constant 0 : i32
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x4xi8>, tensor<4x5xi8>)
  // CHECK: arith.subi %{{.*}}, %c7_i32
  // CHECK-NOT: arith.subi
  // CHECK: arith.muli
  %y = linalg.quantized_matmul ins(%x, %w, %xz, %wz : tensor<3x4xi8>, tensor<4x5xi8>, i32, i32) outs(%sums : tensor<3x5xi32>) -> tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}
