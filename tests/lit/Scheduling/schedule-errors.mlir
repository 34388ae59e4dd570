// RUN: tenon-opt %s -split-input-file -accel-attach-machine="config=tiny" -accel-schedule -accel-plan-dram -verify-diagnostics

func.func @main(%x: tensor<1x64x64x4xi8>) -> tensor<1x1x1x4xi8> {
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x64x64x4xi8> -> tensor<1x64x64x4xi8>
  // expected-error @+1 {{its schedule does not fit: ACC: a tile of 1x1 pixels and 1 blocks needs}}
  %o = accel.window average %p {kernel = array<i64: 64, 64>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, schedule = #accel.schedule<rows = 1, cols = 1, blocks = 1, reduction = 1, kernel_rows = 64, channels_outer = true, threads = 1 along pixels>} : (tensor<1x64x64x4xi8>) -> tensor<1x1x1x4xi8>
  %u = accel.unpack %o {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x1x1x4xi8> -> tensor<1x1x1x4xi8>
  return %u : tensor<1x1x1x4xi8>
}

// -----

func.func @main(%x: tensor<1x2x2x4xi8>) -> tensor<1x2x2x8xi8> {
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x2x4xi8> -> tensor<1x2x2x4xi8>
  // expected-error @+1 {{an input is not made by a layer, so it cannot be stored into a slice of the result}}
  %o = accel.concat %p, %p : (tensor<1x2x2x4xi8>, tensor<1x2x2x4xi8>) -> tensor<1x2x2x8xi8>
  %u = accel.unpack %o {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x2x8xi8> -> tensor<1x2x2x8xi8>
  return %u : tensor<1x2x2x8xi8>
}
