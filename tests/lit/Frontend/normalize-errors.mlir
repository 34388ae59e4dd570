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

// -----

module attributes {onnx.model = {opsets = {ai.onnx = 17 : i64}}} {
  onnx.graph <name = "g", inputs = ["x"]> {
  ^bb0(%x: tensor<2xf32>):
    // expected-remark @+1 {{its type is not inferred: axis -5 is outside of a tensor with 1 dimensions}}
    %z = onnx.node "LayerNormalization" opset 17 "norm"(%x, %x) -> ["z"] with {axis = -5 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %z : tensor<2xf32> as ["z"] [tensor<2xf32>]
  }
}

// -----

// Everything that does not fit a schema is said.
module attributes {onnx.model = {opsets = {ai.onnx = 17 : i64}}} {
  onnx.graph <name = "g", inputs = ["x"]> {
  ^bb0(%x: tensor<1x1x2x2xf32>):
    %none = onnx.none
    // expected-error @+1 {{it has 3 inputs, expected 2}}
    %a = onnx.node "Add" opset 17 "add"(%x, %x, %x) -> ["a"] : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> !onnx.unknown
    // expected-error @+1 {{it has 0 inputs, expected 1 or more}}
    %b = onnx.node "Sum" opset 17 "sum"() -> ["b"] : () -> !onnx.unknown
    // expected-error @+2 {{it has 1 inputs, expected 2 to 3}}
    // expected-error @+1 {{attribute 'group' is of type FLOAT, expected INT}}
    %c = onnx.node "Conv" opset 17 "conv"(%x) -> ["c"] with {group = 1.5 : f32} : (tensor<1x1x2x2xf32>) -> !onnx.unknown
    // expected-error @+1 {{input 0 ('A') is left out, but it is not optional}}
    %d = onnx.node "Mul" opset 17 "mul"(%none, %x) -> ["d"] : (none, tensor<1x1x2x2xf32>) -> !onnx.unknown
    // expected-error @+1 {{input 1 ('data_0') is left out, but it is not optional}}
    %d1 = onnx.node "Sum" opset 17 "sum_of_none"(%x, %none) -> ["d1"] : (tensor<1x1x2x2xf32>, none) -> !onnx.unknown
    // expected-error @+2 {{attribute 'slope' is none of its operator's}}
    // expected-error @+1 {{it has 2 outputs, expected 1}}
    %e, %f = onnx.node "LeakyRelu" opset 17 "leaky"(%x) -> ["e", "f"] with {slope = 1.5 : f32} : (tensor<1x1x2x2xf32>) -> (!onnx.unknown, !onnx.unknown)
    // expected-error @+1 {{attribute 'axis' is missing}}
    %g = onnx.node "Concat" opset 17 "concat"(%x) -> ["g"] : (tensor<1x1x2x2xf32>) -> !onnx.unknown
    // Whose it is, nobody knows.
    %h = onnx.node "Add" of "elsewhere" opset 17 "own"(%x) -> ["h"] : (tensor<1x1x2x2xf32>) -> !onnx.unknown
    onnx.yield %a : !onnx.unknown as ["a"] [tensor<1x1x2x2xf32>]
  }
}
