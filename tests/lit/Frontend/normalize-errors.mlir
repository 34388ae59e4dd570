// What cannot be normalised.
// RUN: tenon-opt %s -split-input-file -onnx-normalize -verify-diagnostics

// expected-error @+1 {{there is no onnx.graph to normalise}}
module {
}

// -----

module attributes {onnx.model = {opsets = {local = 1 : i64}}} {
  onnx.function "f" of "local" "" <name = "f", inputs = ["a"]> opsets {local = 1 : i64} required [] defaults {} {
  ^bb0(%a: !onnx.unknown):
    // expected-error @+1 {{node 'call/again' (f of local, opset 1): the function calls itself}}
    %b = onnx.node "f" of "local" opset 1 "again"(%a) -> ["b"] : (!onnx.unknown) -> !onnx.unknown
    onnx.yield %b : !onnx.unknown as ["b"] [!onnx.unknown]
  }
  onnx.graph <name = "g", inputs = ["x"]> {
  ^bb0(%x: tensor<2xf32>):
    %y = onnx.node "f" of "local" opset 1 "call"(%x) -> ["y"] : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %y : tensor<2xf32> as ["y"] [tensor<2xf32>]
  }
}

// -----

module attributes {onnx.model = {opsets = {local = 1 : i64}}} {
  onnx.function "f" of "local" "" <name = "f", inputs = ["a"]> opsets {local = 1 : i64} required [] defaults {} {
  ^bb0(%a: !onnx.unknown):
    onnx.yield %a : !onnx.unknown as ["a"] [!onnx.unknown]
  }
  onnx.graph <name = "g", inputs = ["x"]> {
  ^bb0(%x: tensor<2xf32>):
    // expected-error @+1 {{it has 2 inputs and 1 outputs, the function has 1 and 1}}
    %y = onnx.node "f" of "local" opset 1 "call"(%x, %x) -> ["y"] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %y : tensor<2xf32> as ["y"] [tensor<2xf32>]
  }
}

// -----

module attributes {onnx.model = {opsets = {ai.onnx = 17 : i64}}} {
  onnx.graph <name = "g", inputs = ["x", "y"]> {
  ^bb0(%x: tensor<2xf32>, %y: tensor<3xf32>):
    // expected-remark @+1 {{node 'add': its type is not inferred:}}
    %z = onnx.node "Add" opset 17 "add"(%x, %y) -> ["z"] : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
    onnx.yield %z : tensor<2xf32> as ["z"] [tensor<2xf32>]
  }
}
