// RUN: tenon-opt %s -split-input-file -accel-attach-machine -accel-schedule -accel-plan-dram -accel-lower-to-stream -verify-diagnostics

// Nothing before it that GEMM computes.
func.func @main(%x: tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8> {
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x8x8x16xi8> -> tensor<1x8x8x16xi8>
  // expected-error @below {{its tiles are to be interleaved with those of the layer before it: expected a contraction that it reads}}
  %o = accel.window max %p {accel.interleaved, kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, tenon.layer = "max_pool_0"} : (tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
  %u = accel.unpack %o {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x8x8x16xi8> -> tensor<1x8x8x16xi8>
  return %u : tensor<1x8x8x16xi8>
}

// -----

// The layer before it is none that GEMM computes.
func.func @main(%x: tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8> {
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x8x8x16xi8> -> tensor<1x8x8x16xi8>
  %c = accel.window max %p {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, tenon.layer = "max_pool_0"} : (tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
  // expected-error @below {{expected a contraction that it reads}}
  %o = accel.window max %c {accel.interleaved, kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, tenon.layer = "max_pool_1"} : (tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
  %u = accel.unpack %o {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x8x8x16xi8> -> tensor<1x8x8x16xi8>
  return %u : tensor<1x8x8x16xi8>
}
