// RUN: tenon-opt %s -tenon-tile-registers=host=x86-64-v3 | FileCheck %s

// Element by element there is one loop, whatever the shape: vectors to the end.
#all = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channel = affine_map<(n, h, w, c) -> (c)>
// CHECK-LABEL: func.func @elements
// CHECK: memref.collapse_shape
// CHECK: memref.collapse_shape {{.*}} into memref<210xf32>
// CHECK: scf.for
// CHECK-COUNT-2: vector.store
// CHECK-NOT: scf.for
// CHECK: return
func.func @elements(%x: memref<2x3x5x7xf32>, %y: memref<2x3x5x7xf32>) {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : memref<2x3x5x7xf32>) outs(%y : memref<2x3x5x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  return
}

// With a number for each channel there are two, of open extents as well.
// CHECK-LABEL: func.func @channels
// CHECK: memref.collapse_shape {{.*}} into memref<?x7xf32>
// CHECK-NOT: into memref<?xf32>
// CHECK: return
func.func @channels(%x: memref<?x3x?x7xf32>, %b: memref<7xf32>, %y: memref<?x3x?x7xf32>) {
  linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %b : memref<?x3x?x7xf32>, memref<7xf32>) outs(%y : memref<?x3x?x7xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %n = arith.addf %a, %c : f32
    linalg.yield %n : f32
  }
  return
}

// Rows of all sequences are rows of one matrix; the reduction keeps its number.
#x = affine_map<(b, s, f, c) -> (b, s, c)>
#w = affine_map<(b, s, f, c) -> (c, f)>
#y = affine_map<(b, s, f, c) -> (b, s, f)>
// CHECK-LABEL: func.func @product
// CHECK-DAG: memref.collapse_shape %arg0 {{.*}} into memref<20x8xf32>
// CHECK-DAG: memref.collapse_shape %arg2 {{.*}} into memref<20x16xf32>
// CHECK-NOT: memref.collapse_shape %arg1
// CHECK: return
func.func @product(%x: memref<4x5x8xf32>, %w: memref<8x16xf32>, %y: memref<4x5x16xf32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<4x5x8xf32>, memref<8x16xf32>) outs(%y : memref<4x5x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// What lies apart, is read in another order, or asks where it is, has its loops.
#pair = affine_map<(h, w) -> (h, w)>
#turned = affine_map<(h, w) -> (w, h)>
// CHECK-LABEL: func.func @stay
// CHECK-NOT: memref.collapse_shape
// CHECK: return
func.func @stay(%x: memref<3x5xf32, strided<[8, 1]>>, %t: memref<5x3xf32>, %i: memref<3x5xindex>, %y: memref<3x5xf32>) {
  linalg.generic {indexing_maps = [#pair, #pair], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<3x5xf32, strided<[8, 1]>>) outs(%y : memref<3x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#turned, #pair], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<5x3xf32>) outs(%y : memref<3x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#pair], iterator_types = ["parallel", "parallel"]} outs(%i : memref<3x5xindex>) {
  ^bb0(%o: index):
    %at = linalg.index 1 : index
    linalg.yield %at : index
  }
  return
}
