// Channels of neighbouring convolutions get equal ranges; the network computes
// what it did.
// RUN: tenon-opt %s -split-input-file -onnx-equalize | FileCheck %s

// Channel 0: largest weights 4 and 1, factor 2; channel 1: 1 and 16, factor 1/4;
// channel 2 is of zeros and stays.
// CHECK-LABEL: name = "chain"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 13 : i64}}} {
  onnx.graph <name = "chain", inputs = ["x"]> {
  ^bb0(%x: tensor<1x1x4x4xf32>):
    // CHECK-DAG: %[[W:.*]] = onnx.constant "a/equalized" = {{.*}}2.000000e+00{{.*}}4.000000e+00{{.*}}0.000000e+00
    // CHECK-DAG: %[[B:.*]] = onnx.constant "a/equalized_bias" = dense<[3.000000e+00, 4.000000e+00, 5.000000e+00]>
    // CHECK-DAG: %[[V:.*]] = onnx.constant "y/equalized" = {{.*}}2.000000e+00{{.*}}4.000000e+00{{.*}}7.000000e+00
    %w = onnx.constant "w" = dense<[[[[4.0]]], [[[-1.0]]], [[[0.0]]]]> : tensor<3x1x1x1xf32>
    %b = onnx.constant "b" = dense<[6.0, 1.0, 5.0]> : tensor<3xf32>
    %v = onnx.constant "v" = dense<[[[[1.0]], [[16.0]], [[7.0]]]]> : tensor<1x3x1x1xf32>
    // CHECK: "Conv" opset 13 "first"(%x, %[[W]], %[[B]]) -> ["a"]
    %a = onnx.node "Conv" opset 13 "first"(%x, %w, %b) -> ["a"] : (tensor<1x1x4x4xf32>, tensor<3x1x1x1xf32>, tensor<3xf32>) -> tensor<1x3x4x4xf32>
    %r = onnx.node "Relu" opset 13 "relu"(%a) -> ["r"] : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    // CHECK: "Conv" opset 13 "second"(%{{.*}}, %[[V]]) -> ["y"]
    %y = onnx.node "Conv" opset 13 "second"(%r, %v) -> ["y"] : (tensor<1x3x4x4xf32>, tensor<1x3x1x1xf32>) -> tensor<1x1x4x4xf32>
    onnx.yield %y : tensor<1x1x4x4xf32> as ["y"] [tensor<1x1x4x4xf32>]
  }
}

// -----
// Output channel c of a depthwise convolution reads input channel c alone.
// CHECK-LABEL: name = "depthwise"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 13 : i64}}} {
  onnx.graph <name = "depthwise", inputs = ["x"]> {
  ^bb0(%x: tensor<1x1x4x4xf32>):
    // CHECK-DAG: onnx.constant "a/equalized" = {{.*}}2.000000e+00{{.*}}4.000000e+00
    // CHECK-DAG: onnx.constant "y/equalized" = {{.*}}2.000000e+00{{.*}}4.000000e+00
    %w = onnx.constant "w" = dense<[[[[4.0]]], [[[1.0]]]]> : tensor<2x1x1x1xf32>
    %v = onnx.constant "v" = dense<[[[[1.0]]], [[[16.0]]]]> : tensor<2x1x1x1xf32>
    %a = onnx.node "Conv" opset 13 "first"(%x, %w) -> ["a"] : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
    %y = onnx.node "Conv" opset 13 "second"(%a, %v) -> ["y"] with {group = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
    onnx.yield %y : tensor<1x2x4x4xf32> as ["y"] [tensor<1x2x4x4xf32>]
  }
}

// -----
// A clamp from above is no place for a factor, nor is a tensor with two readers.
// CHECK-LABEL: name = "kept"
// CHECK-NOT: equalized
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 13 : i64}}} {
  onnx.graph <name = "kept", inputs = ["x"]> {
  ^bb0(%x: tensor<1x1x4x4xf32>):
    %w = onnx.constant "w" = dense<[[[[4.0]]]]> : tensor<1x1x1x1xf32>
    %v = onnx.constant "v" = dense<[[[[1.0]]]]> : tensor<1x1x1x1xf32>
    %zero = onnx.constant "zero" = dense<0.0> : tensor<f32>
    %six = onnx.constant "six" = dense<6.0> : tensor<f32>
    %a = onnx.node "Conv" opset 13 "first"(%x, %w) -> ["a"] : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
    %c = onnx.node "Clip" opset 13 "clip"(%a, %zero, %six) -> ["c"] : (tensor<1x1x4x4xf32>, tensor<f32>, tensor<f32>) -> tensor<1x1x4x4xf32>
    %b = onnx.node "Conv" opset 13 "second"(%c, %v) -> ["b"] : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
    %y = onnx.node "Conv" opset 13 "third"(%b, %v) -> ["y"] : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
    onnx.yield %b, %y : tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32> as ["b", "y"] [tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>]
  }
}
