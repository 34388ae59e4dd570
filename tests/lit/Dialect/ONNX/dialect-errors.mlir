// What the dialect demands of a module in it.
// RUN: tenon-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{dimension 'n' has a name and the extent 3}}
func.func private @fixed(tensor<3xf32, #onnx.dims<["n"]>>)

// -----

// expected-error @+1 {{names 2 dimensions of 1}}
func.func private @rank(tensor<?xf32, #onnx.dims<["n", "m"]>>)

// -----

// expected-error @+1 {{has a graph that does not end in onnx.yield}}
onnx.graph <name = "g", inputs = []> {
  llvm.unreachable
}

// -----

// expected-error @+1 {{has a graph with 1 arguments for 0 inputs without an initializer}}
onnx.graph <name = "g", inputs = []> {
^bb0(%x: tensor<f32>):
  onnx.yield as [] []
}

// -----

onnx.graph <name = "g", inputs = ["x"]> {
^bb0(%x: tensor<f32>):
  // expected-error @+1 {{has 1 results and 2 names of outputs}}
  %y = onnx.node "Relu" opset 13 "n"(%x) -> ["y", "z"] : (tensor<f32>) -> tensor<f32>
  onnx.yield %y : tensor<f32> as ["y"] [tensor<f32>]
}

// -----

onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{has 1 bodies and describes 0}}
  "onnx.node"() <{op_type = "If", domain = "", overload = "", opset = 13 : i64, name = "n", outputs = [], node_attributes = {}, graphs = []}> ({
    onnx.yield as [] []
  }) : () -> ()
  onnx.yield as [] []
}

// -----

onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{has a graph that is no attribute}}
  onnx.node "If" opset 13 "n"() -> [] graph #onnx.graph<name = "then", inputs = []> {
    onnx.yield as [] []
  } : () -> ()
  onnx.yield as [] []
}

// -----

onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{has 0 values, 1 names and 0 types of outputs}}
  onnx.yield as ["y"] []
}

// -----

onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{has a constant of 'tensor<40xi32>' with 2 bytes}}
  %c = onnx.constant "c" = dense_resource<short> : tensor<40xi32>
  onnx.yield as [] []
}

{-# dialect_resources: { builtin: { short: "0x080000000102" } } #-}

// -----

// MLIR has eight booleans in a byte, ONNX one.
onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{has a constant of 'tensor<3xi1>' that is no dense_resource}}
  %c = onnx.constant "c" = dense<[true, false, true]> : tensor<3xi1>
  onnx.yield as [] []
}

// -----

onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{has a constant of 'tensor<9xi1>' that is no dense_resource}}
  %c = onnx.constant "c" = dense<true> : tensor<9xi1>
  onnx.yield as [] []
}

// -----

// MLIR has a byte for each, ONNX for two.
onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{has a constant of 'tensor<5xi4>' that is no dense_resource}}
  %c = onnx.node "Constant" opset 21 "c"() -> ["c"] with {value = dense<[1, -2, 3, -4, 5]> : tensor<5xi4>} : () -> tensor<5xi4>
  onnx.yield as [] []
}

// -----

onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{has a constant of 'tensor<2xi32>' that is no dense_resource}}
  %c = onnx.constant "c" = sparse<[[1]], [7]> : tensor<2xi32>
  onnx.yield as [] []
}

// -----

onnx.function "f" of "local" "" <name = "f", inputs = []> opsets {ai.onnx = 17 : i64} required [] defaults {}  {
  // expected-error @+1 {{has a constant of 'tensor<40xi32>' with 2 bytes}}
  %c = onnx.node "Constant" opset 17 "c"() -> ["c"] with {value = dense_resource<few> : tensor<40xi32>} : () -> tensor<40xi32>
  onnx.yield as [] []
}

{-# dialect_resources: { builtin: { few: "0x080000000102" } } #-}

// -----

// No element of ONNX is as wide.
onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{has a constant of 'tensor<1xi128>' with 16 bytes}}
  %c = onnx.constant "c" = dense_resource<wide> : tensor<1xi128>
  onnx.yield as [] []
}

{-# dialect_resources: { builtin: { wide: "0x0800000001020304050607080910111213141516" } } #-}

// -----

onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{has a value of another type than its result}}
  %c = "onnx.constant"() <{name = "c", value = dense<1> : tensor<i64>}> : () -> tensor<i32>
  onnx.yield as [] []
}

// -----

onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{has a value of 'tensor<4xf32>'}}
  %c = "onnx.constant"() <{name = "c", value = #onnx.sparse_tensor<dense<1.0> : tensor<1xf32>, dense<0> : tensor<1xi64>, tensor<4xf32>>}> : () -> tensor<5xf32>
  onnx.yield as [] []
}

// -----

onnx.graph <name = "g", inputs = []> {
  // expected-error @+1 {{expected the elements of a tensor}}
  %c = onnx.constant "c" = 3 : i64
  onnx.yield as [] []
}
