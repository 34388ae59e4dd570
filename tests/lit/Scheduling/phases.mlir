// Where phases and channels lie: of a block of 16 channels a pixel has 16 bytes.
// RUN: split-file %s %t
// RUN: tenon-opt %t/places.mlir -accel-attach-machine="virtual-threads=1" -accel-schedule -accel-plan-dram | FileCheck %t/places.mlir
// RUN: tenon-opt %t/places.mlir -tenon-accelerator-pipeline="virtual-threads=1" -verify-each | FileCheck %t/places.mlir --check-prefix=STREAM
// RUN: not tenon-opt %t/channels.mlir -accel-attach-machine -accel-plan-dram 2>&1 | FileCheck %t/channels.mlir
// RUN: not tenon-opt %t/twice.mlir -accel-attach-machine -accel-plan-dram 2>&1 | FileCheck %t/twice.mlir
// As many phases as a row of a phase needs to be further apart than an instruction can say.
// RUN: awk '{ n = 16384; for (i = 0; i < n; i++) { all = all (i ? ", " : "") "%%p"; types = types (i ? ", " : "") "tensor<1x1x1x4xi8>" } gsub("PHASES", all); gsub("TYPES", types); all = types = ""; print }' %t/far.mlir > %t/many.mlir
// RUN: not tenon-opt %t/many.mlir -accel-attach-machine="config=tiny" -accel-plan-dram 2>&1 | FileCheck %t/far.mlir

//--- places.mlir
// The second block of 2x3 pixels begins 96 bytes behind the first. A result of 4x6 pixels has rows of 96 bytes; those of phase (1, 1) begin at
// a row and a pixel, 112 bytes, and are two rows and two pixels apart.
// CHECK: accel.pack {{.*}}accel.dram = {group_bytes = 192 : i64, offset = [[IN:[0-9]+]] : i64}
// CHECK: accel.channels {{.*}}first = 0 : i64{{.*}}
// CHECK: accel.window sum {{.*}}accel.dram = {group_bytes = 384 : i64, offset = 0 : i64, pixel_bytes = 32 : i64, plane_bytes = 384 : i64, row_bytes = 192 : i64}
// CHECK: accel.window sum {{.*}}accel.dram = {group_bytes = 384 : i64, offset = 16 : i64,
// CHECK: accel.window sum {{.*}}accel.dram = {group_bytes = 384 : i64, offset = 96 : i64,
// CHECK: accel.window sum {{.*}}accel.dram = {group_bytes = 384 : i64, offset = 112 : i64,
// CHECK: accel.phases {{.*}}accel.dram = {group_bytes = 384 : i64, offset = 0 : i64}
// What is stored between others is no tensor that can be looked at.
// STREAM: accel.stream 0
// STREAM-SAME: tensors = [{group_bytes = 384 : i64,
// STREAM-SAME: shape = array<i64: 1, 4, 6, 16>}]
// STREAM: accel.store
// STREAM-SAME: size 2, 3 stride 24, 4
func.func @main(%x: tensor<1x2x3x32xi8>) -> tensor<1x4x6x16xi8> {
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<16xi32>}> : () -> tensor<16xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<16xi8>}> : () -> tensor<16xi8>
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x3x32xi8> -> tensor<1x2x3x32xi8>
  %c = accel.channels %p {first = 0 : i64} : tensor<1x2x3x32xi8> -> tensor<1x2x3x16xi8>
  %d = accel.channels %p {first = 16 : i64} : tensor<1x2x3x32xi8> -> tensor<1x2x3x16xi8>
  %p0 = accel.window sum %c scale %m, %s {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x2x3x16xi8>, tensor<16xi32>, tensor<16xi8>) -> tensor<1x2x3x16xi8>
  %p1 = accel.window sum %d scale %m, %s {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x2x3x16xi8>, tensor<16xi32>, tensor<16xi8>) -> tensor<1x2x3x16xi8>
  %p2 = accel.window sum %c scale %m, %s {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x2x3x16xi8>, tensor<16xi32>, tensor<16xi8>) -> tensor<1x2x3x16xi8>
  %p3 = accel.window sum %d scale %m, %s {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x2x3x16xi8>, tensor<16xi32>, tensor<16xi8>) -> tensor<1x2x3x16xi8>
  %r = accel.phases %p0, %p1, %p2, %p3 {step = array<i64: 2, 2>} : (tensor<1x2x3x16xi8>, tensor<1x2x3x16xi8>, tensor<1x2x3x16xi8>, tensor<1x2x3x16xi8>) -> tensor<1x4x6x16xi8>
  %u = accel.unpack %r {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x4x6x16xi8> -> tensor<1x4x6x16xi8>
  return %u : tensor<1x4x6x16xi8>
}

//--- channels.mlir
// CHECK: error: 'accel.channels' op it takes channels from 8 on, expected a multiple of 16
func.func @main(%x: tensor<1x2x8x32xi8>) {
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x8x32xi8> -> tensor<1x2x8x32xi8>
  %c = accel.channels %p {first = 8 : i64} : tensor<1x2x8x32xi8> -> tensor<1x2x8x16xi8>
  return
}

//--- twice.mlir
// CHECK: error: 'accel.phases' op a phase is not made by a layer for it alone, so it cannot be stored between the others
func.func @main(%x: tensor<1x2x8x16xi8>) {
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x8x16xi8> -> tensor<1x2x8x16xi8>
  %r = accel.phases %p, %p {step = array<i64: 1, 2>} : (tensor<1x2x8x16xi8>, tensor<1x2x8x16xi8>) -> tensor<1x2x16x16xi8>
  return
}

//--- far.mlir
// CHECK: error: 'accel.phases' op pixels of a phase are 65536 bytes apart, an instruction's field holds 65532
func.func @main(%x: tensor<1x1x1x4xi8>) {
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x1x1x4xi8> -> tensor<1x1x1x4xi8>
  %r = accel.phases PHASES {step = array<i64: 1, 16384>} : (TYPES) -> tensor<1x1x16384x4xi8>
  return
}
