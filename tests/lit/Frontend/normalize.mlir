// Old forms of operators in their newest one; integers that flow into shapes;
// local functions.
// RUN: tenon-opt %s -split-input-file -onnx-normalize | FileCheck %s

// CHECK-LABEL: name = "attributes"
module attributes {onnx.model = {ir_version = 4 : i64, opsets = {ai.onnx = 9 : i64}}} {
  onnx.graph <name = "attributes", inputs = ["x"]> {
  ^bb0(%x: tensor<2x3x4xf32>):
    // CHECK-DAG: %[[MIN:.*]] = onnx.constant "a/min" = dense<-1.000000e+00> : tensor<f32>
    // CHECK-DAG: %[[MAX:.*]] = onnx.constant "a/max" = dense<6.000000e+00> : tensor<f32>
    // CHECK: onnx.node "Clip" opset 11 "clip"(%x, %[[MIN]], %[[MAX]]) -> ["a"] : {{.*}} -> tensor<2x3x4xf32>
    %a = onnx.node "Clip" opset 9 "clip"(%x) -> ["a"] with {max = 6.0 : f32, min = -1.0 : f32} : (tensor<2x3x4xf32>) -> !onnx.unknown
    // Without the first bound.
    // CHECK: %[[NONE:.*]] = onnx.none
    // CHECK: onnx.node "Clip" opset 11 "top"(%{{.*}}, %[[NONE]], %{{.*}}) -> ["b"]
    %b = onnx.node "Clip" opset 9 "top"(%a) -> ["b"] with {max = 6.0 : f32} : (!onnx.unknown) -> !onnx.unknown
    // CHECK-DAG: %[[PADS:.*]] = onnx.constant "c/pads" = dense<[0, 0, 1, 0, 0, 1]> : tensor<6xi64>
    // CHECK-DAG: %[[VALUE:.*]] = onnx.constant "c/value" = dense<2.000000e+00> : tensor<f32>
    // CHECK: onnx.node "Pad" opset 11 "pad"(%{{.*}}, %[[PADS]], %[[VALUE]]) -> ["c"] with {mode = "constant"} : {{.*}} -> tensor<2x3x6xf32>
    %c = onnx.node "Pad" opset 9 "pad"(%b) -> ["c"] with {mode = "constant", pads = array<i64: 0, 0, 1, 0, 0, 1>, value = 2.0 : f32} : (!onnx.unknown) -> !onnx.unknown
    // CHECK: onnx.constant "d/starts" = dense<1> : tensor<1xi64>
    // CHECK: onnx.constant "d/ends" = dense<5> : tensor<1xi64>
    // CHECK: onnx.constant "d/axes" = dense<2> : tensor<1xi64>
    // CHECK: onnx.node "Slice" opset 10 "slice"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) -> ["d"] : {{.*}} -> tensor<2x3x4xf32>
    %d = onnx.node "Slice" opset 9 "slice"(%c) -> ["d"] with {axes = array<i64: 2>, ends = array<i64: 5>, starts = array<i64: 1>} : (!onnx.unknown) -> !onnx.unknown
    // CHECK: onnx.node "ReduceMean" opset 18 "mean"(%{{.*}}, %{{.*}}) -> ["e"] with {keepdims = 0 : i64} : {{.*}} -> tensor<2x4xf32>
    %e = onnx.node "ReduceMean" opset 9 "mean"(%d) -> ["e"] with {axes = array<i64: 1>, keepdims = 0 : i64} : (!onnx.unknown) -> !onnx.unknown
    // CHECK: onnx.node "Unsqueeze" opset 13 "wide"(%{{.*}}, %{{.*}}) -> ["f"] : {{.*}} -> tensor<1x2x4x1xf32>
    %f = onnx.node "Unsqueeze" opset 9 "wide"(%e) -> ["f"] with {axes = array<i64: 0, 3>} : (!onnx.unknown) -> !onnx.unknown
    // CHECK: onnx.node "Dropout" opset 12 "drop"(%{{.*}}, %{{.*}}) -> ["g"] :
    %g = onnx.node "Dropout" opset 9 "drop"(%f) -> ["g"] with {ratio = 0.5 : f32} : (!onnx.unknown) -> !onnx.unknown
    // CHECK: onnx.node "Split" opset 13 "split"(%{{.*}}, %{{.*}}) -> ["h", "i"] with {axis = 1 : i64} : {{.*}} -> (tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>)
    %h, %i = onnx.node "Split" opset 9 "split"(%g) -> ["h", "i"] with {axis = 1 : i64, split = array<i64: 1, 1>} : (!onnx.unknown) -> (!onnx.unknown, !onnx.unknown)
    // CHECK: onnx.constant "j/k" = dense<3> : tensor<1xi64>
    // CHECK: onnx.node "TopK" opset 10 "top3"(%{{.*}}, %{{.*}}) -> ["j", "k"] with {axis = 2 : i64}
    %j, %k = onnx.node "TopK" opset 9 "top3"(%h) -> ["j", "k"] with {axis = 2 : i64, k = 3 : i64} : (!onnx.unknown) -> (!onnx.unknown, !onnx.unknown)
    onnx.yield %i, %j, %k : !onnx.unknown, !onnx.unknown, !onnx.unknown as ["i", "j", "k"] [tensor<1x1x4x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xi64>]
  }
}

// -----

// CHECK-LABEL: name = "meaning"
module attributes {onnx.model = {ir_version = 4 : i64, opsets = {ai.onnx = 9 : i64}}} {
  onnx.graph <name = "meaning", inputs = ["x", "n"]> {
  ^bb0(%x: tensor<2x3x4xf32>, %n: tensor<?x5xf32, #onnx.dims<["batch", ""]>>):
    // Over the last axis it meant the same.
    // CHECK: onnx.node "Softmax" opset 13 "last"(%n) -> ["a"] with {axis = -1 : i64} : {{.*}} -> tensor<?x5xf32, #onnx.dims<["batch", ""]>>
    %a = onnx.node "Softmax" opset 9 "last"(%n) -> ["a"] : (tensor<?x5xf32, #onnx.dims<["batch", ""]>>) -> !onnx.unknown
    // CHECK: %[[ROWS:.*]] = onnx.node "Flatten" opset 13 "wide/rows"(%x) -> ["b/rows"] with {axis = 1 : i64} : {{.*}} -> tensor<2x12xf32>
    // CHECK: %[[SHAPE:.*]] = onnx.constant "b/shape" = dense<[2, 3, 4]> : tensor<3xi64>
    // CHECK: %[[FLAT:.*]] = onnx.node "LogSoftmax" opset 13 "wide"(%[[ROWS]]) -> ["b/flat"] with {axis = -1 : i64} : {{.*}} -> tensor<2x12xf32>
    // CHECK: onnx.node "Reshape" opset 14 "wide/back"(%[[FLAT]], %[[SHAPE]]) -> ["b"] with {allowzero = 1 : i64} : {{.*}} -> tensor<2x3x4xf32>
    %b = onnx.node "LogSoftmax" opset 9 "wide"(%x) -> ["b"] with {axis = 1 : i64} : (tensor<2x3x4xf32>) -> !onnx.unknown
    // CHECK: onnx.node "Resize" opset 11 "up"(%{{.*}}, %{{.*}}, %scales) -> ["c"] with {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor"} : {{.*}} -> tensor<2x6x8xf32>
    %scales = onnx.constant "scales" = dense<[1.0, 2.0, 2.0]> : tensor<3xf32>
    %c = onnx.node "Upsample" opset 9 "up"(%b, %scales) -> ["c"] with {mode = "nearest"} : (!onnx.unknown, tensor<3xf32>) -> !onnx.unknown
    onnx.yield %a, %c : !onnx.unknown, !onnx.unknown as ["a", "c"] [tensor<?x5xf32>, tensor<2x6x8xf32>]
  }
}

// -----

// CHECK-LABEL: name = "first"
module attributes {onnx.model = {ir_version = 3 : i64, opsets = {ai.onnx = 1 : i64}}} {
  onnx.graph <name = "first", inputs = ["x", "b"]> {
  ^bb0(%x: tensor<2x3x4xf32>, %b: tensor<3xf32>):
    // CHECK: %[[AXES:.*]] = onnx.constant "s/axes" = dense<1> : tensor<1xi64>
    // CHECK: %[[WIDE:.*]] = onnx.node "Unsqueeze" opset 13 "add/aligned"(%b, %[[AXES]]) -> ["s/aligned"] : {{.*}} -> tensor<3x1xf32>
    // CHECK: onnx.node "Add" opset 7 "add"(%x, %[[WIDE]]) -> ["s"] :
    %s = onnx.node "Add" opset 1 "add"(%x, %b) -> ["s"] with {axis = 1 : i64, broadcast = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
    // CHECK: onnx.node "Reshape" opset 5 "flat"(%{{.*}}, %{{.*}}) -> ["t"] :
    %t = onnx.node "Reshape" opset 1 "flat"(%s) -> ["t"] with {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
    // CHECK: onnx.node "Cast" opset 6 "cast"(%{{.*}}) -> ["u"] with {to = 7 : i64} :
    %u = onnx.node "Cast" opset 1 "cast"(%t) -> ["u"] with {to = "INT64"} : (tensor<6x4xf32>) -> tensor<6x4xi64>
    onnx.yield %u : tensor<6x4xi64> as ["u"] [tensor<6x4xi64>]
  }
}

// -----

// The result's shape is a computation: known where the input's is.
// CHECK-LABEL: name = "shapes"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 17 : i64}}} {
  onnx.graph <name = "shapes", inputs = ["x"]> {
  ^bb0(%x: tensor<2x3x4xf32>):
    // CHECK-NOT: Shape
    // CHECK: %[[TO:.*]] = onnx.constant "to/value" = dense<[3, -1]> : tensor<2xi64>
    // CHECK-NEXT: onnx.node "Reshape" opset 17 "reshape"(%x, %[[TO]]) -> ["y"] : {{.*}} -> tensor<3x8xf32>
    %shape = onnx.node "Shape" opset 17 "shape"(%x) -> ["shape"] : (tensor<2x3x4xf32>) -> !onnx.unknown
    %one = onnx.node "Constant" opset 17 "one"() -> ["one"] with {value_ints = array<i64: 1>} : () -> !onnx.unknown
    %minus = onnx.constant "minus" = dense<-1> : tensor<1xi64>
    %dim = onnx.node "Gather" opset 17 "gather"(%shape, %one) -> ["dim"] : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
    %to = onnx.node "Concat" opset 17 "concat"(%dim, %minus) -> ["to"] with {axis = 0 : i64} : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
    %y = onnx.node "Reshape" opset 17 "reshape"(%x, %to) -> ["y"] : (tensor<2x3x4xf32>, !onnx.unknown) -> !onnx.unknown
    onnx.yield %y : !onnx.unknown as ["y"] [tensor<*xf32>]
  }
}

// -----

// A call in a call, with the caller's attribute and a default, and a result that
// is an argument.
// CHECK-NOT: onnx.function
// CHECK-LABEL: name = "calls"
module attributes {onnx.model = {ir_version = 8 : i64, opsets = {ai.onnx = 17 : i64, local = 1 : i64}}} {
  onnx.function "inner" of "local" "" <name = "inner", inputs = ["a"]> opsets {ai.onnx = 16 : i64} required [] defaults {slope = 5.000000e-01 : f32} {
  ^bb0(%a: !onnx.unknown):
    %b = onnx.node "LeakyRelu" opset 16 "leaky"(%a) -> ["b"] with {alpha = #onnx.ref<float, "slope">} : (!onnx.unknown) -> !onnx.unknown
    onnx.yield %b : !onnx.unknown as ["b"] [!onnx.unknown]
  }
  onnx.function "outer" of "local" "" <name = "outer", inputs = ["p", "q"]> opsets {ai.onnx = 17 : i64, local = 1 : i64} required ["slope"] defaults {} {
  ^bb0(%p: !onnx.unknown, %q: !onnx.unknown):
    %r = onnx.node "inner" of "local" opset 1 "one"(%p) -> ["r"] with {slope = #onnx.ref<float, "slope">} : (!onnx.unknown) -> !onnx.unknown
    %s = onnx.node "inner" of "local" opset 1 "two"(%r) -> ["s"] : (!onnx.unknown) -> !onnx.unknown
    onnx.yield %s, %p : !onnx.unknown, !onnx.unknown as ["s", "p"] [!onnx.unknown, !onnx.unknown]
  }
  onnx.graph <name = "calls", inputs = ["x"]> {
  ^bb0(%x: tensor<2xf32>):
    // CHECK: %[[R:.*]] = onnx.node "LeakyRelu" opset 16 "call/one/leaky"(%x) -> ["call/r"] with {alpha = 2.500000e-01 : f32} : {{.*}} -> tensor<2xf32>
    // CHECK: %[[Y:.*]] = onnx.node "LeakyRelu" opset 16 "call/two/leaky"(%[[R]]) -> ["y"] with {alpha = 5.000000e-01 : f32}
    // CHECK: onnx.yield %[[Y]], %x : tensor<2xf32>, tensor<2xf32> as ["y", "z"]
    %y, %z = onnx.node "outer" of "local" opset 1 "call"(%x) -> ["y", "z"] with {slope = 2.500000e-01 : f32} : (tensor<2xf32>) -> (!onnx.unknown, !onnx.unknown)
    onnx.yield %y, %z : !onnx.unknown, !onnx.unknown as ["y", "z"] [tensor<2xf32>, tensor<2xf32>]
  }
}

// -----

// What the library's own definitions infer nothing of.
// CHECK-LABEL: name = "inferred"
module attributes {onnx.model = {ir_version = 4 : i64, opsets = {ai.onnx = 14 : i64}}} {
  onnx.graph <name = "inferred", inputs = ["x", "y", "c"]> {
  ^bb0(%x: tensor<2x3x4xf32>, %y: tensor<?x1xf32, #onnx.dims<["n", ""]>>, %c: tensor<3xi1>):
    // CHECK: "MeanVarianceNormalization" {{.*}} -> tensor<2x3x4xf32>
    %a = onnx.node "MeanVarianceNormalization" opset 14 "mvn"(%x) -> ["a"] : (tensor<2x3x4xf32>) -> !onnx.unknown
    // CHECK: "LessOrEqual" {{.*}} -> tensor<2x3x4xi1>
    %b = onnx.node "LessOrEqual" opset 14 "less"(%a, %y) -> ["b"] : (!onnx.unknown, tensor<?x1xf32, #onnx.dims<["n", ""]>>) -> !onnx.unknown
    // CHECK: "Compress" {{.*}} -> tensor<2x?x4xf32>
    %d = onnx.node "Compress" opset 14 "middle"(%a, %c) -> ["d"] with {axis = -2 : i64} : (!onnx.unknown, tensor<3xi1>) -> !onnx.unknown
    // CHECK: "Compress" {{.*}} -> tensor<?xf32>
    %e = onnx.node "Compress" opset 14 "flat"(%a, %c) -> ["e"] : (!onnx.unknown, tensor<3xi1>) -> !onnx.unknown
    onnx.yield %b, %d, %e : !onnx.unknown, !onnx.unknown, !onnx.unknown as ["b", "d", "e"] [tensor<2x3x4xi1>, tensor<2x?x4xf32>, tensor<?xf32>]
  }
}

// -----
// A Reshape to a shape that is computed has as many dimensions as that has
// elements, so that what hangs on the rank behind it finds its newest form.
// CHECK-LABEL: name = "rank"
module attributes {onnx.model = {ir_version = 4 : i64, opsets = {ai.onnx = 11 : i64}}} {
  onnx.graph <name = "rank", inputs = ["x", "shape"]> {
  ^bb0(%x: tensor<2x6xf32>, %shape: tensor<2xi64>):
    // CHECK: "Reshape" opset 11 {{.*}} -> tensor<?x?xf32>
    %r = onnx.node "Reshape" opset 11 "reshape"(%x, %shape) -> ["r"] : (tensor<2x6xf32>, tensor<2xi64>) -> !onnx.unknown
    // CHECK: "Softmax" opset 13 {{.*}} -> tensor<?x?xf32>
    %y = onnx.node "Softmax" opset 11 "softmax"(%r) -> ["y"] with {axis = 1 : i64} : (!onnx.unknown) -> !onnx.unknown
    onnx.yield %y : !onnx.unknown as ["y"] [!onnx.unknown]
  }
}

// -----
// What a Loop carries has as many dimensions in the body and behind the loop as
// in front of it; its extents may change.
// CHECK-LABEL: name = "carried"
module attributes {onnx.model = {ir_version = 10 : i64, opsets = {ai.onnx = 16 : i64}}} {
  onnx.graph <name = "carried", inputs = ["n", "c", "x"]> {
  ^bb0(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<2x6xf32>):
    // CHECK: "Loop"
    // CHECK: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i1>, %{{.*}}: tensor<?x?xf32>):
    // CHECK: "Concat" {{.*}} -> tensor<?x?xf32>
    // CHECK: } : (tensor<i64>, tensor<i1>, tensor<2x6xf32>) -> tensor<?x?xf32>
    %y = onnx.node "Loop" opset 16 "loop"(%n, %c, %x) -> ["y"] graph #onnx.graph<attribute = "body", name = "body", inputs = ["i", "keeps", "a"]> {
    ^bb0(%i: tensor<i64>, %keeps: tensor<i1>, %a: !onnx.unknown):
      %next = onnx.node "Concat" opset 13 "wider"(%a, %a) -> ["next"] with {axis = 0 : i64} : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
      onnx.yield %keeps, %next : tensor<i1>, !onnx.unknown as ["keeps", "next"] [tensor<i1>, !onnx.unknown]
    } : (tensor<i64>, tensor<i1>, tensor<2x6xf32>) -> !onnx.unknown
    onnx.yield %y : !onnx.unknown as ["y"] [!onnx.unknown]
  }
}
