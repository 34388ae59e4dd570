// What is planned, and where its quantisation stands.
// RUN: tenon-opt %s -split-input-file -onnx-quantize | FileCheck %s

// Both operands of a product of two activations are integers, and its result;
// the keys' transposition has the scale of the keys. The sum with the mask, of
// another shape, stays in float, as does softmax.
// CHECK-LABEL: name = "attention"
// CHECK-DAG: onnx.constant "q/scale"
// CHECK-DAG: onnx.constant "k/scale"
// CHECK-DAG: onnx.constant "scores/scale"
// CHECK-DAG: onnx.constant "shares/scale"
// CHECK-DAG: onnx.constant "y/scale"
// CHECK-NOT: /scale"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 13 : i64}}} {
  onnx.graph <name = "attention", inputs = ["q", "k", "mask"]> {
  ^bb0(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %mask: tensor<1x1x4xf32>):
    // CHECK: "Transpose" {{.*}} "turn"(%[[K:.*]]) -> ["turned"]
    %t = onnx.node "Transpose" opset 13 "turn"(%k) -> ["turned"] with {perm = [0, 2, 1]} : (tensor<2x4x8xf32>) -> tensor<2x8x4xf32>
    // CHECK: "QuantizeLinear"{{.*}} -> ["turned/quantized"]
    // CHECK: %[[T:.*]] = onnx.node "DequantizeLinear"{{.*}} -> ["turned/dequantized"]
    // CHECK: "MatMul" {{.*}} "qk"(%{{.*}}, %[[T]]) -> ["scores"]
    %s = onnx.node "MatMul" opset 13 "qk"(%q, %t) -> ["scores"] : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
    // CHECK: %[[S:.*]] = onnx.node "DequantizeLinear"{{.*}} -> ["scores/dequantized"]
    // CHECK: %[[M:.*]] = onnx.node "Add" {{.*}}(%[[S]], %{{.*}}) -> ["masked"]
    %m = onnx.node "Add" opset 13 "add"(%s, %mask) -> ["masked"] : (tensor<2x4x4xf32>, tensor<1x1x4xf32>) -> tensor<2x4x4xf32>
    // CHECK: "Softmax" {{.*}}(%[[M]]) -> ["shares"]
    %p = onnx.node "Softmax" opset 13 "softmax"(%m) -> ["shares"] : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    // CHECK: %[[P:.*]] = onnx.node "DequantizeLinear"{{.*}} -> ["shares/dequantized"]
    // CHECK: "MatMul" {{.*}} "pv"(%[[P]], %{{.*}}) -> ["y/float"]
    %y = onnx.node "MatMul" opset 13 "pv"(%p, %k) -> ["y"] : (tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    onnx.yield %y : tensor<2x4x8xf32> as ["y"] [tensor<2x4x8xf32>]
  }
}

// -----
// A sum behind the bias of a product is quantised where integers are made of
// it; not the one that only Sin reads.
// CHECK-LABEL: name = "sums"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 13 : i64}}} {
  onnx.graph <name = "sums", inputs = ["x"]> {
  ^bb0(%x: tensor<1x4x4xf32>):
    %w = onnx.constant "w" = dense<1.0> : tensor<4x4xf32>
    %b = onnx.constant "b" = dense<2.0> : tensor<4xf32>
    %p = onnx.node "MatMul" opset 13 "first"(%x, %w) -> ["p"] : (tensor<1x4x4xf32>, tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %a = onnx.node "Add" opset 13 "bias"(%p, %b) -> ["a"] : (tensor<1x4x4xf32>, tensor<4xf32>) -> tensor<1x4x4xf32>
    // CHECK: "Add" opset 13 "useful"
    // CHECK: "QuantizeLinear"{{.*}} -> ["u/quantized"]
    %u = onnx.node "Add" opset 13 "useful"(%x, %a) -> ["u"] : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    %v = onnx.node "MatMul" opset 13 "second"(%u, %w) -> ["v"] : (tensor<1x4x4xf32>, tensor<4x4xf32>) -> tensor<1x4x4xf32>
    // CHECK: %[[I:.*]] = onnx.node "Add" opset 13 "idle"
    // CHECK-NEXT: "Sin" {{.*}}(%[[I]])
    %i = onnx.node "Add" opset 13 "idle"(%u, %v) -> ["i"] : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    %y = onnx.node "Sin" opset 13 "sin"(%i) -> ["y"] : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    onnx.yield %y : tensor<1x4x4xf32> as ["y"] [tensor<1x4x4xf32>]
  }
}

// -----
// Between convolutions: a swish of sums, clamps and products, the division in
// the product's cluster; squeeze-excite, whose gate is the convolution's.
// What no convolution made is multiplied in float.
// CHECK-LABEL: name = "images"
// CHECK-DAG: -> ["x/quantized"]
// CHECK-DAG: -> ["c/quantized"]
// CHECK-DAG: -> ["clip/quantized"]
// CHECK-DAG: -> ["swish/quantized"]
// CHECK-DAG: -> ["mean/quantized"]
// CHECK-DAG: -> ["gate/quantized"]
// CHECK-DAG: -> ["scaled/quantized"]
// CHECK-DAG: -> ["y/quantized"]
// CHECK-NOT: /quantized"]
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 18 : i64}}} {
  onnx.graph <name = "images", inputs = ["x", "p"]> {
  ^bb0(%x: tensor<1x4x6x6xf32>, %p: tensor<1x4x6x6xf32>):
    %w = onnx.constant "w" = dense<1.0> : tensor<4x4x1x1xf32>
    %three = onnx.constant "three" = dense<3.0> : tensor<f32>
    %zero = onnx.constant "zero" = dense<0.0> : tensor<f32>
    %six = onnx.constant "six" = dense<6.0> : tensor<f32>
    %axes = onnx.constant "axes" = dense<[-2, -1]> : tensor<2xi64>
    %c = onnx.node "Conv" opset 18 "conv"(%x, %w) -> ["c"] : (tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x6x6xf32>
    %s = onnx.node "Add" opset 18 "shift"(%three, %c) -> ["s"] : (tensor<f32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
    %k = onnx.node "Clip" opset 18 "clamp"(%s, %zero, %six) -> ["clip"] : (tensor<1x4x6x6xf32>, tensor<f32>, tensor<f32>) -> tensor<1x4x6x6xf32>
    %m = onnx.node "Mul" opset 18 "times"(%c, %k) -> ["m"] : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
    %d = onnx.node "Div" opset 18 "sixth"(%m, %six) -> ["swish"] : (tensor<1x4x6x6xf32>, tensor<f32>) -> tensor<1x4x6x6xf32>
    %a = onnx.node "ReduceMean" opset 18 "squeeze"(%d, %axes) -> ["mean"] : (tensor<1x4x6x6xf32>, tensor<2xi64>) -> tensor<1x4x1x1xf32>
    %e = onnx.node "Conv" opset 18 "excite"(%a, %w) -> ["e"] : (tensor<1x4x1x1xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %g = onnx.node "HardSigmoid" opset 18 "sigmoid"(%e) -> ["gate"] : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %t = onnx.node "Mul" opset 18 "scale"(%d, %g) -> ["scaled"] : (tensor<1x4x6x6xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x6x6xf32>
    %y = onnx.node "Conv" opset 18 "last"(%t, %w) -> ["y"] : (tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x6x6xf32>
    %f = onnx.node "Mul" opset 18 "plain"(%p, %p) -> ["f"] : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
    onnx.yield %y, %f : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32> as ["y", "f"] [tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>]
  }
}

// -----
// Integers that the network has already: their scale is computed, or there is
// no zero point. What reads them in float reads them as they are.
// CHECK-LABEL: name = "integers"
// CHECK: %[[A:.*]] = onnx.node "DequantizeLinear" opset 21 "computed"
// CHECK: "QuantizeLinear"{{.*}}(%[[A]], {{.*}} -> ["a/quantized"]
// CHECK: %[[B:.*]] = onnx.node "DequantizeLinear" opset 21 "plain"
// CHECK: "Exp" {{.*}}(%[[B]])
module attributes {onnx.model = {ir_version = 10 : i64, opsets = {ai.onnx = 21 : i64}}} {
  onnx.graph <name = "integers", inputs = ["x"]> {
  ^bb0(%x: tensor<1x4xf32>):
    %w = onnx.constant "w" = dense<1.0> : tensor<4x4xf32>
    %h = onnx.constant "h" = dense<0.5> : tensor<f32>
    %q, %s, %z = onnx.node "DynamicQuantizeLinear" opset 21 "dynamic"(%x) -> ["q", "s", "z"] : (tensor<1x4xf32>) -> (tensor<1x4xui8>, tensor<f32>, tensor<ui8>)
    %a = onnx.node "DequantizeLinear" opset 21 "computed"(%q, %s, %z) -> ["a"] : (tensor<1x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4xf32>
    %y = onnx.node "MatMul" opset 21 "product"(%a, %w) -> ["y"] : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %r = onnx.node "QuantizeLinear" opset 21 "rounded"(%x, %h) -> ["r"] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xui8>
    %b = onnx.node "DequantizeLinear" opset 21 "plain"(%r, %h) -> ["b"] : (tensor<1x4xui8>, tensor<f32>) -> tensor<1x4xf32>
    %e = onnx.node "Exp" opset 21 "exp"(%b) -> ["e"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    onnx.yield %y, %e : tensor<1x4xf32>, tensor<1x4xf32> as ["y", "e"] [tensor<1x4xf32>, tensor<1x4xf32>]
  }
}
