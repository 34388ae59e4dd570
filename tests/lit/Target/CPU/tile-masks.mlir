// RUN: tenon-opt %s -tenon-tile-registers=host=x86-64-v4 | FileCheck %s
// RUN: tenon-opt %s -tenon-tile-registers=host=x86-64-v3 | FileCheck %s --check-prefix=HALVES

// Nine columns are one vector of 16 of which nine are there, in all rows at once;
// without masks they are eight and one.
#x = affine_map<(m, f, c) -> (m, c)>
#w = affine_map<(m, f, c) -> (c, f)>
#y = affine_map<(m, f, c) -> (m, f)>
// CHECK-LABEL: func.func @columns
// CHECK-SAME: tenon.intrinsic = "any"
// CHECK: arith.constant dense<[true, true, true, true, true, true, true, true, true, false, false, false, false, false, false, false]>
// CHECK: vector.maskedload {{.*}} into vector<16xf32>
// CHECK: scf.for
// CHECK: vector.maskedload {{.*}} into vector<16xf32>
// CHECK: scf.yield
// CHECK-COUNT-24: vector.maskedstore
// CHECK-NOT: vector.store
// CHECK-NOT: memref.store
// CHECK: return
// HALVES-LABEL: func.func @columns
// HALVES-NOT: masked
// HALVES: vector.store {{.*}}, vector<8xf32>
// HALVES: memref.store
func.func @columns(%x: memref<48x32xf32>, %w: memref<32x9xf32>, %y: memref<48x9xf32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<48x32xf32>, memref<32x9xf32>) outs(%y : memref<48x9xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// Of an open extent what is left is known at run time: four vectors at a time, one
// at a time, then a mask.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @open
// CHECK: scf.for
// CHECK-COUNT-4: vector.store
// CHECK: scf.for
// CHECK: vector.store
// CHECK: %[[REST:.*]] = affine.apply
// CHECK: scf.for
// CHECK: arith.index_cast %[[REST]] : index to i32
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK: vector.maskedload {{.*}} %[[MASK]]
// CHECK: vector.maskedstore
func.func @open(%x: memref<?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  return
}

// Floats of 16 bits are held as integers by what knows whole vectors.
// CHECK-LABEL: func.func @halves
// CHECK-NOT: masked
// CHECK: return
func.func @halves(%x: memref<9xf16>, %y: memref<9xf16>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<9xf16>) outs(%y : memref<9xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  }
  return
}
// CHECK-LABEL: func.func @bfloats
// CHECK-NOT: masked
// CHECK: return
func.func @bfloats(%x: memref<9xbf16>, %y: memref<9xbf16>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<9xbf16>) outs(%y : memref<9xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    linalg.yield %a : bf16
  }
  return
}

// One lane is stored as a number: LLVM 22 would write four bytes for it here.
// CHECK-LABEL: func.func @one_lane
// CHECK: vector.maskedload
// CHECK: vector.store {{.*}} vector<16xi8>
// CHECK: %[[ONE:.*]] = vector.extract %{{.*}}[0] : i8 from vector<16xi8>
// CHECK: memref.store %[[ONE]]
// CHECK-NOT: maskedstore
// CHECK: return
func.func @one_lane(%x: memref<17xi32>, %y: memref<17xi8>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<17xi32>) outs(%y : memref<17xi8>) {
  ^bb0(%a: i32, %o: i8):
    %n = arith.trunci %a : i32 to i8
    linalg.yield %n : i8
  }
  return
}
