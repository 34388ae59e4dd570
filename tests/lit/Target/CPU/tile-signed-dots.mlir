// RUN: tenon-opt %s -tenon-tile-registers=host=aarch64-dotprod | FileCheck %s

// Four rows of four vectors of four columns. Sums begin for x + 128, and sdot
// multiplies x itself: 128 * w, which is twice 64 * w, is summed once for all rows,
// less 4 * 128 times the zero point. It multiplies what the sums of x add, too.
#x = affine_map<(m, f, c, k) -> (m, c * 4 + k)>
#w = affine_map<(m, f, c, k) -> (f floordiv 16, c, f mod 16, k)>
#y = affine_map<(m, f, c, k) -> (m, f)>
// CHECK-LABEL: func.func @dots
// CHECK-SAME: tenon.intrinsic = "dot-products"
// CHECK-NOT: arith.xori
// CHECK: scf.for {{.*}} -> (vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>) {
// CHECK: arith.constant dense<64> : vector<16xi8>
// CHECK-COUNT-2: llvm.aarch64.neon.sdot.v4i32.v16i8
// CHECK: arith.constant dense<1536> : vector<4xi32>
// CHECK-NEXT: arith.subi
// CHECK-COUNT-6: llvm.aarch64.neon.sdot.v4i32.v16i8
// CHECK-NOT: llvm.aarch64.neon.sdot
// CHECK: scf.for
// CHECK: scf.for
// Four rows of 4 vectors, and of each row the sum of x.
// CHECK-COUNT-20: llvm.aarch64.neon.sdot.v4i32.v16i8
// CHECK-NOT: llvm.aarch64.neon.sdot
// CHECK: return
func.func @dots(%x: memref<8x84xi8>, %w: memref<2x21x16x4xi8>, %y: memref<8x32xi32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<8x84xi8>, memref<2x21x16x4xi8>) outs(%y : memref<8x32xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %sign = arith.constant -128 : i8
    %u = arith.xori %a, %sign : i8
    %i = arith.extui %u : i8 to i32
    %j = arith.extsi %b : i8 to i32
    %zero = arith.constant 3 : i32
    %k = arith.subi %j, %zero : i32
    %p = arith.muli %i, %k : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  }
  return
}
