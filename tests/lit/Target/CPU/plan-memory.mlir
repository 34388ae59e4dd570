// RUN: tenon-opt %s -split-input-file -tenon-plan-memory | FileCheck %s

// Three buffers, of which the first is not needed while the third is: two
// places. An alias counts as its buffer; a dimension of it needs nothing.
// CHECK-LABEL: func @chain(
// CHECK-SAME: %[[X:.*]]: memref<100xf32>, %[[W:.*]]: memref<896xi8>)
// CHECK-SAME: tenon.workspace = {bound = 896 : i64, buffers = 3 : i64, by_size = 896 : i64, bytes = 896 : i64}
func.func @chain(%x: memref<100xf32>) {
  // CHECK-DAG: %[[A:.*]] = memref.view %[[W]][%[[OA:.*]]][] : memref<896xi8> to memref<100xf32>
  // CHECK-DAG: %[[B:.*]] = memref.view %[[W]][%[[OB:.*]]][] : memref<896xi8> to memref<100xf32>
  // CHECK-DAG: %[[C:.*]] = memref.view %[[W]][%[[OC:.*]]][] : memref<896xi8> to memref<50xf32>
  // CHECK-NOT: memref.alloc
  %a = memref.alloc() : memref<100xf32>
  %b = memref.alloc() : memref<100xf32>
  %c = memref.alloc() : memref<50xf32>
  memref.copy %x, %a : memref<100xf32> to memref<100xf32>
  memref.copy %a, %b : memref<100xf32> to memref<100xf32>
  %half = memref.subview %b[0] [50] [1] : memref<100xf32> to memref<50xf32, strided<[1]>>
  memref.copy %half, %c : memref<50xf32, strided<[1]>> to memref<50xf32>
  memref.copy %c, %half : memref<50xf32> to memref<50xf32, strided<[1]>>
  return
}

// -----

// A size that is dynamic, and what a kernel returns, are no parts of a plan.
// CHECK-LABEL: func @dynamic(
// CHECK-SAME: memref<0xi8>) -> memref<4xf32>
// CHECK-COUNT-2: memref.alloc
// CHECK-NOT: memref.view
func.func @dynamic(%n: index, %x: memref<?xf32>) -> memref<4xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  return %b : memref<4xf32>
}

// -----

// A buffer of one iteration has one place for all of them, beside what the loop
// reads from outside; what is carried into the next one has not.
// CHECK-LABEL: func @loop(
// CHECK-SAME: memref<128xi8>
// CHECK-SAME: bound = 128 : i64, buffers = 2 : i64
func.func @loop(%x: memref<16xf32>, %y: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outside = memref.alloc() : memref<16xf32>
  memref.copy %x, %outside : memref<16xf32> to memref<16xf32>
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%before = %x) -> (memref<16xf32>) {
    // CHECK: memref.view
    // CHECK: memref.alloc
    %once = memref.alloc() : memref<16xf32>
    %next = memref.alloc() : memref<16xf32>
    memref.copy %before, %once : memref<16xf32> to memref<16xf32>
    memref.copy %outside, %once : memref<16xf32> to memref<16xf32>
    memref.copy %once, %next : memref<16xf32> to memref<16xf32>
    scf.yield %next : memref<16xf32>
  }
  memref.copy %r, %y : memref<16xf32> to memref<16xf32>
  return
}

// -----

// Iterations at the same time need places of their own.
// CHECK-LABEL: func @parallel(
// CHECK-SAME: memref<0xi8>
// CHECK: scf.forall
// CHECK: memref.alloc
func.func @parallel(%x: memref<16xf32>) {
  scf.forall (%i) in (4) {
    %a = memref.alloc() : memref<16xf32>
    memref.copy %x, %a : memref<16xf32> to memref<16xf32>
  }
  return
}

// -----

// What a branch hands on is needed behind it.
// CHECK-LABEL: func @branches(
// CHECK-SAME: bound = 128 : i64, buffers = 3 : i64
// CHECK-NOT: memref.alloc
func.func @branches(%x: memref<16xf32>, %y: memref<16xf32>, %c: i1) {
  %r = scf.if %c -> (memref<16xf32>) {
    %a = memref.alloc() : memref<16xf32>
    memref.copy %x, %a : memref<16xf32> to memref<16xf32>
    scf.yield %a : memref<16xf32>
  } else {
    scf.yield %x : memref<16xf32>
  }
  %b = memref.alloc() : memref<16xf32>
  memref.copy %r, %b : memref<16xf32> to memref<16xf32>
  %d = memref.alloc() : memref<16xf32>
  memref.copy %b, %d : memref<16xf32> to memref<16xf32>
  memref.copy %d, %y : memref<16xf32> to memref<16xf32>
  return
}

// -----

// Elements as LLVM lays them out: a byte for each bit, four for 24 bits; each
// buffer takes whole cache lines.
// CHECK-LABEL: func @elements(
// CHECK-SAME: memref<256xi8>
// CHECK-SAME: bound = 256 : i64, buffers = 3 : i64
func.func @elements(%x: memref<65xi1>, %y: memref<16xi24>, %z: memref<3xindex>) {
  %a = memref.alloc() : memref<65xi1>
  %b = memref.alloc() : memref<16xi24>
  %d = memref.alloc() : memref<3xindex>
  %e = memref.alloc() : memref<0xf32>
  memref.copy %x, %a : memref<65xi1> to memref<65xi1>
  memref.copy %y, %b : memref<16xi24> to memref<16xi24>
  memref.copy %z, %d : memref<3xindex> to memref<3xindex>
  memref.copy %a, %x : memref<65xi1> to memref<65xi1>
  memref.copy %b, %y : memref<16xi24> to memref<16xi24>
  memref.copy %d, %z : memref<3xindex> to memref<3xindex>
  memref.copy %e, %e : memref<0xf32> to memref<0xf32>
  return
}
