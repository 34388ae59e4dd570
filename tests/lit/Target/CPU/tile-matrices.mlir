// RUN: tenon-opt %s -tenon-tile-registers=host=x86-64-v4-amx | FileCheck %s
// RUN: not tenon-opt %s -tenon-tile-registers=host=z80 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: host 'z80' is unknown

// Two by two matrices of sums: 28 rows of 32 columns, three times 7 groups of four
// deep. Sums of 128 * w come first, once for all rows; those of x leave the tile
// registers through memory. The last 3 columns have a panel of their own. All
// tiles of a panel have the same shapes: 16 and 12 rows of 28 bytes for x, 7 of 64
// for w.
#x = affine_map<(m, f, c, k) -> (m, c * 4 + k)>
#w = affine_map<(m, f, c, k) -> (f floordiv 16, c, f mod 16, k)>
#y = affine_map<(m, f, c, k) -> (m, f)>
// CHECK-LABEL: func.func @matrices
// CHECK-SAME: tenon.intrinsic = "matrices"
// CHECK-DAG: %[[SUMS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<28x32xi32>
// CHECK-DAG: %[[SHAPES:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64xi8>
// CHECK: dense<[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 64, 0, 64, 0, 64, 0, 28, 0, 28, 0, 64, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 12, 12, 16, 12, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0]>
// CHECK: vector.store {{.*}}, %[[SHAPES]]
// CHECK: llvm.x86.ldtilecfg
// CHECK: scf.for {{.*}} -> (vector<16xi32>, vector<16xi32>) {
// CHECK-COUNT-2: llvm.x86.avx512.vpdpbusd.512
// CHECK: scf.for
// CHECK-COUNT-4: llvm.x86.tilezero
// CHECK: scf.for
// CHECK-COUNT-3: llvm.x86.tileloadd64
// CHECK-COUNT-2: llvm.x86.tdpbssd
// CHECK: llvm.x86.tileloadd64
// CHECK-COUNT-2: llvm.x86.tdpbssd
// CHECK-COUNT-4: llvm.x86.tilestored64
// CHECK: scf.for
// CHECK-COUNT-2: vector.load %[[SUMS]]
// CHECK: llvm.x86.ldtilecfg
// CHECK-COUNT-2: llvm.x86.tilezero
// CHECK: scf.for
// CHECK: vector.load %[[SUMS]]{{.*}}, vector<16xi32>
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK: llvm.x86.tilerelease
// CHECK-NEXT: return
func.func @matrices(%x: memref<56x84xi8>, %w: memref<3x21x16x4xi8>, %y: memref<56x35xi32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<56x84xi8>, memref<3x21x16x4xi8>) outs(%y : memref<56x35xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %sign = arith.constant -128 : i8
    %u = arith.xori %a, %sign : i8
    %i = arith.extui %u : i8 to i32
    %j = arith.extsi %b : i8 to i32
    %p = arith.muli %i, %j : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }
  return
}

// Without enough rows, with a depth that no step divides, or with a zero point of
// w, vectors.
// CHECK-LABEL: func.func @few_rows
// CHECK-SAME: tenon.intrinsic = "dot-products"
// CHECK-NOT: x86.t
func.func @few_rows(%x: memref<3x84xi8>, %w: memref<3x21x16x4xi8>, %y: memref<3x35xi32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<3x84xi8>, memref<3x21x16x4xi8>) outs(%y : memref<3x35xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %sign = arith.constant -128 : i8
    %u = arith.xori %a, %sign : i8
    %i = arith.extui %u : i8 to i32
    %j = arith.extsi %b : i8 to i32
    %p = arith.muli %i, %j : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }
  return
}

// CHECK-LABEL: func.func @prime
// CHECK-NOT: x86.t
func.func @prime(%x: memref<56x68xi8>, %w: memref<3x17x16x4xi8>, %y: memref<56x35xi32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<56x68xi8>, memref<3x17x16x4xi8>) outs(%y : memref<56x35xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %sign = arith.constant -128 : i8
    %u = arith.xori %a, %sign : i8
    %i = arith.extui %u : i8 to i32
    %j = arith.extsi %b : i8 to i32
    %p = arith.muli %i, %j : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }
  return
}

// CHECK-LABEL: func.func @zero_point
// CHECK-NOT: x86.t
func.func @zero_point(%x: memref<56x84xi8>, %w: memref<3x21x16x4xi8>, %y: memref<56x35xi32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<56x84xi8>, memref<3x21x16x4xi8>) outs(%y : memref<56x35xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %sign = arith.constant -128 : i8
    %zero = arith.constant 3 : i32
    %u = arith.xori %a, %sign : i8
    %i = arith.extui %u : i8 to i32
    %j = arith.extsi %b : i8 to i32
    %v = arith.subi %j, %zero : i32
    %p = arith.muli %i, %v : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }
  return
}

// A row of matrices for two rows of pixels each, which do not lie beside each
// other: seven of fourteen in both. Of 24 columns in two panels, 8 are made of the
// second vector of sums.
#pixels = affine_map<(h, m, f, c, k) -> (h, m + 1, c * 4 + k)>
#panels = affine_map<(h, m, f, c, k) -> (f floordiv 16, c, f mod 16, k)>
#results = affine_map<(h, m, f, c, k) -> (h, m, f)>
// CHECK-LABEL: func.func @two_rows
// CHECK: %[[SUMS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<14x32xi32>
// CHECK: llvm.x86.ldtilecfg
// CHECK-COUNT-4: llvm.x86.tilezero
// CHECK-COUNT-4: llvm.x86.tileloadd64
// CHECK-COUNT-4: llvm.x86.tilestored64
// CHECK: scf.for
// CHECK: vector.load %[[SUMS]]{{.*}} : memref<14x32xi32>, vector<16xi32>
// CHECK: vector.store {{.*}} : memref<3x7x24xi32>, vector<16xi32>
// CHECK: vector.load %[[SUMS]]{{.*}} : memref<14x32xi32>, vector<16xi32>
// CHECK: vector.maskedstore {{.*}} : memref<3x7x24xi32>, vector<16xi1>, vector<16xi32>
// Of three rows the last one is alone.
// CHECK: llvm.x86.ldtilecfg
// CHECK-COUNT-2: llvm.x86.tilezero
// CHECK-NOT: llvm.x86.tilezero
func.func @two_rows(%x: memref<3x9x64xi8>, %w: memref<2x16x16x4xi8>, %y: memref<3x7x24xi32>) {
  linalg.generic {indexing_maps = [#pixels, #panels, #results], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<3x9x64xi8>, memref<2x16x16x4xi8>) outs(%y : memref<3x7x24xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %sign = arith.constant -128 : i8
    %u = arith.xori %a, %sign : i8
    %i = arith.extui %u : i8 to i32
    %j = arith.extsi %b : i8 to i32
    %p = arith.muli %i, %j : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }
  return
}

// Groups with weights of their own have sums of their own, within the loop.
#gx = affine_map<(g, m, f, c, k) -> (g, m, c * 4 + k)>
#gw = affine_map<(g, m, f, c, k) -> (f floordiv 16, g, c, f mod 16, k)>
// CHECK-LABEL: func.func @groups
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (vector<16xi32>, vector<16xi32>) {
// CHECK: llvm.x86.tdpbssd
func.func @groups(%x: memref<3x8x64xi8>, %w: memref<2x3x16x16x4xi8>, %y: memref<3x8x32xi32>) {
  linalg.generic {indexing_maps = [#gx, #gw, #results], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<3x8x64xi8>, memref<2x3x16x16x4xi8>) outs(%y : memref<3x8x32xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %sign = arith.constant -128 : i8
    %u = arith.xori %a, %sign : i8
    %i = arith.extui %u : i8 to i32
    %j = arith.extsi %b : i8 to i32
    %p = arith.muli %i, %j : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }
  return
}
