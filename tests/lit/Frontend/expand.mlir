// Operators that others define: a definition of ONNX's, with attributes that the
// caller leaves out, in the forms that normalisation leads to; one that looks at
// its caller's types, and leaves out what nobody asks for; one of onnxruntime's.
// RUN: tenon-opt %s -split-input-file -pass-pipeline='builtin.module(onnx-normalize{expand=HardSwish,LayerNormalization,FastGelu})' | FileCheck %s

// CHECK-LABEL: name = "defaults"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 18 : i64}}} {
  onnx.graph <name = "defaults", inputs = ["x"]> {
  ^bb0(%x: tensor<2x3xf32>):
    // CHECK: %[[X:.*]] = onnx.node "HardSigmoid" opset 14 "h/HardSigmoid_0"(%x) -> ["h/HS_X"] with {alpha = 0.166666672 : f32, beta = 5.000000e-01 : f32} : {{.*}} -> tensor<2x3xf32>
    // CHECK: onnx.node "Mul" opset 14 "h/Mul_1"(%x, %[[X]]) -> ["y"] : {{.*}} -> tensor<2x3xf32>
    %y = onnx.node "HardSwish" opset 18 "h"(%x) -> ["y"] : (tensor<2x3xf32>) -> !onnx.unknown
    onnx.yield %y : !onnx.unknown as ["y"] [tensor<2x3xf32>]
  }
}

// -----

// CHECK-LABEL: name = "context"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 18 : i64}}} {
  onnx.graph <name = "context", inputs = ["x", "s"]> {
  ^bb0(%x: tensor<2x3xf16>, %s: tensor<3xf16>):
    // CHECK-NOT: "LayerNormalization"
    // CHECK: onnx.node "Sqrt" opset {{.*}} "n/Sqrt_{{.*}}
    // CHECK: -> ["y"] {{.*}} -> tensor<2x3xf16>
    %y = onnx.node "LayerNormalization" opset 18 "n"(%x, %s) -> ["y"] : (tensor<2x3xf16>, tensor<3xf16>) -> !onnx.unknown
    onnx.yield %y : !onnx.unknown as ["y"] [tensor<2x3xf16>]
  }
}

// -----

// CHECK-LABEL: name = "ours"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 20 : i64, com.microsoft = 1 : i64}}} {
  onnx.graph <name = "ours", inputs = ["x", "b"]> {
  ^bb0(%x: tensor<2x3xf32>, %b: tensor<3xf32>):
    // CHECK: %[[SUM:.*]] = onnx.node "Add" opset 23 "g/Add_0"(%x, %b) -> ["g/t0"] : {{.*}} -> tensor<2x3xf32>
    // CHECK: onnx.node "Gelu" opset 23 "g/Gelu_1"(%[[SUM]]) -> ["y"] with {approximate = "tanh"} : {{.*}} -> tensor<2x3xf32>
    %y = onnx.node "FastGelu" of "com.microsoft" opset 1 "g"(%x, %b) -> ["y"] : (tensor<2x3xf32>, tensor<3xf32>) -> !onnx.unknown
    onnx.yield %y : !onnx.unknown as ["y"] [tensor<2x3xf32>]
  }
}
