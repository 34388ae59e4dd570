// RUN: tenon-opt %s -tenon-tile-registers | FileCheck %s

// For registers of 4 numbers, 8 of which hold results: 4 rows of 2 vectors, then
// the 3 rows that are left; of the last 3 columns two, then one.
// CHECK-LABEL: func.func @product
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
// CHECK-COUNT-8: vector.store {{.*}} vector<4xf32>
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
// CHECK-COUNT-6: vector.store {{.*}} vector<4xf32>
// CHECK: scf.for {{.*}} -> (vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>) {
// CHECK-COUNT-4: vector.store {{.*}} vector<2xf32>
// CHECK: scf.for {{.*}} -> (vector<2xf32>, vector<2xf32>, vector<2xf32>) {
// CHECK-COUNT-3: vector.store {{.*}} vector<2xf32>
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32) {
// CHECK-COUNT-4: memref.store {{.*}} : memref<7x11xf32>
// CHECK: scf.for {{.*}} -> (f32, f32, f32) {
// CHECK-COUNT-3: memref.store {{.*}} : memref<7x11xf32>
// CHECK-NOT: store
func.func @product(%a: memref<7x5xf32>, %b: memref<5x11xf32>, %c: memref<7x11xf32>) {
  linalg.matmul ins(%a, %b : memref<7x5xf32>, memref<5x11xf32>) outs(%c : memref<7x11xf32>)
  return
}

// Flags have a byte each in memory and a bit in a vector.
// CHECK-LABEL: func.func @flags
// CHECK-NOT: vector
// CHECK: linalg.generic
func.func @flags(%a: memref<8xi32>, %c: memref<8xi1>) {
  %zero = arith.constant 0 : i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : memref<8xi32>) outs(%c : memref<8xi1>) {
  ^bb0(%i: i32, %o: i1):
    %p = arith.cmpi sgt, %i, %zero : i32
    linalg.yield %p : i1
  }
  return
}

// A sum along a dense row has no vectors: rows are chains beside each other.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32) {
func.func @rows(%a: memref<6x16xf32>, %c: memref<6xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<6x16xf32>) outs(%c : memref<6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %o, %i : f32
    linalg.yield %s : f32
  }
  return
}

// Of an extent that only a run knows: two vectors, one, then quarters of one.
// CHECK-LABEL: func.func @open
// CHECK-NOT: vector<2xf32>
// CHECK: scf.for
// CHECK-COUNT-2: vector.store {{.*}} vector<4xf32>
// CHECK: scf.for
// CHECK: vector.store {{.*}} vector<4xf32>
// CHECK-NOT: vector.store
// CHECK: scf.for
// CHECK: memref.store {{.*}} : memref<?xf32>
// CHECK-NOT: store
func.func @open(%a: memref<?xf32>, %c: memref<?xf32>) {
  linalg.negf ins(%a : memref<?xf32>) outs(%c : memref<?xf32>)
  return
}
