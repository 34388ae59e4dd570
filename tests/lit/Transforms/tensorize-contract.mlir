// RUN: tenon-opt %s -split-input-file -accel-attach-machine -accel-partition -verify-each | FileCheck %s
// RUN: tenon-opt %s -split-input-file -accel-attach-machine -accel-partition -mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// What later levels say of a layer names its nodes.
// LOC: "tosa.const"() {{.*}} loc([[LAYER:#loc[0-9]+]])
// LOC: accel.contract {{.*}} loc([[LAYER]])
// LOC: [[FIRST:#loc[0-9]+]] = loc("first")
// LOC: [[SECOND:#loc[0-9]+]] = loc("second")
// LOC: [[LAYER]] = loc(fused{{\[}}[[FIRST]], [[SECOND]]])

// A convolution with asymmetric padding, per-channel scales and a clamp.
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = accel.pack %arg0
// CHECK: accel.contract %[[X]] weights %{{.*}} scale
// CHECK-SAME: dilation = array<i64: 1, 1>, input_zp = 3 : i32, pad = array<i64: 0, 1, 0, 1>
// CHECK-SAME: quant = #accel.quant<zp = -5, min = -5, max = 100>, stride = array<i64: 2, 2>
// CHECK-SAME: tenon.layer = "conv2d_0", tenon.macs = 864 : i64, tenon.nodes = ["first", "second"], tenon.op = "convolution"
// CHECK-SAME: tenon.tensor = {name = "result"}, weight_zp = 7 : i32
// CHECK-SAME: (tensor<1x8x8x3xi8>, tensor<2x3x3x3xi8>, tensor<2xi32>, tensor<2xi32>, tensor<2xi8>) -> tensor<1x4x4x2xi8>
// CHECK: accel.unpack
func.func @main(%x: tensor<1x8x8x3xi8>) -> tensor<1x4x4x2xi8> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zy = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %k = "tosa.const"() <{values = dense<2> : tensor<2x3x3x3xi8>}> : () -> tensor<2x3x3x3xi8>
  %b = "tosa.const"() <{values = dense<[11, -12]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %m = "tosa.const"() <{values = dense<[1388776253, 1288776253]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %s = "tosa.const"() <{values = dense<[38, 39]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %acc = tosa.conv2d %x, %k, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xi8>, tensor<2x3x3x3xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x2xi32> loc("first")
  %r = tosa.rescale %acc, %m, %s, %z, %zy {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<1x4x4x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8> loc("second")
  %c = tosa.clamp %r {min_val = -5 : i8, max_val = 100 : i8, tenon.tensor = {name = "result"}} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> loc("second")
  return %c : tensor<1x4x4x2xi8>
}

// -----

// A matrix product is the same intrinsic; its weights are transposed to O, 1, 1, I
// and the bias added behind it joins the epilogue.
// CHECK-LABEL: func.func @main
// CHECK: dense<{{\[\[\[\[}}1, 4, 7, 10]]], {{\[\[\[}}2, 5, 8, 11]]], {{\[\[\[}}3, 6, 9, 12]]]]> : tensor<3x1x1x4xi8>
// CHECK: dense<[100, 200, 300]> : tensor<3xi32>
// CHECK: accel.contract
// CHECK-SAME: tenon.layer = "conv2d_0", tenon.macs = 24
// CHECK-SAME: (tensor<1x1x2x4xi8>, tensor<3x1x1x4xi8>
// CHECK-SAME: -> tensor<1x1x2x3xi8>
func.func @main(%x: tensor<1x2x4xi8>) -> tensor<1x2x3xi8> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %k = "tosa.const"() <{values = dense<[[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]]> : tensor<1x4x3xi8>}> : () -> tensor<1x4x3xi8>
  %b = "tosa.const"() <{values = dense<[[[100, 200, 300]]]> : tensor<1x1x3xi32>}> : () -> tensor<1x1x3xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %acc = tosa.matmul %x, %k, %zx, %zw : (tensor<1x2x4xi8>, tensor<1x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3xi32>
  %sum = tosa.add %acc, %b : (tensor<1x2x3xi32>, tensor<1x1x3xi32>) -> tensor<1x2x3xi32>
  %r = tosa.rescale %sum, %m, %s, %z, %zx {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x3xi8>
  return %r : tensor<1x2x3xi8>
}

// -----

// Two outputs a channel: each channel is a group.
// CHECK-LABEL: func.func @main
// CHECK: dense<{{\[\[\[\[}}1]]], {{\[\[\[}}2]]], {{\[\[\[}}3]]], {{\[\[\[}}4]]]]> : tensor<4x1x1x1xi8>
// CHECK: accel.contract
// CHECK-SAME: groups = 2 : i64
// CHECK-SAME: tenon.layer = "depthwise_0", tenon.macs = 36 : i64
// CHECK-SAME: tenon.op = "depthwise", weight_zp = 9 : i32
func.func @main(%x: tensor<1x3x3x2xi8>) -> tensor<1x3x3x4xi8> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<9> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %k = "tosa.const"() <{values = dense<[[[[1, 2], [3, 4]]]]> : tensor<1x1x2x2xi8>}> : () -> tensor<1x1x2x2xi8>
  %b = "tosa.const"() <{values = dense<[11, 12, 13, 14]> : tensor<4xi32>}> : () -> tensor<4xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %acc = tosa.depthwise_conv2d %x, %k, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x2xi8>, tensor<1x1x2x2xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x4xi32>
  %r = tosa.rescale %acc, %m, %s, %z, %zx {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x3x3x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x3x4xi8>
  return %r : tensor<1x3x3x4xi8>
}

// -----

// Rows behind the last one that a strided window reaches need not be cut off.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tosa.slice
// CHECK: accel.contract
// CHECK-SAME: stride = array<i64: 2, 2>
// CHECK-SAME: (tensor<1x4x4x2xi8>, tensor<1x1x1x2xi8>
// CHECK-SAME: -> tensor<1x2x2x1xi8>
func.func @main(%x: tensor<1x4x4x2xi8>) -> tensor<1x2x2x1xi8> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %k = "tosa.const"() <{values = dense<[[[[21, 22]]]]> : tensor<1x1x1x2xi8>}> : () -> tensor<1x1x1x2xi8>
  %b = "tosa.const"() <{values = dense<11> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %start = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[1, 3, 3, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %cut = tosa.slice %x, %start, %size : (tensor<1x4x4x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x3x2xi8>
  %acc = tosa.conv2d %cut, %k, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x3x3x2xi8>, tensor<1x1x1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x1xi32>
  %r = tosa.rescale %acc, %m, %s, %z, %zx {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x2x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x2x1xi8>
  return %r : tensor<1x2x2x1xi8>
}

// -----

// As many constants as channels, but one a row: no bias.
// CHECK-LABEL: func.func @main
// CHECK-NOT: accel.contract
// CHECK: call @host_0
func.func @main(%x: tensor<1x3x4xi8>) -> tensor<1x3x3xi8> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %k = "tosa.const"() <{values = dense<[[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]]> : tensor<1x4x3xi8>}> : () -> tensor<1x4x3xi8>
  %b = "tosa.const"() <{values = dense<[[[100], [200], [300]]]> : tensor<1x3x1xi32>}> : () -> tensor<1x3x1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %acc = tosa.matmul %x, %k, %zx, %zw : (tensor<1x3x4xi8>, tensor<1x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3xi32>
  %sum = tosa.add %acc, %b : (tensor<1x3x3xi32>, tensor<1x3x1xi32>) -> tensor<1x3x3xi32>
  %r = tosa.rescale %sum, %m, %s, %z, %zx {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x3x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x3xi8>
  return %r : tensor<1x3x3xi8>
}

// -----

// A convolution of each group's slice, and their sums side by side: one layer.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tosa.slice
// CHECK: dense<{{\[\[\[\[}}1, 2]]], {{\[\[\[}}3, 4]]]]> : tensor<2x1x1x2xi8>
// CHECK: dense<[11, 12]> : tensor<2xi32>
// CHECK: accel.contract
// CHECK-SAME: groups = 2 : i64
// CHECK-SAME: tenon.layer = "conv2d_0", tenon.macs = 36 : i64
// CHECK-SAME: (tensor<1x3x3x4xi8>, tensor<2x1x1x2xi8>
// CHECK-NOT: accel.contract
// CHECK: return
func.func @main(%x: tensor<1x3x3x4xi8>) -> tensor<1x3x3x2xi8> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<9> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %w0 = "tosa.const"() <{values = dense<[[[[1, 2]]]]> : tensor<1x1x1x2xi8>}> : () -> tensor<1x1x1x2xi8>
  %w1 = "tosa.const"() <{values = dense<[[[[3, 4]]]]> : tensor<1x1x1x2xi8>}> : () -> tensor<1x1x1x2xi8>
  %b0 = "tosa.const"() <{values = dense<11> : tensor<1xi32>}> : () -> tensor<1xi32>
  %b1 = "tosa.const"() <{values = dense<12> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %from0 = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %from1 = tosa.const_shape {values = dense<[0, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[1, 3, 3, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s0 = tosa.slice %x, %from0, %size : (tensor<1x3x3x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x3x2xi8>
  %s1 = tosa.slice %x, %from1, %size : (tensor<1x3x3x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x3x2xi8>
  %a0 = tosa.conv2d %s0, %w0, %b0, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x2xi8>, tensor<1x1x1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x1xi32>
  %a1 = tosa.conv2d %s1, %w1, %b1, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x2xi8>, tensor<1x1x1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x1xi32>
  %acc = tosa.concat %a0, %a1 {axis = 3 : i32} : (tensor<1x3x3x1xi32>, tensor<1x3x3x1xi32>) -> tensor<1x3x3x2xi32>
  %r = tosa.rescale %acc, %m, %s, %z, %zx {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x3x3x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x3x2xi8>
  return %r : tensor<1x3x3x2xi8>
}

// -----

// The second one reads a channel of the first: no groups.
// CHECK-LABEL: func.func @main
// CHECK-NOT: accel.contract
func.func @main(%x: tensor<1x3x3x4xi8>) -> tensor<1x3x3x2xi8> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<9> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %w0 = "tosa.const"() <{values = dense<[[[[1, 2]]]]> : tensor<1x1x1x2xi8>}> : () -> tensor<1x1x1x2xi8>
  %w1 = "tosa.const"() <{values = dense<[[[[3, 4]]]]> : tensor<1x1x1x2xi8>}> : () -> tensor<1x1x1x2xi8>
  %b0 = "tosa.const"() <{values = dense<11> : tensor<1xi32>}> : () -> tensor<1xi32>
  %b1 = "tosa.const"() <{values = dense<12> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %from0 = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %from1 = tosa.const_shape {values = dense<[0, 0, 0, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[1, 3, 3, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s0 = tosa.slice %x, %from0, %size : (tensor<1x3x3x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x3x2xi8>
  %s1 = tosa.slice %x, %from1, %size : (tensor<1x3x3x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x3x2xi8>
  %a0 = tosa.conv2d %s0, %w0, %b0, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x2xi8>, tensor<1x1x1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x1xi32>
  %a1 = tosa.conv2d %s1, %w1, %b1, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x2xi8>, tensor<1x1x1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x1xi32>
  %acc = tosa.concat %a0, %a1 {axis = 3 : i32} : (tensor<1x3x3x1xi32>, tensor<1x3x3x1xi32>) -> tensor<1x3x3x2xi32>
  %r = tosa.rescale %acc, %m, %s, %z, %zx {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x3x3x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x3x2xi8>
  return %r : tensor<1x3x3x2xi8>
}
