// RUN: tenon-opt %s -split-input-file -accel-attach-machine -accel-partition -verify-each | FileCheck %s

// uint8 in NCHW enters and leaves: transposes and the offset fold.
// CHECK-LABEL: func.func @main
// CHECK: accel.pack %arg0
// CHECK-SAME: offset = -128 : i32, permutation = array<i64: 0, 2, 3, 1>
// CHECK-SAME: tenon.tensor = {name = "in", perm = array<i64: 0, 3, 1, 2>, shape = array<i64: 1, 2, 4, 3>, unsigned = true}
// CHECK-SAME: tensor<1x2x4x3xui8> -> tensor<1x4x3x2xi8>
// CHECK: accel.window max
// CHECK: accel.unpack
// CHECK-SAME: offset = 128 : i32, permutation = array<i64: 0, 3, 1, 2>
// CHECK-SAME: tensor<1x2x1x2xi8> -> tensor<4xui8>
// CHECK-NEXT: return
func.func @main(%x: tensor<1x2x4x3xui8> {tenon.name = "in"}) -> tensor<4xui8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %u = "tosa.const"() <{values = dense<128> : tensor<1xui8>}> : () -> tensor<1xui8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %i = tosa.rescale %x, %m, %s, %u, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = true, output_unsigned = false} : (tensor<1x2x4x3xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<1x2x4x3xi8>
  %t = tosa.transpose %i {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x3xi8>) -> tensor<1x4x3x2xi8>
  %p = tosa.max_pool2d %t {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 1>, stride = array<i64: 2, 2>} : (tensor<1x4x3x2xi8>) -> tensor<1x2x2x2xi8>
  %q = tosa.max_pool2d %p {kernel = array<i64: 1, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x2xi8>) -> tensor<1x2x1x2xi8>
  %b = tosa.transpose %q {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x2x1x2xi8>) -> tensor<1x2x2x1xi8>
  %shape = tosa.const_shape {values = dense<4> : tensor<1xindex>} : () -> !tosa.shape<1>
  %f = tosa.reshape %b, %shape : (tensor<1x2x2x1xi8>, !tosa.shape<1>) -> tensor<4xi8>
  %o = tosa.rescale %f, %m, %s, %z, %u {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = true} : (tensor<4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xui8>) -> tensor<4xui8>
  return %o : tensor<4xui8>
}

// -----

// A layer's result that is read by a layer and by the host, and that leaves the
// network, is unpacked behind the last layer.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = accel.window max
// CHECK-NEXT: %[[Q:.*]] = accel.window max %[[P]]
// CHECK-NOT: accel.pack
// CHECK: accel.unpack %[[P]]
// CHECK: call @host_0
func.func @main(%x: tensor<1x4x4x2xi8>) -> (tensor<1x4x4x2xf32>, tensor<1x3x3x2xi8>) {
  %p = tosa.max_pool2d %x {kernel = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  %f = tosa.cast %p : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xf32>
  %q = tosa.max_pool2d %p {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>) -> tensor<1x3x3x2xi8>
  return %f, %q : tensor<1x4x4x2xf32>, tensor<1x3x3x2xi8>
}

// -----

// An input that one layer reads as it is and another one transposed is packed twice.
// CHECK-LABEL: func.func @main
// CHECK: accel.pack %arg0
// CHECK-SAME: permutation = array<i64: 0, 1, 2, 3>
// CHECK: accel.pack %arg0
// CHECK-SAME: permutation = array<i64: 0, 2, 1, 3>
func.func @main(%x: tensor<1x3x4x2xi8>) -> (tensor<1x2x3x2xi8>, tensor<1x3x2x2xi8>) {
  %p = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x4x2xi8>) -> tensor<1x2x3x2xi8>
  %t = tosa.transpose %x {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x3x4x2xi8>) -> tensor<1x4x3x2xi8>
  %q = tosa.max_pool2d %t {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x3x2xi8>) -> tensor<1x3x2x2xi8>
  return %p, %q : tensor<1x2x3x2xi8>, tensor<1x3x2x2xi8>
}

// -----

// One axis, which is channels.
// CHECK-LABEL: func.func @main
// CHECK: accel.pack %arg0
// CHECK-SAME: permutation = array<i64: -1, -1, -1, 0>
// CHECK-SAME: tenon.tensor = {name = "in", perm = array<i64: 0, 1, 2, 3>, shape = array<i64: 24>, unsigned = false}
// CHECK: accel.window sum
// CHECK: accel.unpack
func.func @main(%x: tensor<24xi8> {tenon.name = "in"}) -> tensor<24xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %x, %m, %s, %z, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<24xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<24xi8>
  return %r : tensor<24xi8>
}

// -----

// Reshaped and back between two layers: the tensor as it lies.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = accel.window max
// CHECK-NEXT: accel.window max %[[P]]
// CHECK-NOT: call
func.func @main(%x: tensor<1x4x4x2xi8>) -> tensor<1x3x3x2xi8> {
  %p = tosa.max_pool2d %x {kernel = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  %rows = tosa.const_shape {values = dense<[1, 16, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %image = tosa.const_shape {values = dense<[1, 4, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %r = tosa.reshape %p, %rows : (tensor<1x4x4x2xi8>, !tosa.shape<3>) -> tensor<1x16x2xi8>
  %i = tosa.reshape %r, %image : (tensor<1x16x2xi8>, !tosa.shape<4>) -> tensor<1x4x4x2xi8>
  %q = tosa.max_pool2d %i {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>) -> tensor<1x3x3x2xi8>
  return %q : tensor<1x3x3x2xi8>
}

// -----

// A transpose between two layers is the host's; the one behind it is packing's.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = call @host_0
// CHECK: accel.pack %[[T]]
// CHECK-SAME: permutation = array<i64: 0, 1, 2, 3>
// CHECK: accel.pack %[[T]]
// CHECK-SAME: permutation = array<i64: 0, 1, 3, 2>
// CHECK: func.func private @host_0
// CHECK: tosa.transpose
// CHECK-NOT: tosa.transpose
func.func @main(%x: tensor<1x4x4x2xi8>) -> (tensor<1x3x3x2xi8>, tensor<1x3x1x4xi8>) {
  %p = tosa.max_pool2d %x {kernel = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  %t = tosa.transpose %p {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  %q = tosa.max_pool2d %t {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>) -> tensor<1x3x3x2xi8>
  %u = tosa.transpose %t {perms = array<i32: 0, 1, 3, 2>} : (tensor<1x4x4x2xi8>) -> tensor<1x4x2x4xi8>
  %r = tosa.max_pool2d %u {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x2x4xi8>) -> tensor<1x3x1x4xi8>
  return %q, %r : tensor<1x3x3x2xi8>, tensor<1x3x1x4xi8>
}
