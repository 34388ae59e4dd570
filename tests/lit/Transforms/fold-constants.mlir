// RUN: tenon-opt %s -split-input-file -tenon-fold-constants -verify-each | FileCheck %s

// A chain through broadcasts: 1 / sqrt(v + 1) * s, row by row; 1/2, 1/4.
// CHECK-LABEL: func.func @elementwise
// CHECK: %[[C:.*]] = arith.constant dense<{{\[}}[1.500000e+00, -1.500000e+00, 2.500000e+00], [7.500000e-01, -7.500000e-01, 1.250000e+00]]> : tensor<2x3xf32>
// CHECK-NEXT: return %[[C]]
#row = affine_map<(r, c) -> (r, 0)>
#column = affine_map<(r, c) -> (c)>
#all = affine_map<(r, c) -> (r, c)>
#id = affine_map<(i) -> (i)>
func.func @elementwise() -> tensor<2x3xf32> {
  %one = arith.constant 1.0 : f32
  %v = arith.constant dense<[3.0, 15.0]> : tensor<2xf32>
  %s = arith.constant dense<[3.0, -3.0, 5.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %one : f32
    %1 = math.sqrt %0 : f32
    %2 = arith.divf %one, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2xf32>
  %r = tensor.expand_shape %f [[0, 1]] output_shape [2, 1] : tensor<2xf32> into tensor<2x1xf32>
  %d = tensor.empty() : tensor<2x3xf32>
  %g = linalg.generic {indexing_maps = [#row, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%r, %s : tensor<2x1xf32>, tensor<3xf32>) outs(%d : tensor<2x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<2x3xf32>
  return %g : tensor<2x3xf32>
}

// -----

// Weights in the file are transposed; reshaped they stay where they are.
// CHECK-LABEL: func.func @weights
// CHECK-DAG: %[[R:.*]] = arith.constant dense_resource<w> : tensor<6xi16>
// CHECK-DAG: %[[T:.*]] = arith.constant dense<{{\[}}[1, 4], [2, 5], [3, -6]]> : tensor<3x2xi16>
// CHECK: return %[[T]], %[[R]]
func.func @weights() -> (tensor<3x2xi16>, tensor<6xi16>) {
  %w = arith.constant dense_resource<w> : tensor<2x3xi16>
  %e = tensor.empty() : tensor<3x2xi16>
  %t = linalg.transpose ins(%w : tensor<2x3xi16>) outs(%e : tensor<3x2xi16>) permutation = [1, 0]
  %r = tensor.collapse_shape %w [[0, 1]] : tensor<2x3xi16> into tensor<6xi16>
  return %t, %r : tensor<3x2xi16>, tensor<6xi16>
}
{-#
  dialect_resources: { builtin: { w: "0x0200000001000200030004000500FAFF" } }
#-}

// -----

// CHECK-LABEL: func.func @placed
// CHECK-DAG: %[[S:.*]] = arith.constant dense<[2, 4]> : tensor<2xi8>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<{{\[}}[1, 7], [2, 8], [3, 9], [4, -1], [5, -2]]> : tensor<5x2xi8>
// CHECK-DAG: %[[I:.*]] = arith.constant dense<[1, 2, 7, 4, 8]> : tensor<5xi8>
// CHECK: return %[[S]], %[[C]], %[[I]]
func.func @placed() -> (tensor<2xi8>, tensor<5x2xi8>, tensor<5xi8>) {
  %a = arith.constant dense<[[1], [2], [3], [4], [5]]> : tensor<5x1xi8>
  %b = arith.constant dense<[[7], [8], [9], [-1], [-2]]> : tensor<5x1xi8>
  %p = arith.constant dense<[7, 8]> : tensor<2xi8>
  %f = arith.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi8>
  %s = tensor.extract_slice %a[1, 0] [2, 1] [2, 1] : tensor<5x1xi8> to tensor<2xi8>
  %c = tensor.concat dim(1) %a, %b : (tensor<5x1xi8>, tensor<5x1xi8>) -> tensor<5x2xi8>
  %i = tensor.insert_slice %p into %f[2] [2] [2] : tensor<2xi8> into tensor<5xi8>
  return %s, %c, %i : tensor<2xi8>, tensor<5x2xi8>, tensor<5xi8>
}

// -----

// Integers wrap, bits are bits, an index is the loop's.
// CHECK-LABEL: func.func @integers
// CHECK-DAG: arith.constant dense<[true, false, true]> : tensor<3xi1>
// CHECK-DAG: arith.constant dense<[-56, 127, 3]> : tensor<3xi8>
// CHECK-NOT: linalg
#id = affine_map<(i) -> (i)>
func.func @integers() -> (tensor<3xi8>, tensor<3xi1>) {
  %c2 = arith.constant 2 : index
  %a = arith.constant dense<[100, 127, 1]> : tensor<3xi8>
  %b = arith.constant dense<[100, 0, 2]> : tensor<3xi8>
  %e = tensor.empty() : tensor<3xi8>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>) {
  ^bb0(%x: i8, %y: i8, %o: i8):
    %0 = arith.addi %x, %y : i8
    linalg.yield %0 : i8
  } -> tensor<3xi8>
  %d = tensor.empty() : tensor<3xi1>
  %l = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%s : tensor<3xi8>) outs(%d : tensor<3xi1>) {
  ^bb0(%x: i8, %o: i1):
    %n = arith.constant 0 : i8
    %0 = arith.cmpi slt, %x, %n : i8
    %i = linalg.index 0 : index
    %1 = arith.cmpi eq, %i, %c2 : index
    %2 = arith.ori %0, %1 : i1
    linalg.yield %2 : i1
  } -> tensor<3xi1>
  return %s, %l : tensor<3xi8>, tensor<3xi1>
}

// -----

// Halves: 1 + 2^-10 + 2^-10 is one, 2049 lies between two and becomes the even
// one.
// CHECK-LABEL: func.func @rounded
// CHECK: arith.constant dense<[1.001950e+00, 2.048000e+03]> : tensor<2xf16>
#id = affine_map<(i) -> (i)>
func.func @rounded() -> tensor<2xf16> {
  %a = arith.constant dense<[1.000976, 2048.0]> : tensor<2xf16>
  %one = arith.constant dense<[0.000976, 1.0]> : tensor<2xf16>
  %e = tensor.empty() : tensor<2xf16>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %one : tensor<2xf16>, tensor<2xf16>) outs(%e : tensor<2xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %0 = arith.addf %x, %y : f16
    linalg.yield %0 : f16
  } -> tensor<2xf16>
  return %s : tensor<2xf16>
}

// -----

// What stays: a library's function, a NaN, a reduction, what would make the
// program larger.
// CHECK-LABEL: func.func @kept
// CHECK: math.exp
// CHECK: math.sqrt
// CHECK: linalg.reduce
// CHECK: linalg.broadcast
#id = affine_map<(i) -> (i)>
func.func @kept() -> (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2x65536xf32>) {
  %a = arith.constant dense<[-1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32
  } -> tensor<2xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.sqrt %i : f32
    linalg.yield %0 : f32
  } -> tensor<2xf32>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<2xf32>) outs(%z : tensor<f32>) dimensions = [0]
  %d = tensor.empty() : tensor<2x65536xf32>
  %b = linalg.broadcast ins(%a : tensor<2xf32>) outs(%d : tensor<2x65536xf32>) dimensions = [1]
  return %x, %n, %r, %b : tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2x65536xf32>
}

// -----

// What reads a NaN stays, whatever it makes of it: IEEE 754's maximum of it and
// a number is a NaN, and it is unordered.
// CHECK-LABEL: func.func @nan
// CHECK: arith.maximumf
// CHECK: arith.minimumf
// CHECK: arith.cmpf
#id = affine_map<(i) -> (i)>
func.func @nan() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi1>) {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %n = arith.constant dense<[0x7fc00000, 3.0]> : tensor<2xf32>
  %scalar = arith.constant 0x7fc00000 : f32
  %e = tensor.empty() : tensor<2xf32>
  %max = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %n : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.maximumf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<2xf32>
  %min = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.minimumf %x, %scalar : f32
    linalg.yield %0 : f32
  } -> tensor<2xf32>
  %bits = tensor.empty() : tensor<2xi1>
  %less = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %n : tensor<2xf32>, tensor<2xf32>) outs(%bits : tensor<2xi1>) {
  ^bb0(%x: f32, %y: f32, %o: i1):
    %0 = arith.cmpf olt, %x, %y : f32
    linalg.yield %0 : i1
  } -> tensor<2xi1>
  return %max, %min, %less : tensor<2xf32>, tensor<2xf32>, tensor<2xi1>
}

// -----

// What only moves keeps its bits, those of a signalling NaN too.
// CHECK-LABEL: func.func @moved
// CHECK-DAG: %[[S:.*]] = arith.constant dense<0x7F800001> : tensor<1xf32>
// CHECK-DAG: %[[T:.*]] = arith.constant dense<{{\[}}[0x7F800001], [3.000000e+00]]> : tensor<2x1xf32>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<[0x7C01, 3.000000e+00, 0xFE03]> : tensor<3xf16>
// CHECK: return %[[S]], %[[T]], %[[C]]
func.func @moved() -> (tensor<1xf32>, tensor<2x1xf32>, tensor<3xf16>) {
  %n = arith.constant dense<[0x7f800001, 3.0]> : tensor<2xf32>
  %r = arith.constant dense<[[0x7f800001, 3.0]]> : tensor<1x2xf32>
  %h = arith.constant dense<[0x7c01, 3.0]> : tensor<2xf16>
  %k = arith.constant dense<[0xfe03]> : tensor<1xf16>
  %s = tensor.extract_slice %n[0] [1] [1] : tensor<2xf32> to tensor<1xf32>
  %e = tensor.empty() : tensor<2x1xf32>
  %t = linalg.transpose ins(%r : tensor<1x2xf32>) outs(%e : tensor<2x1xf32>) permutation = [1, 0]
  %c = tensor.concat dim(0) %h, %k : (tensor<2xf16>, tensor<1xf16>) -> tensor<3xf16>
  return %s, %t, %c : tensor<1xf32>, tensor<2x1xf32>, tensor<3xf16>
}

// -----

// A constant that is read twice is removed once.
// CHECK-LABEL: func.func @squared
// CHECK: %[[C:.*]] = arith.constant dense<[1.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return %[[C]]
#id = affine_map<(i) -> (i)>
func.func @squared() -> tensor<2xf32> {
  %a = arith.constant dense<[-1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %t = linalg.transpose ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) permutation = [0]
  %s = linalg.mul ins(%t, %t : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}
