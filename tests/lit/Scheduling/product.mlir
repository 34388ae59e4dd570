// RUN: tenon-opt %s -accel-attach-machine="virtual-threads=1" -accel-schedule -accel-plan-dram | FileCheck %s --check-prefix=PLAN
// RUN: tenon-opt %s -tenon-accelerator-pipeline="virtual-threads=1" -verify-each | FileCheck %s
// RUN: tenon-opt %s -accel-attach-machine -accel-schedule -accel-extract-schedules | tenon-opt | FileCheck %s --check-prefix=LAYER

// Two products of 8 rows, 32 channels and 20 columns. The last element of WGT has 16 rows, of which 4 are there: 12 pixels of 16
// bytes behind the tensor are read, so they are its own and hold something.
// PLAN: accel.dram_zeros = array<i64: 1280, 192>
// PLAN: accel.pack {{.*}} offset = 1472 : i64}{{.*}} -> tensor<1x2x8x32xi8>
// PLAN: accel.pack {{.*}}accel.dram = {group_bytes = 1280 : i64, offset = 0 : i64}{{.*}} -> tensor<1x2x20x32xi8>

// Its text is read again.
// LAYER: accel.problem {{.*}} [#accel.layer<product[1, 2, 8, 32] -> [1, 2, 8, 20], {{.*}} with weight_sums = true>]

// Input blocks are 640 bytes apart, the second matrix 320 bytes behind the first; output blocks lie side by side.
// CHECK: accel.stream 0
// CHECK-SAME: compute = 72 : i64
// CHECK: accel.load wgt at 0 dram 0 size 2, 2 stride 80, 32
// CHECK: accel.load inp
// The input's zero point, for the sums of weights.
// CHECK: accel.load inp at 16 {{.*}} size 1, 1
// CHECK: accel.gemm first 1 uops 0, 2 loops 2, 8
// CHECK: accel.gemm first 1 uops 2, 2 loops 2, 1 dst 1, 0 src 0, 0 third 1, 0
// CHECK: accel.alu sub acc to acc first 0 uops 0, 1 loops 2, 8 dst 8, 1 src 1, 0
// CHECK: accel.alu quant
// CHECK: accel.store
// CHECK: accel.load wgt at {{[0-9]+}} dram 40 size 2, 2 stride 80, 32
func.func @main(%x: tensor<2x8x32xi8>, %y: tensor<2x20x32xi8>) -> tensor<1x2x8x20xi8> {
  %b = "tosa.const"() <{values = dense<0> : tensor<20xi32>}> : () -> tensor<20xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<20xi32>}> : () -> tensor<20xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<20xi8>}> : () -> tensor<20xi8>
  %i = accel.pack %x {permutation = array<i64: -1, 0, 1, 2>, offset = 0 : i32} : tensor<2x8x32xi8> -> tensor<1x2x8x32xi8>
  %w = accel.pack %y {permutation = array<i64: -1, 0, 1, 2>, offset = 0 : i32} : tensor<2x20x32xi8> -> tensor<1x2x20x32xi8>
  %r = accel.product %i weights %w scale %b, %m, %s {input_zp = 5 : i32, weight_zp = -3 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, schedule = #accel.schedule<rows = 1, cols = 8, blocks = 2, reduction = 2, kernel_rows = 1, channels_outer = false, threads = 1 along channels>} : (tensor<1x2x8x32xi8>, tensor<1x2x20x32xi8>, tensor<20xi32>, tensor<20xi32>, tensor<20xi8>) -> tensor<1x2x8x20xi8>
  %u = accel.unpack %r {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x8x20xi8> -> tensor<1x2x8x20xi8>
  return %u : tensor<1x2x8x20xi8>
}
