#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Writes the small graphs of this folder with onnxruntime's outputs, and the inner
tensors of whole networks.

    generate.py graphs                 every graph, into graphs/NAME/
    generate.py inner MODELS NAME...   MODELS/NAME/model.onnx to inner/NAME.npz

onnxruntime runs with graph optimisations off.  Every value that is quantised lies
well away from a tie between two integers: so the outputs are exact, whatever the
rounding mode and the order of float additions.  Values of inputs and weights are
distinct as far as 8 bits allow.  The same bytes come out every time.
"""
import os
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from common import HERE

OPSET = 13
# Distance from a tie, in steps of the quantised type.  An addition's multipliers
# have 21 bits, which is 1e-4 of a step.
MARGIN = 5e-4


def distinct(rng, shape, dtype):
    """Random order of every value of the type, repeated as needed."""
    info = np.iinfo(dtype)
    values = np.resize(np.arange(info.min, info.max + 1), int(np.prod(shape)))
    return rng.permutation(values).astype(dtype).reshape(shape)


def run(model, feeds, outputs=None):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(outputs, feeds)


class NearTie(Exception):
    """This seed's data come too near to a tie."""


class Graph:
    """A graph that grows node by node, with one input and its values."""

    def __init__(self, seed, shape, dtype, scale, zero):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.constants = [], []
        self.input = distinct(self.rng, shape, dtype)
        self.last = ("x", scale, zero)
        self.count = 0

    def constant(self, value, stem="c"):
        name = f"{stem}_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, inputs, **attributes):
        name = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def model(self, output, dtype):
        element = {np.int8: TensorProto.INT8, np.uint8: TensorProto.UINT8, np.float32: TensorProto.FLOAT}
        info = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes, "graph", [info("x", element[self.input.dtype.type], self.input.shape)],
            [info(output, element[dtype], None)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model)

    def value(self, name, dtype=np.float32):
        return run(self.model(name, dtype), {"x": self.input})[0]

    def scale_of(self, real, zero, dtype, spread):
        """A scale with which the reals take `spread` of the type's range."""
        info = np.iinfo(dtype)
        room = max(abs(real.min()) / (zero - info.min + 0.5) if zero > info.min else 0,
                   abs(real.max()) / (info.max - zero + 0.5))
        return np.float32(room / spread)

    def check_ties(self, real, scale):
        steps = real.astype(np.float64) / np.float64(scale)
        if (np.abs(np.abs(steps - np.floor(steps)) - 0.5) < MARGIN).any():
            raise NearTie

    def dequantize(self, quantized):
        name, scale, zero = quantized
        return self.node("DequantizeLinear", [name, self.constant(np.float32(scale), "scale"), self.constant(zero, "zero")])

    def quantize(self, name, zero, spread=0.9, scale=None):
        """Name, scale and zero point of the quantised tensor."""
        real = self.value(name)
        scale = scale or self.scale_of(real, int(zero), zero.dtype.type, spread)
        self.check_ties(real, scale)
        out = self.node("QuantizeLinear", [name, self.constant(np.float32(scale), "scale"), self.constant(zero, "zero")])
        self.last = (out, scale, zero)
        return self.last

    def weights(self, shape, dtype, zero, per_channel):
        """Integers, scales, zero points."""
        w = distinct(self.rng, shape, dtype)
        scale = self.rng.uniform(0.001, 0.02, shape[0] if per_channel else ()).astype(np.float32)
        zeros = np.full(scale.shape, zero, dtype)
        return w, scale, zeros

    def bias(self, channels):
        return self.rng.permutation(np.arange(channels) * 997 - channels * 401).astype(np.int32)

    def conv(self, source, channels, kernel, w_dtype=np.int8, w_zero=0, per_channel=True, group=1, zeros=None, **attributes):
        """Float result of a QDQ convolution."""
        in_channels = self.value(source[0], self.input.dtype.type).shape[1] if source[0] != "x" else self.input.shape[1]
        w, scale, wz = self.weights((channels, in_channels // group, *kernel), w_dtype, w_zero, per_channel)
        if zeros is not None:
            wz = zeros
        axis = {"axis": 0} if per_channel else {}
        dw = self.node("DequantizeLinear", [self.constant(w, "w"), self.constant(scale, "ws"), self.constant(wz, "wz")], **axis)
        db = self.node("DequantizeLinear", [self.constant(self.bias(channels), "b"),
                                            self.constant((scale * np.float32(source[1])).astype(np.float32), "bs")], **axis)
        return self.node("Conv", [self.dequantize(source), dw, db], kernel_shape=kernel, group=group, **attributes)


def as_qlinear(graph, quantized):
    """The same convolution as one QLinearConv: the QDQ nodes are folded."""
    producer = {n.output[0]: n for n in graph.nodes}
    quantize = producer[quantized[0]]
    conv = producer[quantize.input[0]]
    x, w, b = (producer[i] for i in conv.input)
    attributes = {a.name: helper.get_attribute_value(a) for a in conv.attribute}
    folded = helper.make_node("QLinearConv", [*x.input, *w.input, *quantize.input[1:], b.input[0]], quantize.output,
                              name="qlinearconv_0", **attributes)
    used = set(folded.input)
    graph.nodes = [folded]
    graph.constants = [c for c in graph.constants if c.name in used]


def relu_binds(seed, form):
    g = Graph(seed, (1, 16, 7, 6), np.int8, 0.05, np.int8(-3))
    if form == "qdq":
        y = g.node("Relu", [g.conv(g.last, 20, (3, 3), pads=[1, 1, 1, 1])])
        return g, g.quantize(y, np.int8(-37))
    middle = g.quantize(g.conv(g.last, 20, (3, 3), pads=[1, 1, 1, 1]), np.int8(5))
    as_qlinear(g, middle)
    return g, g.quantize(g.node("Relu", [g.dequantize(middle)]), np.int8(-37))


def clip_binds(seed, form):
    g = Graph(seed, (1, 12, 6, 7), np.uint8, 0.03, np.uint8(131))
    y = g.conv(g.last, 16, (3, 3), pads=[1, 1, 1, 1])
    real = g.value(y)
    low, high = np.float32(real.min() * 0.4), np.float32(real.max() * 0.5)
    scale = g.scale_of(real, 113, np.uint8, 0.9)
    g.check_ties(np.array([low, high]), scale)
    y = g.node("Clip", [y, g.constant(low), g.constant(high)])
    return g, g.quantize(y, np.uint8(113), scale=scale)


def max_pool(seed, form):
    g = Graph(seed, (1, 20, 9, 8), np.int8, 0.05, np.int8(11))
    window = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 0]}
    if form == "qop":
        return g, (g.node("MaxPool", ["x"], **window), 0.05, np.int8(11))
    y = g.node("MaxPool", [g.dequantize(g.last)], **window)
    return g, g.quantize(y, np.int8(11), scale=np.float32(0.05))


def average_pool(seed, form, scale=None, **window):
    g = Graph(seed, (1, 20, 7, 9), np.int8, 0.05, np.int8(-9))
    y = g.node("AveragePool", [g.dequantize(g.last)], kernel_shape=[3, 3], **window)
    return g, g.quantize(y, np.int8(17 if scale else -9), scale=np.float32(scale or 0.05))


def average_pool_padded(seed, form):
    # Windows of 1, 3 and 9 elements: an even number would tie often.
    return average_pool(seed, form, pads=[2, 2, 2, 2], strides=[2, 2])


def average_pool_counted(seed, form):
    return average_pool(seed, form, 0.021, pads=[1, 0, 1, 1], count_include_pad=1)


def average_pool_rescaled(seed, form):
    return average_pool(seed, form, 0.017, strides=[2, 1])


def depthwise_multiplier(seed, form):
    g = Graph(seed, (1, 10, 8, 7), np.int8, 0.04, np.int8(-21))
    y = g.quantize(g.conv(g.last, 20, (3, 3), group=10, pads=[1, 1, 1, 1], strides=[1, 1]), np.int8(7))
    if form == "qop":
        as_qlinear(g, y)
    return g, y


def groups(seed, form):
    """Three groups of 12 channels, then six a group: blocks of channels hold parts of them."""
    g = Graph(seed, (1, 36, 7, 6), np.int8, 0.04, np.int8(-21))
    y = g.quantize(g.conv(g.last, 30, (3, 3), group=3, pads=[1, 1, 1, 1], strides=[1, 1]), np.int8(7))
    if form == "qop":
        as_qlinear(g, y)
        return g, y
    return g, g.quantize(g.conv(y, 60, (2, 3), group=15, pads=[0, 1, 1, 1], strides=[2, 1]), np.int8(-3))


def groups_of_concat(seed, form):
    """Each group lies within one part of a concatenation."""
    g = Graph(seed, (1, 16, 5, 6), np.int8, 0.05, np.int8(4))
    x = g.last
    a = g.quantize(g.conv(x, 32, (1, 1)), np.int8(-19))
    b = g.quantize(g.conv(x, 32, (1, 1)), np.int8(-19), scale=np.float32(a[1]))
    y = g.quantize(g.node("Concat", [g.dequantize(a), g.dequantize(b)], axis=1), np.int8(-19), scale=np.float32(a[1]))
    return g, g.quantize(g.conv(y, 40, (3, 3), group=4, pads=[1, 1, 1, 1]), np.int8(3))


def depthwise_point_padded(seed, form):
    g = Graph(seed, (1, 24, 6, 5), np.int8, 0.04, np.int8(-21))
    return g, g.quantize(g.conv(g.last, 24, (1, 1), group=24, pads=[1, 0, 2, 1]), np.int8(7))


def one_dimension(seed, form):
    """No rows: a convolution, one of each channel, in groups, and a sum with what the first made."""
    g = Graph(seed, (1, 20, 41), np.int8, 0.05, np.int8(9))
    a = g.quantize(g.conv(g.last, 32, (5,), pads=[1, 2], strides=[2]), np.int8(-12))
    if form == "qop":
        as_qlinear(g, a)
        return g, a
    b = g.quantize(g.conv(a, 32, (3,), group=32, pads=[2, 2], dilations=[2]), np.int8(5))
    c = g.quantize(g.conv(b, 32, (3,), group=4, pads=[1, 1]), np.int8(31))
    return g, g.quantize(g.node("Add", [g.dequantize(a), g.dequantize(c)]), np.int8(-8))


def pools_one_dimension(seed, form):
    g = Graph(seed, (1, 20, 40), np.int8, 0.05, np.int8(11))
    y = g.node("MaxPool", [g.dequantize(g.last)], kernel_shape=[3], strides=[2], pads=[1, 1])
    y = g.quantize(y, np.int8(11), scale=np.float32(0.05))
    y = g.node("AveragePool", [g.dequantize(y)], kernel_shape=[3], strides=[2])
    return g, g.quantize(y, np.int8(11), scale=np.float32(0.05))


def add_scales(seed, form):
    g = Graph(seed, (1, 16, 5, 5), np.int8, 0.05, np.int8(4))
    x = g.last
    a = g.quantize(g.conv(x, 20, (1, 1)), np.int8(-19))
    b = g.quantize(g.conv(x, 20, (3, 3), pads=[1, 1, 1, 1]), np.int8(33), spread=0.4)
    return g, g.quantize(g.node("Add", [g.dequantize(a), g.dequantize(b)]), np.int8(-8))


def concat_scales(seed, form):
    g = Graph(seed, (1, 16, 5, 6), np.int8, 0.05, np.int8(4))
    x = g.last
    a = g.quantize(g.conv(x, 16, (1, 1)), np.int8(-19))
    b = g.quantize(g.conv(x, 20, (1, 1)), np.int8(33), spread=0.4)
    return g, g.quantize(g.node("Concat", [g.dequantize(a), g.dequantize(b)], axis=1), np.int8(-8))


def asymmetric_padding(seed, form):
    g = Graph(seed, (1, 16, 8, 9), np.int8, 0.05, np.int8(-57))
    y = g.quantize(g.conv(g.last, 20, (3, 5), pads=[0, 1, 2, 3], strides=[2, 1]), np.int8(12))
    if form == "qop":
        as_qlinear(g, y)
    return g, y


def weight_zero_point(seed, form):
    g = Graph(seed, (1, 3, 9, 9), np.uint8, 0.02, np.uint8(141))
    y = g.quantize(g.conv(g.last, 20, (3, 3), np.uint8, 103, False, pads=[1, 1, 1, 1]), np.uint8(120))
    if form == "qop":
        as_qlinear(g, y)
    return g, y


def weight_zero_points(seed, form):
    """Refused: the zero points of the channels differ."""
    g = Graph(seed, (1, 3, 6, 6), np.uint8, 0.02, np.uint8(141))
    zeros = np.arange(90, 100, dtype=np.uint8)
    y = g.conv(g.last, 10, (3, 3), np.uint8, 0, True, zeros=zeros, pads=[1, 1, 1, 1])
    return g, g.quantize(y, np.uint8(120))


def lists(graph, *values):
    return [graph.constant(np.array(v, np.int64), "list") for v in values]


def slice_steps(seed, form):
    """Every second row, every third column, channels 3, 5, ... 17."""
    g = Graph(seed, (1, 20, 9, 8), np.int8, 0.05, np.int8(11))
    ranges = lists(g, [0, -8, 3], [100, 8, -2], [2, -1, 1], [2, 3, 2])
    if form == "qop":
        return g, (g.node("Slice", ["x", *ranges]), 0.05, np.int8(11))
    y = g.node("Slice", [g.dequantize(g.last), *ranges])
    return g, g.quantize(y, np.int8(11), scale=np.float32(0.05))


def pad_channels(seed, form):
    """Channels and borders of zeros around a convolution's result."""
    g = Graph(seed, (1, 12, 6, 5), np.uint8, 0.05, np.uint8(140))
    before = g.quantize(g.conv(g.last, 18, (3, 3)), np.uint8(97))
    y = g.node("Pad", [g.dequantize(before), *lists(g, [0, 3, 0, 1, 0, 5, 2, 0]), g.constant(np.float32(0))])
    return g, g.quantize(y, np.uint8(97), scale=before[1])


def slice_reversed(seed, form):
    """Backwards over columns and channels; every second batch."""
    g = Graph(seed, (5, 6, 4, 9), np.uint8, 0.05, np.uint8(140))
    y = g.node("Slice", [g.dequantize(g.last), *lists(g, [-2, 100, 1], [-100, -100, 5], [3, 1, 0], [-3, -1, 2])])
    return g, g.quantize(y, np.uint8(140), scale=np.float32(0.05))


def pad_and_crop(seed, form):
    """Batches of padding; a column and a channel cut off."""
    g = Graph(seed, (2, 7, 5, 6), np.int8, 0.05, np.int8(11))
    y = g.node("Pad", [g.dequantize(g.last), *lists(g, [1, -1, 0, 2, 2, 0, 3, -1]), g.constant(np.float32(1.5))])
    return g, g.quantize(y, np.int8(11), scale=np.float32(0.05))


GRAPHS = {
    relu_binds: ("qdq", "qop"), clip_binds: ("qdq",), max_pool: ("qdq", "qop"),
    average_pool_padded: ("qdq",), average_pool_counted: ("qdq",), average_pool_rescaled: ("qdq",),
    depthwise_multiplier: ("qdq", "qop"), add_scales: ("qdq",), concat_scales: ("qdq",),
    slice_steps: ("qdq", "qop"), pad_channels: ("qdq",), slice_reversed: ("qdq",), pad_and_crop: ("qdq",),
    groups: ("qdq", "qop"), groups_of_concat: ("qdq",), depthwise_point_padded: ("qdq",), one_dimension: ("qdq", "qop"), pools_one_dimension: ("qdq",),
    asymmetric_padding: ("qdq", "qop"), weight_zero_point: ("qdq", "qop"), weight_zero_points: ("qdq",),
}


def save_tensor(path, value, name):
    with open(path, "wb") as f:
        f.write(numpy_helper.from_array(value, name).SerializeToString())


def write_graph(make, form):
    for seed in range(1000):
        try:
            graph, (output, _, zero) = make(seed, form)
            break
        except NearTie:
            continue
    else:
        raise RuntimeError(f"{make.__name__}: every seed comes near a tie")
    folder = os.path.join(HERE, "graphs", f"{make.__name__}_{form}")
    os.makedirs(os.path.join(folder, "test_data_set_0"), exist_ok=True)
    model = graph.model(output, zero.dtype.type)
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    expected = run(model, {"x": graph.input})[0]
    save_tensor(os.path.join(folder, "test_data_set_0", "input_0.pb"), graph.input, "x")
    save_tensor(os.path.join(folder, "test_data_set_0", "output_0.pb"), expected, output)
    print(f"{make.__name__}_{form}: seed {seed}, {expected.size} values, {len(np.unique(expected))} distinct")


def write_inner(models, name):
    """Every quantised tensor of the first data set, in onnxruntime's arithmetic."""
    from common import load_tensor
    folder = os.path.join(models, name)
    model = onnx.load(os.path.join(folder, "model.onnx"))
    x = load_tensor(os.path.join(folder, "test_data_set_0", "input_0.pb"))
    wanted = [n.output[0] for n in model.graph.node if n.op_type in ("QuantizeLinear", "QLinearConv")]
    declared = {o.name for o in model.graph.output}
    model.graph.output.extend(helper.make_empty_tensor_value_info(n) for n in wanted if n not in declared)
    values = run(model, {model.graph.input[0].name: x}, wanted)
    path = os.path.join(HERE, "inner", name.replace("/", "_") + ".npz")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.savez_compressed(path, **{model.graph.input[0].name: x}, **dict(zip(wanted, values)))
    print(f"{path}: {len(wanted)} tensors, {os.path.getsize(path)} bytes")


def main():
    if sys.argv[1:2] == ["graphs"]:
        for make, forms in GRAPHS.items():
            for form in forms:
                write_graph(make, form)
    elif sys.argv[1:2] == ["inner"] and len(sys.argv) > 3:
        for name in sys.argv[3:]:
            write_inner(sys.argv[2], name)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
