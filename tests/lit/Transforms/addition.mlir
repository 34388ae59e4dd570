// RUN: tenon-opt %s -split-input-file -accel-attach-machine -accel-partition -verify-each | FileCheck %s

// Both addends come from convolutions: the addition joins the one that
// multiplies more, with its clamp, and reads the other one's result.
// CHECK-LABEL: func.func @main
// CHECK: %[[SMALL:.*]] = accel.contract
// CHECK-SAME: tenon.tensor = {name = "small"}
// CHECK: accel.contract
// CHECK-SAME: residual %[[SMALL]]
// CHECK-SAME: add = #accel.add<min = -10, max = 122, scale = 1500001, operand_scale = 700001, shift = 21, operand_zp = -7>
// CHECK-SAME: quant = #accel.quant<zp = 3, min = 3, max = 127>
// CHECK-SAME: tenon.nodes = ["big", "sum"], tenon.op = "convolution", tenon.tensor = {name = "sum"}
// CHECK-NOT: accel.window
func.func @main(%x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
  %z0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z3 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z5 = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z7 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %one = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s21 = "tosa.const"() <{values = dense<21> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<[11, 12]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %k1 = "tosa.const"() <{values = dense<[[[[1, 2]]], [[[3, 4]]]]> : tensor<2x1x1x2xi8>}> : () -> tensor<2x1x1x2xi8>
  %k3 = "tosa.const"() <{values = dense<7> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
  %c3 = tosa.conv2d %x, %k3, %b, %z3, %z0 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x2xi32> loc("big")
  %r3 = tosa.rescale %c3, %m, %s, %z, %z5 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8> loc("big")
  %r3c = tosa.clamp %r3 {min_val = -5 : i8, max_val = 127 : i8, tenon.tensor = {name = "big"}} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> loc("big")
  %c1 = tosa.conv2d %x, %k1, %b, %z3, %z0 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<2x1x1x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x2xi32> loc("small")
  %r1 = tosa.rescale %c1, %m, %s, %z, %z7 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false, tenon.tensor = {name = "small"}} : (tensor<1x4x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8> loc("small")
  %f1 = "tosa.const"() <{values = dense<700001> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %f3 = "tosa.const"() <{values = dense<1500001> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %n5 = "tosa.const"() <{values = dense<5> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %m30 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s30 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  // Widened in both ways that are in use: by a rescale, and by cast and SUB.
  %w1 = tosa.rescale %r1, %m30, %s30, %z7, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4x4x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x4x4x2xi32> loc("sum")
  %w3 = tosa.cast %r3c : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32> loc("sum")
  %d3 = tosa.sub %w3, %n5 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x4x4x2xi32> loc("sum")
  %p1 = tosa.mul %w1, %f1, %z0 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi32> loc("sum")
  %p3 = tosa.mul %f3, %d3, %z0 : (tensor<1x1x1x1xi32>, tensor<1x4x4x2xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi32> loc("sum")
  %sum = tosa.add %p1, %p3 : (tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi32> loc("sum")
  %r = tosa.rescale %sum, %one, %s21, %z, %z3 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8> loc("sum")
  %c = tosa.clamp %r {min_val = 3 : i8, max_val = 127 : i8, tenon.tensor = {name = "sum"}} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> loc("sum")
  return %c : tensor<1x4x4x2xi8>
}

// -----

// Without a convolution before it the addition is a sum over a window of one.
// The multiplier 4 of its rescale is two bits of the shift.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = accel.pack %arg0
// CHECK: %[[B:.*]] = accel.pack %arg1
// CHECK: accel.window sum %[[A]] scale %{{.*}} residual %[[B]]
// CHECK-SAME: add = #accel.add<min = -133, max = 122, scale = 700001, operand_scale = 1500001, shift = 19, operand_zp = 0>
// CHECK-SAME: input_zp = 5 : i32
// CHECK-SAME: tenon.layer = "add_0"
func.func @main(%x: tensor<1x4x4x2xi8>, %y: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
  %z0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z3 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %four = "tosa.const"() <{values = dense<4> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s21 = "tosa.const"() <{values = dense<21> : tensor<1xi8>}> : () -> tensor<1xi8>
  %f1 = "tosa.const"() <{values = dense<700001> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %f3 = "tosa.const"() <{values = dense<1500001> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %n5 = "tosa.const"() <{values = dense<5> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %w1 = tosa.cast %x : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
  %d1 = tosa.sub %w1, %n5 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x4x4x2xi32>
  %w3 = tosa.cast %y : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
  %p1 = tosa.mul %d1, %f1, %z0 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  %p3 = tosa.mul %w3, %f3, %z0 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  %sum = tosa.add %p1, %p3 : (tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi32>
  %r = tosa.rescale %sum, %four, %s21, %z, %z3 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  return %r : tensor<1x4x4x2xi8>
}

// -----

// Multipliers of more than 21 bits do not fit the machine's registers.
// CHECK-LABEL: func.func @main
// CHECK-NOT: accel.
// CHECK: call @host_0
// CHECK: func.func private @host_0
// CHECK-SAME: tenon.reason = "the scales of the addition do not fit 21 bits"
// CHECK-SAME: tenon.remedy = "multipliers below 2^21, as the importer makes them"
func.func @main(%x: tensor<1x4x4x2xi8>, %y: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
  %z0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %one = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s21 = "tosa.const"() <{values = dense<21> : tensor<1xi8>}> : () -> tensor<1xi8>
  %f1 = "tosa.const"() <{values = dense<2097153> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %w1 = tosa.cast %x : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
  %w3 = tosa.cast %y : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
  %p1 = tosa.mul %w1, %f1, %z0 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  %sum = tosa.add %p1, %w3 : (tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi32>
  %r = tosa.rescale %sum, %one, %s21, %z, %z0 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  return %r : tensor<1x4x4x2xi8>
}

// -----

// The accelerator's results are signed.
// CHECK-LABEL: func.func @main
// CHECK-NOT: accel.
// CHECK: call @host_0
func.func @main(%x: tensor<1x4x4x2xi8>, %y: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
  %z0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z128 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %one = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s21 = "tosa.const"() <{values = dense<21> : tensor<1xi8>}> : () -> tensor<1xi8>
  %f1 = "tosa.const"() <{values = dense<700001> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %w1 = tosa.cast %x : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
  %w3 = tosa.cast %y : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
  %p1 = tosa.mul %w1, %f1, %z0 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  %p3 = tosa.mul %w3, %f1, %z0 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  %sum = tosa.add %p1, %p3 : (tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi32>
  %r = tosa.rescale %sum, %one, %s21, %z, %z128 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = true} : (tensor<1x4x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  return %r : tensor<1x4x4x2xi8>
}
