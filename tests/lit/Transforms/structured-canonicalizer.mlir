// RUN: tenon-opt %s -split-input-file -tenon-canonicalize -verify-each | FileCheck %s

// Upstream folds the extent into the types, and refuses the slice then.
// CHECK-LABEL: func.func @slice_of_nothing
// CHECK: tensor.empty(%arg0) : tensor<?x0xf32>
// CHECK-NOT: tensor.extract_slice
func.func @slice_of_nothing(%n: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0 : index
  %x = tensor.empty(%n, %zero) : tensor<?x?xf32>
  %s = tensor.extract_slice %x[0, 0] [%n, %zero] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// -----

// The dimension that the slice drops is none of the result.
// CHECK-LABEL: func.func @lower_rank
// CHECK: tensor.empty() : tensor<3x0xf32>
// CHECK-NOT: tensor.extract_slice
func.func @lower_rank(%x: tensor<3x5x?xf32>) -> tensor<3x?xf32> {
  %zero = arith.constant 0 : index
  %s = tensor.extract_slice %x[0, 2, 0] [3, 1, %zero] [1, 1, 1] : tensor<3x5x?xf32> to tensor<3x?xf32>
  return %s : tensor<3x?xf32>
}

// -----

// CHECK-LABEL: func.func @insertion_of_nothing
// CHECK-NEXT: return %arg1
func.func @insertion_of_nothing(%n: index, %into: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0 : index
  %x = tensor.empty(%zero, %n) : tensor<?x?xf32>
  %r = tensor.insert_slice %x into %into[%n, 0] [%zero, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// What has elements stays.
// CHECK-LABEL: func.func @something
// CHECK: tensor.extract_slice
func.func @something(%x: tensor<5xf32>) -> tensor<3xf32> {
  %s = tensor.extract_slice %x[2] [3] [1] : tensor<5xf32> to tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

// The shape that a check asks for is less than what is padded: the check fails.
// CHECK-LABEL: func.func @padded_to_less
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<2x5xf32>
// CHECK-NEXT: return %[[E]]
func.func @padded_to_less(%x: tensor<4x4xf32>, %m: index, %n: index) -> tensor<2x5xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0] high[%m, %n] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x4xf32> to tensor<?x?xf32>
  %r = tensor.cast %p : tensor<?x?xf32> to tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

// -----

// CHECK-LABEL: func.func @padded_to_more
// CHECK: tensor.pad
func.func @padded_to_more(%x: tensor<4x?xf32>, %m: index) -> tensor<4x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0] high[0, %m] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x?xf32> to tensor<4x?xf32>
  return %p : tensor<4x?xf32>
}
