// RUN: tenon-opt %s -tenon-narrow-products -canonicalize | FileCheck %s

#x = affine_map<(m, f, c) -> (m, c)>
#w = affine_map<(m, f, c) -> (c, f)>
#y = affine_map<(m, f, c) -> (m, f)>
#all = affine_map<(m, f) -> (m, f)>

// Weights that fit are bytes. An element of x, without a sign, less 3 is the
// byte with its highest bit turned, less 3 - 128.
// CHECK-LABEL: func @unsigned(
// CHECK-SAME: %[[X:.*]]: tensor<3x4xi8>
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[}}1, -128], [-3, 127], [5, 0], [-7, 8]]> : tensor<4x2xi8>
// CHECK-DAG: %[[OFFSET:.*]] = arith.constant -125 : i32
// CHECK: %[[TURNED:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<3x4xi8>)
// CHECK: %[[BYTE:.*]] = arith.xori %{{.*}}, %c-128_i8 : i8
// CHECK-NEXT: linalg.yield %[[BYTE]] : i8
// CHECK: linalg.generic {{.*}} ins(%[[TURNED]], %[[W]] : tensor<3x4xi8>, tensor<4x2xi8>)
// CHECK: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %[[SUM:.*]]: i32):
// CHECK: %[[WIDE:.*]] = arith.extsi %[[A]] : i8 to i32
// CHECK: %[[LESS:.*]] = arith.subi %[[WIDE]], %[[OFFSET]]
// CHECK: %[[BY:.*]] = arith.extsi %[[B]] : i8 to i32
// CHECK: %[[P:.*]] = arith.muli %[[LESS]], %[[BY]]
// CHECK: arith.addi %[[SUM]], %[[P]]
func.func @unsigned(%x: tensor<3x4xi8>, %sums: tensor<3x2xi32>) -> tensor<3x2xi32> {
  %w = arith.constant dense<[[1, -128], [-3, 127], [5, 0], [-7, 8]]> : tensor<4x2xi32>
  %zero = arith.constant 3 : i32
  %e = tensor.empty() : tensor<3x4xi32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x4xi8>) outs(%e : tensor<3x4xi32>) {
  ^bb0(%i: i8, %o: i32):
    %a = arith.extui %i : i8 to i32
    %b = arith.subi %a, %zero : i32
    linalg.yield %b : i32
  } -> tensor<3x4xi32>
  %y = linalg.matmul ins(%wide, %w : tensor<3x4xi32>, tensor<4x2xi32>) outs(%sums : tensor<3x2xi32>) -> tensor<3x2xi32>
  return %y : tensor<3x2xi32>
}

// Weights of 0 to 255 are bytes less -128; a pad is the byte that stands for
// its number, here 3 less 10.
// CHECK-LABEL: func @padded(
// CHECK-SAME: %[[X:.*]]: tensor<3x2xi8>
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[}}127, 0], [-128, -1], [72, 1], [-121, -119]]> : tensor<4x2xi8>
// CHECK-DAG: %[[PAD:.*]] = arith.constant 7 : i8
// CHECK: %[[WITH:.*]] = tensor.pad %[[X]] low[0, 1] high[0, 1]
// CHECK: tensor.yield %[[PAD]] : i8
// CHECK: linalg.generic {{.*}} ins(%[[WITH]], %[[W]]
// CHECK: arith.extsi
// CHECK: arith.subi %{{.*}}, %c10_i32
// CHECK: arith.extsi
// CHECK: arith.subi %{{.*}}, %c-128_i32
func.func @padded(%x: tensor<3x2xi8>, %sums: tensor<3x2xi32>) -> tensor<3x2xi32> {
  %w = arith.constant dense<[[255, 128], [0, 127], [200, 129], [7, 9]]> : tensor<4x2xi32>
  %zero = arith.constant 10 : i32
  %pad = arith.constant -3 : i32
  %e = tensor.empty() : tensor<3x2xi32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x2xi8>) outs(%e : tensor<3x2xi32>) {
  ^bb0(%i: i8, %o: i32):
    %a = arith.extsi %i : i8 to i32
    %b = arith.subi %a, %zero : i32
    linalg.yield %b : i32
  } -> tensor<3x2xi32>
  %p = tensor.pad %wide low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %pad : i32
  } : tensor<3x2xi32> to tensor<3x4xi32>
  %y = linalg.matmul ins(%p, %w : tensor<3x4xi32>, tensor<4x2xi32>) outs(%sums : tensor<3x2xi32>) -> tensor<3x2xi32>
  return %y : tensor<3x2xi32>
}

// Weights that are farther apart than bytes; a pad that no byte stands for; and
// two activations, of which nothing could be packed.
// CHECK-LABEL: func @stays(
// CHECK-COUNT-3: arith.muli %{{.*}}, %{{.*}} : i32
// CHECK-NOT: tensor<4x2xi8>
func.func @stays(%x: tensor<3x4xi8>, %v: tensor<4x2xi8>, %sums: tensor<3x2xi32>) -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x2xi32>) {
  %far = arith.constant dense<[[255, 128], [-1, 127], [200, 129], [7, 9]]> : tensor<4x2xi32>
  %near = arith.constant dense<[[25, 12], [-1, 12], [20, 12], [7, 9]]> : tensor<4x2xi32>
  %pad = arith.constant 200 : i32
  %e = tensor.empty() : tensor<3x4xi32>
  %f = tensor.empty() : tensor<4x2xi32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x4xi8>) outs(%e : tensor<3x4xi32>) {
  ^bb0(%i: i8, %o: i32):
    %a = arith.extsi %i : i8 to i32
    linalg.yield %a : i32
  } -> tensor<3x4xi32>
  %other = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<4x2xi8>) outs(%f : tensor<4x2xi32>) {
  ^bb0(%i: i8, %o: i32):
    %a = arith.extsi %i : i8 to i32
    linalg.yield %a : i32
  } -> tensor<4x2xi32>
  %cut = tensor.extract_slice %wide[0, 0] [3, 2] [1, 1] : tensor<3x4xi32> to tensor<3x2xi32>
  %p = tensor.pad %cut low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %pad : i32
  } : tensor<3x2xi32> to tensor<3x4xi32>
  %y = linalg.matmul ins(%wide, %far : tensor<3x4xi32>, tensor<4x2xi32>) outs(%sums : tensor<3x2xi32>) -> tensor<3x2xi32>
  %z = linalg.matmul ins(%p, %near : tensor<3x4xi32>, tensor<4x2xi32>) outs(%sums : tensor<3x2xi32>) -> tensor<3x2xi32>
  %t = linalg.matmul ins(%wide, %other : tensor<3x4xi32>, tensor<4x2xi32>) outs(%sums : tensor<3x2xi32>) -> tensor<3x2xi32>
  return %y, %z, %t : tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x2xi32>
}

// The square of an input beside one that nobody reads; and what is widened of the
// tensor that it is written to.
// CHECK-LABEL: func @others(
// CHECK: arith.muli %[[V:.*]], %[[V]] : i32
// CHECK: %[[OWN:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x4xi32>)
// CHECK: ins(%[[OWN]], %{{.*}} : tensor<3x4xi32>, tensor<4x2xi32>)
func.func @others(%x: tensor<3x4xi8>, %before: tensor<3x4xi32>, %sums: tensor<3x2xi32>) -> (tensor<3x2xi32>, tensor<3x2xi32>) {
  %a = arith.constant dense<3> : tensor<3x4xi32>
  %w = arith.constant dense<[[1, 2], [-3, 4], [5, 6], [-7, 8]]> : tensor<4x2xi32>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : tensor<3x4xi32>, tensor<4x2xi32>) outs(%sums : tensor<3x2xi32>) {
  ^bb0(%i: i32, %k: i32, %o: i32):
    %p = arith.muli %k, %k : i32
    %t = arith.addi %o, %p : i32
    linalg.yield %t : i32
  } -> tensor<3x2xi32>
  %own = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x4xi8>) outs(%before : tensor<3x4xi32>) {
  ^bb0(%i: i8, %o: i32):
    %n = arith.trunci %o : i32 to i8
    %m = arith.addi %i, %n : i8
    %v = arith.extsi %m : i8 to i32
    linalg.yield %v : i32
  } -> tensor<3x4xi32>
  %z = linalg.matmul ins(%own, %w : tensor<3x4xi32>, tensor<4x2xi32>) outs(%sums : tensor<3x2xi32>) -> tensor<3x2xi32>
  return %y, %z : tensor<3x2xi32>, tensor<3x2xi32>
}
