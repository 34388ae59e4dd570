// RUN: tenon-opt %s -split-input-file -accel-transpose-right-operands -accel-attach-machine -accel-partition -verify-each | FileCheck %s
// RUN: tenon-opt %s -split-input-file -accel-transpose-right-operands -accel-attach-machine="config=tiny" -accel-partition | FileCheck %s --check-prefix=TINY

// What a layer stores is read in groups of its channels as the rows of a product, as left and as right operand, and rows as groups by
// the layer behind: 8 heads of 32 channels, nothing moves.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = accel.product
// CHECK: %[[H:.*]] = accel.regroup %[[P]] : tensor<1x1x64x256xi8> -> tensor<1x8x64x32xi8>
// CHECK: %[[S:.*]] = accel.product %[[H]] weights %[[H]] scale
// CHECK-SAME: -> tensor<1x8x64x64xi8>
// CHECK: %[[M:.*]] = accel.regroup %[[S]] : tensor<1x8x64x64xi8> -> tensor<1x1x64x512xi8>
// CHECK: accel.product %[[M]] weights
// CHECK-NOT: call
func.func @main(%x: tensor<1x64x64xi8>, %y: tensor<1x64x256xi8>, %w: tensor<1x512x64xi8>) -> tensor<1x64x64xi8> {
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %p_acc = tosa.matmul %x, %y, %z8, %z8 : (tensor<1x64x64xi8>, tensor<1x64x256xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x64x256xi32>
  %p = tosa.rescale %p_acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x64x256xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x64x256xi8>
  %split_shape = tosa.const_shape {values = dense<[1, 64, 8, 32]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %split = tosa.reshape %p, %split_shape : (tensor<1x64x256xi8>, !tosa.shape<4>) -> tensor<1x64x8x32xi8>
  %q4 = tosa.transpose %split {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x64x8x32xi8>) -> tensor<1x8x64x32xi8>
  %q_shape = tosa.const_shape {values = dense<[8, 64, 32]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %q = tosa.reshape %q4, %q_shape : (tensor<1x8x64x32xi8>, !tosa.shape<3>) -> tensor<8x64x32xi8>
  %k4 = tosa.transpose %split {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x64x8x32xi8>) -> tensor<1x8x32x64xi8>
  %k_shape = tosa.const_shape {values = dense<[8, 32, 64]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %k = tosa.reshape %k4, %k_shape : (tensor<1x8x32x64xi8>, !tosa.shape<3>) -> tensor<8x32x64xi8>
  %s8_acc = tosa.matmul %q, %k, %z8, %z8 : (tensor<8x64x32xi8>, tensor<8x32x64xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<8x64x64xi32>
  %s8 = tosa.rescale %s8_acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<8x64x64xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<8x64x64xi8>
  %turned = tosa.transpose %s8 {perms = array<i32: 1, 0, 2>} : (tensor<8x64x64xi8>) -> tensor<64x8x64xi8>
  %merged_shape = tosa.const_shape {values = dense<[1, 64, 512]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %merged = tosa.reshape %turned, %merged_shape : (tensor<64x8x64xi8>, !tosa.shape<3>) -> tensor<1x64x512xi8>
  %r_acc = tosa.matmul %merged, %w, %z8, %z8 : (tensor<1x64x512xi8>, tensor<1x512x64xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x64x64xi32>
  %r = tosa.rescale %r_acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x64x64xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x64x64xi8>
  return %r : tensor<1x64x64xi8>
}

// -----

// Of a single token, whose heads lie as its channels do.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = accel.product
// CHECK: %[[H:.*]] = accel.regroup %[[P]] : tensor<1x1x1x256xi8> -> tensor<1x8x1x32xi8>
// CHECK: %[[S:.*]] = accel.product %[[H]] weights
// CHECK: %[[M:.*]] = accel.regroup %[[S]] : tensor<1x8x1x512xi8> -> tensor<1x1x1x4096xi8>
// CHECK: accel.product %[[M]] weights
// CHECK-NOT: call
// TINY-LABEL: func.func @main
func.func @main(%x: tensor<1x1x512xi8>, %y: tensor<1x512x256xi8>, %k: tensor<8x32x512xi8>, %w: tensor<1x4096x64xi8>) -> tensor<1x1x64xi8> {
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %p_acc = tosa.matmul %x, %y, %z8, %z8 : (tensor<1x1x512xi8>, tensor<1x512x256xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x256xi32>
  %p = tosa.rescale %p_acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x1x256xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x256xi8>
  %q_shape = tosa.const_shape {values = dense<[8, 1, 32]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %q = tosa.reshape %p, %q_shape : (tensor<1x1x256xi8>, !tosa.shape<3>) -> tensor<8x1x32xi8>
  %s8_acc = tosa.matmul %q, %k, %z8, %z8 : (tensor<8x1x32xi8>, tensor<8x32x512xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<8x1x512xi32>
  %s8 = tosa.rescale %s8_acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<8x1x512xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<8x1x512xi8>
  %merged_shape = tosa.const_shape {values = dense<[1, 1, 4096]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %merged = tosa.reshape %s8, %merged_shape : (tensor<8x1x512xi8>, !tosa.shape<3>) -> tensor<1x1x4096xi8>
  %r_acc = tosa.matmul %merged, %w, %z8, %z8 : (tensor<1x1x4096xi8>, tensor<1x4096x64xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x64xi32>
  %r = tosa.rescale %r_acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x1x64xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x64xi8>
  return %r : tensor<1x1x64xi8>
}

// -----

// Heads of 8 channels do not fill blocks of 16: the host splits them. They fill blocks of 4.
// CHECK-LABEL: func.func @main
// CHECK-NOT: accel.regroup
// CHECK: call @host_0
// TINY-LABEL: func.func @main
// TINY-LABEL: func.func @main
// TINY: accel.regroup {{.*}} : tensor<1x1x64x16xi8> -> tensor<1x2x64x8xi8>
// TINY-NOT: call
func.func @main(%x: tensor<1x64x64xi8>, %y: tensor<1x64x16xi8>, %w: tensor<2x8x512xi8>) -> tensor<2x64x512xi8> {
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %p_acc = tosa.matmul %x, %y, %z8, %z8 : (tensor<1x64x64xi8>, tensor<1x64x16xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x64x16xi32>
  %p = tosa.rescale %p_acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x64x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x64x16xi8>
  %split_shape = tosa.const_shape {values = dense<[1, 64, 2, 8]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %split = tosa.reshape %p, %split_shape : (tensor<1x64x16xi8>, !tosa.shape<4>) -> tensor<1x64x2x8xi8>
  %q4 = tosa.transpose %split {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x64x2x8xi8>) -> tensor<1x2x64x8xi8>
  %q_shape = tosa.const_shape {values = dense<[2, 64, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %q = tosa.reshape %q4, %q_shape : (tensor<1x2x64x8xi8>, !tosa.shape<3>) -> tensor<2x64x8xi8>
  %r_acc = tosa.matmul %q, %w, %z8, %z8 : (tensor<2x64x8xi8>, tensor<2x8x512xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x64x512xi32>
  %r = tosa.rescale %r_acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2x64x512xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x64x512xi8>
  return %r : tensor<2x64x512xi8>
}

// -----

// Channels that are dealt out to the heads one by one are no groups of neighbours.
// TINY-LABEL: func.func @main
// CHECK-LABEL: func.func @main
// CHECK-NOT: accel.regroup
// CHECK: call @host_0
func.func @main(%x: tensor<1x64x64xi8>, %y: tensor<1x64x256xi8>, %w: tensor<8x32x512xi8>) -> tensor<8x64x512xi8> {
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %p_acc = tosa.matmul %x, %y, %z8, %z8 : (tensor<1x64x64xi8>, tensor<1x64x256xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x64x256xi32>
  %p = tosa.rescale %p_acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x64x256xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x64x256xi8>
  %split_shape = tosa.const_shape {values = dense<[1, 64, 32, 8]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %split = tosa.reshape %p, %split_shape : (tensor<1x64x256xi8>, !tosa.shape<4>) -> tensor<1x64x32x8xi8>
  %q4 = tosa.transpose %split {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x64x32x8xi8>) -> tensor<1x8x64x32xi8>
  %q_shape = tosa.const_shape {values = dense<[8, 64, 32]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %q = tosa.reshape %q4, %q_shape : (tensor<1x8x64x32xi8>, !tosa.shape<3>) -> tensor<8x64x32xi8>
  %r_acc = tosa.matmul %q, %w, %z8, %z8 : (tensor<8x64x32xi8>, tensor<8x32x512xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<8x64x512xi32>
  %r = tosa.rescale %r_acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<8x64x512xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<8x64x512xi8>
  return %r : tensor<8x64x512xi8>
}
