// RUN: tenon-opt %s -split-input-file -tenon-fold-batch-normalization -verify-each | FileCheck %s
// RUN: tenon-opt %s -split-input-file -tenon-fold-batch-normalization -tenon-fold-constants -verify-each | FileCheck %s --check-prefix=FOLDED

// (conv(x, w) + b) * s + t: weights w * s, channel by channel, and b * s + t.
// CHECK-LABEL: func.func @convolution
// CHECK: arith.mulf
// CHECK: %[[W:.*]] = linalg.generic
// CHECK: arith.mulf
// CHECK: linalg.conv_2d_nchw_fchw ins(%arg0, %[[W]]
// CHECK-NOT: arith.mulf
// CHECK: return
// FOLDED-LABEL: func.func @convolution
// FOLDED: %[[W:.*]] = arith.constant dense<{{\[\[\[\[}}2.000000e+00, 4.000000e+00]]], {{\[\[\[}}-9.000000e+00, -1.200000e+01]]]]> : tensor<2x1x1x2xf32>
// FOLDED: %[[C:.*]] = linalg.conv_2d_nchw_fchw
// FOLDED-SAME: %[[W]]
// FOLDED: %[[T:.*]] = arith.constant dense<[1.700000e+01, -2.000000e+01]> : tensor<2xf32>
// FOLDED: linalg.generic
// FOLDED-SAME: ins(%[[C]], %[[T]]
// FOLDED-NEXT: ^bb0
// FOLDED-NEXT: arith.addf
// FOLDED-NOT: arith.mulf
// FOLDED: return
#all = affine_map<(n, c, h, w) -> (n, c, h, w)>
#vector = affine_map<(n, c, h, w) -> (c)>
#column = affine_map<(n, c, h, w) -> (c, 0, 0)>
func.func @convolution(%x: tensor<?x1x3x5xf32>, %n: index) -> tensor<?x2x3x4xf32> {
  %w = arith.constant dense<[[[[1.0, 2.0]]], [[[3.0, 4.0]]]]> : tensor<2x1x1x2xf32>
  %b = arith.constant dense<[5.0, 7.0]> : tensor<2xf32>
  %s = arith.constant dense<[2.0, -3.0]> : tensor<2xf32>
  %t = arith.constant dense<[[[7.0]], [[1.0]]]> : tensor<2x1x1xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x2x3x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2x3x4xf32>) -> tensor<?x2x3x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x1x3x5xf32>, tensor<2x1x1x2xf32>)
      outs(%f : tensor<?x2x3x4xf32>) -> tensor<?x2x3x4xf32>
  %c1 = linalg.generic {indexing_maps = [#all, #vector, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b : tensor<?x2x3x4xf32>, tensor<2xf32>) outs(%e : tensor<?x2x3x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<?x2x3x4xf32>
  %s3 = tensor.expand_shape %s [[0, 1, 2]] output_shape [2, 1, 1] : tensor<2xf32> into tensor<2x1x1xf32>
  %c2 = linalg.generic {indexing_maps = [#column, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s3, %c1 : tensor<2x1x1xf32>, tensor<?x2x3x4xf32>) outs(%e : tensor<?x2x3x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %j, %i : f32
    linalg.yield %0 : f32
  } -> tensor<?x2x3x4xf32>
  %c3 = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c2, %t : tensor<?x2x3x4xf32>, tensor<2x1x1xf32>) outs(%e : tensor<?x2x3x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<?x2x3x4xf32>
  return %c3 : tensor<?x2x3x4xf32>
}

// -----

// Columns of a matrix product.
// FOLDED-LABEL: func.func @product
// FOLDED: %[[W:.*]] = arith.constant dense<{{\[}}[1.000000e+01, 4.000000e+01], [3.000000e+01, 8.000000e+01]]> : tensor<2x2xf32>
// FOLDED: linalg.matmul ins(%arg0, %[[W]]
// FOLDED-NOT: arith.mulf
// FOLDED: return
#all = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>
func.func @product(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %s = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x2xf32>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<4x2xf32>, tensor<2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// Not where the unscaled product is read as well, where factors run along its
// rows, nor where weights are no constants.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-3: linalg.matmul ins(%arg{{[01]}}, %{{cst.*|arg2}} :
#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#column = affine_map<(r, c) -> (c)>
func.func @kept(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>, %v: tensor<2x2xf32>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %s = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %read = linalg.matmul ins(%x, %w : tensor<2x2xf32>, tensor<2x2xf32>) outs(%f : tensor<2x2xf32>) -> tensor<2x2xf32>
  %a = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%read, %s : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<2x2xf32>
  %rows = linalg.matmul ins(%y, %w : tensor<2x2xf32>, tensor<2x2xf32>) outs(%f : tensor<2x2xf32>) -> tensor<2x2xf32>
  %b = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %s : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<2x2xf32>
  %any = linalg.matmul ins(%y, %v : tensor<2x2xf32>, tensor<2x2xf32>) outs(%f : tensor<2x2xf32>) -> tensor<2x2xf32>
  %c = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%any, %s : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<2x2xf32>
  return %a, %b, %c, %read : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// Nor into a loop, where the product would run at each step.
// CHECK-LABEL: func.func @loop
// CHECK: linalg.matmul
// CHECK: scf.for
// CHECK-NOT: linalg.matmul
// CHECK: return
#all = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>
func.func @loop(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %s = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x2xf32>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %sum = scf.for %i = %c0 to %c10 step %c1 iter_args(%sofar = %x) -> tensor<4x2xf32> {
    %y = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
        ins(%p, %s : tensor<4x2xf32>, tensor<2xf32>) outs(%e : tensor<4x2xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<4x2xf32>
    %next = linalg.add ins(%y, %sofar : tensor<4x2xf32>, tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
    scf.yield %next : tensor<4x2xf32>
  }
  return %sum : tensor<4x2xf32>
}
