// RUN: tenon-opt %s -tenon-narrow-rescales | FileCheck %s

#all = affine_map<(m, f) -> (m, f)>
#f = affine_map<(m, f) -> (f)>

// (v * 1234567890 + 2^34) >> 35 is (h + 2^2) >> 3 of the upper half h.
// CHECK-LABEL: func @of_numbers(
// CHECK: ^bb0(%[[V:.*]]: i32, %{{.*}}: i32):
// CHECK: %[[BY:.*]] = arith.constant 1234567890 : i32
// CHECK: %{{.*}}, %[[HIGH:.*]] = arith.mulsi_extended %[[V]], %[[BY]]
// CHECK: %[[HALF:.*]] = arith.constant 4 : i32
// CHECK: %[[ROUNDED:.*]] = arith.addi %[[HIGH]], %[[HALF]]
// CHECK: %[[SHIFT:.*]] = arith.constant 3 : i32
// CHECK: %[[R:.*]] = arith.shrsi %[[ROUNDED]], %[[SHIFT]]
// CHECK-NOT: i64
// CHECK: linalg.yield %[[R]]
func.func @of_numbers(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %m = arith.constant 1234567890 : i64
  %half = arith.constant 17179869184 : i64
  %s = arith.constant 35 : i64
  %e = tensor.empty() : tensor<3x5xi32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x5xi32>) outs(%e : tensor<3x5xi32>) {
  ^bb0(%v: i32, %o: i32):
    %a = arith.extsi %v : i32 to i64
    %b = arith.muli %a, %m : i64
    %c = arith.addi %b, %half : i64
    %d = arith.shrsi %c, %s : i64
    %r = arith.trunci %d : i64 to i32
    linalg.yield %r : i32
  } -> tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}

// Of each channel its own, all shifts being 33 to 62.
// CHECK-LABEL: func @by_channel(
// CHECK: ^bb0(%[[V:.*]]: i32, %[[BY:.*]]: i32, %[[S:.*]]: i8, %{{.*}}: i32):
// CHECK: %[[SHIFT:.*]] = arith.extui %[[S]] : i8 to i32
// CHECK: %{{.*}}, %[[HIGH:.*]] = arith.mulsi_extended %[[V]], %[[BY]]
// CHECK-NOT: i64
func.func @by_channel(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %r = call @rescaled(%x) : (tensor<3x5xi32>) -> tensor<3x5xi32>
  %m = arith.constant dense<[1, 2147483647, 0, 5, 9]> : tensor<5xi32>
  %s = arith.constant dense<[33, 62, 40, 41, 50]> : tensor<5xi8>
  %one = arith.constant 1 : i64
  %e = tensor.empty() : tensor<3x5xi32>
  %y = linalg.generic {indexing_maps = [#all, #f, #f, #all], iterator_types = ["parallel", "parallel"]} ins(%r, %m, %s : tensor<3x5xi32>, tensor<5xi32>, tensor<5xi8>) outs(%e : tensor<3x5xi32>) {
  ^bb0(%v: i32, %by: i32, %n: i8, %o: i32):
    %a = arith.extsi %v : i32 to i64
    %k = arith.extsi %by : i32 to i64
    %b = arith.muli %a, %k : i64
    %t = arith.extui %n : i8 to i64
    %p = arith.shli %one, %t : i64
    %h = arith.shrui %p, %one : i64
    %c = arith.addi %b, %h : i64
    %d = arith.shrsi %c, %t : i64
    %q = arith.trunci %d : i64 to i32
    linalg.yield %q : i32
  } -> tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}

// One shift of 32 needs the lower half, too.
// CHECK-LABEL: func @rescaled(
// CHECK-NOT: arith.mulsi_extended
// CHECK: arith.shrsi %{{.*}} : i64
func.func @rescaled(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %m = arith.constant 7 : i64
  %s = arith.constant dense<[33, 32, 40, 41, 50]> : tensor<5xi8>
  %one = arith.constant 1 : i64
  %e = tensor.empty() : tensor<3x5xi32>
  %y = linalg.generic {indexing_maps = [#all, #f, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<3x5xi32>, tensor<5xi8>) outs(%e : tensor<3x5xi32>) {
  ^bb0(%v: i32, %n: i8, %o: i32):
    %a = arith.extsi %v : i32 to i64
    %b = arith.muli %a, %m : i64
    %t = arith.extui %n : i8 to i64
    %p = arith.shli %one, %t : i64
    %h = arith.shrui %p, %one : i64
    %c = arith.addi %b, %h : i64
    %d = arith.shrsi %c, %t : i64
    %q = arith.trunci %d : i64 to i32
    linalg.yield %q : i32
  } -> tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}

// By powers of two: of a sum of rescaled numbers, and of what quantisation has
// as many steps for.
// CHECK-LABEL: func @by_halves(
// CHECK: ^bb0(%[[V:.*]]: i32, %{{.*}}: i32):
// CHECK-DAG: %[[ALL:.*]] = arith.constant 19 : i32
// CHECK-DAG: %[[BUT_ONE:.*]] = arith.constant 18 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[FLOOR:.*]] = arith.shrsi %[[V]], %[[ALL]]
// CHECK-DAG: %[[DOUBLE:.*]] = arith.shrsi %[[V]], %[[BUT_ONE]]
// CHECK: %[[ODD:.*]] = arith.andi %[[DOUBLE]], %[[ONE]]
// CHECK: %[[R:.*]] = arith.addi %[[FLOOR]], %[[ODD]]
// CHECK-NOT: i64
// CHECK: linalg.yield %[[R]]
func.func @by_halves(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %half = arith.constant 262144 : i64
  %s = arith.constant 19 : i64
  %e = tensor.empty() : tensor<3x5xi32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x5xi32>) outs(%e : tensor<3x5xi32>) {
  ^bb0(%v: i32, %o: i32):
    %a = arith.extsi %v : i32 to i64
    %b = arith.addi %a, %half : i64
    %c = arith.shrsi %b, %s : i64
    %r = arith.trunci %c : i64 to i32
    linalg.yield %r : i32
  } -> tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}

// (v * 2^30 + 2^29) >> 30 is v.
// CHECK-LABEL: func @unchanged(
// CHECK: ^bb0(%[[V:.*]]: i32, %{{.*}}: i32):
// CHECK-NEXT: linalg.yield %[[V]]
func.func @unchanged(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %m = arith.constant 1073741824 : i64
  %half = arith.constant 536870912 : i64
  %s = arith.constant 30 : i64
  %e = tensor.empty() : tensor<3x5xi32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x5xi32>) outs(%e : tensor<3x5xi32>) {
  ^bb0(%v: i32, %o: i32):
    %a = arith.extsi %v : i32 to i64
    %b = arith.muli %a, %m : i64
    %c = arith.addi %b, %half : i64
    %d = arith.shrsi %c, %s : i64
    %r = arith.trunci %d : i64 to i32
    linalg.yield %r : i32
  } -> tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}

// Of half of another number, or where the product has more than 64 bits: not so.
// CHECK-LABEL: func @other(
// CHECK: arith.shrsi %{{.*}} : i64
// CHECK: arith.shrsi %{{.*}} : i64
func.func @other(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %m = arith.constant 8 : i64
  %large = arith.constant 1099511627776 : i64
  %half = arith.constant 8796093022208 : i64
  %forty_four = arith.constant 44 : i64
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %e = tensor.empty() : tensor<3x5xi32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x5xi32>) outs(%e : tensor<3x5xi32>) {
  ^bb0(%v: i32, %o: i32):
    %a = arith.extsi %v : i32 to i64
    %b = arith.muli %a, %m : i64
    %c = arith.addi %b, %one : i64
    %d = arith.shrsi %c, %two : i64
    %r = arith.trunci %d : i64 to i32
    %l = arith.muli %a, %large : i64
    %f = arith.addi %l, %half : i64
    %g = arith.shrsi %f, %forty_four : i64
    %h = arith.trunci %g : i64 to i32
    %i = arith.addi %r, %h : i32
    linalg.yield %i : i32
  } -> tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}
