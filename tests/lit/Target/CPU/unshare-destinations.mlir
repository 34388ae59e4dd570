// RUN: tenon-opt %s -tenon-unshare-destinations | FileCheck %s

// Each product begins with zeros of its own; who only reads them shares.
// CHECK-LABEL: func @products(
// CHECK: %[[C:.*]] = linalg.fill
// CHECK: %[[A:.*]] = linalg.fill
// CHECK: linalg.matmul {{.*}} outs(%[[A]] :
// CHECK: %[[B:.*]] = linalg.fill
// CHECK: linalg.matmul {{.*}} outs(%[[B]] :
// CHECK-NOT: linalg.fill
// CHECK: linalg.exp ins(%[[C]] :
// CHECK: linalg.exp ins(%[[C]] :
func.func @products(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.matmul ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.exp ins(%f : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = linalg.exp ins(%f : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a, %b, %c, %d : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
