// RUN: tenon-opt %s -tenon-outline-loops | FileCheck %s

// Equal loop nests are one function; who shares memory is not who does not.
// CHECK-LABEL: func.func @main
// Behind the arguments: nanoseconds, number of the call.
// CHECK: call @run_loops_0(%arg0, %c{{.*}}, %c0{{.*}})
// CHECK: call @run_loops_0(%arg1, %c{{.*}}, %c1{{.*}})
// CHECK: call @run_loops_1(%arg2, %c{{.*}}, %c2{{.*}})
// CHECK: call @run_loops_2(%arg0, %arg1, %c{{.*}}, %c3{{.*}})
// CHECK: call @run_loops_3(%{{.*}}, %{{.*}}, %c{{.*}}, %c4{{.*}})
func.func @main(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%a : memref<8xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<8xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<4xf32>)
  linalg.copy ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  %low = memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %high = memref.subview %a[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  linalg.copy ins(%low : memref<4xf32, strided<[1]>>) outs(%high : memref<4xf32, strided<[1], offset: 4>>)
  return
}

// CHECK-LABEL: func.func @open
// CHECK-DAG: %[[EXTENT:.*]] = memref.dim %arg0
// CHECK-DAG: %[[EACH:.*]] = arith.constant 2 : index
// CHECK: %[[OPS:.*]] = arith.muli %[[EACH]], %[[EXTENT]]
// CHECK: %[[TIME:.*]] = arith.divui %[[OPS]]
// CHECK: call @run_loops_4(%arg0, %arg1, %[[TIME]], %c0{{.*}}) {tenon.work = array<i64: 0, 0>}
func.func @open(%a: memref<?xf32>, %b: memref<?xf32>) {
  linalg.copy ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  return
}

// A sum of products of 64 x 32 x 16 steps, 32 a nanosecond; a function of
// mathematics for each of 4096 elements, which counts as 16 operations. Beside
// the call stand its operations and bytes.
// CHECK-LABEL: func.func @times
// CHECK: %[[PRODUCT:.*]] = arith.constant 1024 : index
// CHECK: call @run_loops_5({{.*}}, %[[PRODUCT]], %c0{{.*}}) {tenon.work = array<i64: 65536, 14336>}
// CHECK: %[[FUNCTION:.*]] = arith.constant 4608 : index
// CHECK: call @run_loops_6({{.*}}, %[[FUNCTION]], %c1{{.*}}) {tenon.work = array<i64: 4096, 16384>}
func.func @times(%a: memref<64x32xf32>, %b: memref<32x16xf32>, %c: memref<64x16xf32>, %d: memref<4096xf32>) {
  linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x16xf32>) outs(%c : memref<64x16xf32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%d : memref<4096xf32>) {
  ^bb0(%o: f32):
    %e = math.exp %o : f32
    linalg.yield %e : f32
  }
  return
}

// Of a product with an epilogue the tensor of sums is nobody's: x, w, what sums
// begin with, and the result.
// CHECK-LABEL: func.func @epilogue
// CHECK: call @{{.*}} {tenon.work = array<i64: 512, 160>}
func.func @epilogue(%x: memref<4x8xi8>, %w: memref<8x8xi8>, %start: memref<8xi32>, %sums: memref<4x8xi32>, %z: memref<4x8xi8>) {
  %zero = arith.constant 0 : index
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n)>, affine_map<(m, n, k) -> (m, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %start : memref<4x8xi8>, memref<8x8xi8>, memref<8xi32>) outs(%sums, %z : memref<4x8xi32>, memref<4x8xi8>) attrs = {tenon.epilogue} {
  ^bb0(%i: i8, %j: i8, %b: i32, %s: i32, %o: i8):
    %k = linalg.index 2 : index
    %first = arith.cmpi eq, %k, %zero : index
    %before = arith.select %first, %b, %s : i32
    %c = arith.extsi %i : i8 to i32
    %d = arith.extsi %j : i8 to i32
    %p = arith.muli %c, %d : i32
    %t = arith.addi %before, %p : i32
    %r = arith.trunci %t : i32 to i8
    linalg.yield %t, %r : i32, i8
  }
  return
}

// Arrays that types say all about come as pointers; who runs a function takes
// what it takes.
// CHECK: func.func private @run_loops_0(memref<8xf32>, index, index) attributes {llvm.bareptr, tenon.runs = @loops_0}
// CHECK: func.func private @loops_0(%arg0: memref<8xf32>, %arg1: index, %arg2: index) attributes {llvm.bareptr, tenon.unaliased = array<i64: 0>}
// CHECK: func.func private @loops_2({{.*}}) attributes {llvm.bareptr, tenon.unaliased = array<i64: 0, 1>}
// CHECK: func.func private @loops_3({{.*}}) attributes {llvm.bareptr, tenon.unaliased = array<i64>}
// Of others there is a descriptor, of which the second pointer is used.
// CHECK: func.func private @loops_4({{.*}}) attributes {tenon.unaliased = array<i64: 1, 6>}
