// RUN: tenon-opt %s -tenon-return-assertions | FileCheck %s

// The first assertion that fails ends the function with its message, in the
// middle of a loop, too; its results are nothing.
// CHECK-DAG: llvm.mlir.global private constant @[[FIRST:.*]]("first\00")
// CHECK-DAG: llvm.mlir.global private constant @[[SECOND:.*]]("second\00")
// CHECK-LABEL: func @f(
// CHECK-SAME: -> (memref<?xf32>, !llvm.ptr)
// CHECK-DAG: %[[TEXT:.*]] = llvm.mlir.addressof @[[FIRST]]
// CHECK: cf.cond_br %arg1, ^[[GO:.*]], ^[[END:.*]](%[[TEXT]] : !llvm.ptr)
// CHECK: ^[[GO]]:
// CHECK: ^[[LOOP:bb.*]](
// CHECK: llvm.mlir.addressof @[[SECOND]]
// CHECK: cf.cond_br {{.*}} ^[[END]](
// CHECK: memref.store
// CHECK: llvm.mlir.zero
// CHECK: return %arg0, %{{.*}} : memref<?xf32>, !llvm.ptr
// CHECK: ^[[END]](%[[MESSAGE:.*]]: !llvm.ptr):
// CHECK: %[[NOTHING:.*]] = ub.poison : memref<?xf32>
// CHECK: return %[[NOTHING]], %[[MESSAGE]]
func.func @f(%x: memref<?xf32>, %p: i1, %n: index) -> memref<?xf32> attributes {tenon.signature = () -> ()} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %number = arith.constant 1.0 : f32
  cf.assert %p, "first"
  cf.br ^loop(%zero : index)
^loop(%i: index):
  %q = arith.cmpi slt, %i, %n : index
  cf.assert %q, "second"
  memref.store %number, %x[%i] : memref<?xf32>
  %next = arith.addi %i, %one : index
  %more = arith.cmpi slt, %next, %n : index
  cf.cond_br %more, ^loop(%next : index), ^end
^end:
  return %x : memref<?xf32>
}
