// RUN: split-file %s %t
// RUN: tenon-opt %t/resize.mlir -accel-attach-machine -accel-partition -verify-each | FileCheck %t/resize.mlir
// RUN: tenon-opt %t/uneven.mlir -accel-attach-machine -accel-partition -verify-each | FileCheck %t/uneven.mlir
// RUN: tenon-opt %t/linear.mlir -accel-attach-machine -accel-partition -verify-each | FileCheck %t/linear.mlir
// RUN: tenon-opt %t/corners.mlir -accel-attach-machine -accel-partition -verify-each | FileCheck %t/corners.mlir
// RUN: tenon-opt %t/nine.mlir -accel-attach-machine -accel-partition -verify-each | FileCheck %t/nine.mlir
// RUN: tenon-opt %t/parts.mlir -accel-attach-machine -accel-partition -verify-each | FileCheck %t/parts.mlir
// RUN: tenon-opt %t/halves.mlir -accel-attach-machine -accel-partition -verify-each | FileCheck %t/halves.mlir
// RUN: tenon-opt %t/blocks.mlir -accel-attach-machine -accel-partition -verify-each | FileCheck %t/blocks.mlir
// RUN: tenon-opt %t/lanes.mlir -accel-attach-machine -accel-partition -verify-each | FileCheck %t/lanes.mlir
// RUN: tenon-opt %t/depth.mlir -accel-attach-machine -accel-partition -verify-each | FileCheck %t/depth.mlir
// RUN: tenon-opt %t/insertions.mlir -accel-attach-machine -accel-partition -verify-each | FileCheck %t/insertions.mlir
// Wanted there, whatever it costs: what is small would be cheaper on the host.

//--- resize.mlir
// Rows are repeated once, columns twice: each phase is the image.
// CHECK: %[[X:.*]] = accel.pack
// CHECK: %[[A:.*]] = accel.window sum %[[X]] scale
// CHECK-SAME: tenon.layer = "resize_0"
// CHECK: accel.phases %[[A]]
// CHECK-SAME: step = array<i64: 1, 2>
// CHECK-SAME: (tensor<1x4x6x3xi8>, tensor<1x4x6x3xi8>) -> tensor<1x4x12x3xi8>
func.func @main(%x: tensor<1x4x6x3xi8>) -> tensor<1x4x12x3xi8> attributes {tenon.places = {n = "accelerator"}} {
  %s = tosa.const_shape {values = dense<[2, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x4x6x3xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x4x12x3xi8> loc("n")
  return %r : tensor<1x4x12x3xi8>
}

//--- uneven.mlir
// Element 1 of a row lies half a pixel behind element 0: it is element 1 of the input.
// CHECK-NOT: accel.phases
// CHECK: tenon.reason = "it does more than repeat each pixel the same number of times"
func.func @main(%x: tensor<1x4x6x3xi8>) -> tensor<1x4x12x3xi8> {
  %s = tosa.const_shape {values = dense<[2, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x4x6x3xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x4x12x3xi8>
  return %r : tensor<1x4x12x3xi8>
}

//--- linear.mlir
// Twice as many rows, the first a quarter of a pixel before the input's: 3 parts of 4 are the nearest one's, the last is its neighbour's.
// Columns stay. The sums of 4 parts are 4 times a zero point of -3 too low.
// CHECK: %[[T0:.*]] = "tosa.const"() <{values = dense<{{\[\[\[1\]\], \[\[3\]\]\]}}> : tensor<2x1x1xi8>}>
// CHECK: %[[B:.*]] = "tosa.const"() <{values = dense<12> : tensor<1xi32>}>
// CHECK: %[[A:.*]] = accel.window mac %[[X:.*]] taps %[[T0]] bias %[[B]]
// CHECK-SAME: kernel = array<i64: 2, 1>
// CHECK-SAME: pad = array<i64: 1, 0, 0, 0>, quant = #accel.quant<zp = 5, min = -128, max = 127>, repeats_edge
// CHECK: %[[T1:.*]] = "tosa.const"() <{values = dense<{{\[\[\[3\]\], \[\[1\]\]\]}}> : tensor<2x1x1xi8>}>
// CHECK: %[[C:.*]] = accel.window mac %[[X]] taps %[[T1]]
// CHECK-SAME: pad = array<i64: 0, 1, 0, 0>
// CHECK: accel.phases %[[A]], %[[C]]
// CHECK-SAME: step = array<i64: 2, 1>
func.func @main(%x: tensor<1x4x6x1xi8>) -> tensor<1x8x6x1xi8> attributes {tenon.places = {n = "accelerator"}} {
  %s = tosa.const_shape {values = dense<[4, 2, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x4x6x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x6x1xi32> loc("n")
  %zero = "tosa.const"() <{values = dense<12> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %sum = tosa.add %r, %zero : (tensor<1x8x6x1xi32>, tensor<1x1x1x1xi32>) -> tensor<1x8x6x1xi32> loc("n")
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %h = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
  %iz = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %oz = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q = tosa.rescale %sum, %m, %h, %iz, %oz {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x8x6x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x8x6x1xi8> loc("n")
  return %q : tensor<1x8x6x1xi8>
}

//--- corners.mlir
// Seven rows of four: every second one is a row of the input, and no row is outside.
// CHECK: accel.window mac
// CHECK-SAME: kernel = array<i64: 1, 1>
// CHECK-SAME: pad = array<i64: 0, 0, 0, 0>
// CHECK: accel.window mac
// CHECK-SAME: kernel = array<i64: 2, 1>
// CHECK-SAME: pad = array<i64: 0, 0, 0, 0>
// CHECK: accel.phases
// CHECK-SAME: (tensor<1x4x6x1xi8>, tensor<1x3x6x1xi8>) -> tensor<1x7x6x1xi8>
func.func @main(%x: tensor<1x4x6x1xi8>) -> tensor<1x7x6x1xi8> attributes {tenon.places = {n = "accelerator"}} {
  %s = tosa.const_shape {values = dense<[2, 1, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x4x6x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x7x6x1xi32> loc("n")
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %h = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %iz = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %oz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q = tosa.rescale %r, %m, %h, %iz, %oz {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x7x6x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x7x6x1xi8> loc("n")
  return %q : tensor<1x7x6x1xi8>
}

//--- nine.mlir
// Of 16 * 16 parts one pixel has 225: as 97 and a zero point of -128.
// CHECK: values = dense<{{\[\[\[.*\[97\]\]\]}}> : tensor<2x2x1xi8>
// CHECK: accel.window mac
// CHECK-SAME: tap_zp = -128
func.func @main(%x: tensor<1x4x6x1xi8>) -> tensor<1x32x48x1xi8> attributes {tenon.places = {n = "accelerator"}} {
  %s = tosa.const_shape {values = dense<[16, 2, 16, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-7, -7]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[7, 7]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x4x6x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x32x48x1xi32> loc("n")
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %h = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %iz = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %oz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q = tosa.rescale %r, %m, %h, %iz, %oz {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x32x48x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x32x48x1xi8> loc("n")
  return %q : tensor<1x32x48x1xi8>
}

//--- parts.mlir
// CHECK-NOT: accel.phases
// CHECK: tenon.reason = "a pixel has the part 361/400 of another, which taps of 8 bits (up to 255) cannot say exactly
func.func @main(%x: tensor<1x4x6x1xi8>) -> tensor<1x40x60x1xi32> {
  %s = tosa.const_shape {values = dense<[20, 2, 20, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-9, -9]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[9, 9]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x4x6x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x40x60x1xi32>
  return %r : tensor<1x40x60x1xi32>
}

//--- halves.mlir
// Three rows for two.
// CHECK-NOT: accel.phases
// CHECK: tenon.reason = "its pixels do not lie in a whole number of places between those of its input
func.func @main(%x: tensor<1x4x6x1xi8>) -> tensor<1x6x6x1xi32> {
  %s = tosa.const_shape {values = dense<[6, 4, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.resize %x, %s, %o, %b {mode = BILINEAR} : (tensor<1x4x6x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x6x6x1xi32>
  return %r : tensor<1x6x6x1xi32>
}

//--- blocks.mlir
// Phases of 16 channels, a block, are copied from where they lie.
// CHECK: %[[M:.*]] = accel.window max
// CHECK: %[[C0:.*]] = accel.channels %[[M]] {first = 0 : i64} : tensor<1x4x4x64xi8> -> tensor<1x4x4x16xi8>
// CHECK: %[[P0:.*]] = accel.window sum %[[C0]]
// CHECK: %[[C1:.*]] = accel.channels %[[M]] {first = 16 : i64}
// CHECK: %[[P1:.*]] = accel.window sum %[[C1]]
// CHECK: accel.channels %[[M]] {first = 32 : i64}
// CHECK: accel.channels %[[M]] {first = 48 : i64}
// CHECK: accel.phases %[[P0]], %[[P1]]
// CHECK-SAME: step = array<i64: 2, 2>
func.func @main(%x: tensor<1x4x4x64xi8>) -> tensor<1x8x8x16xi8> attributes {tenon.places = {m = "accelerator", n = "accelerator"}} {
  %p = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4x4x64xi8>) -> tensor<1x4x4x64xi8> loc("m")
  %s6 = tosa.const_shape {values = dense<[1, 4, 4, 2, 2, 16]> : tensor<6xindex>} : () -> !tosa.shape<6>
  %s4 = tosa.const_shape {values = dense<[1, 8, 8, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %a = tosa.reshape %p, %s6 : (tensor<1x4x4x64xi8>, !tosa.shape<6>) -> tensor<1x4x4x2x2x16xi8> loc("n")
  %t = tosa.transpose %a {perms = array<i32: 0, 1, 3, 2, 4, 5>} : (tensor<1x4x4x2x2x16xi8>) -> tensor<1x4x2x4x2x16xi8> loc("n")
  %r = tosa.reshape %t, %s4 : (tensor<1x4x2x4x2x16xi8>, !tosa.shape<4>) -> tensor<1x8x8x16xi8> loc("n")
  return %r : tensor<1x8x8x16xi8>
}

//--- lanes.mlir
// Of two channels that stand apart, as torch orders them: channel 4c + 2y + x is channel c of phase (y, x).
// CHECK: %[[M:.*]] = accel.window max
// CHECK: %[[W:.*]] = "tosa.const"() <{values = dense<{{\[\[\[\[}}1, 0, 0, 0, 0, 0, 0, 0]]], {{\[\[\[}}0, 0, 0, 0, 1, 0, 0, 0]]]]> : tensor<2x1x1x8xi8>}>
// CHECK: %[[P0:.*]] = accel.contract %[[M]] weights %[[W]]
// CHECK: dense<{{\[\[\[\[}}0, 1, 0, 0, 0, 0, 0, 0]]], {{\[\[\[}}0, 0, 0, 0, 0, 1, 0, 0]]]]>
// CHECK: dense<{{\[\[\[\[}}0, 0, 1, 0, 0, 0, 0, 0]]], {{\[\[\[}}0, 0, 0, 0, 0, 0, 1, 0]]]]>
// CHECK: dense<{{\[\[\[\[}}0, 0, 0, 1, 0, 0, 0, 0]]], {{\[\[\[}}0, 0, 0, 0, 0, 0, 0, 1]]]]>
// CHECK: accel.phases %[[P0]],
func.func @main(%x: tensor<1x4x4x8xi8>) -> tensor<1x8x8x2xi8> attributes {tenon.places = {m = "accelerator", n = "accelerator"}} {
  %p = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4x4x8xi8>) -> tensor<1x4x4x8xi8> loc("m")
  %s6 = tosa.const_shape {values = dense<[1, 4, 4, 2, 2, 2]> : tensor<6xindex>} : () -> !tosa.shape<6>
  %s4 = tosa.const_shape {values = dense<[1, 8, 8, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %a = tosa.reshape %p, %s6 : (tensor<1x4x4x8xi8>, !tosa.shape<6>) -> tensor<1x4x4x2x2x2xi8> loc("n")
  %t = tosa.transpose %a {perms = array<i32: 0, 1, 4, 2, 5, 3>} : (tensor<1x4x4x2x2x2xi8>) -> tensor<1x4x2x4x2x2xi8> loc("n")
  %r = tosa.reshape %t, %s4 : (tensor<1x4x2x4x2x2xi8>, !tosa.shape<4>) -> tensor<1x8x8x2xi8> loc("n")
  return %r : tensor<1x8x8x2xi8>
}

//--- depth.mlir
// A window of 2x2 pixels and a stride of as many: four channels, of which each takes one pixel.
// CHECK: %[[W:.*]] = "tosa.const"() <{values = dense<{{\[\[\[\[}}1], [0]], {{\[\[}}0], [0]]], {{\[\[\[}}0], [1]], {{\[\[}}0], [0]]], {{\[\[\[}}0], [0]], {{\[\[}}1], [0]]], {{\[\[\[}}0], [0]], {{\[\[}}0], [1]]]]> : tensor<4x2x2x1xi8>}>
// CHECK: accel.contract %{{.*}} weights %[[W]]
// CHECK-SAME: stride = array<i64: 2, 2>
// CHECK-SAME: tenon.op = "space_to_depth"
func.func @main(%x: tensor<1x8x8x1xi8>) -> tensor<1x4x4x4xi8> attributes {tenon.places = {m = "accelerator", n = "accelerator"}} {
  %p = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x1xi8>) -> tensor<1x8x8x1xi8> loc("m")
  %s6 = tosa.const_shape {values = dense<[1, 4, 2, 4, 2, 1]> : tensor<6xindex>} : () -> !tosa.shape<6>
  %s4 = tosa.const_shape {values = dense<[1, 4, 4, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %a = tosa.reshape %p, %s6 : (tensor<1x8x8x1xi8>, !tosa.shape<6>) -> tensor<1x4x2x4x2x1xi8> loc("n")
  %t = tosa.transpose %a {perms = array<i32: 0, 1, 3, 2, 4, 5>} : (tensor<1x4x2x4x2x1xi8>) -> tensor<1x4x4x2x2x1xi8> loc("n")
  %r = tosa.reshape %t, %s4 : (tensor<1x4x4x2x2x1xi8>, !tosa.shape<4>) -> tensor<1x4x4x4xi8> loc("n")
  return %r : tensor<1x4x4x4xi8>
}

//--- insertions.mlir
// The maximum, which is read by nobody else, is stored between the pixels of the argument, which a copy stores.
// CHECK: %[[X:.*]] = accel.pack
// CHECK: %[[P:.*]] = accel.window max %[[X]]
// CHECK: %[[Y:.*]] = accel.pack
// CHECK: %[[C:.*]] = accel.window sum %[[Y]]
// CHECK: accel.phases %[[P]], %[[C]]
// CHECK-SAME: step = array<i64: 1, 2>
// CHECK-SAME: (tensor<1x4x4x3xi8>, tensor<1x4x3x3xi8>) -> tensor<1x4x7x3xi8>
func.func @main(%x: tensor<1x4x4x3xi8>, %y: tensor<1x4x3x3xi8>) -> tensor<1x4x7x3xi8> attributes {tenon.places = {m = "accelerator", n = "accelerator"}} {
  %e = tensor.empty() : tensor<1x4x7x3xi8>
  %p = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4x4x3xi8>) -> tensor<1x4x4x3xi8> loc("m")
  %a = tensor.insert_slice %p into %e[0, 0, 0, 0] [1, 4, 4, 3] [1, 1, 2, 1] : tensor<1x4x4x3xi8> into tensor<1x4x7x3xi8> loc("n")
  %r = tensor.insert_slice %y into %a[0, 0, 1, 0] [1, 4, 3, 3] [1, 1, 2, 1] : tensor<1x4x3x3xi8> into tensor<1x4x7x3xi8> loc("n")
  return %r : tensor<1x4x7x3xi8>
}
