# Part of Tenon, under the Apache License v2.0.
"""Operators of integers that onnxruntime has beside ONNX's (QLinearAdd and its like), between QLinearConv: on the accelerator in one launch, bit
for bit the CPU's, and each within a step of onnxruntime's."""
import numpy as np
import onnx
from onnx import helper, numpy_helper
import pytest

from layers import MADE, cut, onnxruntime_tensors
from seeds import of_commit


class Network:
    """A node after the other, all tensors with scales and zero points of their own."""

    def __init__(self, seed, kind, shape):
        self.random, self.kind = np.random.default_rng(seed), np.dtype(kind)
        self.nodes, self.constants, self.shapes, self.parameters = [], [], {"x": list(shape)}, {}
        self.describe("x", 0.05)

    def constant(self, value):
        name = f"c_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def describe(self, name, scale):
        """A tensor with its scale, its zero point near the middle."""
        middle = np.iinfo(self.kind).min + 128
        zero = np.array(middle + self.random.integers(-20, 20), self.kind)
        self.parameters[name] = [self.constant(np.float32(scale)), self.constant(zero)]

    def triple(self, name):
        return [name, *self.parameters[name]]

    def add(self, operator, inputs, shape, scale, domain="com.microsoft", **attributes):
        name = f"{operator}_{len(self.nodes)}"
        self.describe(name, scale)
        at = inputs.index("result")
        inputs = [*inputs[:at], *self.parameters[name], *inputs[at + 1:]]
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, domain=domain, **attributes))
        self.shapes[name] = shape
        return name

    def convolution(self, x, channels):
        n, inputs, h, w = self.shapes[x]
        weights = self.constant(self.random.integers(-127, 128, (channels, inputs, 1, 1)).astype(np.int8))
        scale = self.constant(np.float32(0.5 / 127 / np.sqrt(inputs)))
        return self.add("QLinearConv", [*self.triple(x), weights, scale, self.constant(np.int8(0)), "result"], [n, channels, h, w], 0.05, domain="")

    def model(self):
        element = helper.np_dtype_to_tensor_dtype(self.kind)
        border = [helper.make_tensor_value_info(name, element, shape) for name, shape in self.shapes.items()]
        graph = helper.make_graph(self.nodes, "integers", border[:1], border[-1:], self.constants, value_info=border[1:-1])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)], ir_version=8)


def two(operator, scale):
    def of(net, x):
        other = net.convolution(x, net.shapes[x][1])
        return net.add(operator, [*net.triple(x), *net.triple(other), "result"], net.shapes[x], scale)
    return of


def one(operator, shape=lambda dims: dims, **attributes):
    def of(net, x):
        return net.add(operator, [*net.triple(x), "result"], shape(net.shapes[x]), 0.04, **attributes)
    return of


def concatenated(net, x):
    other = net.convolution(x, 5)
    n, c, h, w = net.shapes[x]
    return net.add("QLinearConcat", ["result", *net.triple(x), *net.triple(other)], [n, c + 5, h, w], 0.07, axis=1)


def channels_last(net, x):
    """A pool as onnxruntime writes it where it has moved the channels: between transpositions."""
    def moved(x, perm):
        name = f"Transpose_{len(net.nodes)}"
        net.nodes.append(helper.make_node("Transpose", [x], [name], name=name, perm=perm))
        net.shapes[name], net.parameters[name] = [net.shapes[x][i] for i in perm], net.parameters[x]
        return name
    last = moved(x, [0, 2, 3, 1])
    n, h, w, c = net.shapes[last]
    pooled = net.add("QLinearAveragePool", [*net.triple(last), "result"], [n, h - 1, w - 1, c], 0.04, kernel_shape=[2, 2], channels_last=1)
    moved(pooled, [0, 3, 1, 2])
    return pooled


OPERATORS = {
    "QLinearAdd": two("QLinearAdd", 0.09), "QLinearMul": two("QLinearMul", 0.15), "QLinearConcat": concatenated,
    "QLinearLeakyRelu": one("QLinearLeakyRelu", alpha=0.1),
    "QLinearAveragePool": one("QLinearAveragePool", lambda d: [*d[:2], d[2] // 2, d[3] // 2], kernel_shape=[2, 2], strides=[2, 2]),
    "channels last": channels_last,
    "QLinearGlobalAveragePool": one("QLinearGlobalAveragePool", lambda d: [*d[:2], 1, 1]),
    "QLinearReduceMean": one("QLinearReduceMean", lambda d: [*d[:2], 1, 1], axes=[2, 3], keepdims=1),
}
# onnxruntime declares them and has no kernel.
NOT_RUN = {"QLinearReduceMean"}


def between_convolutions(seed, kind, operator):
    net = Network(seed, kind, (1, int(np.random.default_rng(seed).integers(1, 9)), 6, 8))
    node = OPERATORS[operator](net, net.convolution("x", 16))
    net.convolution(net.nodes[-1].output[0], 7)
    return net, node


def write_set(folder, kind, arrays):
    folder.mkdir(exist_ok=True)
    for i, array in enumerate(arrays):
        (folder / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())


def check_layers(tenon, folder, model, x):
    """Each layer by itself, of what onnxruntime makes of the layers before it."""
    theirs = {"x": x, **onnxruntime_tensors(model, {"x": x})}
    layers = cut(model)
    onnx.save(layers, folder / "layers.onnx")
    write_set(folder / "layers", "input", [theirs[value.name] for value in layers.graph.input])
    write_set(folder / "layers", "output", [theirs[value.name.removeprefix(MADE)] for value in layers.graph.output])
    tenon("run", folder / "layers.onnx", "--target=cpu", "--check=none", f"--expect={folder}/layers", "--tolerance=0,1")


def check_placed(tenon, folder, net, node, x):
    onnx.save(net.model(), folder / "model.onnx")
    np.save(folder / "x.npy", x)
    report = tenon.report(folder / "model.onnx", "--target=functional", "--check=cpu", f"--input={folder}/x.npy", "--require=accelerator",
                          *(f"--place={n.name}:accelerator" for n in net.nodes if n.op_type != "Transpose"))
    assert report["checks"]["cpu"]["status"] == "bit-exact"
    assert report["launches"] == 1
    assert any(name.split("/")[0] == node for layer in report["layers"] for name in layer["nodes"])
    assert {layer["placed_on"] for layer in report["layers"]} == {"accelerator"}


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_operator(tenon, tmp_path, operator, kind):
    seed = of_commit()
    print(f"seed {seed}")
    net, node = between_convolutions(seed, kind, operator)
    info = np.iinfo(kind)
    x = net.random.integers(info.min, info.max + 1, net.shapes["x"]).astype(kind)
    check_placed(tenon, tmp_path, net, node, x)
    if operator not in NOT_RUN:
        check_layers(tenon, tmp_path, net.model(), x)
