// RUN: tenon-opt %s -tenon-constants-to-globals | FileCheck %s

// Equal constants are one global, which nothing writes to; scalars stay.
// CHECK-DAG: memref.global "private" constant @[[A:.*]] : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]>
// CHECK-DAG: memref.global "private" constant @[[B:.*]] : memref<2xf32> = dense<[1.000000e+00, 3.000000e+00]>
// CHECK-NOT: memref.global
// CHECK-LABEL: func.func @main
func.func @main() -> (tensor<2xf32>, tensor<2xf32>, f32) {
  // CHECK: %[[FROM:.*]] = memref.get_global @[[A]]
  // CHECK: %[[X:.*]] = bufferization.to_tensor %[[FROM]] restrict :
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: %[[FROM:.*]] = memref.get_global @[[B]]
  // CHECK: %[[Y:.*]] = bufferization.to_tensor %[[FROM]] restrict :
  %b = arith.constant dense<[1.0, 3.0]> : tensor<2xf32>
  // CHECK: %[[Z:.*]] = arith.constant 4
  %c = arith.constant 4.0 : f32
  // CHECK: return %[[X]], %[[Y]], %[[Z]]
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, f32
}

// CHECK-LABEL: func.func @other
func.func @other() -> tensor<2xf32> {
  // CHECK: memref.get_global @[[A]]
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %a : tensor<2xf32>
}
