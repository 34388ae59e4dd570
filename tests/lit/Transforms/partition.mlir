// RUN: tenon-opt %s -split-input-file -accel-attach-machine -accel-partition -verify-each | FileCheck %s

// Host work before and behind the accelerator: one function each.
// CHECK-LABEL: func.func @main
// CHECK: call @host_0
// CHECK: accel.pack
// CHECK: accel.window max
// CHECK: accel.window max
// CHECK: accel.unpack
// CHECK: call @host_1
// CHECK: func.func private @host_1
// CHECK-SAME: tenon.estimated_ms = {{[0-9.e+-]+}} : f64
// CHECK-SAME: tenon.name = "cast+exp"
// CHECK-SAME: tenon.nodes = ["after"], tenon.placed_on = "host"
// CHECK-SAME: tenon.reason = "floating-point arithmetic; the accelerator computes 8-bit integers"
// CHECK: func.func private @host_0
// CHECK-SAME: tenon.nodes = ["before"]
func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32> {
  %i = tosa.cast %x : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xi8> loc("before")
  %p = tosa.max_pool2d %i {kernel = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  %q = tosa.max_pool2d %p {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>) -> tensor<1x3x3x2xi8>
  %f = tosa.cast %q : (tensor<1x3x3x2xi8>) -> tensor<1x3x3x2xf32> loc("after")
  %e = tosa.exp %f : (tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32> loc("after")
  return %e : tensor<1x3x3x2xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: func.func private @host_0
// CHECK-SAME: tenon.reason = "a rescale with 16-bit multipliers or double rounding; the accelerator has 32-bit multipliers and rounds once"
// CHECK-SAME: tenon.remedy = "SINGLE_ROUND with scale32"
func.func @main(%x: tensor<1x4x3x2xi8>) -> tensor<1x4x3x2xi8> {
  %z = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %x, %m, %s, %z, %z {rounding_mode = DOUBLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4x3x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x3x2xi8>
  return %r : tensor<1x4x3x2xi8>
}

// -----

// Weights computed at run time: of a convolution, and of a product before its right operand shows how GEMM reads it.
// CHECK-LABEL: func.func @main
// CHECK: func.func private @host_0
// CHECK-SAME: tenon.reason = "both factors are computed at run time; no transposition makes its right operand"
func.func @main(%x: tensor<1x2x4xi8>, %y: tensor<1x4x3xi8>, %i: tensor<1x4x4x2xi8>, %k: tensor<3x2x2x2xi8>) -> (tensor<1x3x3x3xi8>, tensor<1x2x3xi8>) {
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %b = "tosa.const"() <{values = dense<0> : tensor<3xi32>}> : () -> tensor<3xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %c = tosa.conv2d %i, %k, %b, %z8, %z8 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<3x2x2x2xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x3xi32>
  %q = tosa.rescale %c, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x3x3x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x3x3xi8>
  %acc = tosa.matmul %x, %y, %z8, %z8 : (tensor<1x2x4xi8>, tensor<1x4x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3xi32>
  %r = tosa.rescale %acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x3xi8>
  return %q, %r : tensor<1x3x3x3xi8>, tensor<1x2x3xi8>
}

// -----

// More padding than a load's fields say.
// CHECK-LABEL: func.func @main
// CHECK: accel.window max
// CHECK-SAME: pad = array<i64: 16, 0, 0, 0>
func.func @main(%x: tensor<1x32x4x2xi8>) -> tensor<1x16x3x2xi8> {
  %p = tosa.max_pool2d %x {kernel = array<i64: 33, 2>, pad = array<i64: 16, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x32x4x2xi8>) -> tensor<1x16x3x2xi8>
  return %p : tensor<1x16x3x2xi8>
}
