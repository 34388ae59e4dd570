// RUN: tenon-opt %s -split-input-file -tenon-optimize-graph -verify-each | FileCheck %s

// Padding with the zero point is the convolution's; the rescale stays.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tosa.pad
// CHECK: tosa.conv2d %arg0
// CHECK-SAME: pad = array<i64: 1, 3, 3, 6>
func.func @main(%x: tensor<1x3x3x1xi8>) -> tensor<1x6x11x2xi32> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %k = "tosa.const"() <{values = dense<[[[[1], [2]], [[3], [4]]], [[[5], [6]], [[7], [8]]]]> : tensor<2x2x2x1xi8>}> : () -> tensor<2x2x2x1xi8>
  %b = "tosa.const"() <{values = dense<[11, 12]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %pads = tosa.const_shape {values = dense<[0, 0, 1, 2, 3, 4, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %p = tosa.pad %x, %pads, %zx : (tensor<1x3x3x1xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x6x10x1xi8>
  %acc = tosa.conv2d %p, %k, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 0, 2>, stride = array<i64: 1, 1>} : (tensor<1x6x10x1xi8>, tensor<2x2x2x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x6x11x2xi32>
  return %acc : tensor<1x6x11x2xi32>
}

// -----

// Padding with another value is not.
// CHECK-LABEL: func.func @main
// CHECK: tosa.pad
func.func @main(%x: tensor<1x3x3x1xi8>) -> tensor<1x5x9x2xi32> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %k = "tosa.const"() <{values = dense<[[[[1], [2]], [[3], [4]]], [[[5], [6]], [[7], [8]]]]> : tensor<2x2x2x1xi8>}> : () -> tensor<2x2x2x1xi8>
  %b = "tosa.const"() <{values = dense<[11, 12]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %pads = tosa.const_shape {values = dense<[0, 0, 1, 2, 3, 4, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %p = tosa.pad %x, %pads, %zw : (tensor<1x3x3x1xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x6x10x1xi8>
  %acc = tosa.conv2d %p, %k, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6x10x1xi8>, tensor<2x2x2x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x5x9x2xi32>
  return %acc : tensor<1x5x9x2xi32>
}

// -----

// A product over an image flattened in NCHW order reads the image as it lies:
// weight (channel c, column w) moves from position c*2 + w to w*3 + c.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = "tosa.const"() <{values = dense<{{\[\[\[\[}}1, 3, 5], [2, 4, 6]]]]> : tensor<1x1x2x3xi8>}>
// CHECK: tosa.conv2d %arg0, %[[W]]
// CHECK-SAME: (tensor<1x1x2x3xi8>, tensor<1x1x2x3xi8>
func.func @main(%x: tensor<1x1x2x3xi8>) -> tensor<1x1x1x1xi32> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %k = "tosa.const"() <{values = dense<[[[[1, 2, 3, 4, 5, 6]]]]> : tensor<1x1x1x6xi8>}> : () -> tensor<1x1x1x6xi8>
  %b = "tosa.const"() <{values = dense<11> : tensor<1xi32>}> : () -> tensor<1xi32>
  %t = tosa.transpose %x {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x1x2x3xi8>) -> tensor<1x3x1x2xi8>
  %shape = tosa.const_shape {values = dense<[1, 1, 1, 6]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %f = tosa.reshape %t, %shape : (tensor<1x3x1x2xi8>, !tosa.shape<4>) -> tensor<1x1x1x6xi8>
  %acc = tosa.conv2d %f, %k, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x6xi8>, tensor<1x1x1x6xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
  return %acc : tensor<1x1x1x1xi32>
}

// -----

// The same, where the flat image goes to NHWC behind it, and a window of one element is dilated.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = "tosa.const"() <{values = dense<{{\[\[\[\[}}1, 3, 5], [2, 4, 6]]]]> : tensor<1x1x2x3xi8>}>
// CHECK: tosa.conv2d %arg0, %[[W]]
// CHECK-SAME: dilation = array<i64: 1, 1>
func.func @main(%x: tensor<1x1x2x3xi8>) -> tensor<1x1x1x1xi32> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %k = "tosa.const"() <{values = dense<[[[[1, 2, 3, 4, 5, 6]]]]> : tensor<1x1x1x6xi8>}> : () -> tensor<1x1x1x6xi8>
  %b = "tosa.const"() <{values = dense<11> : tensor<1xi32>}> : () -> tensor<1xi32>
  %t = tosa.transpose %x {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x1x2x3xi8>) -> tensor<1x3x1x2xi8>
  %shape = tosa.const_shape {values = dense<[1, 6, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %f = tosa.reshape %t, %shape : (tensor<1x3x1x2xi8>, !tosa.shape<4>) -> tensor<1x6x1x1xi8>
  %n = tosa.transpose %f {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x6x1x1xi8>) -> tensor<1x1x1x6xi8>
  %acc = tosa.conv2d %n, %k, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 2, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x6xi8>, tensor<1x1x1x6xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
  return %acc : tensor<1x1x1x1xi32>
}

// -----

// Not where the window reaches beyond the vector, with weights of one tap or more.
// CHECK-LABEL: func.func @main
// CHECK: %[[F:.*]] = tosa.reshape
// CHECK: tosa.conv2d %[[F]]
// CHECK: tosa.conv2d %[[F]]
func.func @main(%x: tensor<1x1x2x3xi8>) -> (tensor<1x1x1x1xi32>, tensor<1x3x3x1xi32>) {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %k = "tosa.const"() <{values = dense<7> : tensor<1x3x3x6xi8>}> : () -> tensor<1x3x3x6xi8>
  %l = "tosa.const"() <{values = dense<7> : tensor<1x1x1x6xi8>}> : () -> tensor<1x1x1x6xi8>
  %b = "tosa.const"() <{values = dense<11> : tensor<1xi32>}> : () -> tensor<1xi32>
  %shape = tosa.const_shape {values = dense<[1, 1, 1, 6]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %f = tosa.reshape %x, %shape : (tensor<1x1x2x3xi8>, !tosa.shape<4>) -> tensor<1x1x1x6xi8>
  %p = tosa.conv2d %f, %k, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x1x1x6xi8>, tensor<1x3x3x6xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
  %q = tosa.conv2d %f, %l, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x1x1x6xi8>, tensor<1x1x1x6xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x1xi32>
  return %p, %q : tensor<1x1x1x1xi32>, tensor<1x3x3x1xi32>
}

// -----

// A rescale of all elements alike stands before channels are split into heads, with its tensor's name unless that one's axes stood
// in another order; not before they are merged, and not where each channel has its own.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = tosa.rescale %arg0
// CHECK-SAME: tenon.tensor = {name = "split", perm = array<i64: 0, 1, 2>, shape = array<i64: 1, 4, 2, 3>}
// CHECK: %[[H:.*]] = tosa.reshape %[[R]]
// CHECK: %[[Q:.*]] = tosa.rescale %arg0
// CHECK-NOT: tenon.tensor
// CHECK: %[[T:.*]] = tosa.reshape %[[Q]]
// CHECK: %[[M:.*]] = tosa.reshape %arg1
// CHECK: %[[S:.*]] = tosa.rescale %[[M]]
// CHECK-SAME: tenon.tensor = {name = "merged"}
// CHECK: %[[C:.*]] = tosa.reshape %arg0
// CHECK: %[[D:.*]] = tosa.rescale %[[C]]
// CHECK: return %[[H]], %[[T]], %[[S]], %[[D]]
func.func @main(%x: tensor<1x4x6xi8>, %y: tensor<1x4x2x3xi8>) -> (tensor<1x4x2x3xi8>, tensor<1x4x2x3xi8>, tensor<1x4x6xi8>, tensor<1x4x2x3xi8>) {
  %z = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m3 = "tosa.const"() <{values = dense<[1388776253, 1388776254, 1388776255]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %s3 = "tosa.const"() <{values = dense<31> : tensor<3xi8>}> : () -> tensor<3xi8>
  %heads = tosa.const_shape {values = dense<[1, 4, 2, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %whole = tosa.const_shape {values = dense<[1, 4, 6]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %a = tosa.reshape %x, %heads : (tensor<1x4x6xi8>, !tosa.shape<4>) -> tensor<1x4x2x3xi8>
  %split = tosa.rescale %a, %m, %s, %z, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false, tenon.tensor = {name = "split", perm = array<i64: 0, 1, 2, 3>, shape = array<i64: 1, 4, 2, 3>}} : (tensor<1x4x2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x2x3xi8>
  %t = tosa.reshape %x, %heads : (tensor<1x4x6xi8>, !tosa.shape<4>) -> tensor<1x4x2x3xi8>
  %turned = tosa.rescale %t, %m, %s, %z, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false, tenon.tensor = {name = "turned", perm = array<i64: 0, 2, 1, 3>, shape = array<i64: 1, 2, 4, 3>}} : (tensor<1x4x2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x2x3xi8>
  %b = tosa.reshape %y, %whole : (tensor<1x4x2x3xi8>, !tosa.shape<3>) -> tensor<1x4x6xi8>
  %merged = tosa.rescale %b, %m, %s, %z, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false, tenon.tensor = {name = "merged"}} : (tensor<1x4x6xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x6xi8>
  %c = tosa.reshape %x, %heads : (tensor<1x4x6xi8>, !tosa.shape<4>) -> tensor<1x4x2x3xi8>
  %channels = tosa.rescale %c, %m3, %s3, %z, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<1x4x2x3xi8>, tensor<3xi32>, tensor<3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x2x3xi8>
  return %split, %turned, %merged, %channels : tensor<1x4x2x3xi8>, tensor<1x4x2x3xi8>, tensor<1x4x6xi8>, tensor<1x4x2x3xi8>
}
