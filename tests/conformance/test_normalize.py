# Part of Tenon, under the Apache License v2.0.
"""Normalised models: their types are at least those that the onnx package infers; hostile functions are bounded."""
import glob
import os

import onnx
from onnx import helper
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
