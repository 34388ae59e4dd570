// RUN: tenon-opt %s -accel-attach-machine -accel-schedule -accel-plan-dram | FileCheck %s

// A pair and a layer behind it. What the pair's first layer stores is alive until the last one runs, whose result takes
// the place of the input only.
// CHECK: accel.dram_bytes = 4096
// CHECK: accel.pack {{.*}}accel.dram = {group_bytes = 1024 : i64, offset = 0 : i64}
// CHECK: accel.contract {{.*}}accel.dram = {group_bytes = 1024 : i64, offset = 2048 : i64}
// CHECK: accel.window max {{.*}}accel.dram = {group_bytes = 1024 : i64, offset = 3072 : i64}
// CHECK-SAME: accel.interleaved
// CHECK: accel.contract {{.*}}accel.dram = {group_bytes = 2048 : i64, offset = 0 : i64}
// CHECK-NOT: accel.interleaved
func.func @main(%x: tensor<1x8x8x16xi8>) -> tensor<1x8x8x32xi8> {
  %w = "tosa.const"() <{values = dense<3> : tensor<16x3x3x16xi8>}> : () -> tensor<16x3x3x16xi8>
  %b = "tosa.const"() <{values = dense<5> : tensor<16xi32>}> : () -> tensor<16xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<16xi8>}> : () -> tensor<16xi8>
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x8x8x16xi8> -> tensor<1x8x8x16xi8>
  %c = accel.contract %p weights %w scale %b, %b, %s {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, input_zp = 4 : i32, weight_zp = 0 : i32, quant = #accel.quant<zp = -5, min = -128, max = 127>} : (tensor<1x8x8x16xi8>, tensor<16x3x3x16xi8>, tensor<16xi32>, tensor<16xi32>, tensor<16xi8>) -> tensor<1x8x8x16xi8>
  %o = accel.window max %c {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>} : (tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
  %v = "tosa.const"() <{values = dense<2> : tensor<32x1x1x16xi8>}> : () -> tensor<32x1x1x16xi8>
  %d = "tosa.const"() <{values = dense<7> : tensor<32xi32>}> : () -> tensor<32xi32>
  %t = "tosa.const"() <{values = dense<37> : tensor<32xi8>}> : () -> tensor<32xi8>
  %e = accel.contract %o weights %v scale %d, %d, %t {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 4 : i32, weight_zp = 0 : i32, quant = #accel.quant<zp = -5, min = -128, max = 127>} : (tensor<1x8x8x16xi8>, tensor<32x1x1x16xi8>, tensor<32xi32>, tensor<32xi32>, tensor<32xi8>) -> tensor<1x8x8x32xi8>
  %u = accel.unpack %e {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x8x8x32xi8> -> tensor<1x8x8x32xi8>
  return %u : tensor<1x8x8x32xi8>
}
