// RUN: tenon-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(tenon-saturate-sizes))' | FileCheck %s

// Bytes of the elements and of the fixed extents, times each open one; where a
// product has more than 64 bits, all ones.
// CHECK-LABEL: func @product(
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: index)
func.func @product(%n: index, %m: index) -> memref<?x3x?xf16> {
  // CHECK: %[[FIXED:.*]] = arith.constant 6 : i64
  // CHECK: %[[WN:.*]] = arith.index_cast %[[N]] : index to i64
  // CHECK: %[[P:.*]] = "llvm.intr.umul.with.overflow"(%[[FIXED]], %[[WN]]) : (i64, i64) -> !llvm.struct<(i64, i1)>
  // CHECK: %[[MOST:.*]] = arith.constant -1 : i64
  // CHECK-DAG: %[[LOW:.*]] = llvm.extractvalue %[[P]][0]
  // CHECK-DAG: %[[OVER:.*]] = llvm.extractvalue %[[P]][1]
  // CHECK: %[[ROWS:.*]] = arith.select %[[OVER]], %[[MOST]], %[[LOW]] : i64
  // CHECK: %[[WM:.*]] = arith.index_cast %[[M]] : index to i64
  // CHECK: "llvm.intr.umul.with.overflow"(%[[ROWS]], %[[WM]])
  // CHECK: %[[ALL:.*]] = arith.select
  // CHECK: %[[BYTES:.*]] = arith.index_cast %[[ALL]] : i64 to index
  // CHECK: %[[RAW:.*]] = memref.alloc(%[[BYTES]]) : memref<?xi8>
  // CHECK: %[[VIEW:.*]] = memref.view %[[RAW]][%{{.*}}][%[[N]], %[[M]]] : memref<?xi8> to memref<?x3x?xf16>
  // CHECK: return %[[VIEW]]
  %a = memref.alloc(%n, %m) : memref<?x3x?xf16>
  return %a : memref<?x3x?xf16>
}

// A bool takes a byte, an index eight; what is fixed stays.
// CHECK-LABEL: func @elements(
func.func @elements(%n: index) {
  // CHECK: arith.constant 1 : i64
  // CHECK: memref.view {{.*}} to memref<?xi1>
  %a = memref.alloc(%n) : memref<?xi1>
  // CHECK: arith.constant 8 : i64
  // CHECK: memref.view {{.*}} to memref<?xindex>
  %b = memref.alloc(%n) : memref<?xindex>
  // CHECK: memref.alloc() : memref<7xf32>
  %c = memref.alloc() : memref<7xf32>
  return
}

// -----

func.func @vectors(%n: index) {
  // expected-error @+1 {{'memref.alloc' op is a buffer of dynamic size that is no dense array of numbers}}
  %a = memref.alloc(%n) : memref<?xvector<4xf32>>
  return
}
