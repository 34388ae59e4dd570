// RUN: tenon-opt %s -split-input-file -accel-select-by-convolution -verify-each | FileCheck %s

// Steps become strides; rows in front are cut off, columns behind too. The name
// of the tensor moves along.
// CHECK-LABEL: func.func @steps
// CHECK: %[[START:.*]] = tosa.const_shape {values = dense<[0, 1, 0, 0]> : tensor<4xindex>}
// CHECK: %[[CUT:.*]] = tosa.slice %arg0, %[[START]]
// CHECK-SAME: -> tensor<1x3x4x2xi8>
// CHECK: %[[EYE:.*]] = "tosa.const"() <{values = dense<{{\[\[\[\[}}1, 0]]], {{\[\[\[}}0, 1]]]]> : tensor<2x1x1x2xi8>}>
// CHECK: %[[SUMS:.*]] = tosa.conv2d %[[CUT]], %[[EYE]]
// CHECK-SAME: pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 3>
// CHECK: %[[RESULT:.*]] = tosa.rescale %[[SUMS]]
// CHECK-SAME: tenon.tensor = {name = "picked"}
// CHECK: return %[[RESULT]]
func.func @steps(%x: tensor<1x5x6x2xi8>) -> tensor<1x2x2x2xi8> {
  %r = tensor.extract_slice %x[0, 1, 0, 0] [1, 2, 2, 2] [1, 2, 3, 1] {tenon.tensor = {name = "picked"}} : tensor<1x5x6x2xi8> to tensor<1x2x2x2xi8>
  return %r : tensor<1x2x2x2xi8>
}

// -----

// Channels 1 and 2 of 4: the matrix has their rows.
// CHECK-LABEL: func.func @channels
// CHECK: dense<{{\[\[\[\[}}0, 1, 0, 0]]], {{\[\[\[}}0, 0, 1, 0]]]]> : tensor<2x1x1x4xi8>
// CHECK: tosa.conv2d %arg0
func.func @channels(%x: tensor<1x2x3x4xi8>) -> tensor<1x2x3x2xi8> {
  %start = tosa.const_shape {values = dense<[0, 0, 0, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[1, 2, 3, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %r = tosa.slice %x, %start, %size : (tensor<1x2x3x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x2x3x2xi8>
  return %r : tensor<1x2x3x2xi8>
}

// -----

// The padding value is both zero points; a padded channel is a row of zeros.
// CHECK-LABEL: func.func @pad
// CHECK: %[[MATRIX:.*]] = "tosa.const"() <{values = dense<{{\[\[\[\[}}0]]], {{\[\[\[}}1]]], {{\[\[\[}}0]]]]> : tensor<3x1x1x1xi8>}>
// CHECK: %[[VALUE:.*]] = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}>
// CHECK: %[[SUMS:.*]] = tosa.conv2d %arg0, %[[MATRIX]], %{{.*}}, %[[VALUE]]
// CHECK-SAME: pad = array<i64: 1, 0, 0, 2>
// CHECK: tosa.rescale %[[SUMS]], {{.*}}, %[[VALUE]] {
func.func @pad(%x: tensor<1x2x2x1xi8>) -> tensor<1x3x4x3xi8> {
  %v = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %pads = tosa.const_shape {values = dense<[0, 0, 1, 0, 0, 2, 1, 1]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %r = tosa.pad %x, %pads, %v : (tensor<1x2x2x1xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x3x4x3xi8>
  return %r : tensor<1x3x4x3xi8>
}

// -----

// A slice of a padded image: each reads what the other one became.
// CHECK-LABEL: func.func @chain
// CHECK: %[[FIRST:.*]] = tosa.rescale
// CHECK: tosa.conv2d %[[FIRST]]
// CHECK-NOT: tosa.pad
// CHECK-NOT: tensor.extract_slice
func.func @chain(%x: tensor<1x2x2x1xi8>) -> tensor<1x2x2x1xi8> {
  %v = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %pads = tosa.const_shape {values = dense<[0, 0, 1, 0, 0, 1, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %p = tosa.pad %x, %pads, %v : (tensor<1x2x2x1xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x3x3x1xi8>
  %r = tensor.extract_slice %p[0, 0, 0, 0] [1, 2, 2, 1] [1, 2, 2, 1] : tensor<1x3x3x1xi8> to tensor<1x2x2x1xi8>
  return %r : tensor<1x2x2x1xi8>
}

// -----

// What stays: rows cut off, other ranks, other types, batches.
// CHECK-LABEL: func.func @rows
// CHECK: tosa.slice
// CHECK-NOT: tosa.conv2d
func.func @rows(%x: tensor<1x5x6x2xi8>) -> tensor<1x3x6x2xi8> {
  %start = tosa.const_shape {values = dense<[0, 1, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[1, 3, 6, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %r = tosa.slice %x, %start, %size : (tensor<1x5x6x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x6x2xi8>
  return %r : tensor<1x3x6x2xi8>
}

// -----

// CHECK-LABEL: func.func @matrix
// CHECK: tensor.extract_slice
// CHECK-NOT: tosa.conv2d
func.func @matrix(%x: tensor<5x6xi8>) -> tensor<3x6xi8> {
  %r = tensor.extract_slice %x[0, 0] [3, 6] [2, 1] : tensor<5x6xi8> to tensor<3x6xi8>
  return %r : tensor<3x6xi8>
}

// -----

// CHECK-LABEL: func.func @floats
// CHECK: tensor.extract_slice
// CHECK-NOT: tosa.conv2d
func.func @floats(%x: tensor<1x5x6x2xf32>) -> tensor<1x3x6x2xf32> {
  %r = tensor.extract_slice %x[0, 0, 0, 0] [1, 3, 6, 2] [1, 2, 1, 1] : tensor<1x5x6x2xf32> to tensor<1x3x6x2xf32>
  return %r : tensor<1x3x6x2xf32>
}

// -----

// CHECK-LABEL: func.func @batches
// CHECK: tensor.extract_slice
// CHECK: tosa.pad
// CHECK-NOT: tosa.conv2d
func.func @batches(%x: tensor<5x2x2x1xi8>) -> tensor<4x2x2x1xi8> {
  %v = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %pads = tosa.const_shape {values = dense<[1, 0, 0, 0, 0, 0, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %s = tensor.extract_slice %x[0, 0, 0, 0] [3, 2, 2, 1] [2, 1, 1, 1] : tensor<5x2x2x1xi8> to tensor<3x2x2x1xi8>
  %r = tosa.pad %s, %pads, %v : (tensor<3x2x2x1xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<4x2x2x1xi8>
  return %r : tensor<4x2x2x1xi8>
}
