// RUN: tenon-opt %s -pass-pipeline='builtin.module(func.func(tenon-split-subviews))' | FileCheck %s
// RUN: tenon-opt %s -pass-pipeline='builtin.module(func.func(tenon-split-subviews),expand-strided-metadata)' | FileCheck %s --check-prefix=LOWERED

// Two dimensions have one element each: which one is dropped, strides tell.
// CHECK-LABEL: func @stepped(
// CHECK: %[[S:.*]] = memref.subview %arg0[0, 2, 6] [2, 1, 1] [1, 2, 2] : memref<2x7x11xi8> to memref<2x1x1xi8, strided<[77, 22, 2], offset: 28>>
// CHECK: %[[R:.*]] = memref.subview %[[S]][0, 0, 0] [2, 1, 1] [1, 1, 1]
// CHECK-SAME: to memref<2x1xi8, strided<[77, 22], offset: 28>>
// CHECK: return %[[R]]
// LOWERED-LABEL: func @stepped(
// LOWERED: memref.reinterpret_cast %{{.*}} to offset: [28], sizes: [2, 1], strides: [77, 22]
func.func @stepped(%x: memref<2x7x11xi8>) -> memref<2x1xi8, strided<[77, 22], offset: 28>> {
  %v = memref.subview %x[0, 2, 6] [2, 1, 1] [1, 2, 2] : memref<2x7x11xi8> to memref<2x1xi8, strided<[77, 22], offset: 28>>
  return %v : memref<2x1xi8, strided<[77, 22], offset: 28>>
}

// CHECK-LABEL: func @open(
// CHECK: %[[S:.*]] = memref.subview %arg0[0, 2] [1, 3] [1, %arg1]
// CHECK: memref.subview %[[S]][0, 0] [1, 3] [1, 1]
func.func @open(%x: memref<2x7xi8>, %step: index) -> memref<3xi8, strided<[?], offset: 2>> {
  %v = memref.subview %x[0, 2] [1, 3] [1, %step] : memref<2x7xi8> to memref<3xi8, strided<[?], offset: 2>>
  return %v : memref<3xi8, strided<[?], offset: 2>>
}

// CHECK-LABEL: func @left(
// CHECK-COUNT-2: memref.subview %arg0
// CHECK-NOT: memref.subview
func.func @left(%x: memref<2x7xi8>) -> (memref<3xi8, strided<[1], offset: 2>>, memref<1x3xi8, strided<[7, 2], offset: 2>>) {
  %row = memref.subview %x[0, 2] [1, 3] [1, 1] : memref<2x7xi8> to memref<3xi8, strided<[1], offset: 2>>
  %steps = memref.subview %x[0, 2] [1, 3] [1, 2] : memref<2x7xi8> to memref<1x3xi8, strided<[7, 2], offset: 2>>
  return %row, %steps : memref<3xi8, strided<[1], offset: 2>>, memref<1x3xi8, strided<[7, 2], offset: 2>>
}
