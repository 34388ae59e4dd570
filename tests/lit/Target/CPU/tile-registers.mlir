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

// The largest of 11: four and four, then the last four, one of which has been
// there; the four of a vector in the end.
// CHECK-LABEL: func.func @largest
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
// CHECK-COUNT-3: arith.maximumf {{.*}} : vector<4xf32>
// CHECK-COUNT-3: arith.maximumf {{.*}} : vector<4xf32>
// CHECK-COUNT-3: vector.reduction <maximumf>, {{.*}} : vector<4xf32> into f32
func.func @largest(%a: memref<3x11xf32>, %c: memref<3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<3x11xf32>) outs(%c : memref<3xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.maximumf %o, %i : f32
    linalg.yield %m : f32
  }
  return
}

// Floats of 16 bits are computed with in 32, of which a register holds 4.
// CHECK-LABEL: func.func @halves
// CHECK: scf.for {{.*}} -> (vector<4xf16>, vector<4xf16>) {
// CHECK: arith.maximumf {{.*}} : vector<4xf16>
// CHECK-COUNT-2: vector.store {{.*}} vector<4xf16>
func.func @halves(%a: memref<5x8xf16>, %c: memref<8xf16>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<5x8xf16>) outs(%c : memref<8xf16>) {
  ^bb0(%i: f16, %o: f16):
    %m = arith.maximumf %o, %i : f16
    linalg.yield %m : f16
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

// Four products of bytes at once, in four sums that are added in the end; of six
// results in two rows each has a register.
// CHECK-LABEL: func.func @bytes
// CHECK: %[[W:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : memref<5x6x4xi8> into memref<5x24xi8>
// CHECK: scf.for {{.*}} -> (vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>) {
// CHECK-COUNT-2: vector.load %[[W]]{{.*}} vector<4xi8>
// CHECK: %[[X:.*]] = vector.load %arg0{{.*}} : memref<2x20xi8>, vector<4xi8>
// CHECK: arith.xori %[[X]]
// CHECK: arith.muli {{.*}} : vector<4xi32>
// CHECK: vector.shuffle
// CHECK: memref.store {{.*}} : memref<2x6xi32>
func.func @bytes(%x: memref<2x20xi8>, %w: memref<5x6x4xi8>, %y: memref<2x6xi32>) {
  %sign = arith.constant -128 : i8
  linalg.generic {indexing_maps = [affine_map<(m, f, c, k) -> (m, c * 4 + k)>, affine_map<(m, f, c, k) -> (c, f, k)>, affine_map<(m, f, c, k) -> (m, f)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : memref<2x20xi8>, memref<5x6x4xi8>) outs(%y : memref<2x6xi32>) {
  ^bb0(%i: i8, %v: i8, %o: i32):
    %f = arith.xori %i, %sign : i8
    %u = arith.extui %f : i8 to i32
    %s = arith.extsi %v : i8 to i32
    %p = arith.muli %u, %s : i32
    %t = arith.addi %o, %p : i32
    linalg.yield %t : i32
  }
  return
}

// Threads share the loop of the most steps. Here that is the one over rows, in
// steps of 4: part p of n has those from p * 25 / n on.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: %[[PART:[a-z0-9]*]]: index, %[[PARTS:[a-z0-9]*]]: index)
// CHECK: %[[STEPS:.*]] = arith.constant 25 : index
// CHECK: %[[ALL:.*]] = arith.muli %[[STEPS]], %[[PART]]
// CHECK: %[[STEP:.*]] = arith.divui %[[ALL]], %[[PARTS]]
// CHECK: %[[ROW:.*]] = arith.muli %[[STEP]], %c4
// CHECK: arith.minui %[[ROW]], %c98
// CHECK: scf.for
func.func @shared(%a: memref<98x5xf32>, %b: memref<5x8xf32>, %c: memref<98x8xf32>, %part: index, %parts: index) attributes {tenon.unaliased = array<i64: 2>} {
  linalg.matmul ins(%a, %b : memref<98x5xf32>, memref<5x8xf32>) outs(%c : memref<98x8xf32>)
  return
}

// So is one of single elements.
// CHECK-LABEL: func.func @shared_flags
// CHECK: arith.divui
// CHECK: scf.for
// CHECK-NOT: linalg.generic
func.func @shared_flags(%a: memref<8xi32>, %c: memref<8xi1>, %part: index, %parts: index) attributes {tenon.unaliased = array<i64: 1>} {
  %zero = arith.constant 0 : i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : memref<8xi32>) outs(%c : memref<8xi1>) {
  ^bb0(%i: i32, %o: i1):
    %p = arith.cmpi sgt, %i, %zero : i32
    linalg.yield %p : i1
  }
  return
}

// What has no loop to share is the first part's.
// CHECK-LABEL: func.func @one
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK: scf.if %[[FIRST]]
func.func @one(%a: memref<16xf32>, %c: memref<f32>, %part: index, %parts: index) attributes {tenon.unaliased = array<i64: 1>} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : memref<16xf32>) outs(%c : memref<f32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %o, %i : f32
    linalg.yield %s : f32
  }
  return
}
