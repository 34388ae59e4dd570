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
