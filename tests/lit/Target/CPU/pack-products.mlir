// RUN: tenon-opt %s -tenon-pack-products | FileCheck %s

#x = affine_map<(m, f, c) -> (m, c)>
#w = affine_map<(m, f, c) -> (c, f)>
#y = affine_map<(m, f, c) -> (m, f)>
#b = affine_map<(m, f) -> (f)>
#all = affine_map<(m, f) -> (m, f)>

// Four neighbours of a column lie together; x has 128 more, and what the sums
// begin with (7 + 128) times the weights of the column less: of 1 - 3 + 5 - 7
// and of 2 - 4 + 6 - 8.
// CHECK: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2 * 4 + d3)>
// CHECK: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
// CHECK: #[[Y:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func @bias(
// CHECK-SAME: %[[IN:.*]]: tensor<3x4xi8>
func.func @bias(%x: tensor<3x4xi8>) -> tensor<3x2xi32> {
  // CHECK-DAG: %[[WEIGHTS:.*]] = arith.constant dense<{{\[\[}}[1, -3, 5, -7], [2, -4, 6, -8]]]> : tensor<1x2x4xi8>
  // CHECK-DAG: %[[BIAS:.*]] = arith.constant dense<[640, 740]> : tensor<2xi32>
  %w = arith.constant dense<[[1, 2], [-3, -4], [5, 6], [-7, -8]]> : tensor<4x2xi8>
  %bias = arith.constant dense<[100, 200]> : tensor<2xi32>
  %xz = arith.constant 7 : i32
  %e = tensor.empty() : tensor<3x2xi32>
  // CHECK: %[[INIT:.*]] = linalg.generic {{.*}} ins(%[[BIAS]] : tensor<2xi32>)
  %init = linalg.generic {indexing_maps = [#b, #all], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<2xi32>) outs(%e : tensor<3x2xi32>) {
  ^bb0(%i: i32, %o: i32):
    linalg.yield %i : i32
  } -> tensor<3x2xi32>
  // CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[IN]], %[[WEIGHTS]] : tensor<3x4xi8>, tensor<1x2x4xi8>) outs(%[[INIT]]
  // CHECK: arith.xori %{{.*}}, %c-128_i8
  // CHECK: arith.extui
  // CHECK: arith.extsi
  // CHECK: arith.muli
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x4xi8>, tensor<4x2xi8>) outs(%init : tensor<3x2xi32>) {
  ^bb0(%i: i8, %k: i8, %o: i32):
    %a = arith.extsi %i : i8 to i32
    %b = arith.subi %a, %xz : i32
    %c = arith.extsi %k : i8 to i32
    %d = arith.muli %b, %c : i32
    %s = arith.addi %o, %d : i32
    linalg.yield %s : i32
  } -> tensor<3x2xi32>
  return %y : tensor<3x2xi32>
}

// Of weights with a zero point the differences count: (7 + 128) * (1 - 9 + ...),
// from sums that a run begins with.
// CHECK-LABEL: func @zero_point(
// CHECK-SAME: %{{.*}}: tensor<3x4xi8>, %[[SUMS:.*]]: tensor<3x2xi32>
func.func @zero_point(%x: tensor<3x4xi8>, %sums: tensor<3x2xi32>) -> tensor<3x2xi32> {
  // CHECK-DAG: %[[LESS:.*]] = arith.constant dense<[-5400, -5130]> : tensor<2xi32>
  // CHECK: linalg.generic {{.*}} ins(%[[SUMS]], %[[LESS]] : tensor<3x2xi32>, tensor<2xi32>)
  // CHECK: arith.subi
  // CHECK: arith.xori
  // CHECK: arith.subi %{{.*}}, %c9_i32
  %w = arith.constant dense<[[1, -1], [-3, 3], [5, -5], [-7, 1]]> : tensor<4x2xi8>
  %xz = arith.constant 7 : i32
  %wz = arith.constant 9 : i32
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x4xi8>, tensor<4x2xi8>) outs(%sums : tensor<3x2xi32>) {
  ^bb0(%i: i8, %k: i8, %o: i32):
    %a = arith.extsi %i : i8 to i32
    %b = arith.subi %a, %xz : i32
    %c = arith.extsi %k : i8 to i32
    %e = arith.subi %c, %wz : i32
    %d = arith.muli %b, %e : i32
    %s = arith.addi %o, %d : i32
    linalg.yield %s : i32
  } -> tensor<3x2xi32>
  return %y : tensor<3x2xi32>
}

// Three channels are no four, and computed weights cannot be packed.
// CHECK-LABEL: func @others(
// CHECK-NOT: arith.xori
func.func @others(%x: tensor<3x3xi8>, %v: tensor<3x2xi8>, %sums: tensor<3x2xi32>) -> (tensor<3x2xi32>, tensor<3x2xi32>) {
  %w = arith.constant dense<[[1, 2], [-3, -4], [5, 6]]> : tensor<3x2xi8>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x3xi8>, tensor<3x2xi8>) outs(%sums : tensor<3x2xi32>) {
  ^bb0(%i: i8, %k: i8, %o: i32):
    %a = arith.extsi %i : i8 to i32
    %c = arith.extsi %k : i8 to i32
    %d = arith.muli %a, %c : i32
    %s = arith.addi %o, %d : i32
    linalg.yield %s : i32
  } -> tensor<3x2xi32>
  %z = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %v : tensor<3x3xi8>, tensor<3x2xi8>) outs(%sums : tensor<3x2xi32>) {
  ^bb0(%i: i8, %k: i8, %o: i32):
    %a = arith.extsi %i : i8 to i32
    %c = arith.extsi %k : i8 to i32
    %d = arith.muli %a, %c : i32
    %s = arith.addi %o, %d : i32
    linalg.yield %s : i32
  } -> tensor<3x2xi32>
  return %y, %z : tensor<3x2xi32>, tensor<3x2xi32>
}

// Three channels, not innermost: x is copied into groups of four, and the fourth
// weight is the zero point, which adds nothing.
// CHECK-LABEL: func @three_channels(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x6xi8>
// CHECK: %[[THREES:.*]] = linalg.transpose ins(%[[X]] : tensor<2x3x6xi8>) outs(%{{.*}} : tensor<2x6x3xi8>) permutation = [0, 2, 1]
// CHECK: %[[FOURS:.*]] = tensor.pad %[[THREES]] low[0, 0, 0] high[0, 0, 1]
// CHECK: %[[W:.*]] = arith.constant dense<{{.*}}1, 9, 17, 5{{.*}}> : tensor<1x8x4xi8>
// CHECK: linalg.generic {{.*}} ins(%[[FOURS]], %[[W]] : tensor<2x6x4xi8>, tensor<1x8x4xi8>)
func.func @three_channels(%x: tensor<2x3x6xi8>, %o: tensor<2x6x8xi32>) -> tensor<2x6x8xi32> {
  %w = arith.constant dense<"0x0102030405060708090A0B0C0D0E0F101112131415161718"> : tensor<3x8xi8>
  %z = arith.constant 5 : i32
  %y = linalg.generic {indexing_maps = [affine_map<(n, p, f, c) -> (n, c, p)>, affine_map<(n, p, f, c) -> (c, f)>, affine_map<(n, p, f, c) -> (n, p, f)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x3x6xi8>, tensor<3x8xi8>) outs(%o : tensor<2x6x8xi32>) {
  ^bb0(%i: i8, %v: i8, %s: i32):
    %a = arith.extsi %i : i8 to i32
    %b = arith.extsi %v : i8 to i32
    %c = arith.subi %b, %z : i32
    %p = arith.muli %a, %c : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  } -> tensor<2x6x8xi32>
  return %y : tensor<2x6x8xi32>
}

// Twenty results, 01 to 14 in hexadecimal: a panel of sixteen, and one of four with
// nothing behind them.
// CHECK-LABEL: func @panels(
// CHECK: %[[W:.*]] = arith.constant dense<"0x0115293D02162A3E03172B3F04182C4005192D41061A2E42071B2F43081C3044091D31450A1E32460B1F33470C2034480D2135490E22364A0F23374B1024384C1125394D12263A4E13273B4F14283C50000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x1x16x4xi8>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[W]] : tensor<3x4xi8>, tensor<2x1x16x4xi8>)
func.func @panels(%x: tensor<3x4xi8>, %o: tensor<3x20xi32>) -> tensor<3x20xi32> {
  %w = arith.constant dense<"0x0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F50"> : tensor<4x20xi8>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x4xi8>, tensor<4x20xi8>) outs(%o : tensor<3x20xi32>) {
  ^bb0(%i: i8, %k: i8, %s: i32):
    %a = arith.extsi %i : i8 to i32
    %c = arith.extsi %k : i8 to i32
    %d = arith.muli %a, %c : i32
    %t = arith.addi %s, %d : i32
    linalg.yield %t : i32
  } -> tensor<3x20xi32>
  return %y : tensor<3x20xi32>
}

// Five channels to eight, and twenty results to two panels, of zeros in a
// resource.
// CHECK-LABEL: func @zeros(
// CHECK: %[[W:.*]] = arith.constant dense<0> : tensor<2x2x16x4xi8>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[W]] : tensor<3x8xi8>, tensor<2x2x16x4xi8>)
func.func @zeros(%x: tensor<3x5xi8>, %o: tensor<3x20xi32>) -> tensor<3x20xi32> {
  %w = arith.constant dense_resource<zeros> : tensor<5x20xi8>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x5xi8>, tensor<5x20xi8>) outs(%o : tensor<3x20xi32>) {
  ^bb0(%i: i8, %k: i8, %s: i32):
    %a = arith.extsi %i : i8 to i32
    %c = arith.extsi %k : i8 to i32
    %d = arith.muli %a, %c : i32
    %t = arith.addi %s, %d : i32
    linalg.yield %t : i32
  } -> tensor<3x20xi32>
  return %y : tensor<3x20xi32>
}

// Floats are packed in panels alone.
// CHECK-LABEL: func @float_panels(
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[\[}}1.000000e+00, 2.000000e+00, {{.*}}, 1.600000e+01], [1.010000e+02, {{.*}}, 1.160000e+02]], {{\[\[}}1.700000e+01, 1.800000e+01, 0.000000e+00, {{.*}}], [1.170000e+02, 1.180000e+02, 0.000000e+00, {{.*}}]]]> : tensor<2x2x16xf32>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[PANELS:.*]], #{{.*}}], {{.*}} ins(%{{.*}}, %[[W]] : tensor<3x2xf32>, tensor<2x2x16xf32>)
func.func @float_panels(%x: tensor<3x2xf32>, %o: tensor<3x18xf32>) -> tensor<3x18xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0], [101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0, 109.0, 110.0, 111.0, 112.0, 113.0, 114.0, 115.0, 116.0, 117.0, 118.0]]> : tensor<2x18xf32>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x2xf32>, tensor<2x18xf32>) outs(%o : tensor<3x18xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %d = arith.mulf %i, %k : f32
    %t = arith.addf %s, %d : f32
    linalg.yield %t : f32
  } -> tensor<3x18xf32>
  return %y : tensor<3x18xf32>
}

// Neither sixteen results, which lie together as they are, nor weights that a
// run brings.
// CHECK-LABEL: func @no_float_panels(
// CHECK-COUNT-2: linalg.generic {{.*}} : tensor<3x2xf32>, tensor<2x{{16|18}}xf32>)
func.func @no_float_panels(%x: tensor<3x2xf32>, %v: tensor<2x18xf32>, %o: tensor<3x16xf32>, %p: tensor<3x18xf32>) -> (tensor<3x16xf32>, tensor<3x18xf32>) {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0], [101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0, 109.0, 110.0, 111.0, 112.0, 113.0, 114.0, 115.0, 116.0]]> : tensor<2x16xf32>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x2xf32>, tensor<2x16xf32>) outs(%o : tensor<3x16xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %d = arith.mulf %i, %k : f32
    %t = arith.addf %s, %d : f32
    linalg.yield %t : f32
  } -> tensor<3x16xf32>
  %z = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %v : tensor<3x2xf32>, tensor<2x18xf32>) outs(%p : tensor<3x18xf32>) {
  ^bb0(%i: f32, %k: f32, %s: f32):
    %d = arith.mulf %i, %k : f32
    %t = arith.addf %s, %d : f32
    linalg.yield %t : f32
  } -> tensor<3x18xf32>
  return %y, %z : tensor<3x16xf32>, tensor<3x18xf32>
}

{-#
  dialect_resources: { builtin: { zeros: "0x0100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" } }
#-}
