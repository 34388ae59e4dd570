// RUN: tenon-opt %s -split-input-file -accel-attach-machine -accel-partition -verify-each | FileCheck %s

// A product of two tensors, of which one is a pixel for all of the image: the
// other is the input, in whichever place it stands.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[PIXEL:.*]] = accel.pack %arg0
// CHECK-DAG: %[[IMAGE:.*]] = accel.pack %arg1
// CHECK: accel.window multiply %[[IMAGE]] scale %{{.*}} residual %[[PIXEL]]
// CHECK-SAME: input_zp = -7 : i32
// CHECK-SAME: quant = #accel.quant<zp = 3, min = 4, max = 127>
// CHECK-SAME: tap_zp = 5 : i32
// CHECK-SAME: tenon.layer = "multiplication_0"
func.func @main(%s: tensor<1x1x1x2xi8>, %x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
  %z0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z3 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %n5 = "tosa.const"() <{values = dense<5> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %n7 = "tosa.const"() <{values = dense<-7> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %h = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %w1 = tosa.cast %s : (tensor<1x1x1x2xi8>) -> tensor<1x1x1x2xi32>
  %d1 = tosa.sub %w1, %n5 : (tensor<1x1x1x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x2xi32>
  %w2 = tosa.cast %x : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
  %d2 = tosa.sub %w2, %n7 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x4x4x2xi32>
  %p = tosa.mul %d1, %d2, %z0 : (tensor<1x1x1x2xi32>, tensor<1x4x4x2xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  %r = tosa.rescale %p, %m, %h, %z, %z3 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  %c = tosa.clamp %r {min_val = 4 : i8, max_val = 127 : i8} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  return %c : tensor<1x4x4x2xi8>
}

// -----

// LeakyRelu: a sum of a tensor and of its clamp, which others read unclamped.
// The clamp is that of the first addend.
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = accel.pack %arg0
// CHECK: accel.window sum %[[X]] scale %{{.*}} residual %[[X]]
// CHECK-SAME: add = #accel.add<min = 0, max = 122, scale = 1500001, operand_scale = 700001, shift = 21, operand_zp = 5>
// CHECK-NOT: tosa.clamp
func.func @main(%x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
  %z0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z3 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %n5 = "tosa.const"() <{values = dense<5> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %n7 = "tosa.const"() <{values = dense<-7> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %one = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s21 = "tosa.const"() <{values = dense<21> : tensor<1xi8>}> : () -> tensor<1xi8>
  %f1 = "tosa.const"() <{values = dense<700001> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %f2 = "tosa.const"() <{values = dense<1500001> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %c = tosa.clamp %x {min_val = 5 : i8, max_val = 127 : i8} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  %w1 = tosa.cast %x : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
  %d1 = tosa.sub %w1, %n5 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x4x4x2xi32>
  %w2 = tosa.cast %c : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
  %d2 = tosa.sub %w2, %n5 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x4x4x2xi32>
  %p1 = tosa.mul %d1, %f1, %z0 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  %p2 = tosa.mul %d2, %f2, %z0 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  %sum = tosa.add %p1, %p2 : (tensor<1x4x4x2xi32>, tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi32>
  %r = tosa.rescale %sum, %one, %s21, %z, %z3 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  return %r : tensor<1x4x4x2xi8>
}

// -----

// A constant is added to a multiple of the tensor: one number multiplies all,
// the constant is the bias.
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = accel.pack %arg0
// CHECK: %[[BIAS:.*]] = "tosa.const"() <{values = dense<[70000, -9]> : tensor<2xi32>}>
// CHECK: accel.window multiply %[[X]] bias %[[BIAS]] scale
// CHECK-SAME: factor = -65536 : i32
// CHECK-SAME: input_zp = 5 : i32
// CHECK-SAME: tenon.op = "requantise"
func.func @main(%x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
  %z0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z3 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %n5 = "tosa.const"() <{values = dense<5> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %h = "tosa.const"() <{values = dense<48> : tensor<1xi8>}> : () -> tensor<1xi8>
  %f = "tosa.const"() <{values = dense<-65536> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
  %b = "tosa.const"() <{values = dense<[[[[70000, -9]]]]> : tensor<1x1x1x2xi32>}> : () -> tensor<1x1x1x2xi32>
  %w = tosa.cast %x : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi32>
  %d = tosa.sub %w, %n5 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x4x4x2xi32>
  %p = tosa.mul %d, %f, %z0 : (tensor<1x4x4x2xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  %sum = tosa.add %p, %b : (tensor<1x4x4x2xi32>, tensor<1x1x1x2xi32>) -> tensor<1x4x4x2xi32>
  %r = tosa.rescale %sum, %m, %h, %z, %z3 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  return %r : tensor<1x4x4x2xi8>
}
