// RUN: tenon-opt %s -tenon-fuse-elementwise | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// One loop for two operations.
// CHECK-LABEL: func.func @chain
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.addf
// CHECK-NOT: linalg.generic
func.func @chain(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %z = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.addf %i, %i : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// A product reads each element of an operand for every column of its result.
// CHECK-LABEL: func.func @product
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK-NOT: math.exp
// CHECK: return
func.func @product(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %z = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// Zero points are numbers of the body, where a subtraction of nothing goes.
// CHECK-LABEL: func @zero_points(
func.func @zero_points(%x: tensor<3x4xi8>, %w: tensor<4x5xi8>, %sums: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %xz = arith.constant 7 : i32
  %wz = arith.constant 0 : i32
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x4xi8>, tensor<4x5xi8>)
  // CHECK: arith.subi %{{.*}}, %c7_i32
  // CHECK-NOT: arith.subi
  // CHECK: arith.muli
  %y = linalg.quantized_matmul ins(%x, %w, %xz, %wz : tensor<3x4xi8>, tensor<4x5xi8>, i32, i32) outs(%sums : tensor<3x5xi32>) -> tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}

// Two products are added: each is rescaled by its own epilogue to bytes, and the
// sum is that of the second. Widening what the first has made is not done for it.
// CHECK-LABEL: func @two_products(
// CHECK: linalg.matmul
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<3x5xi32>) outs(%{{.*}} : tensor<3x5xi8>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: trunci
// CHECK-NEXT: yield
// CHECK: linalg.matmul
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x5xi{{.*}}>, tensor<3x5xi{{.*}}>) outs(%{{.*}} : tensor<3x5xi8>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @two_products(%x: tensor<3x4xi32>, %w: tensor<4x5xi32>, %sums: tensor<3x5xi32>, %e: tensor<3x5xi32>, %b: tensor<3x5xi8>) -> tensor<3x5xi8> {
  %p = linalg.matmul ins(%x, %w : tensor<3x4xi32>, tensor<4x5xi32>) outs(%sums : tensor<3x5xi32>) -> tensor<3x5xi32>
  %p8 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<3x5xi32>) outs(%b : tensor<3x5xi8>) {
  ^bb0(%i: i32, %o: i8):
    %0 = arith.trunci %i : i32 to i8
    linalg.yield %0 : i8
  } -> tensor<3x5xi8>
  %q = linalg.matmul ins(%x, %w : tensor<3x4xi32>, tensor<4x5xi32>) outs(%sums : tensor<3x5xi32>) -> tensor<3x5xi32>
  %q8 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<3x5xi32>) outs(%b : tensor<3x5xi8>) {
  ^bb0(%i: i32, %o: i8):
    %0 = arith.trunci %i : i32 to i8
    linalg.yield %0 : i8
  } -> tensor<3x5xi8>
  %p32 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p8 : tensor<3x5xi8>) outs(%e : tensor<3x5xi32>) {
  ^bb0(%i: i8, %o: i32):
    %0 = arith.extsi %i : i8 to i32
    linalg.yield %0 : i32
  } -> tensor<3x5xi32>
  %q32 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%q8 : tensor<3x5xi8>) outs(%e : tensor<3x5xi32>) {
  ^bb0(%i: i8, %o: i32):
    %0 = arith.extsi %i : i8 to i32
    linalg.yield %0 : i32
  } -> tensor<3x5xi32>
  %s = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%p32, %q32 : tensor<3x5xi32>, tensor<3x5xi32>) outs(%b : tensor<3x5xi8>) {
  ^bb0(%i: i32, %j: i32, %o: i8):
    %0 = arith.addi %i, %j : i32
    %1 = arith.trunci %0 : i32 to i8
    linalg.yield %1 : i8
  } -> tensor<3x5xi8>
  return %s : tensor<3x5xi8>
}

// What is made in front of a loop is made once. Of a branch it becomes a part.
// CHECK-LABEL: func.func @loop
// CHECK: math.exp
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: arith.addf
// CHECK: scf.if
// CHECK: math.exp
// CHECK-NEXT: arith.addf
func.func @loop(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>, %start: tensor<4x4xf32>, %cond: i1) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %sum = scf.for %n = %c0 to %c10 step %c1 iter_args(%sofar = %start) -> tensor<4x4xf32> {
    %next = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%y, %sofar : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.addf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<4x4xf32>
    scf.yield %next : tensor<4x4xf32>
  }
  %z = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %chosen = scf.if %cond -> tensor<4x4xf32> {
    %next = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%z, %start : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.addf %i, %j : f32
      linalg.yield %0 : f32
    } -> tensor<4x4xf32>
    scf.yield %next : tensor<4x4xf32>
  } else {
    scf.yield %start : tensor<4x4xf32>
  }
  return %sum, %chosen : tensor<4x4xf32>, tensor<4x4xf32>
}
