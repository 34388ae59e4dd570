// RUN: tenon-opt %s -split-input-file -accel-attach-machine="config=tiny" -accel-partition -verify-each | FileCheck %s

// Blocks of `tiny` have 4 channels.  The maximum is read by nobody else and
// stores into its slice; the argument is stored by a copy.
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = accel.pack
// CHECK: %[[P:.*]] = accel.window max %[[X]]
// CHECK: %[[C:.*]] = accel.window sum %[[X]]
// CHECK-SAME: input_zp = 0 : i32, kernel = array<i64: 1, 1>
// CHECK: accel.concat %[[P]], %[[C]]
// CHECK-SAME: tenon.layer = "concat_0"
func.func @main(%x: tensor<1x4x4x4xi8>) -> tensor<1x4x4x8xi8> {
  %p = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4x4x4xi8>) -> tensor<1x4x4x4xi8>
  %c = tosa.concat %p, %x {axis = 3 : i32} : (tensor<1x4x4x4xi8>, tensor<1x4x4x4xi8>) -> tensor<1x4x4x8xi8>
  return %c : tensor<1x4x4x8xi8>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: func.func private @host_0
// CHECK-SAME: tenon.reason = "operand 1 of a concatenation begins at channel 3; blocks have 4 channels"
// CHECK-SAME: tenon.remedy = "channel counts that are multiples of the block"
func.func @main(%x: tensor<1x4x4x3xi8>) -> tensor<1x4x4x6xi8> {
  %p = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4x4x3xi8>) -> tensor<1x4x4x3xi8>
  %c = tosa.concat %p, %x {axis = 3 : i32} : (tensor<1x4x4x3xi8>, tensor<1x4x4x3xi8>) -> tensor<1x4x4x6xi8>
  return %c : tensor<1x4x4x6xi8>
}
