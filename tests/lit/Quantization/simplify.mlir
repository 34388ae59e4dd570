// What computes nothing is gone, but for what names an output; constants move.
// RUN: tenon-opt %s -onnx-simplify | FileCheck %s

// CHECK-LABEL: name = "simplify"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 13 : i64}}} {
  onnx.graph <name = "simplify", inputs = ["x"]> {
  ^bb0(%x: tensor<1x6xf32>):
    // CHECK-DAG: %[[M:.*]] = onnx.constant "m/moved" = dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]>
    // CHECK-DAG: %[[W:.*]] = onnx.constant "f/moved" = dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00]]>
    %w = onnx.constant "w" = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %to = onnx.constant "to" = dense<[3, 2]> : tensor<2xi64>
    %half = onnx.constant "half" = dense<0.5> : tensor<f32>
    %train = onnx.constant "train" = dense_resource<train> : tensor<i1>
    %m = onnx.node "Transpose" opset 13 "transpose"(%w) -> ["m"] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %f = onnx.node "Reshape" opset 13 "reshape"(%w, %to) -> ["f"] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %d, %mask = onnx.node "Dropout" opset 12 "drop"(%x, %half) -> ["d", "mask"] : (tensor<1x6xf32>, tensor<f32>) -> (tensor<1x6xf32>, tensor<1x6xi1>)
    %i = onnx.node "Identity" opset 13 "copy"(%d) -> ["i"] : (tensor<1x6xf32>) -> tensor<1x6xf32>
    // CHECK: "Relu" opset 13 "relu"(%x) -> ["r"]
    %r = onnx.node "Relu" opset 13 "relu"(%i) -> ["r"] : (tensor<1x6xf32>) -> tensor<1x6xf32>
    // CHECK: "Add" opset 13 "sum"(%[[M]], %[[W]]) -> ["s"]
    %s = onnx.node "Add" opset 13 "sum"(%m, %f) -> ["s"] : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    // CHECK: "Dropout" {{.*}} -> ["t", "told"]
    %t, %told = onnx.node "Dropout" opset 12 "trains"(%r, %half, %train) -> ["t", "told"] : (tensor<1x6xf32>, tensor<f32>, tensor<i1>) -> (tensor<1x6xf32>, tensor<1x6xi1>)
    // CHECK: "Identity" opset 13 "{{.*}}"(%{{.*}}) -> ["y"]
    %y, %unread = onnx.node "Dropout" opset 12 "last"(%t, %half) -> ["y", "unread"] : (tensor<1x6xf32>, tensor<f32>) -> (tensor<1x6xf32>, tensor<1x6xi1>)
    onnx.yield %y, %s : tensor<1x6xf32>, tensor<3x2xf32> as ["y", "s"] [tensor<1x6xf32>, tensor<3x2xf32>]
  }
}

{-# dialect_resources: { builtin: { train: "0x0800000001" } } #-}
