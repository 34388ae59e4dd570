// RUN: tenon-opt %s -accel-attach-machine -accel-schedule | FileCheck %s --check-prefix=TILED
// RUN: tenon-opt %s -accel-attach-machine="virtual-threads=1" -accel-schedule | FileCheck %s --check-prefix=SINGLE
// RUN: tenon-opt %s -accel-attach-machine="virtual-threads=1" -accel-schedule -accel-plan-dram | FileCheck %s --check-prefix=PLAN
// RUN: tenon-opt %s -accel-attach-machine -accel-schedule -accel-plan-dram | FileCheck %s --check-prefix=PAIR
// RUN: tenon-opt %s -tenon-accelerator-pipeline -verify-each | FileCheck %s
// RUN: tenon-opt %s -tenon-accelerator-pipeline | tenon-opt | FileCheck %s
// RUN: tenon-opt %s -tenon-accelerator-pipeline="config=tiny" -verify-each | FileCheck %s --check-prefix=TINY

// A convolution and a maximum: one launch, and with two contexts one pair, whose tiles are interleaved.

// TILED: accel.machine = #accel.machine<"name: \22pynq\22 batch: 1 block_in: 16 block_out: 16 bus_bits: 64
// TILED: accel.contract
// TILED-SAME: schedule = #accel.schedule<rows = {{[0-9]+}}, cols = {{[0-9]+}}, blocks = {{[0-9]+}}, reduction = 1, kernel_rows = 3, channels_outer = {{true|false}}, threads = 2 along {{pixels|channels}}>
// TILED: accel.window max
// TILED-SAME: accel.interleaved
// TILED-SAME: threads = 2 along {{pixels|channels}}>
// SINGLE: accel.contract
// SINGLE-SAME: threads = 1 along
// SINGLE-NOT: accel.interleaved

// The input is dead when the convolution is done: the maximum takes its place.
// PLAN: accel.dram_bytes = 2048
// PLAN: accel.pack {{.*}}accel.dram = {group_bytes = 1024 : i64, offset = 0 : i64}
// PLAN: accel.contract {{.*}}accel.dram = {group_bytes = 1024 : i64, offset = 1024 : i64}
// PLAN: accel.window {{.*}}accel.dram = {group_bytes = 1024 : i64, offset = 0 : i64}

// Of a pair, all are alive at the same time.
// PAIR: accel.dram_bytes = 3072
// PAIR: accel.pack {{.*}}accel.dram = {group_bytes = 1024 : i64, offset = 0 : i64}
// PAIR: accel.contract {{.*}}accel.dram = {group_bytes = 1024 : i64, offset = 1024 : i64}
// PAIR: accel.window {{.*}}accel.dram = {group_bytes = 1024 : i64, offset = 2048 : i64}

// CHECK: %[[P:.*]] = accel.pack
// CHECK: %[[R:.*]] = accel.stream 0(%[[P]])
// The maximum's 64 outputs of 9 elements take ALU as long as the convolution takes GEMM; both outputs are written.
// CHECK-SAME: {compute = 576 : i64, engine = "gemm", macs = 147456 : i64, name = "conv2d_0+max_pool_0", nodes = [], op = "convolution+max_pool", read = 580 : i64
// CHECK-SAME: write = 256 : i64}
// Constants of a layer stand before what waits for the layer before.
// CHECK: accel.load wgt
// CHECK: accel.load uop_gemm
// CHECK: accel.load inp
// CHECK: accel.gemm first 1
// CHECK-SAME: wait = 1 : i32
// CHECK: accel.alu quant immediate to out
// CHECK-SAME: wait
// CHECK: accel.store
// The first row of the maximum reads two of the convolution's, whose fourth and fifth are computed meanwhile.
// CHECK: accel.load acc8 {{.*}} pad min 1, 0, 1, 1 {{.*}} tile 4
// CHECK-SAME: wait = 4
// CHECK: accel.gemm {{.*}} tile 3
// CHECK: accel.gemm {{.*}} tile 5
// CHECK: accel.alu max acc to acc first 1 {{.*}} tile 4
// CHECK: accel.gemm {{.*}} tile 7
// CHECK: accel.finish
// CHECK: accel.unpack %[[R]]

// TINY: accel.load wgt {{.*}} layer 0
// TINY: accel.load acc8 {{.*}} layer 0
// TINY: accel.finish
func.func @main(%x: tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8> {
  %w = "tosa.const"() <{values = dense<3> : tensor<16x3x3x16xi8>}> : () -> tensor<16x3x3x16xi8>
  %b = "tosa.const"() <{values = dense<5> : tensor<16xi32>}> : () -> tensor<16xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<16xi32>}> : () -> tensor<16xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<16xi8>}> : () -> tensor<16xi8>
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x8x8x16xi8> -> tensor<1x8x8x16xi8>
  %c = accel.contract %p weights %w scale %b, %m, %s {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, input_zp = 4 : i32, weight_zp = 0 : i32, quant = #accel.quant<zp = -5, min = -128, max = 127>, tenon.layer = "conv2d_0", tenon.op = "convolution"} : (tensor<1x8x8x16xi8>, tensor<16x3x3x16xi8>, tensor<16xi32>, tensor<16xi32>, tensor<16xi8>) -> tensor<1x8x8x16xi8>
  %o = accel.window max %c {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, tenon.layer = "max_pool_0", tenon.op = "max_pool"} : (tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
  %u = accel.unpack %o {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x8x8x16xi8> -> tensor<1x8x8x16xi8>
  return %u : tensor<1x8x8x16xi8>
}
