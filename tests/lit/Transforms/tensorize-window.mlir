// RUN: tenon-opt %s -split-input-file -tenon-optimize-graph -accel-attach-machine -accel-partition -verify-each | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: accel.window mac %{{.*}} taps %{{.*}} bias %{{.*}} scale
// CHECK-SAME: input_zp = 3 : i32, kernel = array<i64: 2, 2>
// CHECK-SAME: tap_zp = 9 : i32, tenon.candidate = 8 : i64, tenon.layer = "depthwise_0", tenon.macs = 32 : i64
// CHECK-SAME: tensor<2x2x2xi8>
func.func @main(%x: tensor<1x3x3x2xi8>) -> tensor<1x2x2x2xi8> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<9> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %k = "tosa.const"() <{values = dense<[[[[1], [2]], [[3], [4]]], [[[5], [6]], [[7], [8]]]]> : tensor<2x2x2x1xi8>}> : () -> tensor<2x2x2x1xi8>
  %b = "tosa.const"() <{values = dense<[11, 12]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %acc = tosa.depthwise_conv2d %x, %k, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x2xi8>, tensor<2x2x2x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
  %r = tosa.rescale %acc, %m, %s, %z, %zx {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x2x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x2x2xi8>
  return %r : tensor<1x2x2x2xi8>
}

// -----

// Padded average and maximum; the clamp behind the maximum joins it.
// CHECK-LABEL: func.func @main
// CHECK: accel.window average
// CHECK-SAME: input_zp = 3 : i32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, quant = #accel.quant<zp = -5, min = -128, max = 127>
// CHECK: accel.window max
// CHECK-SAME: input_zp = 0 : i32, kernel = array<i64: 3, 2>, pad = array<i64: 0, 1, 0, 0>, quant = #accel.quant<zp = 0, min = -100, max = 50>, stride = array<i64: 2, 2>
func.func @main(%x: tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zy = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = tosa.avg_pool2d %x, %zx, %zy {acc_type = i32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  %p = tosa.max_pool2d %a {kernel = array<i64: 3, 2>, pad = array<i64: 0, 1, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
  %c = tosa.clamp %p {min_val = -100 : i8, max_val = 50 : i8} : (tensor<1x2x2x2xi8>) -> tensor<1x2x2x2xi8>
  return %c : tensor<1x2x2x2xi8>
}

// -----

// A global average of unequal scales: a sum over both axes and one rescale.
// CHECK-LABEL: func.func @main
// CHECK: accel.window sum %{{.*}} scale
// CHECK-SAME: input_zp = 3 : i32, kernel = array<i64: 4, 3>
// CHECK-SAME: tenon.layer = "average_pool_0"
// CHECK-SAME: -> tensor<1x1x1x2xi8>
func.func @main(%x: tensor<1x4x3x2xi8>) -> tensor<1x1x1x2xi8> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %zy = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %wide = tosa.cast %x : (tensor<1x4x3x2xi8>) -> tensor<1x4x3x2xi32>
  %centred = tosa.sub %wide, %zx : (tensor<1x4x3x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x4x3x2xi32>
  %rows = tosa.reduce_sum %centred {axis = 1 : i32} : (tensor<1x4x3x2xi32>) -> tensor<1x1x3x2xi32>
  %sum = tosa.reduce_sum %rows {axis = 2 : i32} : (tensor<1x1x3x2xi32>) -> tensor<1x1x1x2xi32>
  %r = tosa.rescale %sum, %m, %s, %z, %zy {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x1x1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x2xi8>
  return %r : tensor<1x1x1x2xi8>
}

// -----

// A change of scale alone is a sum over a window of one.
// CHECK-LABEL: func.func @main
// CHECK: accel.window sum %{{.*}} scale
// CHECK-SAME: input_zp = 3 : i32, kernel = array<i64: 1, 1>
// CHECK-SAME: quant = #accel.quant<zp = -5, min = -128, max = 127>
// CHECK-SAME: tenon.layer = "requantise_0"
func.func @main(%x: tensor<1x4x3x2xi8>) -> tensor<1x4x3x2xi8> {
  %zx = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zy = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %x, %m, %s, %zx, %zy {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4x3x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x3x2xi8>
  return %r : tensor<1x4x3x2xi8>
}
