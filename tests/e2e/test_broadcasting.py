# Part of Tenon, under the Apache License v2.0.
"""Element-wise operators, whole-image reductions and activations in QDQ form between convolutions: on the accelerator, bit for bit the CPU's, and
each within a step of onnxruntime's."""
import random

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import onnxruntime
import pytest

from layers import MADE, cut, onnxruntime_tensors, quantised
from seeds import drawn, of_commit, seeds


class Network:
    """Float nodes one behind the other. quantise() puts QuantizeLinear and DequantizeLinear behind each, with the ranges that one run had."""

    def __init__(self, seed, shape, opset=18):
        self.random, self.numbers, self.opset = random.Random(seed), np.random.default_rng(seed), opset
        self.nodes, self.constants, self.shapes, self.fused = [], {}, {"x": list(shape)}, set()
        self.quantised_constants = {}

    def add(self, kind, inputs, shape, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        self.shapes[name] = list(shape)
        return name

    def constant(self, values, quantised=False):
        name = f"c_{len(self.constants)}"
        values = np.asarray(values)
        self.constants[name] = values.astype(np.float32) if values.dtype.kind == "f" else values
        if quantised:
            self.quantised_constants[name] = None
        return name

    def convolution(self, x, channels, kernel=1):
        n, inputs, h, w = self.shapes[x]
        weights = self.numbers.normal(0, 1 / np.sqrt(inputs * kernel * kernel), (channels, inputs, kernel, kernel))
        bias = self.numbers.normal(0, 0.3, channels)
        names = [self.constant(weights, quantised=True), self.constant(bias)]
        return self.add("Conv", [x, *names], [n, channels, h, w], kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4)

    def model(self, nodes, constants, outputs, kind=TensorProto.FLOAT):
        graph = helper.make_graph(nodes, "broadcasting", [helper.make_tensor_value_info("x", kind, self.shapes["x"])],
                                  [helper.make_tensor_value_info(name, kind, self.shapes[name.removesuffix("/q")]) for name in outputs],
                                  [numpy_helper.from_array(value, name) for name, value in constants.items()])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)

    def seen(self, x):
        """Each tensor of the float network."""
        names = [node.output[0] for node in self.nodes]
        session = onnxruntime.InferenceSession(self.model(self.nodes, self.constants, names).SerializeToString())
        return {"x": x, **dict(zip(names, session.run(None, {"x": x})))}

    def quantise(self):
        x = self.numbers.normal(0, 1, self.shapes["x"]).astype(np.float32)
        seen = self.seen(x)
        constants, nodes, parameters, back = {}, [], {}, {}

        def pair(operator, source, of, result):
            scale, zero = parameters[of]
            constants[f"{of}/s"], constants[f"{of}/z"] = np.float32(scale), zero
            nodes.append(helper.make_node(operator, [source, f"{of}/s", f"{of}/z"], [result], name=result))

        for name, value in self.constants.items():
            if name in self.quantised_constants:
                scale = max(np.abs(value).max() / 127, 1e-6)
                parameters[name] = scale, np.int8(0)
                constants[f"{name}/q"] = np.clip(np.rint(value / scale), -127, 127).astype(np.int8)
                pair("DequantizeLinear", f"{name}/q", name, f"{name}/d")
                back[name] = f"{name}/d"
            else:
                constants[name] = value

        def choose(name):
            low, high = min(0, seen[name].min()), max(0, seen[name].max())
            scale = max(high - low, 1e-3) / 255
            parameters[name] = scale, np.int8(np.clip(np.rint(-low / scale) - 128, -128, 127))

        choose("x")
        pair("DequantizeLinear", "x", "x", "x/d")
        back["x"] = "x/d"
        for node in self.nodes:
            name = node.output[0]
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.input[:] = [back.get(i, i) for i in node.input]
            nodes.append(copy)
            if name in self.fused:
                continue
            choose(name)
            if node.op_type in ("ReduceMax",):
                parameters[name] = parameters[node.input[0]]
            pair("QuantizeLinear", name, name, f"{name}/q")
            pair("DequantizeLinear", f"{name}/q", name, f"{name}/d")
            back[name] = f"{name}/d"
        last = self.nodes[-1].output[0]
        model = self.model(nodes[:-1], constants, [f"{last}/q"], TensorProto.INT8)
        onnx.checker.check_model(model)
        scale, zero = parameters["x"]
        return model, np.clip(np.rint(x / scale) + zero, -128, 127).astype(np.int8)


def per_channel(net, x):
    """Shapes of one value, and of one a channel."""
    c = net.shapes[x][1]
    return net.random.choice([(c, 1, 1), (1, c, 1, 1), (1,), (), (1, 1, 1, 1)])


def constant_operand(net, kind, x, least=-1.0):
    values = net.numbers.uniform(least, 2, per_channel(net, x))
    c = net.constant(np.asarray(values), quantised=values.size > 1 and net.random.random() < 0.5)
    operands = [x, c] if kind == "Div" or net.random.random() < 0.5 else [c, x]
    return net.add(kind, operands, net.shapes[x])


def squeeze(net, x):
    """The mean of the image, and a gate between 0 and 1 made of it."""
    n, c, _, _ = net.shapes[x]
    mean = net.add("ReduceMean", [x, net.constant(np.array(net.random.choice([[2, 3], [-1, -2]])))], [n, c, 1, 1])
    gate = net.convolution(mean, c)
    net.fused.add(gate)
    return net.add("HardSigmoid", [gate], [n, c, 1, 1], alpha=0.2, beta=0.5)


def two_tensors(kind):
    def of(net, x):
        other = net.convolution(x, net.shapes[x][1])
        return net.add(kind, net.random.sample([x, other], 2), net.shapes[x])
    return of


def with_pixel(kind):
    def of(net, x):
        return net.add(kind, net.random.sample([x, squeeze(net, x)], 2), net.shapes[x])
    return of


def activation(kind, **attributes):
    return lambda net, x: net.add(kind, [x], net.shapes[x], **attributes)


# Each puts operators behind a tensor, and how the accelerator names the layers of the last.
OPERATORS = {
    "add constant": (lambda net, x: constant_operand(net, "Add", x), {"requantise"}),
    "sub constant": (lambda net, x: constant_operand(net, "Sub", x), {"requantise"}),
    "mul constant": (lambda net, x: constant_operand(net, "Mul", x), {"depthwise", "requantise"}),
    "div constant": (lambda net, x: constant_operand(net, "Div", x, 0.5), {"depthwise", "requantise"}),
    "add": (two_tensors("Add"), {"addition", "convolution"}),
    "sub": (two_tensors("Sub"), {"addition", "convolution"}),
    "mul": (two_tensors("Mul"), {"multiplication"}),
    "add pixel": (with_pixel("Add"), {"addition"}),
    "sub pixel": (with_pixel("Sub"), {"addition"}),
    "mul pixel": (with_pixel("Mul"), {"multiplication"}),
    "leaky relu": (activation("LeakyRelu", alpha=0.1), {"addition"}),
    "steep relu": (activation("LeakyRelu", alpha=-0.7), {"addition"}),
    "hard sigmoid": (activation("HardSigmoid", alpha=0.3, beta=0.4), {"requantise"}),
    "hard swish": (activation("HardSwish"), {"multiplication"}),
}


def between_convolutions(seed, operator, size=None):
    pick = random.Random(seed)
    n, c, h, w = size or (pick.choice([1, 1, 2]), pick.randint(1, 40), pick.randint(2, 14), pick.randint(2, 14))
    net = Network(seed, (n, pick.randint(1, 20), h, w))
    x = net.convolution("x", c, pick.choice([1, 3]))
    node = OPERATORS[operator][0](net, x)
    net.convolution(node, pick.randint(1, 20))
    return net, node


def reduction(seed, kind, keeps):
    pick = random.Random(seed)
    net = Network(seed, (1, pick.randint(1, 20), pick.randint(2, 12), pick.randint(2, 12)))
    x = net.convolution("x", pick.randint(1, 40))
    n, c, _, _ = net.shapes[x]
    axes = net.constant(np.array([2, 3]))
    node = net.add(kind, [x, axes], [n, c, 1, 1] if keeps else [n, c], keepdims=int(keeps))
    if keeps:
        net.convolution(node, 9)
    else:
        weights = net.constant(net.numbers.normal(0, 1, (c, 9)), quantised=True)
        net.add("MatMul", [node, weights], [n, 9])
    return net, node


def write_set(folder, model, feeds, results):
    folder.mkdir(parents=True)
    for kind, values, of in (("input", model.graph.input, feeds), ("output", model.graph.output, results)):
        for i, value in enumerate(values):
            (folder / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(of[value.name]).SerializeToString())


def check_layers(tenon, tmp_path, model, x):
    """Each layer on the CPU, fed with onnxruntime's inputs, is at most a step from onnxruntime's result."""
    theirs = onnxruntime_tensors(model, {"x": x})
    layers = cut(model)
    feeds = {"x": x, **{name: theirs[name] for name in quantised(model.graph)}}
    results = {value.name: theirs[value.name.removeprefix(MADE)] for value in layers.graph.output}
    onnx.save(layers, tmp_path / "layers.onnx")
    write_set(tmp_path / "layers", layers, feeds, results)
    tenon("run", tmp_path / "layers.onnx", "--target=cpu", "--check=none", f"--expect={tmp_path}/layers",
          f"--output-dir={tmp_path}/out")
    for i, value in enumerate(layers.graph.output):
        got = np.load(tmp_path / f"out/output_{i}.npy").astype(int)
        assert np.abs(got - results[value.name]).max() <= 1, value.name


def check(tenon, tmp_path, net, node, ops, *options):
    model, x = net.quantise()
    onnx.save(model, tmp_path / "model.onnx")
    np.save(tmp_path / "x.npy", x)
    report = tenon.report(tmp_path / "model.onnx", f"--input={tmp_path}/x.npy", "--require=accelerator", *options)
    assert report["checks"]["cpu"]["status"] == "bit-exact"
    placed = [layer for layer in report["layers"] if node in layer["nodes"] or f"{node}/q" in layer["nodes"]]
    assert placed and all(layer["placed_on"] == "accelerator" for layer in placed)
    assert ops & set(placed[-1]["op"].split("+"))
    return report, model, x


@pytest.mark.parametrize("operator", drawn(OPERATORS, len(OPERATORS) // 2))
@pytest.mark.parametrize("seed", seeds(2))
def test_operator(tenon, tmp_path, operator, seed):
    net, node = between_convolutions(seed, operator)
    _, model, x = check(tenon, tmp_path, net, node, OPERATORS[operator][1], "--target=functional", "--check=cpu")
    check_layers(tenon, tmp_path, model, x)


@pytest.mark.parametrize("kind", ["ReduceMean", "ReduceSum", "ReduceMax"])
@pytest.mark.parametrize("keeps", [True, False])
def test_reduction(tenon, tmp_path, kind, keeps):
    net, node = reduction(of_commit() + 2 + keeps, kind, keeps)
    _, model, x = check(tenon, tmp_path, net, node, {"average_pool", "max_pool", "depthwise"}, "--target=functional", "--check=cpu")
    check_layers(tenon, tmp_path, model, x)


@pytest.mark.parametrize("operator, config", [("mul pixel", "pynq"), ("add pixel", "tiny"), ("hard swish", "batch4")])
def test_on_rtl(tenon, tmp_path, operator, config):
    net, node = between_convolutions(7, operator, (2, 20, 5, 7))
    report, *_ = check(tenon, tmp_path, net, node, OPERATORS[operator][1], "--target=rtl", f"--config={config}", "--check=cpu,functional")
    assert report["checks"]["functional"]["status"] == "bit-exact"
