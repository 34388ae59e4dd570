// Why an operation is not on the accelerator: the smallest network with each reason.
// RUN: tenon-opt %s -split-input-file -accel-attach-machine -accel-partition | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: tenon.reason = "a rescale whose scale is not constant"
func.func @main(%x: tensor<1x2x2x4xi8>, %k: tensor<1xi32>) -> tensor<1x2x2x4xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %x, %k, %s, %z, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x2x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x4xi8>
  return %r : tensor<1x2x2x4xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tenon.reason = "a rescale by 5 >> 1; the accelerator shifts by 2 to 62"
func.func @main(%x: tensor<1x2x2x4xi8>) -> tensor<1x2x2x4xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %five = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
  %one = "tosa.const"() <{values = dense<1> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %x, %five, %one, %z, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x2x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x4xi8>
  return %r : tensor<1x2x2x4xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tenon.reason = "its 32-bit accumulators go elsewhere than to one rescale to int8 of the same channels"
func.func @main(%x: tensor<1x2x2x4xi8>) -> (tensor<1x2x2x2xi8>, tensor<1x2x2x2xi8>) {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %w = "tosa.const"() <{values = dense<[[[[1, 2, 3, 4]]], [[[5, 6, 7, 8]]]]> : tensor<2x1x1x4xi8>}> : () -> tensor<2x1x1x4xi8>
  %b = "tosa.const"() <{values = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %acc = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x4xi8>, tensor<2x1x1x4xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
  %r = tosa.rescale %acc, %m, %s, %z32, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x2x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x2x2xi8>
  %s2 = "tosa.const"() <{values = dense<39> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q = tosa.rescale %acc, %m, %s2, %z32, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x2x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x2x2xi8>
  return %r, %q : tensor<1x2x2x2xi8>, tensor<1x2x2x2xi8>
}

// -----

// A reshape between accumulators and rescale that takes channels apart.
// CHECK-LABEL: func.func @main
// CHECK-NOT: accel.
// CHECK: tenon.reason = "its 32-bit accumulators go elsewhere than to one rescale to int8 of the same channels"
func.func @main(%x: tensor<1x2x2x4xi8>) -> tensor<1x2x4x1xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %w = "tosa.const"() <{values = dense<[[[[1, 2, 3, 4]]], [[[5, 6, 7, 8]]]]> : tensor<2x1x1x4xi8>}> : () -> tensor<2x1x1x4xi8>
  %b = "tosa.const"() <{values = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %n = tosa.const_shape {values = dense<[1, 2, 4, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %acc = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x4xi8>, tensor<2x1x1x4xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
  %t = tosa.reshape %acc, %n : (tensor<1x2x2x2xi32>, !tosa.shape<4>) -> tensor<1x2x4x1xi32>
  %r = tosa.rescale %t, %m, %s, %z32, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x4x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x4x1xi8>
  return %r : tensor<1x2x4x1xi8>
}

// -----

// And one to a tensor that has no channels at all.
// CHECK-LABEL: func.func @main
// CHECK-NOT: accel.
// CHECK: tenon.reason = "its 32-bit accumulators go elsewhere than to one rescale to int8 of the same channels"
func.func @main(%x: tensor<1x1x1x4xi8>) -> tensor<i8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %w = "tosa.const"() <{values = dense<[[[[1, 2, 3, 4]]]]> : tensor<1x1x1x4xi8>}> : () -> tensor<1x1x1x4xi8>
  %b = "tosa.const"() <{values = dense<[1]> : tensor<1xi32>}> : () -> tensor<1xi32>
  %n = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  %acc = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x4xi8>, tensor<1x1x1x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
  %t = tosa.reshape %acc, %n : (tensor<1x1x1x1xi32>, !tosa.shape<0>) -> tensor<i32>
  %r = tosa.rescale %t, %m, %s, %z32, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<i32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<i8>
  return %r : tensor<i8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tenon.reason = "a concatenation of other axes than the channels"
func.func @main(%x: tensor<1x2x2x4xi8>, %y: tensor<1x2x2x4xi8>) -> tensor<1x4x2x4xi8> {
  %r = tosa.concat %x, %y {axis = 1 : i32} : (tensor<1x2x2x4xi8>, tensor<1x2x2x4xi8>) -> tensor<1x4x2x4xi8>
  return %r : tensor<1x4x2x4xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tenon.reason = "one of its operands is a constant"
func.func @main(%x: tensor<1x1x1x16xi8>) -> tensor<1x1x1x20xi8> {
  %k = "tosa.const"() <{values = dense<[[[[1, 2, 3, 4]]]]> : tensor<1x1x1x4xi8>}> : () -> tensor<1x1x1x4xi8>
  %r = tosa.concat %x, %k {axis = 3 : i32} : (tensor<1x1x1x16xi8>, tensor<1x1x1x4xi8>) -> tensor<1x1x1x20xi8>
  return %r : tensor<1x1x1x20xi8>
}

// -----

// Behind a transposition, too.
// CHECK-LABEL: func.func @main
// CHECK-NOT: accel.
// CHECK: tenon.reason = "one of its operands is a constant"
func.func @main(%x: tensor<1x2x2x4xi8>) -> tensor<1x1x1x4xi8> {
  %k = "tosa.const"() <{values = dense<[[[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]], [[13, 14], [15, 16]]]]> : tensor<1x4x2x2xi8>}> : () -> tensor<1x4x2x2xi8>
  %t = tosa.transpose %k {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x2x2xi8>) -> tensor<1x2x2x4xi8>
  %r = tosa.max_pool2d %t {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x4xi8>) -> tensor<1x1x1x4xi8>
  return %r : tensor<1x1x1x4xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tenon.reason = "no declared intrinsic combines elements like it"
func.func @main(%x: tensor<1x2x2x4xi8>) -> tensor<1x2x1x4xi8> {
  %r = tosa.reduce_min %x {axis = 2 : i32} : (tensor<1x2x2x4xi8>) -> tensor<1x2x1x4xi8>
  return %r : tensor<1x2x1x4xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tenon.reason = "an addition whose operands have neither one shape, nor is one of them a pixel of an image, or whose rescale is not a shift"
func.func @main(%x: tensor<1x2x2x4xi8>, %y: tensor<1x2x2x4xi8>) -> tensor<1x2x2x4xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = tosa.cast %x : (tensor<1x2x2x4xi8>) -> tensor<1x2x2x4xi32>
  %c = tosa.cast %y : (tensor<1x2x2x4xi8>) -> tensor<1x2x2x4xi32>
  %t = tosa.add %a, %c : (tensor<1x2x2x4xi32>, tensor<1x2x2x4xi32>) -> tensor<1x2x2x4xi32>
  %r = tosa.rescale %t, %m, %s, %z32, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x2x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x2x4xi8>
  return %r : tensor<1x2x2x4xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tenon.reason = "iterator 1 has no role in any intrinsic"
func.func @main(%x: tensor<1x2x2x4xi8>) -> tensor<1x1x2x4xi8> {
  %r = tosa.reduce_max %x {axis = 1 : i32} : (tensor<1x2x2x4xi8>) -> tensor<1x1x2x4xi8>
  return %r : tensor<1x1x2x4xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tenon.reason = "it is not one reduction of tensors"
func.func @main(%x: tensor<1x2x2x4xi8>) -> tensor<1x2x2xi32> {
  %r = tosa.argmax %x {axis = 3 : i32} : (tensor<1x2x2x4xi8>) -> tensor<1x2x2xi32>
  return %r : tensor<1x2x2xi32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tenon.reason = "no declared intrinsic has its iterators"
func.func @main(%x: tensor<2x2x4xi8>) -> tensor<2x2x3xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %k = "tosa.const"() <{values = dense<[[[1,2,3],[4,5,6],[7,8,9],[1,3,5]],[[2,4,6],[3,6,9],[1,2,4],[7,5,3]]]> : tensor<2x4x3xi8>}> : () -> tensor<2x4x3xi8>
  %a = tosa.matmul %x, %k, %z, %z : (tensor<2x2x4xi8>, tensor<2x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x2x3xi32>
  %r = tosa.rescale %a, %m, %s, %z32, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2x2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x2x3xi8>
  return %r : tensor<2x2x3xi8>
}

// -----

// A window that no tile holds.
// CHECK-LABEL: func.func @main
// CHECK: func.func private @host_0
// CHECK-SAME: tenon.reason = "it does not fit configuration pynq: ACC: a tile of 1x1 pixels and 1 blocks needs 2101 entries in 1 contexts, there are 2048"
// CHECK-SAME: tenon.remedy = "a configuration with more room"
func.func @main(%x: tensor<1x1x2100x4xi8>) -> tensor<1x1x1x4xi8> {
  %q = tosa.max_pool2d %x {kernel = array<i64: 1, 2100>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x2100x4xi8>) -> tensor<1x1x1x4xi8>
  return %q : tensor<1x1x1x4xi8>
}

// -----

// Between two operations of the host it takes longer to move the tensor than to compute it there.
// CHECK-LABEL: func.func @main
// CHECK-NOT: accel.
// CHECK: tenon.reason = "the network is faster with it on the host: 0.378 ms there, {{0.0[0-9]+}} ms on the accelerator and 0.655 ms to move its tensors"
func.func @main(%x: tensor<1x64x64x16xf32>) -> tensor<1x64x64x16xf32> {
  %z = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
  %i = tosa.cast %x : (tensor<1x64x64x16xf32>) -> tensor<1x64x64x16xi8>
  %r = tosa.rescale %i, %m, %s, %z, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x64x64x16xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x64x64x16xi8>
  %f = tosa.cast %r : (tensor<1x64x64x16xi8>) -> tensor<1x64x64x16xf32>
  return %f : tensor<1x64x64x16xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tenon.reason = "a product whose operands have neither one shape, nor is one of them a pixel of an image"
func.func @main(%x: tensor<1x2x2x4xi8>, %y: tensor<1x2x1x4xi8>) -> tensor<1x2x2x4xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = tosa.cast %x : (tensor<1x2x2x4xi8>) -> tensor<1x2x2x4xi32>
  %c = tosa.cast %y : (tensor<1x2x1x4xi8>) -> tensor<1x2x1x4xi32>
  %t = tosa.mul %a, %c, %z : (tensor<1x2x2x4xi32>, tensor<1x2x1x4xi32>, tensor<1xi8>) -> tensor<1x2x2x4xi32>
  %r = tosa.rescale %t, %m, %s, %z32, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x2x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x2x4xi8>
  return %r : tensor<1x2x2x4xi8>
}
