// RUN: tenon-opt %s -split-input-file -tenon-sink-operators -verify-each | FileCheck %s

// Of 10 x 20 sums 3 x 4 are read: those are computed.
// CHECK-LABEL: func.func @elementwise
// CHECK-DAG: %[[X:.*]] = tensor.extract_slice %arg0[2, 5] [3, 4]
// CHECK-DAG: %[[Y:.*]] = tensor.extract_slice %arg1[5] [4]
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[Y]] : tensor<3x4xf32>, tensor<4xf32>)
// CHECK: return %[[S]]
#all = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>
func.func @elementwise(%x: tensor<10x20xf32>, %y: tensor<20xf32>) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<10x20xf32>
  %s = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<10x20xf32>, tensor<20xf32>) outs(%e : tensor<10x20xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<10x20xf32>
  %cut = tensor.extract_slice %s[2, 5] [3, 4] [1, 1] : tensor<10x20xf32> to tensor<3x4xf32>
  return %cut : tensor<3x4xf32>
}

// -----

// Rows of a product are products of rows, with every sum whole.
// CHECK-LABEL: func.func @product
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[7, 0] [1, 5]
// CHECK: linalg.matmul ins(%[[X]], %arg1 : tensor<1x5xf32>, tensor<5x6xf32>)
func.func @product(%x: tensor<10x5xf32>, %y: tensor<5x6xf32>, %z: tensor<10x6xf32>) -> tensor<1x6xf32> {
  %p = linalg.matmul ins(%x, %y : tensor<10x5xf32>, tensor<5x6xf32>) outs(%z : tensor<10x6xf32>) -> tensor<10x6xf32>
  %cut = tensor.extract_slice %p[7, 0] [1, 6] [1, 1] : tensor<10x6xf32> to tensor<1x6xf32>
  return %cut : tensor<1x6xf32>
}

// -----

// What is read elsewhere, too, is computed once and whole.
// CHECK-LABEL: func.func @kept
// CHECK: linalg.matmul ins(%arg0, %arg1
// CHECK: tensor.extract_slice
func.func @kept(%x: tensor<10x5xf32>, %y: tensor<5x6xf32>, %z: tensor<10x6xf32>) -> (tensor<1x6xf32>, tensor<10x6xf32>) {
  %p = linalg.matmul ins(%x, %y : tensor<10x5xf32>, tensor<5x6xf32>) outs(%z : tensor<10x6xf32>) -> tensor<10x6xf32>
  %cut = tensor.extract_slice %p[7, 0] [1, 6] [1, 1] : tensor<10x6xf32> to tensor<1x6xf32>
  return %cut, %p : tensor<1x6xf32>, tensor<10x6xf32>
}

// -----

// An index counts from the first element of the whole, which is therefore kept.
// CHECK-LABEL: func.func @index
// CHECK: %[[G:.*]] = linalg.generic
// CHECK: linalg.index 0
// CHECK: tensor.extract_slice %[[G]][1] [2]
#line = affine_map<(i) -> (i)>
func.func @index() -> tensor<2xindex> {
  %e = tensor.empty() : tensor<3xindex>
  %g = linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%e : tensor<3xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<3xindex>
  %cut = tensor.extract_slice %g[1] [2] [1] : tensor<3xindex> to tensor<2xindex>
  return %cut : tensor<2xindex>
}

// -----

// A step over elements is no tile of the loops.
// CHECK-LABEL: func.func @step
// CHECK: linalg.matmul ins(%arg0, %arg1
// CHECK: tensor.extract_slice
func.func @step(%x: tensor<10x5xf32>, %y: tensor<5x6xf32>, %z: tensor<10x6xf32>) -> tensor<5x6xf32> {
  %p = linalg.matmul ins(%x, %y : tensor<10x5xf32>, tensor<5x6xf32>) outs(%z : tensor<10x6xf32>) -> tensor<10x6xf32>
  %cut = tensor.extract_slice %p[0, 0] [5, 6] [2, 1] : tensor<10x6xf32> to tensor<5x6xf32>
  return %cut : tensor<5x6xf32>
}

// -----

// The product in front of a loop that takes a row of it at each step is one.
// Into a branch it sinks.
// CHECK-LABEL: func.func @loop
// CHECK: %[[P:.*]] = linalg.matmul ins(%arg0, %arg1
// CHECK: scf.for
// CHECK-NOT: linalg.matmul
// CHECK: tensor.extract_slice %[[P]][%{{.*}}, 0] [1, 6]
// CHECK: scf.if
// CHECK: linalg.matmul ins(%{{.*}}, %arg1 : tensor<1x5xf32>, tensor<5x6xf32>)
func.func @loop(%x: tensor<10x5xf32>, %y: tensor<5x6xf32>, %z: tensor<10x6xf32>, %start: tensor<1x6xf32>, %cond: i1) -> (tensor<1x6xf32>, tensor<1x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %p = linalg.matmul ins(%x, %y : tensor<10x5xf32>, tensor<5x6xf32>) outs(%z : tensor<10x6xf32>) -> tensor<10x6xf32>
  %sum = scf.for %i = %c0 to %c10 step %c1 iter_args(%sofar = %start) -> tensor<1x6xf32> {
    %row = tensor.extract_slice %p[%i, 0] [1, 6] [1, 1] : tensor<10x6xf32> to tensor<1x6xf32>
    %next = linalg.add ins(%row, %sofar : tensor<1x6xf32>, tensor<1x6xf32>) outs(%sofar : tensor<1x6xf32>) -> tensor<1x6xf32>
    scf.yield %next : tensor<1x6xf32>
  }
  %q = linalg.matmul ins(%x, %y : tensor<10x5xf32>, tensor<5x6xf32>) outs(%z : tensor<10x6xf32>) -> tensor<10x6xf32>
  %chosen = scf.if %cond -> tensor<1x6xf32> {
    %row = tensor.extract_slice %q[3, 0] [1, 6] [1, 1] : tensor<10x6xf32> to tensor<1x6xf32>
    scf.yield %row : tensor<1x6xf32>
  } else {
    scf.yield %start : tensor<1x6xf32>
  }
  return %sum, %chosen : tensor<1x6xf32>, tensor<1x6xf32>
}
