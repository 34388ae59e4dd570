// RUN: tenon-opt %s -tenon-choose-layouts | FileCheck %s

// Weights are turned when they are compiled, the result has channels innermost,
// the activation reads it so; the function's result has its own order again. The
// reductions stay in their order: channel, row, column.
// CHECK: #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d1 + d5, d2 + d6)>
// CHECK: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @convolution
// CHECK-DAG: %[[WEIGHTS:.*]] = arith.constant dense<1.000000e+00> : tensor<2x2x2x8xf32>
// CHECK: %[[C:.*]] = linalg.generic {indexing_maps = [#[[IN]], #[[W]], #[[OUT]]]
// CHECK-SAME: ins(%arg0, %[[WEIGHTS]]
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-SAME: ins(%[[C]] : tensor<1x3x3x8xf32>)
// CHECK: linalg.transpose ins(%[[R]] : tensor<1x3x3x8xf32>) outs({{.*}} : tensor<1x8x3x3xf32>) permutation = [0, 3, 1, 2]
func.func @convolution(%x: tensor<1x2x4x4xf32>) -> tensor<1x8x3x3xf32> {
  %w = arith.constant dense<1.0> : tensor<8x2x2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x3x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x2x4x4xf32>, tensor<8x2x2x2xf32>) outs(%f : tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c : tensor<1x8x3x3xf32>) outs(%e : tensor<1x8x3x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.maximumf %i, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x8x3x3xf32>
  return %r : tensor<1x8x3x3xf32>
}

// Two transpositions that undo each other are none.
// CHECK-LABEL: func.func @there_and_back
// CHECK-NOT: linalg
// CHECK: return %arg0
func.func @there_and_back(%x: tensor<2x3xf32>, %e: tensor<3x2xf32>, %f: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %b = linalg.transpose ins(%a : tensor<3x2xf32>) outs(%f : tensor<2x3xf32>) permutation = [1, 0]
  return %b : tensor<2x3xf32>
}

// What a body reads element by element is put in its own order, and computed once.
// CHECK-LABEL: func.func @read_in_a_body
// CHECK: %[[C:.*]] = linalg.generic
// CHECK-SAME: outs({{.*}} : tensor<1x3x3x8xf32>)
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[C]] : tensor<1x3x3x8xf32>) outs({{.*}} : tensor<1x8x3x3xf32>)
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0
// CHECK: tensor.extract %[[T]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @read_in_a_body(%x: tensor<1x2x4x4xf32>, %at: tensor<5xindex>) -> tensor<5xf32> {
  %w = arith.constant dense<1.0> : tensor<8x2x2x2xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<1x8x3x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x2x4x4xf32>, tensor<8x2x2x2xf32>) outs(%f : tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
  %g = tensor.empty() : tensor<5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%at : tensor<5xindex>) outs(%g : tensor<5xf32>) {
  ^bb0(%i: index, %o: f32):
    %v = tensor.extract %c[%c0, %i, %c0, %c0] : tensor<1x8x3x3xf32>
    linalg.yield %v : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// A constant of the channels is turned with what it is added to.
// CHECK-LABEL: func.func @bias
// CHECK: arith.constant dense<2.000000e+00> : tensor<1x1x8xf32>
// CHECK: linalg.generic {{.*}}"parallel", "parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<3x3x8xf32>, tensor<1x1x8xf32>)
func.func @bias(%x: tensor<8x3x3xf32>, %y: tensor<3x3x8xf32>) -> tensor<8x3x3xf32> {
  %b = arith.constant dense<2.0> : tensor<8x1x1xf32>
  %e = tensor.empty() : tensor<8x3x3xf32>
  %t = linalg.transpose ins(%y : tensor<3x3x8xf32>) outs(%e : tensor<8x3x3xf32>) permutation = [2, 0, 1]
  %r = linalg.generic {indexing_maps = [affine_map<(c, h, w) -> (c, h, w)>, affine_map<(c, h, w) -> (c, 0, 0)>, affine_map<(c, h, w) -> (c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %b : tensor<8x3x3xf32>, tensor<8x1x1xf32>) outs(%e : tensor<8x3x3xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<8x3x3xf32>
  return %r : tensor<8x3x3xf32>
}

// Two channels fill no register: vectors walk along pixels, a window's too. Of an
// open number of images they do not, of which there may be one.
// CHECK-LABEL: func.func @pixels
// CHECK: %[[X:.*]] = linalg.transpose ins(%arg0 : tensor<?x9x34x4xf32>) outs({{.*}}) permutation = [0, 1, 3, 2]
// CHECK: linalg.generic {{.*}} ins(%[[X]], %{{.*}} : tensor<?x9x4x34xf32>, tensor<3x3x4x2xf32>) outs(%{{.*}} : tensor<?x7x2x32xf32>)
func.func @pixels(%x: tensor<?x9x34x4xf32>, %e: tensor<?x7x32x2xf32>) -> tensor<?x7x32x2xf32> {
  %w = arith.constant dense<1.0> : tensor<3x3x4x2xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x9x34x4xf32>, tensor<3x3x4x2xf32>) outs(%e : tensor<?x7x32x2xf32>) -> tensor<?x7x32x2xf32>
  return %c : tensor<?x7x32x2xf32>
}

// Products of bytes add neighbouring channels, which stay innermost.
// CHECK-LABEL: func.func @bytes
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @bytes(%x: tensor<1x9x34x4xi8>, %e: tensor<1x7x32x2xi32>) -> tensor<1x7x32x2xi32> {
  %w = arith.constant dense<1> : tensor<3x3x4x2xi8>
  %c = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x9x34x4xi8>, tensor<3x3x4x2xi8>) outs(%e : tensor<1x7x32x2xi32>) -> tensor<1x7x32x2xi32>
  return %c : tensor<1x7x32x2xi32>
}

// What cannot be turned before the run stays as it is.
// CHECK-LABEL: func.func @choice
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x3x2xf32>, tensor<2x1x1xi1>)
func.func @choice(%y: tensor<3x3x2xf32>) -> tensor<2x3x3xf32> {
  %b = arith.constant dense<[[[true]], [[false]]]> : tensor<2x1x1xi1>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x3xf32>
  %t = linalg.transpose ins(%y : tensor<3x3x2xf32>) outs(%e : tensor<2x3x3xf32>) permutation = [2, 0, 1]
  %r = linalg.generic {indexing_maps = [affine_map<(c, h, w) -> (c, h, w)>, affine_map<(c, h, w) -> (c, 0, 0)>, affine_map<(c, h, w) -> (c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %b : tensor<2x3x3xf32>, tensor<2x1x1xi1>) outs(%e : tensor<2x3x3xf32>) {
  ^bb0(%i: f32, %j: i1, %o: f32):
    %s = arith.select %j, %i, %zero : f32
    linalg.yield %s : f32
  } -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}
