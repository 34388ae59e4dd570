# Part of Tenon, under the Apache License v2.0.
"""Normalised models: their types are at least those that the onnx package infers; hostile functions are bounded."""
import glob
import os

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator
import pytest

from test_read import MODELS, model, round_trip


def extents(kind):
    """Of a tensor's type: the extents, None where open; None where there is no shape. The package takes -1 as an extent."""
    held = kind.tensor_type
    if not held.HasField("shape"):
        return None
    return [d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else None for d in held.shape.dim]


def types(graph):
    return {v.name: v.type for v in [*graph.value_info, *graph.output, *graph.input] if v.type.HasField("tensor_type")}


def says_as_much(ours, theirs):
    if theirs is None:
        return True
    return ours is not None and len(ours) == len(theirs) and all(b is None or a == b for a, b in zip(ours, theirs))


def test_types(tmp_path):
    paths = sorted(os.path.abspath(p) for p in glob.glob(os.path.join(MODELS, "**", "*.onnx"), recursive=True))
    if not paths:
        pytest.skip("../shared/models is not there")
    done = round_trip(tmp_path, paths, "--normalize")
    assert done.returncode == 0, done.stdout + done.stderr
    compared = 0
    for index, path in enumerate(paths):
        theirs = types(onnx.shape_inference.infer_shapes(onnx.load(path), data_prop=True).graph)
        ours = types(onnx.load(tmp_path / str(index) / "written.onnx").graph)
        for name in theirs.keys() & ours.keys():
            assert says_as_much(extents(ours[name]), extents(theirs[name])), f"{path}: {name}"
            compared += extents(theirs[name]) is not None
    assert compared > 5000


def calls(levels):
    """Functions of which each calls the one before it twice."""
    opset = [helper.make_opsetid("local", 1), helper.make_opsetid("", 13)]
    functions = [helper.make_function("local", "f0", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], opset)]
    for level in range(1, levels):
        nodes = [helper.make_node(f"f{level - 1}", [a], [b], domain="local", name=b) for a, b in [("a", "t"), ("t", "b")]]
        functions.append(helper.make_function("local", f"f{level}", ["a"], ["b"], nodes, opset))
    node = helper.make_node(f"f{levels - 1}", ["x"], ["y"], domain="local", name="n")
    return model([node], opsets=(("local", 1), ("", 13)), change=lambda m: m.functions.extend(functions))


def test_functions_expand(tmp_path):
    (tmp_path / "m.onnx").write_bytes(calls(5).SerializeToString())
    assert round_trip(tmp_path, [tmp_path / "m.onnx"], "--normalize").returncode == 0
    written = onnx.load(tmp_path / "0" / "written.onnx")
    assert [n.op_type for n in written.graph.node] == ["Relu"] * 16 and not written.functions


def test_functions_are_bounded(tmp_path):
    (tmp_path / "m.onnx").write_bytes(calls(40).SerializeToString())
    done = round_trip(tmp_path, [tmp_path / "m.onnx"], "--normalize")
    assert done.returncode == 1 and "the functions expand to more than 65536 nodes" in done.stderr


def test_values_have_names_of_their_own(tmp_path):
    """Nodes of one name call functions: one gives its argument, one has bodies; the file has a copy's name."""
    built = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["": 18, "local": 1]>
    g (float[2,3] x, bool c) => (float[2,3] y, float[2,3] z, float[2,3] u, float[2,3] v) {
      a = local.half (x)  b = local.half (a)  t = Neg (b)  y, z = local.both (b)
      u = local.choice (c, x, a)  d = local.choice (c, b, t)  v = Softmax <axis = 0> (d)
    }
    <domain: "local", opset_import: ["": 18]> half (p) => (q) { t = Sigmoid (p)  q = Mul (p, t) }
    <domain: "local", opset_import: ["": 18]> both (p) => (p, q) { q = Relu (p) }
    <domain: "local", opset_import: ["": 18]> choice (c, p, q) => (r) {
      t = Add (p, q)
      r = If (c) <then_branch = g () => (float[2,3] o) { s = Exp (t)  o = Sub (s, p) }, else_branch = h () => (float[2,3] o) { s = Neg (t)  o = Relu (s) }>
    }""")
    for node in built.graph.node:
        node.name = "n"
    built.graph.node[2].output[0] = built.graph.node[5].input[2] = "n/t"
    onnx.save(built, tmp_path / "m.onnx")
    done = round_trip(tmp_path, [tmp_path / "m.onnx"], "--normalize")
    assert done.returncode == 0, done.stdout + done.stderr
    written = onnx.load(tmp_path / "0" / "written.onnx")
    onnx.checker.check_model(written, full_check=True)
    x = np.random.default_rng(5).standard_normal((2, 3)).astype(np.float32)
    for c in (True, False):
        feeds = {"x": x, "c": np.array(c)}
        for ours, theirs in zip(ReferenceEvaluator(written).run(None, feeds), ReferenceEvaluator(built).run(None, feeds), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)
