// RUN: tenon-opt %s -split-input-file -tenon-order-operations | FileCheck %s

// Two branches that grow and shrink: one after the other is cheaper than both
// at once.
// CHECK-LABEL: func @branches(
// CHECK: %[[A:.*]] = linalg.matmul {{.*}} -> tensor<1x1000xf32>
// CHECK: %[[B:.*]] = linalg.matmul ins(%[[A]], {{.*}} -> tensor<1x8xf32>
// CHECK: %[[C:.*]] = linalg.matmul {{.*}} -> tensor<1x1000xf32>
// CHECK: linalg.matmul ins(%[[C]], {{.*}} -> tensor<1x8xf32>
func.func @branches(%x: tensor<1x8xf32>, %v: tensor<8x1000xf32>, %w: tensor<1000x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  %wide = tensor.empty() : tensor<1x1000xf32>
  %slim = tensor.empty() : tensor<1x8xf32>
  %a = linalg.matmul ins(%x, %v : tensor<1x8xf32>, tensor<8x1000xf32>) outs(%wide : tensor<1x1000xf32>) -> tensor<1x1000xf32>
  %c = linalg.matmul ins(%x, %v : tensor<1x8xf32>, tensor<8x1000xf32>) outs(%wide : tensor<1x1000xf32>) -> tensor<1x1000xf32>
  %b = linalg.matmul ins(%a, %w : tensor<1x1000xf32>, tensor<1000x8xf32>) outs(%slim : tensor<1x8xf32>) -> tensor<1x8xf32>
  %d = linalg.matmul ins(%c, %w : tensor<1x1000xf32>, tensor<1000x8xf32>) outs(%slim : tensor<1x8xf32>) -> tensor<1x8xf32>
  return %b, %d : tensor<1x8xf32>, tensor<1x8xf32>
}

// -----

// What is read of a tensor before it is overwritten stays before it, and what
// has effects keeps its order.
// CHECK-LABEL: func @constraints(
// CHECK: cf.assert {{.*}} "first"
// CHECK: cf.assert {{.*}} "second"
// CHECK: tensor.extract_slice
// CHECK: tensor.insert_slice
func.func @constraints(%x: tensor<1x8xf32>, %v: tensor<8x1000xf32>, %w: tensor<1000x8xf32>, %p: i1, %q: i1) -> (tensor<1x1000xf32>, tensor<1x8xf32>, tensor<1x8xf32>) {
  %wide = tensor.empty() : tensor<1x1000xf32>
  %slim = tensor.empty() : tensor<1x8xf32>
  %a = linalg.matmul ins(%x, %v : tensor<1x8xf32>, tensor<8x1000xf32>) outs(%wide : tensor<1x1000xf32>) -> tensor<1x1000xf32>
  cf.assert %p, "first"
  %c = linalg.matmul ins(%x, %v : tensor<1x8xf32>, tensor<8x1000xf32>) outs(%wide : tensor<1x1000xf32>) -> tensor<1x1000xf32>
  cf.assert %q, "second"
  %part = tensor.extract_slice %a[0, 0] [1, 8] [1, 1] : tensor<1x1000xf32> to tensor<1x8xf32>
  %e = linalg.matmul ins(%c, %w : tensor<1x1000xf32>, tensor<1000x8xf32>) outs(%slim : tensor<1x8xf32>) -> tensor<1x8xf32>
  %f = linalg.exp ins(%part : tensor<1x8xf32>) outs(%slim : tensor<1x8xf32>) -> tensor<1x8xf32>
  %b = tensor.insert_slice %x into %a[0, 4] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<1x1000xf32>
  return %b, %e, %f : tensor<1x1000xf32>, tensor<1x8xf32>, tensor<1x8xf32>
}

// -----

// What stands behind an assertion relies on it, whatever it costs: here, that
// three large tensors wait for each other.
// CHECK-LABEL: func @relies(
// CHECK: linalg.matmul {{.*}} -> tensor<1x8xf32>
// CHECK: cf.assert
// CHECK: linalg.matmul {{.*}} -> tensor<1x8xf32>
// CHECK-NEXT: return
func.func @relies(%x: tensor<1x8xf32>, %v: tensor<8x1000xf32>, %w: tensor<1000x8xf32>) -> tensor<1x8xf32> {
  %zero = arith.constant 0 : index
  %bound = arith.constant 7.0 : f32
  %wide = tensor.empty() : tensor<1x1000xf32>
  %slim = tensor.empty() : tensor<1x8xf32>
  %other = tensor.empty() : tensor<1x8xf32>
  %a = linalg.matmul ins(%x, %v : tensor<1x8xf32>, tensor<8x1000xf32>) outs(%wide : tensor<1x1000xf32>) -> tensor<1x1000xf32>
  %c = linalg.exp ins(%a : tensor<1x1000xf32>) outs(%wide : tensor<1x1000xf32>) -> tensor<1x1000xf32>
  %d = linalg.exp ins(%c : tensor<1x1000xf32>) outs(%wide : tensor<1x1000xf32>) -> tensor<1x1000xf32>
  %e = linalg.matmul ins(%d, %w : tensor<1x1000xf32>, tensor<1000x8xf32>) outs(%slim : tensor<1x8xf32>) -> tensor<1x8xf32>
  %first = tensor.extract %e[%zero, %zero] : tensor<1x8xf32>
  %p = arith.cmpf olt, %first, %bound : f32
  cf.assert %p, "message"
  %b = linalg.matmul ins(%a, %w : tensor<1x1000xf32>, tensor<1000x8xf32>) outs(%other : tensor<1x8xf32>) -> tensor<1x8xf32>
  return %b : tensor<1x8xf32>
}
