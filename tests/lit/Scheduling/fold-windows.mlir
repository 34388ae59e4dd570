// RUN: tenon-opt %s -split-input-file -accel-attach-machine -accel-fold-windows -verify-each | FileCheck %s
// RUN: tenon-opt %s -split-input-file -accel-attach-machine="config=tiny" -accel-fold-windows -verify-each | FileCheck %s --check-prefix=TINY
// RUN: tenon-opt %s -split-input-file -tenon-accelerator-pipeline -verify-each | FileCheck %s --check-prefix=STREAM

// Space-to-depth: 7x7 of stride 2 over 3 channels is 4x4 of stride 1 over 12, which fills 12 of 16 lanes.
// With 4 lanes its 48 blocks would hardly be fewer than the 49 before; four columns in 3 blocks make it 7x2: 42.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = accel.pack %arg0
// CHECK-SAME: fold = #accel.fold<phases = [2, 2], step = [2, 2], dilation = [1, 1], origin = [-3, -3], outside = -7>
// CHECK-SAME: tensor<1x224x224x3xi8> -> tensor<1x115x115x12xi8>
// CHECK-NOT: accel.pack
// CHECK: accel.contract %[[P]]
// CHECK-SAME: dilation = array<i64: 1, 1>, input_zp = -7 : i32, pad = array<i64: 0, 0, 0, 0>
// CHECK-SAME: stride = array<i64: 1, 1>,
// CHECK-SAME: tensor<16x4x4x12xi8>
// TINY-LABEL: func.func @main
// TINY: fold = #accel.fold<phases = [1, 4], step = [1, 2], dilation = [1, 1], origin = [0, -3], outside = -7>
// TINY-SAME: tensor<1x224x114x12xi8>
// TINY: accel.contract
// TINY-SAME: dilation = array<i64: 1, 2>, input_zp = -7 : i32, pad = array<i64: 3, 3, 0, 0>
// TINY-SAME: stride = array<i64: 2, 1>
// The report's bound is of what is computed: 112 * 112 positions, 16 elements of the window.
// STREAM: compute = 200704
// STREAM-SAME: macs = 29503488
func.func @main(%x: tensor<1x224x224x3xi8>) -> tensor<1x112x112x16xi8> {
  %w = "tosa.const"() <{values = dense<3> : tensor<16x7x7x3xi8>}> : () -> tensor<16x7x7x3xi8>
  %b = "tosa.const"() <{values = dense<5> : tensor<16xi32>}> : () -> tensor<16xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<16xi8>}> : () -> tensor<16xi8>
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x224x224x3xi8> -> tensor<1x224x224x3xi8>
  %c = accel.contract %p weights %w scale %b, %b, %s {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 3, 3, 3, 3>, input_zp = -7 : i32, weight_zp = 5 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, tenon.macs = 29503488 : i64} : (tensor<1x224x224x3xi8>, tensor<16x7x7x3xi8>, tensor<16xi32>, tensor<16xi32>, tensor<16xi8>) -> tensor<1x112x112x16xi8>
  %u = accel.unpack %c {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x112x112x16xi8> -> tensor<1x112x112x16xi8>
  return %u : tensor<1x112x112x16xi8>
}

// -----

// Stride 1: two columns of the window share a pixel, the next two lie two pixels further. The tap that the window
// lacks is the weights' zero point. NCHW and uint8 stay what they were.
// CHECK-LABEL: func.func @main
// CHECK: accel.pack %arg0
// CHECK-SAME: fold = #accel.fold<phases = [1, 2], step = [1, 1], dilation = [1, 1], origin = [0, -1], outside = 9>, offset = -128 : i32, permutation = array<i64: 0, 2, 3, 1>
// CHECK-NOT: tenon.tensor
// CHECK-SAME: -> tensor<1x1x18x16xi8>
// CHECK: dense<{{\[\[\[\[}}1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24, -6, -6, -6, -6, -6, -6, -6, -6]]]]> : tensor<1x1x2x16xi8>
// CHECK: accel.contract
// CHECK-SAME: dilation = array<i64: 1, 2>, input_zp = 9 : i32, pad = array<i64: 0, 0, 0, 0>
// With 4 lanes none is empty.
// TINY-LABEL: func.func @main
// TINY: accel.pack
// TINY-NOT: fold
// TINY-SAME: tenon.tensor = {name = "in"}
// TINY: accel.contract
// TINY-SAME: pad = array<i64: 0, 0, 1, 1>
func.func @main(%x: tensor<1x8x1x16xui8>) -> tensor<1x1x16x1xi8> {
  %w = "tosa.const"() <{values = dense<[[[[1,2,3,4,5,6,7,8],[9,10,11,12,13,14,15,16],[17,18,19,20,21,22,23,24]]]]> : tensor<1x1x3x8xi8>}> : () -> tensor<1x1x3x8xi8>
  %b = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %p = accel.pack %x {permutation = array<i64: 0, 2, 3, 1>, offset = -128 : i32, tenon.tensor = {name = "in"}} : tensor<1x8x1x16xui8> -> tensor<1x1x16x8xi8>
  %c = accel.contract %p weights %w scale %b, %b, %s {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 1, 1>, input_zp = 9 : i32, weight_zp = -6 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x1x16x8xi8>, tensor<1x1x3x8xi8>, tensor<1xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x16x1xi8>
  %u = accel.unpack %c {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x1x16x1xi8> -> tensor<1x1x16x1xi8>
  return %u : tensor<1x1x16x1xi8>
}

// -----

// What another layer stores is not packed, and all lanes of 16 channels are used.
// CHECK-LABEL: func.func @main
// CHECK-NOT: fold
func.func @main(%x: tensor<1x16x16x16xi8>) -> tensor<1x14x14x3xi8> {
  %v = "tosa.const"() <{values = dense<3> : tensor<3x3x3x16xi8>}> : () -> tensor<3x3x3x16xi8>
  %w = "tosa.const"() <{values = dense<3> : tensor<3x3x3x3xi8>}> : () -> tensor<3x3x3x3xi8>
  %b = "tosa.const"() <{values = dense<5> : tensor<3xi32>}> : () -> tensor<3xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<3xi8>}> : () -> tensor<3xi8>
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x16x16x16xi8> -> tensor<1x16x16x16xi8>
  %c = accel.contract %p weights %v scale %b, %b, %s {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, input_zp = 0 : i32, weight_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x16x16x16xi8>, tensor<3x3x3x16xi8>, tensor<3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<1x16x16x3xi8>
  %d = accel.contract %c weights %w scale %b, %b, %s {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, weight_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x16x16x3xi8>, tensor<3x3x3x3xi8>, tensor<3xi32>, tensor<3xi32>, tensor<3xi8>) -> tensor<1x14x14x3xi8>
  %u = accel.unpack %d {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x14x14x3xi8> -> tensor<1x14x14x3xi8>
  return %u : tensor<1x14x14x3xi8>
}
