// Operations of any dialect on the host: regions that capture values, open
// dimensions, scalars and assertions.
// RUN: tenon-opt %s -split-input-file -accel-attach-machine -accel-partition 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: tenon-opt %s -split-input-file -tenon-tensor-pipeline -tenon-accelerator-pipeline 2>/dev/null | FileCheck %s --check-prefix=WHOLE

// REMARK: remark: extents that only a run knows are taken as 64 to estimate times on the host

// A network of floats alone is one kernel, its weights inside.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[Y:.*]] = call @host_0(%{{.*}}) : (tensor<?x3xf32>) -> tensor<?x4xf32>
// CHECK-NEXT: return %[[Y]]
// CHECK: func.func private @host_0
// CHECK-SAME: tenon.name = "dim+cmpi+assert+matmul+generic"
// CHECK: cf.assert %{{.*}}, "node 'dense': x has no rows"
// CHECK: arith.constant dense
// CHECK: linalg.matmul
// CHECK: math.exp
// WHOLE: func.func private @host_0
#map = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x4xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %zero : tensor<?x3xf32>
  %some = arith.cmpi ne, %rows, %zero : index
  cf.assert %some, "node 'dense': x has no rows"
  %e = tensor.empty(%rows) : tensor<?x4xf32>
  %f = linalg.fill ins(%none : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = math.exp %a : f32
    linalg.yield %b : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// A scalar of a kernel before the accelerator is computed once more behind it,
// from the tensor; a loop reads what it captures as an argument.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<1x8x8x16xi8>, %[[N:.*]]: tensor<i64>
// CHECK: %[[A:.*]] = call @host_0(%[[N]], %[[X]]) : (tensor<i64>, tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
// CHECK: accel.pack %[[A]]
// CHECK: %[[U:.*]] = accel.unpack
// CHECK: call @host_1(%[[N]], %[[U]]) : (tensor<i64>, tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
// CHECK: func.func private @host_1
// CHECK: tensor.extract
// CHECK: arith.index_cast
// CHECK: scf.for
// CHECK: func.func private @host_0
// CHECK: cf.assert %{{.*}}, "node 'loop': n is negative"
// CHECK: scf.for
// WHOLE: accel.stream
func.func @main(%x: tensor<1x8x8x16xi8>, %n: tensor<i64>) -> tensor<1x8x8x16xi8> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %count = tensor.extract %n[] : tensor<i64>
  %fine = arith.cmpi sge, %count, %none : i64
  cf.assert %fine, "node 'loop': n is negative"
  %times = arith.index_cast %count : i64 to index
  %a = scf.for %i = %zero to %times step %one iter_args(%t = %x) -> (tensor<1x8x8x16xi8>) {
    %s = tosa.add %t, %x : (tensor<1x8x8x16xi8>, tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
    scf.yield %s : tensor<1x8x8x16xi8>
  }
  %p = tosa.max_pool2d %a {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
  %y = scf.for %i = %zero to %times step %one iter_args(%t = %p) -> (tensor<1x8x8x16xi8>) {
    %s = tosa.add %t, %p : (tensor<1x8x8x16xi8>, tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
    scf.yield %s : tensor<1x8x8x16xi8>
  }
  return %y : tensor<1x8x8x16xi8>
}

// -----

// A result that is a constant is the host's to make.
// CHECK-LABEL: func.func @main
// CHECK: call @host_0() : () -> tensor<2xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %k = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %k : tensor<2xf32>
}

// -----

// Kernels before and behind a layer overwrite a tensor that is 0 everywhere:
// each makes its own, and none may overwrite what it is given.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<1x8x8x16xi8>
// CHECK: %[[A:.*]] = call @host_0(%[[X]]) : (tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
// CHECK: %[[U:.*]] = accel.unpack
// CHECK: call @host_1(%[[U]]) : (tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
// CHECK: func.func private @host_1(%{{.*}}: tensor<1x8x8x16xi8> {bufferization.writable = false})
// CHECK-SAME: tenon.name = "reduce+expand_shape"
// CHECK: linalg.fill
// CHECK: linalg.reduce
// CHECK: func.func private @host_0(%{{.*}}: tensor<1x8x8x16xi8> {bufferization.writable = false})
// CHECK: linalg.fill
// CHECK: linalg.reduce
func.func @main(%x: tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8> {
  %none = arith.constant 0 : i8
  %e = tensor.empty() : tensor<8x8x16xi8>
  %zeros = linalg.fill ins(%none : i8) outs(%e : tensor<8x8x16xi8>) -> tensor<8x8x16xi8>
  %a = linalg.reduce ins(%x : tensor<1x8x8x16xi8>) outs(%zeros : tensor<8x8x16xi8>) dimensions = [0]
    (%in: i8, %sum: i8) {
      %s = arith.muli %in, %sum : i8
      linalg.yield %s : i8
    }
  %b = tensor.expand_shape %a [[0, 1], [2], [3]] output_shape [1, 8, 8, 16] : tensor<8x8x16xi8> into tensor<1x8x8x16xi8>
  %p = tosa.max_pool2d %b {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
  %c = linalg.reduce ins(%p : tensor<1x8x8x16xi8>) outs(%zeros : tensor<8x8x16xi8>) dimensions = [0]
    (%in: i8, %sum: i8) {
      %s = arith.muli %in, %sum : i8
      linalg.yield %s : i8
    }
  %y = tensor.expand_shape %c [[0, 1], [2], [3]] output_shape [1, 8, 8, 16] : tensor<8x8x16xi8> into tensor<1x8x8x16xi8>
  return %y : tensor<1x8x8x16xi8>
}
