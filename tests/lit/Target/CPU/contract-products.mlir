// RUN: tenon-opt %s -pass-pipeline='builtin.module(func.func(tenon-mark-contractions,tenon-contract-products))' | FileCheck %s

// CHECK-LABEL: func @product(
// CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-NOT: arith.mulf
func.func @product(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>, %c: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%c : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// Doubles, and what is no sum of products, keep both roundings.
// CHECK-LABEL: func @others(
// CHECK-NOT: math.fma
// CHECK-NOT: fastmath
// CHECK: return
func.func @others(%a: tensor<3x4xf64>, %b: tensor<4x5xf64>, %c: tensor<3x5xf64>, %x: tensor<7xf32>) -> (tensor<3x5xf64>, tensor<7xf32>) {
  %y = linalg.matmul ins(%a, %b : tensor<3x4xf64>, tensor<4x5xf64>) outs(%c : tensor<3x5xf64>) -> tensor<3x5xf64>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<7xf32>) outs(%x : tensor<7xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.mulf %v, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<7xf32>
  return %y, %z : tensor<3x5xf64>, tensor<7xf32>
}
