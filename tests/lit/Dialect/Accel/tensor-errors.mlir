// RUN: tenon-opt %s -split-input-file -verify-diagnostics

func.func @height(%x: tensor<1x4x4x2xi8>, %w: tensor<3x2x2x2xi8>, %b: tensor<3xi32>, %s: tensor<3xi8>) {
  // expected-error @below {{expected a height of 3, found 4}}
  %r = accel.contract %x weights %w scale %b, %b, %s {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, weight_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>, tensor<3x2x2x2xi8>, tensor<3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @channels(%x: tensor<1x4x4x2xi8>, %w: tensor<3x2x2x1xi8>, %b: tensor<3xi32>, %s: tensor<3xi8>) {
  // expected-error @below {{expected weights for 2 input channels, found 1}}
  %r = accel.contract %x weights %w scale %b, %b, %s {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, weight_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>, tensor<3x2x2x1xi8>, tensor<3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<1x3x3x3xi8>
  return
}

// -----

func.func @groups(%x: tensor<1x4x4x2xi8>, %w: tensor<3x2x2x1xi8>, %b: tensor<3xi32>, %s: tensor<3xi8>) {
  // expected-error @below {{expected groups that divide 2 input and 3 output channels, found 2}}
  %r = accel.contract %x weights %w scale %b, %b, %s {groups = 2 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, weight_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>, tensor<3x2x2x1xi8>, tensor<3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<1x3x3x3xi8>
  return
}

// -----

func.func @bias(%x: tensor<1x4x4x2xi8>, %w: tensor<3x2x2x2xi8>, %b: tensor<2xi32>, %m: tensor<3xi32>, %s: tensor<3xi8>) {
  // expected-error @below {{bias: expected 3 values, one a channel, found 2}}
  %r = accel.contract %x weights %w scale %b, %m, %s {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, weight_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>, tensor<3x2x2x2xi8>, tensor<2xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<1x3x3x3xi8>
  return
}

// -----

func.func @quant(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{quant: expected -128 <= min <= max <= 127}}
  %r = accel.window max %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = 1, max = 0>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
  return
}

// -----

func.func @taps(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{expected taps with `mac` and only there}}
  %r = accel.window mac %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
  return
}

// -----

func.func @edge(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{expected repeats_edge with `mac` alone, without dilation, and less padding than the window has taps}}
  %r = accel.window max %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, repeats_edge, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
  return
}

// -----

func.func @wide_edge(%x: tensor<1x4x4x2xi8>, %t: tensor<2x1x2xi8>, %m: tensor<2xi32>, %s: tensor<2xi8>) {
  // expected-error @below {{expected repeats_edge with `mac` alone, without dilation, and less padding than the window has taps}}
  %r = accel.window mac %x taps %t scale %m, %s {kernel = array<i64: 2, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 0>, repeats_edge, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>, tensor<2x1x2xi8>, tensor<2xi32>, tensor<2xi8>) -> tensor<1x4x4x2xi8>
  return
}

// -----

func.func @scale(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{expected multiplier and shift with `sum`}}
  %r = accel.window sum %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
  return
}

// -----

func.func @residual(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{expected `add` and `residual` together}}
  %r = accel.window max %x residual %x {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>, tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  return
}

// -----

func.func @addScale(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{add: expected scales of at most 21 bits}}
  %r = accel.window max %x residual %x {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, add = #accel.add<min = -128, max = 127, scale = 2097152, operand_scale = 1, shift = 20, operand_zp = 0>} : (tensor<1x4x4x2xi8>, tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  return
}

// -----

func.func @zeroPoint(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{input_zp: expected -128 to 127, found 128}}
  %r = accel.window max %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 128 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
  return
}

// -----

func.func @pads(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{pad: expected 4 values, found 2}}
  %r = accel.window max %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
  return
}

// -----

func.func @permutation(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{permutation: expected axes of a tensor of 4, found 4}}
  %r = accel.pack %x {permutation = array<i64: 0, 1, 2, 4>, offset = 0 : i32} : tensor<1x4x4x2xi8> -> tensor<1x4x4x2xi8>
  return
}

// -----

func.func @short(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{permutation: expected 4 values, found 3}}
  %r = accel.pack %x {permutation = array<i64: 0, 1, 2>, offset = 0 : i32} : tensor<1x4x4x2xi8> -> tensor<1x4x4x2xi8>
  return
}

// -----

func.func @phases(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{phases: expected at least 1, found 0}}
  %r = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32, fold = #accel.fold<phases = [2, 0], step = [1, 1], dilation = [1, 1], origin = [0, 0], outside = 0>} : tensor<1x4x4x2xi8> -> tensor<1x4x4x2xi8>
  return
}

// -----

func.func @folded(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{fold: expected 1 images of 4 channels, found 1 of 2}}
  %r = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32, fold = #accel.fold<phases = [2, 1], step = [2, 1], dilation = [1, 1], origin = [0, 0], outside = 0>} : tensor<1x4x4x2xi8> -> tensor<1x2x4x2xi8>
  return
}

// -----

func.func @static(%x: tensor<1x?x4x2xi8>) {
  // expected-error @below {{expected static shapes without empty axes, found 'tensor<1x?x4x2xi8>'}}
  %r = accel.window max %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x?x4x2xi8>) -> tensor<1x2x2x2xi8>
  return
}

// -----

func.func @batch(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{expected a batch of 1, found 2}}
  %r = accel.window max %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>) -> tensor<2x2x2x2xi8>
  return
}

// -----

func.func @residualShape(%x: tensor<1x4x4x2xi8>, %y: tensor<1x4x4x1xi8>) {
  // expected-error @below {{expected a residual of the result's shape, or of one pixel}}
  %r = accel.window max %x residual %y {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, add = #accel.add<min = -128, max = 127, scale = 1, operand_scale = 1, shift = 20, operand_zp = 0>} : (tensor<1x4x4x2xi8>, tensor<1x4x4x1xi8>) -> tensor<1x4x4x2xi8>
  return
}

// -----

func.func @addShift(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{add: expected a shift of 2 to 62, found 63}}
  %r = accel.window max %x residual %x {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, add = #accel.add<min = -128, max = 127, scale = 1, operand_scale = 1, shift = 63, operand_zp = 0>} : (tensor<1x4x4x2xi8>, tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  return
}

// -----

func.func @addBounds(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{add: expected min <= max of 9 bits}}
  %r = accel.window max %x residual %x {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, add = #accel.add<min = -128, max = 256, scale = 1, operand_scale = 1, shift = 20, operand_zp = 0>} : (tensor<1x4x4x2xi8>, tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  return
}

// -----

func.func @tapShape(%x: tensor<1x4x4x2xi8>, %t: tensor<3x2x2xi8>, %m: tensor<2xi32>, %s: tensor<2xi8>) {
  // expected-error @below {{expected taps of the window and the channels, found 'tensor<3x2x2xi8>'}}
  %r = accel.window mac %x taps %t scale %m, %s {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>, tensor<3x2x2xi8>, tensor<2xi32>, tensor<2xi8>) -> tensor<1x2x2x2xi8>
  return
}

// -----

func.func @averageScale(%x: tensor<1x4x4x2xi8>, %m: tensor<2xi32>, %s: tensor<2xi8>) {
  // expected-error @below {{expected no multiplier with `average`, whose scale is the reciprocal of the count}}
  %r = accel.window average %x scale %m, %s {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>, tensor<2xi32>, tensor<2xi8>) -> tensor<1x2x2x2xi8>
  return
}

// -----

func.func @product_weights(%x: tensor<1x2x8x32xi8>, %w: tensor<1x2x32x20xi8>, %b: tensor<20xi32>, %s: tensor<20xi8>) {
  // expected-error @below {{expected weights of 1x2x20x32: rows, output and input channels; found 'tensor<1x2x32x20xi8>'}}
  %r = accel.product %x weights %w scale %b, %b, %s {input_zp = 5 : i32, weight_zp = -3 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x2x8x32xi8>, tensor<1x2x32x20xi8>, tensor<20xi32>, tensor<20xi32>, tensor<20xi8>) -> tensor<1x2x8x20xi8>
  return
}

// -----

func.func @product_rows(%x: tensor<1x2x8x32xi8>, %w: tensor<1x2x20x32xi8>, %b: tensor<20xi32>, %s: tensor<20xi8>) {
  // expected-error @below {{expected one image of the rows and columns of 'tensor<1x2x8x32xi8>', found 'tensor<1x3x8x20xi8>'}}
  %r = accel.product %x weights %w scale %b, %b, %s {input_zp = 5 : i32, weight_zp = -3 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x2x8x32xi8>, tensor<1x2x20x32xi8>, tensor<20xi32>, tensor<20xi32>, tensor<20xi8>) -> tensor<1x3x8x20xi8>
  return
}

// -----

func.func @product_zero_point(%x: tensor<1x2x8x32xi8>, %w: tensor<1x2x20x32xi8>, %b: tensor<20xi32>, %s: tensor<20xi8>) {
  // expected-error @below {{weight_zp: expected -128 to 127, found 128}}
  %r = accel.product %x weights %w scale %b, %b, %s {input_zp = 5 : i32, weight_zp = 128 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x2x8x32xi8>, tensor<1x2x20x32xi8>, tensor<20xi32>, tensor<20xi32>, tensor<20xi8>) -> tensor<1x2x8x20xi8>
  return
}

// -----

// expected-error @below {{layer: expected weight_sums with a product alone}}
accel.problem "sums" [#accel.layer<contract[1, 2, 8, 32] -> [1, 2, 8, 20], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = false with weight_sums = true>] schedule []

// -----

// expected-error @below {{layer: expected a product of one image, rows and columns as in its result, without window, padding and residual}}
accel.problem "window" [#accel.layer<product[1, 2, 8, 32] -> [1, 2, 8, 20], kernel = [1, 2], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = false>] schedule []

// -----

func.func @regroup(%x: tensor<1x1x8x48xi8>) {
  // expected-error @below {{expected 1x1xWxGC and 1xGxWxC, found 'tensor<1x1x8x48xi8>' and 'tensor<1x2x8x16xi8>'}}
  %r = accel.regroup %x : tensor<1x1x8x48xi8> -> tensor<1x2x8x16xi8>
  return
}

// -----

func.func @factor(%x: tensor<1x4x4x2xi8>, %b: tensor<2xi32>, %s: tensor<2xi8>) {
  // expected-error @below {{expected an input of the result's shape and either a residual or a factor with `multiply`, and no `add`}}
  %r = accel.window multiply %x scale %b, %s {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>, tensor<2xi32>, tensor<2xi8>) -> tensor<1x4x4x2xi8>
  return
}

// -----

func.func @factorShape(%x: tensor<1x4x4x2xi8>, %y: tensor<1x4x1x2xi8>, %b: tensor<2xi32>, %s: tensor<2xi8>) {
  // expected-error @below {{expected a residual of the result's shape, or of one pixel}}
  %r = accel.window multiply %x scale %b, %s residual %y {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>, tensor<2xi32>, tensor<2xi8>, tensor<1x4x1x2xi8>) -> tensor<1x4x4x2xi8>
  return
}

// -----

func.func @factorScale(%x: tensor<1x4x4x2xi8>) {
  // expected-error @below {{expected multiplier and shift with `multiply`}}
  %r = accel.window multiply %x residual %x {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x2xi8>, tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  return
}

// -----

// expected-error @below {{layer: expected spread with a residual alone}}
accel.problem "spread" [#accel.layer<sum[1, 2, 8, 32] -> [1, 2, 8, 32], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = false spread = true>] schedule []

// -----

// expected-error @below {{schedule: expected at least 1 as rows, found 0}}
accel.problem "rows" [#accel.layer<max[1, 2, 2, 4] -> [1, 2, 2, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = true>] schedule [#accel.schedule<rows = 0, cols = 1, blocks = 1, reduction = 1, kernel_rows = 1, channels_outer = true, threads = 1 along pixels>]

// -----

// expected-error @below {{schedule: expected at least 1 as cols, found 0}}
accel.problem "cols" [#accel.layer<max[1, 2, 2, 4] -> [1, 2, 2, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = true>] schedule [#accel.schedule<rows = 1, cols = 0, blocks = 1, reduction = 1, kernel_rows = 1, channels_outer = true, threads = 1 along pixels>]

// -----

// expected-error @below {{schedule: expected at least 1 as blocks, found 0}}
accel.problem "blocks" [#accel.layer<max[1, 2, 2, 4] -> [1, 2, 2, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = true>] schedule [#accel.schedule<rows = 1, cols = 1, blocks = 0, reduction = 1, kernel_rows = 1, channels_outer = true, threads = 1 along pixels>]

// -----

// expected-error @below {{schedule: expected at least 1 as reduction, found 0}}
accel.problem "reduction" [#accel.layer<max[1, 2, 2, 4] -> [1, 2, 2, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = true>] schedule [#accel.schedule<rows = 1, cols = 1, blocks = 1, reduction = 0, kernel_rows = 1, channels_outer = true, threads = 1 along pixels>]

// -----

// expected-error @below {{schedule: expected at least 1 as kernel_rows, found 0}}
accel.problem "kernel_rows" [#accel.layer<max[1, 2, 2, 4] -> [1, 2, 2, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = true>] schedule [#accel.schedule<rows = 1, cols = 1, blocks = 1, reduction = 1, kernel_rows = 0, channels_outer = true, threads = 1 along pixels>]

// -----

// expected-error @below {{schedule: expected at least 1 as threads, found 0}}
accel.problem "threads" [#accel.layer<max[1, 2, 2, 4] -> [1, 2, 2, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = true>] schedule [#accel.schedule<rows = 1, cols = 1, blocks = 1, reduction = 1, kernel_rows = 1, channels_outer = true, threads = 0 along pixels>]

// -----

// expected-error @below {{layer: expected an input of the result's shape with multiply}}
accel.problem "factor" [#accel.layer<multiply[1, 2, 8, 32] -> [1, 2, 8, 16], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = false>] schedule []

// -----

func.func @phases_missing(%x: tensor<1x4x8x16xi8>) {
  // expected-error @below {{expected an input a phase, 1 x 2 that are in 'tensor<1x4x16x16xi8>', found 1}}
  %r = accel.phases %x {step = array<i64: 1, 2>} : (tensor<1x4x8x16xi8>) -> tensor<1x4x16x16xi8>
  return
}

// -----

func.func @phases_of_other_sizes(%x: tensor<1x4x8x16xi8>) {
  // expected-error @below {{expected phase 1 to be 'tensor<1x4x7x16xi8>', found 'tensor<1x4x8x16xi8>'}}
  %r = accel.phases %x, %x {step = array<i64: 1, 2>} : (tensor<1x4x8x16xi8>, tensor<1x4x8x16xi8>) -> tensor<1x4x15x16xi8>
  return
}

// -----

func.func @channels(%x: tensor<1x4x8x48xi8>) {
  // expected-error @below {{expected channels of 'tensor<1x4x8x48xi8>' from 33 on, found 'tensor<1x4x8x16xi8>'}}
  %r = accel.channels %x {first = 33 : i64} : tensor<1x4x8x48xi8> -> tensor<1x4x8x16xi8>
  return
}
