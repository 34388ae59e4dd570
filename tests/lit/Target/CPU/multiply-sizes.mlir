// RUN: tenon-opt %s -pass-pipeline='builtin.module(func.func(tenon-saturate-sizes),finalize-memref-to-llvm,func.func(tenon-multiply-sizes))' | FileCheck %s

// Nothing is counted from an address, whose bits are the host's.
// CHECK-LABEL: func.func @dynamic(
// CHECK-NOT: ptrtoint
// CHECK: %[[BYTES:.*]] = llvm.mul %{{.*}}, %{{.*}} : i64
// CHECK: llvm.call @malloc(%[[BYTES]])
// CHECK-NOT: ptrtoint
// CHECK: return
func.func @dynamic(%n: index) -> memref<?xi64> {
  %a = memref.alloc(%n) : memref<?xi64>
  return %a : memref<?xi64>
}

// 2^29 + 1 elements of 8 bytes.
// CHECK-LABEL: func.func @static(
// CHECK-DAG: %[[COUNT:.*]] = llvm.mlir.constant(536870913 : index) : i64
// CHECK-DAG: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i64) : i64
// CHECK: %[[BYTES:.*]] = llvm.mul %[[COUNT]], %[[EIGHT]] : i64
// CHECK: llvm.call @malloc(%[[BYTES]])
func.func @static() -> memref<536870913xf64> {
  %a = memref.alloc() : memref<536870913xf64>
  return %a : memref<536870913xf64>
}

// An address that is one stays.
// CHECK-LABEL: func.func @address(
// CHECK: llvm.getelementptr
// CHECK: llvm.ptrtoint
func.func @address(%p: !llvm.ptr, %n: i64) -> i64 {
  %q = llvm.getelementptr %p[%n] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %a = llvm.ptrtoint %q : !llvm.ptr to i64
  return %a : i64
}
