# Part of Tenon, under the Apache License v2.0.
"""Operator cases of the onnx package as 8-bit networks through placement: functional with what the accelerator takes equals the CPU bit
for bit, and onnxruntime within a step.

A case's float tensors are quantised with scales of its own data; the operator stands between DequantizeLinear and QuantizeLinear.
"""
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import cases
import operator_cases
from lowering import TENON, by_onnxruntime, model_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from seeds import LONG, drawn  # noqa: E402

# What 8-bit networks are made of; the rest of them moves elements.
OPERATORS = {"Add", "AveragePool", "BatchNormalization", "Clip", "Concat", "Conv", "ConvTranspose", "DepthToSpace", "Flatten", "Gemm", "GlobalAveragePool",
             "GlobalMaxPool", "HardSigmoid", "HardSwish", "Identity", "LeakyRelu", "MatMul", "MaxPool", "Mul", "Pad", "PRelu", "ReduceMax", "ReduceMean", "Relu", "Reshape",
             "Resize", "Sigmoid", "Slice", "Softmax", "SpaceToDepth", "Split", "Squeeze", "Sub", "Tanh", "Transpose", "Unsqueeze"}
WEIGHTED = {"Conv", "Gemm", "MatMul"}  # their second input is a constant, their third a bias
OPSET = 23  # onnxruntime 1.31 runs it


def arrays(case):
    inputs, outputs = case.data_sets[0]
    return [[numpy_helper.to_array(a) if isinstance(a, TensorProto) else np.asarray(a) for a in each] for each in (inputs, outputs)]


def is_float(array):
    return array.dtype == np.float32 and array.size > 0 and np.isfinite(array).all()


@functools.cache
def chosen():
    missing = cases.missing(operator_cases.NAME)
    result = []
    for case in operator_cases.cases():
        graph = case.model.graph
        if cases.outside(case) or case.name in missing or len(graph.node) != 1 or graph.node[0].op_type not in OPERATORS or graph.node[0].domain:
            continue
        inputs, outputs = arrays(case)
        newest = case.model.opset_import[0].version
        if onnx.defs.get_schema(graph.node[0].op_type, newest).since_version > OPSET or newest < 13:
            continue
        if is_float(inputs[0]) and all(is_float(output) for output in outputs):
            result.append(case)
    return result


def scale_of(array):
    return np.float32(max(np.abs(array).max(), 1e-3) / 127)


def quantised(array, scale):
    return np.clip(np.rint(array / scale), -128, 127).astype(np.int8)


class Quantiser:
    """The 8-bit form of one case: a model and its inputs."""

    def __init__(self, case):
        self.node = onnx.NodeProto()
        self.node.CopyFrom(case.model.graph.node[0])
        self.nodes, self.constants, self.inputs, self.given, self.outputs = [], [], [], {}, []
        inputs, outputs = arrays(case)
        names = dict(zip([value.name for value in case.model.graph.input], inputs))
        for index, name in enumerate(self.node.input):
            if name:
                self.feed(index, name, names[name])
        self.nodes.append(self.node)
        for index, (value, array) in enumerate(zip(case.model.graph.output, outputs)):
            scale, zero = self.constant(f"scale_of_{value.name}", scale_of(array)), self.constant(f"zero_of_{value.name}", np.int8(0))
            self.nodes.append(helper.make_node("QuantizeLinear", [value.name, scale, zero], [f"{value.name}_q"], name=f"quantize_{index}"))
            self.outputs.append(helper.make_tensor_value_info(f"{value.name}_q", TensorProto.INT8, array.shape))
        graph = helper.make_graph(self.nodes, case.name, self.inputs, self.outputs, self.constants)
        opset = min(case.model.opset_import[0].version, OPSET)
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def feed(self, index, name, array):
        if not is_float(array) or (index and self.node.op_type == "Resize"):  # scales are no data
            self.constant(name, array)
            return
        if index == 2 and self.node.op_type in WEIGHTED:
            scale = self.scales[0] * self.scales[1]
            held = self.constant(f"{name}_q", np.rint(array / scale).astype(np.int32))
            self.nodes.append(helper.make_node("DequantizeLinear", [held, self.constant(f"scale_of_{name}", scale)], [name], name=f"dequantize_{index}"))
            return
        scale = scale_of(array)
        self.scales = [*getattr(self, "scales", []), scale]
        if index == 1 and self.node.op_type in WEIGHTED or index and self.node.op_type in ("BatchNormalization", "Clip"):
            self.constant(f"{name}_q", quantised(array, scale))
        else:
            self.inputs.append(helper.make_tensor_value_info(f"{name}_q", TensorProto.INT8, array.shape))
            self.given[f"{name}_q"] = quantised(array, scale)
        self.nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q", self.constant(f"scale_of_{name}", scale), self.constant(f"zero_of_{name}", np.int8(0))],
                                           [name], name=f"dequantize_{index}"))


def run(model, given):
    """The report and the outputs of the functional simulator, checked against the CPU."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        onnx.save(model, path)
        options = []
        for index, (name, array) in enumerate(given.items()):
            np.save(f"{folder}/{index}.npy", array)
            options.append(f"--input={name}={folder}/{index}.npy")
        done = subprocess.run([TENON, "run", path, "--target=functional", "--check=cpu", "--json=-", f"--output-dir={folder}/out", *options],
                              capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout), [np.load(f"{folder}/out/output_{index}.npy") for index in range(len(model.graph.output))]


def wrong(case):
    """None, or what is wrong; and whether something ran on the accelerator."""
    form = Quantiser(case)
    try:
        report, found = run(form.model, form.given)
    except AssertionError as error:
        return str(error).strip().splitlines()[-1], False
    placed = any(layer["placed_on"] == "accelerator" for layer in report["layers"])
    if report["checks"]["cpu"]["status"] == "differs":
        return f"functional differs from the CPU: {report['checks']['cpu']}", placed
    for have, want in zip(found, by_onnxruntime(form.model, form.given), strict=True):
        if have.shape != want.shape or np.abs(have.astype(int) - want.astype(int)).max() > 1:
            return "it is more than a step from onnxruntime", placed
    return None, placed


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the cases' own arithmetic
def test_cases_in_8_bits():
    assert len(chosen()) >= 177, "a tenth of the cases"
    results = cases.run_all(drawn(chosen(), 90), wrong)
    bad = [f"{name}: {reason}" for name, (reason, _) in sorted(results.items()) if reason]
    assert not bad, "\n".join(bad)
    assert sum(placed for _, placed in results.values()) >= (50 if LONG else 12), "hardly anything ran on the accelerator"


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("clamp", ["c = Max (r, low, lower) y = Min (high, c)", "y = Clip (r, low, high)", "y = Clip (r, low)", "y = Min (r, high)"])
def test_clamp_of_integers_is_the_convolutions(kind, clamp):
    """A ReLU after QLinearConv, as quantisers of operators write it: bounds in steps of the quantised type."""
    random = np.random.default_rng(3)
    text = f"main ({kind}[1,4,6,6] x) => ({kind}[1,8,6,6] y) {{ r = QLinearConv <pads = [1, 1, 1, 1]> (x, s, z, w, s, wz, t, z) {clamp} }}"
    zero = np.array(7 if kind == "int8" else 135, kind)
    constants = {"s": np.float32(0.05), "t": np.float32(0.4), "z": zero, "w": random.integers(-20, 20, (8, 4, 3, 3), dtype=np.int8), "wz": np.int8(0), "low": zero,
                 "lower": (zero - np.array(9, kind)).reshape(1, 1), "high": zero + np.array(40, kind)}
    given = {"x": random.integers(np.iinfo(kind).min, np.iinfo(kind).max, (1, 4, 6, 6), dtype=kind, endpoint=True)}
    model = model_of(text, constants={name: value for name, value in constants.items() if name not in ("low", "lower", "high") or name in clamp})
    report, found = run(model, given)
    assert report["checks"]["cpu"]["status"] == "bit-exact" and len(report["layers"]) == 1 and report["layers"][0]["placed_on"] == "accelerator"
    want = by_onnxruntime(model, given)[0]
    assert len(np.unique(want)) > 20
    np.testing.assert_array_equal(found[0], want)


@pytest.mark.parametrize("text", [
    "r = Add (a, b)", "r = Sub (b, a)", "r = Mul (a, b)", "r = Concat <axis = 1> (a, b)", "p = MaxPool <kernel_shape = [2, 2]> (b) q = MaxPool <kernel_shape = [2, 2]> (a) r = Add (p, q)",
    'r = Resize <mode = "linear", coordinate_transformation_mode = "half_pixel"> (b, roi, factors)',
    'r = Resize <mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"> (b, roi, factors)'])
def test_constant_operand(text):
    """Stored as the network has it, beside channels that are blocks of what a convolution makes."""
    random = np.random.default_rng(4)
    model = model_of(f"""main (int8[1,4,6,6] x) => (int8[1,16,6,6] c, int8[1,C,H,W] y) {{
      c = QLinearConv <pads = [1, 1, 1, 1]> (x, s, z, w, ws, wz, s, z)
      a = DequantizeLinear (c, s, z) b = DequantizeLinear (k, s, z) {text} y = QuantizeLinear (r, s, z)
    }}""", opset=19, constants={"s": np.float32(0.05), "z": np.int8(3), "w": random.integers(-20, 20, (16, 4, 3, 3), dtype=np.int8), "ws": np.float32(0.02),
                     "wz": np.int8(0), "k": random.integers(-128, 128, (1, 16, 6, 6), dtype=np.int8), "roi": np.zeros(0, np.float32),
                     "factors": np.float32([1, 1, 2, 2])})
    given = {"x": random.integers(-128, 128, (1, 4, 6, 6), dtype=np.int8)}
    report, found = run(model, given)
    assert report["checks"]["cpu"]["status"] == "bit-exact"
    assert any(layer["placed_on"] == "accelerator" for layer in report["layers"])
    for have, want in zip(found, by_onnxruntime(model, given), strict=True):
        assert len(np.unique(want)) > 50 and np.abs(have.astype(int) - want.astype(int)).max() <= 1
