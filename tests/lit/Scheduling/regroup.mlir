// Heads of 16 channels, 2 of them, on 8 tokens. The tensor without rows is whole, the one with rows a view of it.
// RUN: split-file %s %t
// RUN: tenon-opt %t/heads.mlir -accel-attach-machine="virtual-threads=1" -accel-schedule -accel-plan-dram | FileCheck %t/heads.mlir --check-prefix=PLAN
// RUN: tenon-opt %t/heads.mlir -tenon-accelerator-pipeline="virtual-threads=1" -verify-each | FileCheck %t/heads.mlir
// RUN: not tenon-opt %t/heads.mlir -accel-attach-machine="config=wide" -accel-plan-dram 2>&1 | FileCheck %t/heads.mlir --check-prefix=WIDE
// RUN: not tenon-opt %t/twice.mlir -accel-attach-machine -accel-plan-dram 2>&1 | FileCheck %t/twice.mlir

//--- heads.mlir
// A block of 8 pixels has 128 bytes; a head's row is one block.
// PLAN: %[[A:.*]] = accel.window sum {{.*}}accel.dram = {group_bytes = 256 : i64, offset = [[AT:[0-9]+]] : i64}
// PLAN: accel.regroup {{.*}}accel.dram = {group_bytes = 256 : i64, offset = [[AT]] : i64, plane_bytes = 128 : i64, row_bytes = 128 : i64}
// PLAN: accel.product {{.*}}accel.dram = {group_bytes = 256 : i64, offset = [[TO:[0-9]+]] : i64, plane_bytes = 128 : i64, row_bytes = 128 : i64}
// PLAN: accel.regroup {{.*}}accel.dram = {group_bytes = 256 : i64, offset = [[TO]] : i64}
// The product is listed as images, whose distances the runtime knows.
// CHECK: accel.stream 0
// CHECK-SAME: tensors = [{{.*}}perm = array<i64: 1, 0, 2, 3>, {{.*}}shape = array<i64: 2, 1, 8, 16>
// CHECK-NOT: accel.regroup
// WIDE: error: 'accel.regroup' op groups of 16 channels, expected a multiple of 32
func.func @main(%x: tensor<1x1x8x32xi8>, %y: tensor<1x2x16x16xi8>) -> tensor<1x1x8x32xi8> {
  %b = "tosa.const"() <{values = dense<0> : tensor<16xi32>}> : () -> tensor<16xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<16xi32>}> : () -> tensor<16xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<16xi8>}> : () -> tensor<16xi8>
  %m32 = "tosa.const"() <{values = dense<1388776253> : tensor<32xi32>}> : () -> tensor<32xi32>
  %s32 = "tosa.const"() <{values = dense<38> : tensor<32xi8>}> : () -> tensor<32xi8>
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x1x8x32xi8> -> tensor<1x1x8x32xi8>
  %w = accel.pack %y {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x16x16xi8> -> tensor<1x2x16x16xi8>
  %i = accel.window sum %p scale %m32, %s32 {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x1x8x32xi8>, tensor<32xi32>, tensor<32xi8>) -> tensor<1x1x8x32xi8>
  %h = accel.regroup %i : tensor<1x1x8x32xi8> -> tensor<1x2x8x16xi8>
  %r = accel.product %h weights %w scale %b, %m, %s {input_zp = 0 : i32, weight_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, tenon.tensor = {name = "heads", perm = array<i64: 0, 1, 2, 3>}} : (tensor<1x2x8x16xi8>, tensor<1x2x16x16xi8>, tensor<16xi32>, tensor<16xi32>, tensor<16xi8>) -> tensor<1x2x8x16xi8>
  %g = accel.regroup %r : tensor<1x2x8x16xi8> -> tensor<1x1x8x32xi8>
  %u = accel.unpack %g {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x1x8x32xi8> -> tensor<1x1x8x32xi8>
  return %u : tensor<1x1x8x32xi8>
}

//--- twice.mlir
// CHECK: error: 'accel.regroup' op its input is stored into two tensors
func.func @main(%x: tensor<1x2x8x16xi8>) {
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x8x16xi8> -> tensor<1x2x8x16xi8>
  %a = accel.regroup %p : tensor<1x2x8x16xi8> -> tensor<1x1x8x32xi8>
  %b = accel.regroup %p : tensor<1x2x8x16xi8> -> tensor<1x1x8x32xi8>
  return
}
