# Part of Tenon, under the Apache License v2.0.
"""A node that differs in the body of another is found there."""
import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import network
from reduce import reduced

LOOP = """<ir_version: 10, opset_import: ["": 20]> g (float[2,3] x) => (float[?,?] y) <int64 n = {4}, bool go = {1}> {
  shifted = Neg(x)
  y = Loop (n, go, shifted) <body = b (int64 i, bool c, float[2,3] s) => (bool d, float[2,3] t) {
    d = Identity(c)
    u = Sin(s)
    t = Tanh(u)
  }>
}"""
SCAN = """<ir_version: 10, opset_import: ["": 20]> g (float[3] x, float[2,3] rows) => (float[?] y, float[?,?] z) {
  y, z = Scan <num_scan_inputs = 1, body = b (float[3] s, float[3] row) => (float[3] t, float[3] o) {
    u = Sin(row)
    t = Add(s, u)
    o = Neg(t)
  }> (x, rows)
}"""
IF = """<ir_version: 10, opset_import: ["": 20]> g (bool c, float[3] x) => (float[?] y) {
  y = If (c) <then_branch = a () => (float[3] t) { t = Neg(x) }, else_branch = b () => (float[3] e) { u = Abs(x) e = Sin(u) }>
}"""
X = np.float32([1, 2, 3])
ROWS = np.float32([[4, 5, 6], [7, 8, 9]])


@pytest.mark.parametrize("text, inputs, given", [
    (LOOP, {"x": np.stack([X, X + 1])}, -np.stack([X, X + 1])),
    (SCAN, {"x": X, "rows": ROWS}, ROWS[0]),
    (IF, {"c": np.array(True), "x": X}, X),  # of the branch that is not taken, too
])
def test_a_node_of_a_body_is_found(tmp_path, text, inputs, given):
    onnx.save(onnx.parser.parse_model(text), tmp_path / "model.onnx")
    for index, (name, array) in enumerate(inputs.items()):
        (tmp_path / f"input_{index}.pb").write_bytes(numpy_helper.from_array(array, name).SerializeToString())

    def holds_a_sine(net):
        return "Sin (" in onnx.printer.to_text(net.model())
    small = reduced(network.load(tmp_path), holds_a_sine)
    assert [node.op_type for node in small.nodes] == ["Sin"]
    assert small.inputs == list(small.nodes[0].input)
    onnx.checker.check_model(small.model(), full_check=True)
    np.testing.assert_array_equal(small.feeds()[small.inputs[0]], given)
    np.testing.assert_allclose(small.expected(small.outputs[0]), np.sin(given), rtol=1e-6)
