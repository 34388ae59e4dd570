// RUN: tenon-opt %s -pass-pipeline='builtin.module(func.func(tenon-pad-pointwise))' | FileCheck %s

// Pads of a point are of the input, by its zero point.
// CHECK-LABEL: func @point(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x5x8xi8>, %[[W:.*]]: tensor<1x1x8x1xi8>, %[[B:.*]]: tensor<8xi32>, %[[XZ:.*]]: tensor<1xi8>, %[[WZ:.*]]: tensor<1xi8>)
func.func @point(%x: tensor<1x4x5x8xi8>, %w: tensor<1x1x8x1xi8>, %b: tensor<8xi32>, %xz: tensor<1xi8>, %wz: tensor<1xi8>) -> tensor<1x7x12x8xi32> {
  // CHECK: %[[PADS:.*]] = tosa.const_shape {values = dense<[0, 0, 1, 2, 3, 4, 0, 0]> : tensor<8xindex>}
  // CHECK: %[[P:.*]] = tosa.pad %[[X]], %[[PADS]], %[[XZ]] : {{.*}} -> tensor<1x7x12x8xi8>
  // CHECK: tosa.depthwise_conv2d %[[P]], %[[W]], %[[B]], %[[XZ]], %[[WZ]] {{.*}}pad = array<i64: 0, 0, 0, 0>
  %y = tosa.depthwise_conv2d %x, %w, %b, %xz, %wz {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 2, 3, 4>, stride = array<i64: 1, 1>} : (tensor<1x4x5x8xi8>, tensor<1x1x8x1xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x7x12x8xi32>
  return %y : tensor<1x7x12x8xi32>
}

// Of a window they stay.
// CHECK-LABEL: func @window(
func.func @window(%x: tensor<1x4x4x8xf32>, %w: tensor<1x2x8x1xf32>, %b: tensor<8xf32>, %z: tensor<1xf32>) -> tensor<1x6x5x8xf32> {
  // CHECK-NOT: tosa.pad
  // CHECK: pad = array<i64: 1, 1, 1, 1>
  %y = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4x4x8xf32>, tensor<1x2x8x1xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x5x8xf32>
  return %y : tensor<1x6x5x8xf32>
}
