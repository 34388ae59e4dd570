// RUN: tenon-opt %s -tenon-pad-in-place | FileCheck %s

// One row in front, two columns behind: filled; the sum is computed inside.
// CHECK-LABEL: func.func @inside
// CHECK: %[[ALL:.*]] = tensor.empty() : tensor<5x6xf32>
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[ALL]][0, 0] [1, 6] [1, 1]
// CHECK: %[[ROW0:.*]] = linalg.fill {{.*}} outs(%[[ROW]]
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %[[ROW0]] into %[[ALL]][0, 0] [1, 6] [1, 1]
// CHECK: %[[COLUMNS:.*]] = tensor.extract_slice %[[FIRST]][1, 4] [4, 2] [1, 1]
// CHECK: %[[COLUMNS0:.*]] = linalg.fill {{.*}} outs(%[[COLUMNS]]
// CHECK: %[[BORDER:.*]] = tensor.insert_slice %[[COLUMNS0]] into %[[FIRST]][1, 4] [4, 2] [1, 1]
// CHECK: %[[INSIDE:.*]] = tensor.extract_slice %[[BORDER]][1, 0] [4, 4] [1, 1]
// CHECK: %[[ZERO:.*]] = linalg.fill {{.*}} outs(%[[INSIDE]]
// CHECK: %[[PRODUCT:.*]] = linalg.matmul {{.*}} outs(%[[ZERO]]
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[PRODUCT]] into %[[BORDER]][1, 0] [4, 4] [1, 1]
// CHECK: return %[[PADDED]]
func.func @inside(%a: tensor<4x3xf32>, %b: tensor<3x4xf32>) -> tensor<5x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %product = linalg.matmul ins(%a, %b : tensor<4x3xf32>, tensor<3x4xf32>) outs(%begin : tensor<4x4xf32>) -> tensor<4x4xf32>
  %number = arith.constant 1.0 : f32
  %padded = tensor.pad %product low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %number : f32
  } : tensor<4x4xf32> to tensor<5x6xf32>
  return %padded : tensor<5x6xf32>
}

// What others read, too, has memory of its own, and is copied; so is what was
// there before.
// CHECK-LABEL: func.func @read_twice
// CHECK: %[[EXP:.*]] = linalg.exp {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK: linalg.fill
// CHECK: tensor.insert_slice %[[EXP]] into
// CHECK: tensor.insert_slice %arg0 into
func.func @read_twice(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<5xf32>, tensor<5xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %exp = linalg.exp ins(%a : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %padded = tensor.pad %exp low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<5xf32>
  %other = tensor.pad %a low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<5xf32>
  return %exp, %padded, %other : tensor<4xf32>, tensor<5xf32>, tensor<5xf32>
}

// More border than inside, a border of no constant, of no known extent.
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-3: tensor.pad
func.func @stay(%a: tensor<2xf32>, %n: f32, %b: tensor<?xf32>, %p: index) -> (tensor<4xf32>, tensor<3xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<4xf32>
  %1 = tensor.pad %a low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %n : f32
  } : tensor<2xf32> to tensor<3xf32>
  %2 = tensor.pad %b low[%p] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<3xf32>, tensor<?xf32>
}

// What a product makes of its sums is computed inside; the sums have memory of
// their own.
// CHECK-LABEL: func.func @epilogue
// CHECK: %[[ALL:.*]] = tensor.empty() : tensor<5x4xi8>
// CHECK: linalg.fill
// CHECK: %[[INSIDE:.*]] = tensor.extract_slice %{{.*}}[1, 0] [4, 4] [1, 1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %[[INSIDE]] : tensor<4x4xi32>, tensor<4x4xi8>)
// CHECK-NOT: tensor.pad
func.func @epilogue(%a: tensor<4x3xi32>, %b: tensor<3x4xi32>) -> tensor<5x4xi8> {
  %zero = arith.constant 0 : i8
  %sums = tensor.empty() : tensor<4x4xi32>
  %empty = tensor.empty() : tensor<4x4xi8>
  %made:2 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x3xi32>, tensor<3x4xi32>) outs(%sums, %empty : tensor<4x4xi32>, tensor<4x4xi8>) {
  ^bb0(%i: i32, %j: i32, %s: i32, %o: i8):
    %p = arith.muli %i, %j : i32
    %t = arith.addi %s, %p : i32
    %r = arith.trunci %t : i32 to i8
    linalg.yield %t, %r : i32, i8
  } -> (tensor<4x4xi32>, tensor<4x4xi8>)
  %padded = tensor.pad %made#1 low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : i8
  } : tensor<4x4xi8> to tensor<5x4xi8>
  return %padded : tensor<5x4xi8>
}

// Of an open extent as well: here of images, whose number is none of the border.
// CHECK-LABEL: func.func @images
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>
// CHECK: %[[NUMBER:.*]] = tensor.dim %[[X]]
// CHECK: %[[ALL:.*]] = tensor.empty(%[[NUMBER]]) : tensor<?x6xf32>
// CHECK: tensor.extract_slice %[[ALL]][0, 0] [%[[NUMBER]], 1] [1, 1] : tensor<?x6xf32> to tensor<?x1xf32>
// CHECK: linalg.fill
// CHECK: tensor.extract_slice %{{.*}}[0, 5] [%[[NUMBER]], 1] [1, 1] : tensor<?x6xf32> to tensor<?x1xf32>
// CHECK: linalg.fill
// CHECK: %[[INSIDE:.*]] = tensor.extract_slice %{{.*}}[0, 1] [%[[NUMBER]], 4] [1, 1] : tensor<?x6xf32> to tensor<?x4xf32>
// CHECK: %[[R:.*]] = linalg.exp ins(%[[X]] : tensor<?x4xf32>) outs(%[[INSIDE]] : tensor<?x4xf32>)
// CHECK: tensor.insert_slice %[[R]] into %{{.*}}[0, 1] [%[[NUMBER]], 4] [1, 1]
// CHECK-NOT: tensor.pad
func.func @images(%x: tensor<?x4xf32>) -> tensor<?x6xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %exp = linalg.exp ins(%x : tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %padded = tensor.pad %exp low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x4xf32> to tensor<?x6xf32>
  return %padded : tensor<?x6xf32>
}
