// RUN: tenon-opt %s -tenon-outline-loops | FileCheck %s

// Equal loop nests are one function; who shares memory is not who does not.
// CHECK-LABEL: func.func @main
// CHECK: call @loops_0(%arg0)
// CHECK: call @loops_0(%arg1)
// CHECK: call @loops_1(%arg2)
// CHECK: call @loops_2(%arg0, %arg1)
// CHECK: call @loops_3(%{{.*}}, %{{.*}})
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
// CHECK: call @loops_4(%arg0, %arg1)
func.func @open(%a: memref<?xf32>, %b: memref<?xf32>) {
  linalg.copy ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  return
}

// Arrays that types say all about come as pointers.
// CHECK: func.func private @loops_0(%arg0: memref<8xf32>) attributes {llvm.bareptr, tenon.unaliased = array<i64: 0>}
// CHECK: func.func private @loops_2({{.*}}) attributes {llvm.bareptr, tenon.unaliased = array<i64: 0, 1>}
// CHECK: func.func private @loops_3({{.*}}) attributes {llvm.bareptr, tenon.unaliased = array<i64>}
// Of others there is a descriptor, of which the second pointer is used.
// CHECK: func.func private @loops_4({{.*}}) attributes {tenon.unaliased = array<i64: 1, 6>}
