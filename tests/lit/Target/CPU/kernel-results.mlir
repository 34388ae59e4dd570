// RUN: tenon-opt %s -tenon-kernel-results | FileCheck %s

// What is computed in a buffer of its own is computed in the caller's, seen as
// it was: nothing is copied.
// CHECK-LABEL: func @own(
// CHECK-SAME: %[[X:.*]]: memref<6xi32>, %[[A:.*]]: memref<6xi32>, %[[B:.*]]: memref<2x3xi32>)
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[B]] {{\[\[}}0, 1]] : memref<2x3xi32> into memref<6xi32>
// CHECK-NOT: memref.alloc
// CHECK: linalg.copy ins(%[[X]] : memref<6xi32>) outs(%[[A]] : memref<6xi32>)
// CHECK: linalg.copy ins(%[[X]] : memref<6xi32>) outs(%[[FLAT]] : memref<6xi32>)
// CHECK-NOT: memref.copy
func.func @own(%x: memref<6xi32>) -> (memref<6xi32>, memref<2x3xi32>) {
  %a = memref.alloc() : memref<6xi32>
  %b = memref.alloc() : memref<6xi32>
  linalg.copy ins(%x : memref<6xi32>) outs(%a : memref<6xi32>)
  linalg.copy ins(%x : memref<6xi32>) outs(%b : memref<6xi32>)
  %c = memref.expand_shape %b [[0, 1]] output_shape [2, 3] : memref<6xi32> into memref<2x3xi32>
  return %a, %c : memref<6xi32>, memref<2x3xi32>
}

// CHECK-LABEL: func @collapsed(
// CHECK-SAME: %[[TO:.*]]: memref<6xi32>)
// CHECK: %[[WHOLE:.*]] = memref.expand_shape %[[TO]] {{\[\[}}0, 1]] output_shape [2, 3]
// CHECK-NOT: memref.alloc
// CHECK: linalg.fill ins(%{{.*}} : i32) outs(%[[WHOLE]] : memref<2x3xi32>)
// CHECK-NOT: memref.copy
func.func @collapsed() -> memref<6xi32> {
  %v = arith.constant 7 : i32
  %a = memref.alloc() : memref<2x3xi32>
  linalg.fill ins(%v : i32) outs(%a : memref<2x3xi32>)
  %c = memref.collapse_shape %a [[0, 1]] : memref<2x3xi32> into memref<6xi32>
  return %c : memref<6xi32>
}

// Of two results in one buffer the second is a copy; so is an
// argument.
// CHECK-LABEL: func @shared(
// CHECK-SAME: %[[X:.*]]: memref<6xi32>, %[[A:.*]]: memref<6xi32>, %[[B:.*]]: memref<6xi32>, %[[C:.*]]: memref<6xi32>)
// CHECK: linalg.copy ins(%[[X]] : memref<6xi32>) outs(%[[A]] : memref<6xi32>)
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: memref.copy %[[X]], %[[C]]
// CHECK-NEXT: return
func.func @shared(%x: memref<6xi32>) -> (memref<6xi32>, memref<6xi32>, memref<6xi32>) {
  %a = memref.alloc() : memref<6xi32>
  linalg.copy ins(%x : memref<6xi32>) outs(%a : memref<6xi32>)
  return %a, %a, %x : memref<6xi32>, memref<6xi32>, memref<6xi32>
}

// Open extents come back in memory of their own.
// CHECK-LABEL: func @open(
// CHECK: %[[A:.*]] = memref.alloc(
// CHECK: %[[B:.*]] = memref.alloc(
// CHECK: memref.copy %[[A]], %[[B]]
// CHECK: return %[[B]]
func.func @open(%x: memref<?xi32>) -> memref<?xi32> {
  %zero = arith.constant 0 : index
  %n = memref.dim %x, %zero : memref<?xi32>
  %a = memref.alloc(%n) : memref<?xi32>
  return %a : memref<?xi32>
}
