// RUN: tenon-opt %s -pass-pipeline='builtin.module(func.func(tenon-choose-by-branch))' | FileCheck %s
// RUN: tenon-opt %s -pass-pipeline='builtin.module(func.func(canonicalize,tenon-choose-by-branch,convert-elementwise-to-linalg))' | FileCheck %s --check-prefix=BRANCH

// Each of the two has its own extents.
// CHECK-LABEL: func @open(
// CHECK-SAME: %[[C:.*]]: i1, %[[A:.*]]: tensor<4x?xf32>, %[[B:.*]]: tensor<4x?xf32>)
func.func @open(%c: i1, %a: tensor<4x?xf32>, %b: tensor<4x?xf32>) -> tensor<4x?xf32> {
  // CHECK: %[[R:.*]] = scf.if %[[C]] -> (tensor<4x?xf32>)
  // CHECK-NEXT: scf.yield %[[A]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[B]]
  // CHECK: return %[[R]]
  %r = arith.select %c, %a, %b : tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

// A branch that only chooses stays one, whatever it is canonicalised to.
// BRANCH-LABEL: func @branch(
func.func @branch(%c: i1, %a: tensor<4x?xf32>, %b: tensor<4x?xf32>) -> tensor<4x?xf32> {
  // BRANCH: scf.if
  // BRANCH-NOT: linalg.generic
  // BRANCH: return
  %r = scf.if %c -> tensor<4x?xf32> {
    scf.yield %a : tensor<4x?xf32>
  } else {
    scf.yield %b : tensor<4x?xf32>
  }
  return %r : tensor<4x?xf32>
}

// Equal extents, or a condition for each element: element by element.
// CHECK-LABEL: func @elementwise(
func.func @elementwise(%c: i1, %a: tensor<4xf32>, %cs: tensor<?xi1>, %x: tensor<?xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  // CHECK-NOT: scf.if
  // CHECK-COUNT-2: arith.select
  %r = arith.select %c, %a, %a : tensor<4xf32>
  %s = arith.select %cs, %x, %x : tensor<?xi1>, tensor<?xf32>
  return %r, %s : tensor<4xf32>, tensor<?xf32>
}
