// RUN: tenon-opt %s -split-input-file -tenon-simplify-tensors -verify-each | FileCheck %s

// x / 4 is x * 0.25, x / 3 is no multiplication; a constant of one element moves
// into the body, where x * 1 and x - 0 are nothing.
// CHECK-LABEL: func.func @scalars
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<?xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[X]], %[[QUARTER:.*]] : f32
// CHECK-NEXT: %[[T:.*]] = arith.divf %[[Q]], %{{.*}} : f32
// CHECK-NEXT: linalg.yield %[[T]]
#id = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>
func.func @scalars(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %c = arith.constant dense<1.0> : tensor<f32>
  %y = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]}
      ins(%x, %c : tensor<?xf32>, tensor<f32>) outs(%e : tensor<?xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %three = arith.constant 3.0 : f32
    %four = arith.constant 4.0 : f32
    %0 = arith.mulf %i, %j : f32
    %1 = arith.subf %0, %zero : f32
    %2 = arith.divf %1, %four : f32
    %3 = arith.divf %2, %three : f32
    linalg.yield %3 : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// x + 0 is not x: -0 + 0 is 0.
// CHECK-LABEL: func.func @signedZero
// CHECK: arith.addf
#id = affine_map<(i) -> (i)>
func.func @signedZero(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.addf %i, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Views of nothing are nothing, and who asks for an extent does not read.
// CHECK-LABEL: func.func @extents
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK-NOT: linalg
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x2xf32>
// CHECK: return %[[E]], %[[N]]
func.func @extents(%x: tensor<?xf32>, %e: tensor<?xf32>, %n: index) -> (tensor<?x2xf32>, index) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.exp ins(%x : tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  %l = tensor.dim %y, %c0 : tensor<?xf32>
  %w = tensor.empty(%l) : tensor<?x1x2xf32>
  %v = tensor.collapse_shape %w [[0, 1], [2]] : tensor<?x1x2xf32> into tensor<?x2xf32>
  return %v, %l : tensor<?x2xf32>, index
}

// -----

// A slice of a slice; an operand that nothing reads.
// CHECK-LABEL: func.func @chains
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[5] [3] [1]
// CHECK: linalg.generic {{.*}} ins(%[[S]] : tensor<3xf32>)
#id = affine_map<(i) -> (i)>
func.func @chains(%x: tensor<20xf32>, %u: tensor<3xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
  %a = tensor.extract_slice %x[4] [10] [1] : tensor<20xf32> to tensor<10xf32>
  %b = tensor.extract_slice %a[1] [3] [1] : tensor<10xf32> to tensor<3xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%b, %u : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.negf %i : f32
    linalg.yield %0 : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}
