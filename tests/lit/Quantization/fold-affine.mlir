// What multiplies and adds a constant a channel goes into weights and bias.
// RUN: tenon-opt %s -split-input-file -onnx-fold-affine | FileCheck %s

// Factors 4 / sqrt(3 + 1) = 2 and 1 / sqrt(0 + 1) = 1, offsets 10 - 1 * 2 and
// 20 - 2 * 1; the bias (1, 2) becomes 1 * 2 + 8 and 2 * 1 + 18.
// CHECK-LABEL: name = "normalization"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 15 : i64}}} {
  onnx.graph <name = "normalization", inputs = ["x"]> {
  ^bb0(%x: tensor<1x1x4x4xf32>):
    // CHECK-DAG: %[[B:.*]] = onnx.constant "y/bias" = dense<[1.000000e+01, 2.000000e+01]>
    // CHECK-DAG: %[[W:.*]] = onnx.constant "y/weights" = {{.*}}3.000000e+00{{.*}}5.000000e+00
    %w = onnx.constant "w" = dense<[[[[1.5]]], [[[5.0]]]]> : tensor<2x1x1x1xf32>
    %b = onnx.constant "b" = dense<[1.0, 2.0]> : tensor<2xf32>
    %s = onnx.constant "s" = dense<[4.0, 1.0]> : tensor<2xf32>
    %o = onnx.constant "o" = dense<[10.0, 20.0]> : tensor<2xf32>
    %m = onnx.constant "m" = dense<[1.0, 2.0]> : tensor<2xf32>
    %v = onnx.constant "v" = dense<[3.0, 0.0]> : tensor<2xf32>
    // CHECK: onnx.node "Conv" opset 15 "conv"(%x, %[[W]], %[[B]]) -> ["y"]
    // CHECK-NOT: onnx.node
    %c = onnx.node "Conv" opset 15 "conv"(%x, %w, %b) -> ["c"] : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %y = onnx.node "BatchNormalization" opset 15 "bn"(%c, %s, %o, %m, %v) -> ["y"] with {epsilon = 1.0 : f32} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    onnx.yield %y : tensor<1x2x4x4xf32> as ["y"] [tensor<1x2x4x4xf32>]
  }
}

// -----
// A product of matrices that gets a bias is a Gemm; 1 - (2 x + 3) has the
// factors -2 and the offset -2.
// CHECK-LABEL: name = "product"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 15 : i64}}} {
  onnx.graph <name = "product", inputs = ["x"]> {
  ^bb0(%x: tensor<1x2xf32>):
    %w = onnx.constant "w" = dense<[[1.0], [10.0]]> : tensor<2x1xf32>
    %two = onnx.constant "two" = dense<2.0> : tensor<f32>
    %three = onnx.constant "three" = dense<3.0> : tensor<1x1xf32>
    %one = onnx.constant "one" = dense<1.0> : tensor<1xf32>
    // CHECK-DAG: %[[B:.*]] = onnx.constant "y/bias" = dense<-2.000000e+00>
    // CHECK-DAG: %[[W:.*]] = onnx.constant "y/weights" = {{.*}}-2.000000e+00{{.*}}-2.000000e+01
    // CHECK: onnx.node "Gemm" opset 15 "product"(%x, %[[W]], %[[B]]) -> ["y"]
    %p = onnx.node "MatMul" opset 15 "product"(%x, %w) -> ["p"] : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
    %q = onnx.node "Mul" opset 15 "mul"(%two, %p) -> ["q"] : (tensor<f32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %r = onnx.node "Add" opset 15 "add"(%q, %three) -> ["r"] : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %y = onnx.node "Sub" opset 15 "sub"(%one, %r) -> ["y"] : (tensor<1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    onnx.yield %y : tensor<1x1xf32> as ["y"] [tensor<1x1xf32>]
  }
}

// -----
// Nothing is folded that others read as well, nor constants that are no
// channel's, nor what divides a constant.
// CHECK-LABEL: name = "kept"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 15 : i64}}} {
  onnx.graph <name = "kept", inputs = ["x"]> {
  ^bb0(%x: tensor<1x1x4x4xf32>):
    %w = onnx.constant "w" = dense<[[[[1.5]]], [[[5.0]]]]> : tensor<2x1x1x1xf32>
    %k = onnx.constant "k" = dense<2.0> : tensor<f32>
    %row = onnx.constant "row" = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    // CHECK: "Conv" {{.*}} -> ["a"]
    // CHECK: "Mul" {{.*}} -> ["b"]
    %a = onnx.node "Conv" opset 15 "first"(%x, %w) -> ["a"] : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
    %b = onnx.node "Mul" opset 15 "shared"(%a, %k) -> ["b"] : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
    // CHECK: "Conv" {{.*}} -> ["c"]
    // CHECK: "Mul" {{.*}} -> ["d"]
    %c = onnx.node "Conv" opset 15 "second"(%x, %w) -> ["c"] : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
    %d = onnx.node "Mul" opset 15 "columns"(%c, %row) -> ["d"] : (tensor<1x2x4x4xf32>, tensor<4xf32>) -> tensor<1x2x4x4xf32>
    // CHECK: "Conv" {{.*}} -> ["e"]
    // CHECK: "Div" {{.*}} -> ["f"]
    %e = onnx.node "Conv" opset 15 "third"(%x, %w) -> ["e"] : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
    %f = onnx.node "Div" opset 15 "inverse"(%k, %e) -> ["f"] : (tensor<f32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    onnx.yield %a, %b, %d, %f : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32> as ["a", "b", "d", "f"] [tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>]
  }
}

// -----
// The scale of attention's scores goes up to the queries' weights and bias, past
// a product of two activations and what moves elements. Weights that were
// shared stay what they are for the keys.
// CHECK-LABEL: name = "scores"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 15 : i64}}} {
  onnx.graph <name = "scores", inputs = ["x"]> {
  ^bb0(%x: tensor<1x4x2xf32>):
    // CHECK-DAG: %[[B:.*]] = onnx.constant "b/scaled" = dense<[2.500000e-01, 5.000000e-01]>
    // CHECK-DAG: %[[S:.*]] = onnx.constant "w/scaled" = dense<{{.*}}1.250000e+00
    // CHECK-DAG: %[[W:.*]] = onnx.constant "w" = dense<{{.*}}5.000000e+00
    %w = onnx.constant "w" = dense<[[5.0, 0.0], [1.0, 2.0]]> : tensor<2x2xf32>
    %b = onnx.constant "b" = dense<[1.0, 2.0]> : tensor<2xf32>
    %four = onnx.constant "four" = dense<4.0> : tensor<f32>
    // CHECK: "MatMul" opset 15 "query"(%{{.*}}, %[[S]])
    // CHECK: "Add" opset 15 "bias"(%{{.*}}, %[[B]])
    // CHECK: "MatMul" opset 15 "key"(%{{.*}}, %[[W]])
    // CHECK: "MatMul" opset 15 "qk"{{.*}} -> ["y"]
    // CHECK-NOT: "Div"
    %p = onnx.node "MatMul" opset 15 "query"(%x, %w) -> ["p"] : (tensor<1x4x2xf32>, tensor<2x2xf32>) -> tensor<1x4x2xf32>
    %q = onnx.node "Add" opset 15 "bias"(%p, %b) -> ["q"] : (tensor<1x4x2xf32>, tensor<2xf32>) -> tensor<1x4x2xf32>
    %r = onnx.node "Transpose" opset 15 "heads"(%q) -> ["r"] with {perm = [0, 1, 2]} : (tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
    %k = onnx.node "MatMul" opset 15 "key"(%x, %w) -> ["k"] : (tensor<1x4x2xf32>, tensor<2x2xf32>) -> tensor<1x4x2xf32>
    %t = onnx.node "Transpose" opset 15 "turn"(%k) -> ["t"] with {perm = [0, 2, 1]} : (tensor<1x4x2xf32>) -> tensor<1x2x4xf32>
    %s = onnx.node "MatMul" opset 15 "qk"(%r, %t) -> ["s"] : (tensor<1x4x2xf32>, tensor<1x2x4xf32>) -> tensor<1x4x4xf32>
    %y = onnx.node "Div" opset 15 "scale"(%s, %four) -> ["y"] : (tensor<1x4x4xf32>, tensor<f32>) -> tensor<1x4x4xf32>
    onnx.yield %y : tensor<1x4x4xf32> as ["y"] [tensor<1x4x4xf32>]
  }
}

// -----
// Not past what others read, and not to an input.
// CHECK-LABEL: name = "stays"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 15 : i64}}} {
  onnx.graph <name = "stays", inputs = ["x"]> {
  ^bb0(%x: tensor<1x2x2xf32>):
    %w = onnx.constant "w" = dense<[[5.0, 0.0], [1.0, 2.0]]> : tensor<2x2xf32>
    %four = onnx.constant "four" = dense<4.0> : tensor<f32>
    // CHECK: "Mul" opset 15 "shared"
    // CHECK: "Mul" opset 15 "input"
    %p = onnx.node "MatMul" opset 15 "product"(%x, %w) -> ["p"] : (tensor<1x2x2xf32>, tensor<2x2xf32>) -> tensor<1x2x2xf32>
    %t = onnx.node "Transpose" opset 15 "turn"(%p) -> ["t"] with {perm = [0, 2, 1]} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %y = onnx.node "Mul" opset 15 "shared"(%t, %four) -> ["y"] : (tensor<1x2x2xf32>, tensor<f32>) -> tensor<1x2x2xf32>
    %u = onnx.node "Transpose" opset 15 "back"(%x) -> ["u"] with {perm = [0, 2, 1]} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %z = onnx.node "Mul" opset 15 "input"(%four, %u) -> ["z"] : (tensor<f32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    onnx.yield %y, %z, %p : tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32> as ["y", "z", "p"] [tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>]
  }
}
