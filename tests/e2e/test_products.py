# Part of Tenon, under the Apache License v2.0.
"""Products of two activations on the accelerator: any shape, batch, sign and zero points, against numpy and onnxruntime."""
import random

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import onnxruntime
import pytest

from seeds import of_commit


def tensor(name, shape, kind):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape)


def build(form, left, right, shapes, kinds, turned):
    """y = left * right, requantised; the right operand with its last two axes exchanged where it is `turned`."""
    (shape_a, shape_b), (kind_a, kind_b) = shapes, kinds
    (scale_a, zero_a), (scale_b, zero_b) = left, right
    scale_y = scale_a * scale_b * 60 * np.sqrt(shape_a[-1])
    constants = {"sa": np.float32(scale_a), "za": kind_a(zero_a), "sb": np.float32(scale_b), "zb": kind_b(zero_b),
                 "sy": np.float32(scale_y), "zy": np.int8(5)}
    nodes, b = [], "b"
    if turned:
        order = [*range(len(shape_b) - 2), len(shape_b) - 1, len(shape_b) - 2]
        nodes, b = [helper.make_node("Transpose", ["b"], ["t"], perm=order)], "t"
    if form == "qop":
        nodes.append(helper.make_node("QLinearMatMul", ["a", "sa", "za", b, "sb", "zb", "sy", "zy"], ["y"]))
    else:
        nodes += [helper.make_node("DequantizeLinear", ["a", "sa", "za"], ["da"]), helper.make_node("DequantizeLinear", [b, "sb", "zb"], ["db"]),
                  helper.make_node("MatMul", ["da", "db"], ["f"]), helper.make_node("QuantizeLinear", ["f", "sy", "zy"], ["y"])]
    given = shape_b if not turned else (*shape_b[:-2], shape_b[-1], shape_b[-2])
    graph = helper.make_graph(nodes, "product", [tensor("a", shape_a, kind_a), tensor("b", given, kind_b)], [tensor("y", None, np.int8)],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), constants


def exact(a, b, constants):
    """Rounded once, from exact sums."""
    sums = np.matmul(a.astype(np.int64) - constants["za"].astype(np.int64), b.astype(np.int64) - constants["zb"].astype(np.int64))
    ratio = np.float64(constants["sa"]) * np.float64(constants["sb"]) / np.float64(constants["sy"])
    return np.clip(np.rint(sums * ratio) + constants["zy"], -128, 127).astype(np.int8)


def random_case(seed):
    pick = random.Random(seed)

    def size(most):
        """Of a multiple of 16 or not."""
        return pick.choice([pick.randint(1, most), 16 * pick.randint(1, most // 16)])

    rows, depth, columns = size(70), size(90), size(90)
    batch = pick.choice([(), (pick.randint(1, 4),), (pick.randint(1, 3), pick.randint(1, 4))])
    shapes = (*batch, rows, depth), (*(batch if pick.random() < 0.8 else ()), depth, columns)
    kinds = [pick.choice([np.int8, np.int8, np.uint8]) for _ in range(2)]
    zeros = [pick.choice([0, pick.randint(np.iinfo(kind).min, np.iinfo(kind).max)]) for kind in kinds]
    # onnxruntime's QLinearMatMul has not every pair of types.
    form = pick.choice(["qdq", "qop"]) if kinds == [np.int8, np.int8] else "qdq"
    return form, (0.02, zeros[0]), (0.03, zeros[1]), shapes, kinds, pick.random() < 0.5


def check(tenon, tmp_path, case, *options):
    model, constants = build(*case)
    onnx.save(model, tmp_path / "model.onnx")
    numbers = np.random.default_rng(3)
    feeds = {}
    for value, kind in zip(model.graph.input, case[4]):
        limits = np.iinfo(kind)
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        feeds[value.name] = numbers.integers(limits.min, limits.max, shape, endpoint=True).astype(kind)
        np.save(tmp_path / f"{value.name}.npy", feeds[value.name])
    report = tenon.report(tmp_path / "model.onnx", *(f"--input={name}={tmp_path}/{name}.npy" for name in feeds),
                          f"--output-dir={tmp_path}", *options)
    assert report["checks"]["verifier"]["status"] == "verified"
    assert report["checks"]["cpu"]["status"] == "bit-exact"
    assert [layer["op"] for layer in report["layers"] if layer["placed_on"] == "accelerator"] == ["matmul"]
    got = np.load(tmp_path / "output_0.npy")
    b = np.swapaxes(feeds["b"], -1, -2) if case[5] else feeds["b"]
    # A multiplier of 31 bits is not the ratio: what lies half way between two steps may fall on either side.
    differ = got.astype(int) - exact(feeds["a"], b, constants)
    assert np.abs(differ).max() <= 1 and np.mean(differ != 0) < 1e-3
    theirs = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feeds)[0]
    assert np.abs(got.astype(int) - theirs).max() <= 1
    return report


@pytest.mark.parametrize("seed", range(of_commit(), of_commit() + 24))
def test_product(tenon, tmp_path, seed):
    check(tenon, tmp_path, random_case(seed), "--target=functional", "--check=cpu")


@pytest.mark.parametrize("config", ["pynq", "tiny", "wide"])
def test_product_on_rtl(tenon, tmp_path, config):
    """Ragged in every axis, zero points on both sides."""
    case = "qop", (0.02, -77), (0.03, 31), ((3, 21, 37), (3, 37, 45)), (np.int8, np.int8), False
    report = check(tenon, tmp_path, case, "--target=rtl", f"--config={config}")
    assert report["checks"]["functional"]["status"] == "bit-exact"


def test_products_of_attention_reach_their_bound(tenon, tmp_path):
    """8 heads of 64 tokens and 32 channels: transposed keys, as many bytes written as multiplied."""
    case = "qop", (0.02, 0), (0.03, 0), ((1, 8, 64, 32), (1, 8, 32, 64)), (np.int8, np.int8), True
    report = check(tenon, tmp_path, case, "--target=rtl")
    layer, = report["layers"]
    assert layer["cycles"] * 0.75 < layer["bound_cycles"] == 4168


class Network:
    """Quantised nodes one behind the other, each result in 8 bits."""

    def __init__(self, zero, head_scale):
        self.nodes, self.constants, self.zero, self.head_scale = [], {}, zero, head_scale

    def add(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, name, value):
        self.constants[name] = value
        return name

    def quantised(self, name, scale, zero=None):
        numbers = [self.constant(f"{name}/scale", np.float32(scale)), self.constant(f"{name}/zero", np.int8(self.zero if zero is None else zero))]
        self.add("QuantizeLinear", [name, *numbers], f"{name}/q")
        return self.add("DequantizeLinear", [f"{name}/q", *numbers], f"{name}/dq")

    def dense(self, data, name, width):
        weights = np.random.default_rng(len(self.nodes)).integers(-127, 127, (width, width)).astype(np.int8)
        numbers = [self.constant(f"{name}/weights/scale", np.float32(0.01)), self.constant(f"{name}/weights/zero", np.int8(0))]
        self.add("DequantizeLinear", [self.constant(f"{name}/weights", weights), *numbers], f"{name}/weights/dq")
        return self.quantised(self.add("MatMul", [data, f"{name}/weights/dq"], name), 0.25)

    def heads(self, data, name, order):
        self.add("Reshape", [data, "split"], f"{name}/heads")
        return self.quantised(self.add("Transpose", [f"{name}/heads"], f"{name}/turned", perm=order), self.head_scale)


def attention(tokens, heads, depth, zero, head_scale):
    """Attention between dense layers without bias, 0.25 the scale of their results; the heads' results are an output, too."""
    width = heads * depth
    net = Network(zero, head_scale)
    net.constant("split", np.int64([1, tokens, heads, depth]))
    net.constant("merge", np.int64([1, tokens, width]))
    x = net.quantised("x", 0.03)
    queries = net.heads(net.dense(x, "query", width), "query", [0, 2, 1, 3])
    keys = net.heads(net.dense(x, "key", width), "key", [0, 2, 3, 1])
    values = net.heads(net.dense(x, "value", width), "value", [0, 2, 1, 3])
    scores = net.quantised(net.add("MatMul", [queries, keys], "scores"), 8)
    shares = net.quantised(net.add("Softmax", [scores], "shares", axis=-1), 1 / 255, -128)
    mixed = net.quantised(net.add("MatMul", [shares, values], "mixed"), 0.25)
    net.add("Transpose", [mixed], "mixed/turned", perm=[0, 2, 1, 3])
    net.add("Reshape", ["mixed/turned", "merge"], "merged")
    result = net.dense(net.quantised("merged", head_scale), "result", width)
    outputs = [tensor(result, None, np.float32), tensor(mixed, None, np.float32)]
    graph = helper.make_graph(net.nodes, "attention", [tensor("x", [1, tokens, width], np.float32)], outputs,
                              [numpy_helper.from_array(value, name) for name, value in net.constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


@pytest.mark.parametrize("head_scale", [0.25, 0.3])
@pytest.mark.parametrize("tokens, heads, depth, zero, config, launches", [
    (64, 8, 32, 0, "pynq", 2), (50, 4, 16, 7, "pynq", 2), (33, 3, 64, -9, "pynq", 2), (21, 2, 8, 3, "tiny", 2), (40, 2, 32, 5, "wide", 2),
    (1, 8, 32, 4, "pynq", 2),
    # Heads that do not fill blocks are split and merged on the host.
    (50, 4, 24, 7, "pynq", 4),
])
def test_heads_stay_on_the_accelerator(tenon, tmp_path, tokens, heads, depth, zero, config, launches, head_scale):
    """From the projections to the scores in one launch, from the heads' results to the layer behind in another; also where the heads
    have a scale of their own, so that each is a layer."""
    onnx.save(attention(tokens, heads, depth, zero, head_scale), tmp_path / "model.onnx")
    report = tenon.report(tmp_path / "model.onnx", "--target=rtl", f"--config={config}")
    assert report["checks"]["verifier"]["status"] == "verified"
    assert report["checks"]["functional"]["status"] == report["checks"]["cpu"]["status"] == "bit-exact"
    assert report["launches"] == launches
    on_accelerator = [layer for layer in report["layers"] if layer["placed_on"] == "accelerator"]
    assert sum(layer["macs"] for layer in on_accelerator) == 4 * tokens * (heads * depth) ** 2 + 2 * heads * depth * tokens ** 2
