# Part of Tenon, under the Apache License v2.0.
"""What onnxruntime's optimisers would break in a quantised network, which the files are written to keep them from: weights and biases of
products between DequantizeLinear and QuantizeLinear that are to stay in float (WeightBiasQuantization), and INT8 of opset 21 that
moves past a Reshape (QDQPropagation, then QDQS8ToU8)."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import pytest

from seeds import of_commit
from test_quantize import answers, quantize
from test_quantize_hard import noise

RANDOM = np.random.default_rng(of_commit())


def first(*shape, axis):
    """Weights whose first result is 0 whatever is read."""
    values = RANDOM.normal(size=shape)
    values[tuple(0 if i == axis else slice(None) for i in range(len(shape)))] = 0
    return values


def wide(*shape, axis):
    """Weights that are a thousand times as large where they read that: one scale of 8 bits leaves nothing of the others."""
    values = RANDOM.normal(size=shape)
    values[tuple(0 if i == axis else slice(None) for i in range(len(shape)))] *= 1000
    return values


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs, [output], output, **attributes)


def images(*middle, **weights):
    """What is to stay in float between two convolutions."""
    return ([1, 4, 6, 6], [node("Conv", ["x", "u"], "a"), *middle, node("Relu", ["b"], "r"), node("Conv", ["r", "v"], "y")],
            {"u": first(4, 4, 1, 1, axis=0), "v": RANDOM.normal(size=(4, 4, 1, 1)), **weights})


def rows(*middle, **weights):
    """The same between two matrix products."""
    return ([1, 6], [node("MatMul", ["x", "u"], "a"), *middle, node("Relu", ["b"], "r"), node("MatMul", ["r", "v"], "y")],
            {"u": first(6, 6, axis=1), "v": RANDOM.normal(size=(4, 8)), **weights})


BETWEEN = {
    "convolution": images(node("Conv", ["a", "w"], "b"), w=wide(4, 4, 1, 1, axis=1)),
    "transposed convolution": images(node("ConvTranspose", ["a", "w"], "b"), w=wide(4, 4, 1, 1, axis=0)),
    "bias": images(node("Conv", ["a", "w", "c"], "b"), w=wide(4, 4, 1, 1, axis=1), c=RANDOM.normal(size=4)),
    "gemm": rows(node("Gemm", ["a", "w"], "b"), w=wide(6, 4, axis=0)),
    "sum": rows(node("MatMul", ["a", "w"], "p"), node("Add", ["p", "c"], "b"), w=wide(6, 4, axis=0), c=RANDOM.normal(size=4)),
    "reshape": rows(node("Reshape", ["a", "shape"], "s"), node("Gemm", ["s", "w"], "b"), w=wide(6, 4, axis=0), shape=[1, 6]),
}


def written(path, shape, nodes, constants):
    held = [numpy_helper.from_array(np.asarray(of, np.int64 if name == "shape" else np.float32), name) for name, of in constants.items()]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], held)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), path)
    values = RANDOM.normal(size=(32, *shape[1:])).astype(np.float32)
    np.savez(path.with_suffix(".npz"), x=values)
    return values


def agree(path, values):
    """onnxruntime with its optimisations and without."""
    results = [answers(path, values, optimised) for optimised in (False, True)]
    return (results[0] != 0).any() and (np.array_equal(*results) or noise(*results) > 40)


@pytest.mark.parametrize("name", BETWEEN)
def test_floats_stay_floats(tenon, tmp_path, name):
    path, quantised = tmp_path / "model.onnx", tmp_path / "q.onnx"
    shape, nodes, constants = BETWEEN[name]
    values = written(path, shape, nodes, constants)
    quantize(tenon, path, path.with_suffix(".npz"), quantised,
             *[f"--keep-float={of}" for of in (["p"] if name == "sum" else ["b", "s"] if name == "reshape" else ["b"])])
    weights = [of.data_type for of in onnx.load(quantised).graph.initializer if len(of.dims) > 1]
    assert sorted(weights) == [TensorProto.FLOAT, TensorProto.INT8, TensorProto.INT8]
    assert agree(quantised, values) and noise(answers(path, values), answers(quantised, values)) > 20


@pytest.mark.parametrize("kind", ["Conv", "Gemm"])
def test_biases_of_16_bits_stay_floats(tenon, tmp_path, kind):
    """A bias that has more than 2^31 steps of the sums of 16 bits by 8."""
    middle = [node(kind, ["a", "w", "c"], "b")]
    if kind == "Conv":
        shape, nodes, constants = images(*middle, w=RANDOM.normal(size=(4, 4, 1, 1)) * 1e-5, c=[3, -2, 1, 4])
    else:
        shape, nodes, constants = rows(*middle, w=RANDOM.normal(size=(6, 4)) * 1e-5, c=[3, -2, 1, 4])
    values = written(tmp_path / "model.onnx", shape, nodes, constants)
    quantize(tenon, tmp_path / "model.onnx", tmp_path / "model.npz", tmp_path / "q.onnx", "--activations=int16")
    real, ours = (answers(tmp_path / name, values) for name in ("model.onnx", "q.onnx"))
    assert agree(tmp_path / "q.onnx", values) and noise(real, ours) > 30


@pytest.mark.parametrize("behind", [None, node("Transpose", ["s"], "t", perm=[0, 2, 1]), node("Reshape", ["s", "shape"], "t")],
                         ids=["sum", "transpose", "reshape"])
def test_opset_21_is_read(tenon, tmp_path, behind):
    """A product of three axes with a sum, which becomes a Gemm between two Reshapes there; and what moves elements in float."""
    nodes = [node("MatMul", ["x", "u"], "p"), node("Add", ["p", "c"], "s")]
    nodes += [behind, node("Softmax", ["t"], "y")] if behind else [node("Relu", ["s"], "r"), node("MatMul", ["r", "v"], "y")]
    values = written(tmp_path / "model.onnx", [1, 4, 6], nodes, {"u": RANDOM.normal(size=(6, 5)), "c": RANDOM.normal(size=5),
                                                                 "v": RANDOM.normal(size=(5, 3)), "shape": [1, 2, 10]})
    quantize(tenon, tmp_path / "model.onnx", tmp_path / "model.npz", tmp_path / "q.onnx", "--weights=int4", "--group=0",
             *["--keep-float=t"] * (behind is not None))
    assert onnx.load(tmp_path / "q.onnx").opset_import[0].version == 21
    assert agree(tmp_path / "q.onnx", values) and noise(answers(tmp_path / "model.onnx", values), answers(tmp_path / "q.onnx", values)) > 8
    run = tenon.report(tmp_path / "q.onnx", "--target=functional", "--check=cpu", f"--inputs={tmp_path}/model.npz")
    assert run["checks"]["cpu"]["status"] == "bit-exact" and run["launches"] == 1
