// RUN: tenon-opt %s -pass-pipeline='builtin.module(func.func(tenon-groups-to-linalg))' | FileCheck %s

// Two groups of two channels in and one out: one operation with both groups'
// weights and biases, padded by the input's zero point.
// CHECK-LABEL: func @groups(
// CHECK-SAME: %[[X:.*]]: tensor<1x3x3x4xi8>)
func.func @groups(%x: tensor<1x3x3x4xi8>) -> tensor<1x4x3x2xi32> {
  %xz = "tosa.const"() {values = dense<5> : tensor<1xi8>} : () -> tensor<1xi8>
  %wz = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %w0 = "tosa.const"() {values = dense<[[[[1, 2]]]]> : tensor<1x1x1x2xi8>} : () -> tensor<1x1x1x2xi8>
  %w1 = "tosa.const"() {values = dense<[[[[3, 4]]]]> : tensor<1x1x1x2xi8>} : () -> tensor<1x1x1x2xi8>
  %b0 = "tosa.const"() {values = dense<7> : tensor<1xi32>} : () -> tensor<1xi32>
  %b1 = "tosa.const"() {values = dense<9> : tensor<1xi32>} : () -> tensor<1xi32>
  %s0 = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s1 = tosa.const_shape {values = dense<[0, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[1, 3, 3, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x0 = tosa.slice %x, %s0, %size : (tensor<1x3x3x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x3x2xi8>
  %x1 = tosa.slice %x, %s1, %size : (tensor<1x3x3x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x3x2xi8>
  // CHECK-NOT: tosa.conv2d
  // CHECK-DAG: %[[BIAS:.*]] = arith.constant dense<{{\[}}[7], [9]]> : tensor<2x1xi32>
  // CHECK-DAG: %[[WEIGHTS:.*]] = arith.constant dense<{{.*}}[1, 2]{{.*}}[3, 4]{{.*}}> : tensor<2x1x1x1x2xi8>
  // CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : i32
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[INIT:.*]] = linalg.broadcast ins(%[[BIAS]] : tensor<2x1xi32>) {{.*}} dimensions = [0, 1, 2]
  // CHECK-DAG: %[[PADDED:.*]] = tosa.pad %[[X]], {{.*}} -> tensor<1x4x3x4xi8>
  // CHECK-DAG: %[[IMAGE:.*]] = tensor.expand_shape %[[PADDED]] {{.*}} into tensor<1x4x3x2x2xi8>
  // CHECK: %[[SUMS:.*]] = linalg.conv_2d_nhwgc_gfhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%[[IMAGE]], %[[WEIGHTS]], %[[FIVE]], %[[ZERO]] : {{.*}}) outs(%[[INIT]] : tensor<1x4x3x2x1xi32>)
  // CHECK: tensor.collapse_shape %[[SUMS]] {{.*}} into tensor<1x4x3x2xi32>
  %y0 = tosa.conv2d %x0, %w0, %b0, %xz, %wz {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x2xi8>, tensor<1x1x1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x3x1xi32>
  %y1 = tosa.conv2d %x1, %w1, %b1, %xz, %wz {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x2xi8>, tensor<1x1x1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x3x1xi32>
  %y = tosa.concat %y0, %y1 {axis = 3 : i32} : (tensor<1x4x3x1xi32>, tensor<1x4x3x1xi32>) -> tensor<1x4x3x2xi32>
  return %y : tensor<1x4x3x2xi32>
}

// Halves in the other order are no groups.
// CHECK-LABEL: func @exchanged(
func.func @exchanged(%x: tensor<1x3x3x4xi8>) -> tensor<1x3x3x2xi32> {
  %z = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %w = "tosa.const"() {values = dense<1> : tensor<1x1x1x2xi8>} : () -> tensor<1x1x1x2xi8>
  %b = "tosa.const"() {values = dense<7> : tensor<1xi32>} : () -> tensor<1xi32>
  %s0 = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s1 = tosa.const_shape {values = dense<[0, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[1, 3, 3, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x0 = tosa.slice %x, %s0, %size : (tensor<1x3x3x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x3x2xi8>
  %x1 = tosa.slice %x, %s1, %size : (tensor<1x3x3x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x3x2xi8>
  // CHECK-COUNT-2: tosa.conv2d
  %y0 = tosa.conv2d %x0, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x2xi8>, tensor<1x1x1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x1xi32>
  %y1 = tosa.conv2d %x1, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x2xi8>, tensor<1x1x1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x1xi32>
  %y = tosa.concat %y1, %y0 {axis = 3 : i32} : (tensor<1x3x3x1xi32>, tensor<1x3x3x1xi32>) -> tensor<1x3x3x2xi32>
  return %y : tensor<1x3x3x2xi32>
}
