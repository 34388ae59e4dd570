// RUN: tenon-opt %s -tenon-fuse-epilogues | FileCheck %s

#x = affine_map<(m, f, c, k) -> (m, c * 4 + k)>
#w = affine_map<(m, f, c, k) -> (c, f, k)>
#y = affine_map<(m, f, c, k) -> (m, f)>
#f = affine_map<(m, f) -> (f)>
#all = affine_map<(m, f) -> (m, f)>

// A product begins with its bias, an input, and makes 8 bits of its sums; what
// the epilogue reads of each channel is an input, too.
// CHECK: #[[F:.*]] = affine_map<(d0, d1, d2, d3) -> (d1)>
// CHECK: #[[Y:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func @rescaled(
// CHECK-SAME: %[[X:.*]]: tensor<3x8xi8>, %[[W:.*]]: tensor<2x5x4xi8>, %[[BIAS:.*]]: tensor<5xi32>, %[[SHIFT:.*]]: tensor<5xi32>)
func.func @rescaled(%x: tensor<3x8xi8>, %w: tensor<2x5x4xi8>, %bias: tensor<5xi32>, %shift: tensor<5xi32>) -> tensor<3x5xi8> {
  %sign = arith.constant -128 : i8
  %e = tensor.empty() : tensor<3x5xi32>
  %r = tensor.empty() : tensor<3x5xi8>
  %init = linalg.generic {indexing_maps = [#f, #all], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<5xi32>) outs(%e : tensor<3x5xi32>) {
  ^bb0(%i: i32, %o: i32):
    linalg.yield %i : i32
  } -> tensor<3x5xi32>
  // CHECK-NOT: linalg.generic
  // CHECK: %[[R:.*]]:2 = linalg.generic {{.*}}#[[F]], #[[F]], #[[Y]], #[[Y]]], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
  // CHECK-SAME: ins(%[[X]], %[[W]], %[[BIAS]], %[[SHIFT]] : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<3x5xi32>, tensor<3x5xi8>)
  // CHECK: ^bb0(%{{.*}}: i8, %{{.*}}: i8, %[[START:.*]]: i32, %[[BY:.*]]: i32, %[[SO_FAR:.*]]: i32, %{{.*}}: i8):
  // CHECK: %[[IS_FIRST:.*]] = arith.andi
  // CHECK: %[[BEFORE:.*]] = arith.select %[[IS_FIRST]], %[[START]], %[[SO_FAR]]
  // CHECK: %[[SUM:.*]] = arith.addi %[[BEFORE]]
  // CHECK: %[[LESS:.*]] = arith.shrsi %[[SUM]], %[[BY]]
  // CHECK: %[[BYTE:.*]] = arith.trunci %[[LESS]]
  // CHECK: linalg.yield %[[SUM]], %[[BYTE]]
  // CHECK: return %[[R]]#1
  %s = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<3x8xi8>, tensor<2x5x4xi8>) outs(%init : tensor<3x5xi32>) {
  ^bb0(%i: i8, %v: i8, %o: i32):
    %g = arith.xori %i, %sign : i8
    %u = arith.extui %g : i8 to i32
    %q = arith.extsi %v : i8 to i32
    %p = arith.muli %u, %q : i32
    %t = arith.addi %o, %p : i32
    linalg.yield %t : i32
  } -> tensor<3x5xi32>
  %y = linalg.generic {indexing_maps = [#all, #f, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %shift : tensor<3x5xi32>, tensor<5xi32>) outs(%r : tensor<3x5xi8>) {
  ^bb0(%i: i32, %k: i32, %o: i8):
    %a = arith.shrsi %i, %k : i32
    %b = arith.trunci %a : i32 to i8
    linalg.yield %b : i8
  } -> tensor<3x5xi8>
  return %y : tensor<3x5xi8>
}

// Sums that somebody else reads stay sums.
// CHECK-LABEL: func @read_twice(
// CHECK-NOT: arith.select
func.func @read_twice(%x: tensor<3x8xi8>, %w: tensor<2x5x4xi8>, %init: tensor<3x5xi32>) -> (tensor<3x5xi32>, tensor<3x5xi8>) {
  %sign = arith.constant -128 : i8
  %r = tensor.empty() : tensor<3x5xi8>
  %s = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<3x8xi8>, tensor<2x5x4xi8>) outs(%init : tensor<3x5xi32>) {
  ^bb0(%i: i8, %v: i8, %o: i32):
    %g = arith.xori %i, %sign : i8
    %u = arith.extui %g : i8 to i32
    %q = arith.extsi %v : i8 to i32
    %p = arith.muli %u, %q : i32
    %t = arith.addi %o, %p : i32
    linalg.yield %t : i32
  } -> tensor<3x5xi32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<3x5xi32>) outs(%r : tensor<3x5xi8>) {
  ^bb0(%i: i32, %o: i8):
    %b = arith.trunci %i : i32 to i8
    linalg.yield %b : i8
  } -> tensor<3x5xi8>
  return %s, %y : tensor<3x5xi32>, tensor<3x5xi8>
}

// Floats are made of floats: one tensor holds the sum until the last step.
// CHECK-LABEL: func @floats(
// CHECK-SAME: %[[A:.*]]: tensor<3x8xf32>, %[[B:.*]]: tensor<8x5xf32>, %[[BIAS:.*]]: tensor<5xf32>)
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[B]], %[[BIAS]] : {{.*}}) outs(%{{.*}} : tensor<3x5xf32>) attrs = {tenon.epilogue}
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %[[START:.*]]: f32, %[[SO_FAR:.*]]: f32):
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK: %[[BEFORE:.*]] = arith.select %[[FIRST]], %[[START]], %[[SO_FAR]]
// CHECK: %[[SUM:.*]] = arith.addf %[[BEFORE]]
// CHECK: %[[RELU:.*]] = arith.maximumf %[[SUM]]
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %{{.*}}, %c7
// CHECK: %[[Y:.*]] = arith.select %[[LAST]], %[[RELU]], %[[SUM]]
// CHECK: linalg.yield %[[Y]]
// CHECK: return %[[R]]
func.func @floats(%a: tensor<3x8xf32>, %b: tensor<8x5xf32>, %bias: tensor<5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %init = linalg.generic {indexing_maps = [#f, #all], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<3x5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, f, c) -> (m, c)>, affine_map<(m, f, c) -> (c, f)>, affine_map<(m, f, c) -> (m, f)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<3x8xf32>, tensor<8x5xf32>) outs(%init : tensor<3x5xf32>) {
  ^bb0(%i: f32, %v: f32, %o: f32):
    %p = arith.mulf %i, %v : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<3x5xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.maximumf %i, %zero : f32
    linalg.yield %m : f32
  } -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// Where there may be no step, there would be no result.
// CHECK-LABEL: func @any_depth(
// CHECK-NOT: tenon.epilogue
func.func @any_depth(%a: tensor<3x?xf32>, %b: tensor<?x5xf32>, %init: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, f, c) -> (m, c)>, affine_map<(m, f, c) -> (c, f)>, affine_map<(m, f, c) -> (m, f)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<3x?xf32>, tensor<?x5xf32>) outs(%init : tensor<3x5xf32>) {
  ^bb0(%i: f32, %v: f32, %o: f32):
    %p = arith.mulf %i, %v : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<3x5xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.maximumf %i, %zero : f32
    linalg.yield %m : f32
  } -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// Where sums are the result, and are read twice, what they begin with is an input
// all the same.
// CHECK-LABEL: func @start_alone(
// CHECK-SAME: %[[A:.*]]: tensor<3x8xf32>, %[[B:.*]]: tensor<8x5xf32>, %[[BIAS:.*]]: tensor<5xf32>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<3x5xf32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[B]], %[[BIAS]] : {{.*}}) outs(%[[E]] : tensor<3x5xf32>) attrs = {tenon.epilogue}
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %[[START:.*]]: f32, %[[SO_FAR:.*]]: f32):
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK: %[[BEFORE:.*]] = arith.select %[[FIRST]], %[[START]], %[[SO_FAR]]
// CHECK: %[[SUM:.*]] = arith.addf %[[BEFORE]]
// CHECK-NEXT: linalg.yield %[[SUM]]
// CHECK: return %[[R]], %[[R]]
func.func @start_alone(%a: tensor<3x8xf32>, %b: tensor<8x5xf32>, %bias: tensor<5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %init = linalg.generic {indexing_maps = [#f, #all], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<3x5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, f, c) -> (m, c)>, affine_map<(m, f, c) -> (c, f)>, affine_map<(m, f, c) -> (m, f)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<3x8xf32>, tensor<8x5xf32>) outs(%init : tensor<3x5xf32>) {
  ^bb0(%i: f32, %v: f32, %o: f32):
    %p = arith.mulf %i, %v : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<3x5xf32>
  return %s, %s : tensor<3x5xf32>, tensor<3x5xf32>
}

// Sums that a run begins with are where they go to; one column has no vector.
// CHECK-LABEL: func @no_start(
// CHECK-NOT: tenon.epilogue
func.func @no_start(%a: tensor<3x8xf32>, %b: tensor<8x5xf32>, %c: tensor<8x1xf32>, %init: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x1xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<3x1xf32>) -> tensor<3x1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, f, c) -> (m, c)>, affine_map<(m, f, c) -> (c, f)>, affine_map<(m, f, c) -> (m, f)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<3x8xf32>, tensor<8x5xf32>) outs(%init : tensor<3x5xf32>) {
  ^bb0(%i: f32, %v: f32, %o: f32):
    %p = arith.mulf %i, %v : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<3x5xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, f, c) -> (m, c)>, affine_map<(m, f, c) -> (c, f)>, affine_map<(m, f, c) -> (m, f)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %c : tensor<3x8xf32>, tensor<8x1xf32>) outs(%fill : tensor<3x1xf32>) {
  ^bb0(%i: f32, %v: f32, %o: f32):
    %p = arith.mulf %i, %v : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<3x1xf32>
  return %s, %u : tensor<3x5xf32>, tensor<3x1xf32>
}
