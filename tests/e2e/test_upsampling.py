# Part of Tenon, under the Apache License v2.0.
"""Images that grow on the accelerator: transposed convolutions, repeated pixels, pixels that were channels and channels that were pixels,
in random networks between convolutions. What is expected is onnxruntime's."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import pytest

from layers import MADE, cut, onnxruntime_tensors
from seeds import of_commit

SCALE = 0.05
# These networks are too small to be worth the accelerator's time.
PLACED = {"Conv", "ConvTranspose", "DepthToSpace", "Resize", "SpaceToDepth"}


class Network:
    """A quantised network, a node after the other, of tensors with SCALE and zero points of their own."""

    def __init__(self, random, shape):
        self.random, self.shape = random, list(shape)
        self.nodes, self.constants, self.names = [], [], 0
        self.last = self.quantised("x")

    def name(self, stem):
        self.names += 1
        return f"{stem}_{self.names}"

    def constant(self, value):
        name = self.name("constant")
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, operator, inputs, **attributes):
        result = self.name(operator)
        self.nodes.append(helper.make_node(operator, inputs, [result], name=result, **attributes))
        return result

    def quantised(self, tensor, zero=None):
        """Through QuantizeLinear and DequantizeLinear."""
        zero = self.random.integers(-9, 10) if zero is None else zero
        self.zero = zero
        parameters = [self.constant(np.float32(SCALE)), self.constant(np.int8(zero))]
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [tensor, *parameters]), *parameters])

    def weights(self, shape, axis):
        """Each channel with a scale of its own; results fill the range."""
        scales = self.random.uniform(0.002, 0.006, shape[axis]).astype(np.float32)
        values = self.constant(self.random.integers(-127, 128, shape).astype(np.int8))
        zeros = self.constant(np.zeros(shape[axis], np.int8))
        return self.node("DequantizeLinear", [values, self.constant(scales), zeros], axis=axis)

    def bias(self, channels):
        return self.constant(self.random.uniform(-1, 1, channels).astype(np.float32))

    def layer(self, tensor, like=None):
        """Its result is what the next node reads, in half of the cases clamped."""
        if like is None and self.random.integers(2):
            tensor = self.node("Relu", [tensor])
        self.last = self.quantised(tensor, like)

    def convolution(self, channels):
        weights = self.weights((channels, self.shape[1], 3, 3), 0)
        self.layer(self.node("Conv", [self.last, weights, self.bias(channels)], pads=[1] * 4))
        self.shape[1] = channels

    def selection(self, operator, *more, **attributes):
        self.layer(self.node(operator, [self.last, *more], **attributes), like=self.zero)

    def model(self):
        border = [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.given),
                  helper.make_tensor_value_info(self.last, TensorProto.FLOAT, [None] * 4)]
        graph = helper.make_graph(self.nodes, "upsampling", border[:1], border[1:], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
        return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)


def depth_to_space(network, random):
    factor = int(random.integers(2, 4))
    channels = int(random.choice([1, 3, 16]))
    network.convolution(channels * factor * factor)
    network.selection("DepthToSpace", blocksize=factor, mode=str(random.choice(["DCR", "CRD"])))


def pixel_shuffle(network, random):
    """As exporters write it."""
    factor, channels = int(random.integers(2, 4)), int(random.integers(1, 6))
    network.convolution(channels * factor * factor)
    batch, _, height, width = network.shape
    network.selection("Reshape", network.constant(np.int64([batch, channels, factor, factor, height, width])))
    network.selection("Transpose", perm=[0, 1, 4, 2, 5, 3])
    network.selection("Reshape", network.constant(np.int64([batch, channels, height * factor, width * factor])))


def space_to_depth(network, random):
    network.convolution(int(random.choice([2, 16])))
    network.shape[1] *= 4
    network.selection("SpaceToDepth", blocksize=2)


def resize(network, random):
    factors = [1, 1, *(int(f) for f in random.permutation([int(random.integers(1, 4)), int(random.integers(2, 4))]))]
    network.convolution(int(random.integers(1, 20)))
    coordinates, nearest = [("half_pixel", "round_prefer_floor"), ("asymmetric", "floor"), ("half_pixel", "round_prefer_ceil"),
                            ("pytorch_half_pixel", "round_prefer_floor")][random.integers(4)]
    network.selection("Resize", "", network.constant(np.float32(factors)), mode="nearest", coordinate_transformation_mode=coordinates,
                      nearest_mode=nearest)


def transposed(network, random, groups=1):
    channels = int(random.integers(1, 20))
    if groups > 1:
        network.convolution(int(random.choice([4, 8])))
    inputs = network.shape[1]
    if groups > 1:
        groups = inputs if random.integers(2) else 2
        channels = int(random.integers(1, 4))
    kernel, stride, dilation = ([int(v) for v in random.integers(1, most, 2)] for most in (5, 4, 3))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    pads = [int(random.integers(r)) for r in [*reach, *reach]]
    extra = [int(random.integers(max(s, 1))) for s in stride]
    for axis in (0, 1):  # at least one row and column a phase
        while (network.shape[2 + axis] - 1) * stride[axis] + reach[axis] + extra[axis] - pads[axis] - pads[2 + axis] < stride[axis]:
            pads[axis], pads[2 + axis] = pads[axis] // 2, pads[2 + axis] // 2
    weights = network.weights((inputs, channels, *kernel), 1)
    network.layer(network.node("ConvTranspose", [network.last, weights, network.bias(channels * groups)], strides=stride, dilations=dilation,
                               pads=pads, output_padding=extra, group=groups))
    network.shape[1] = channels * groups


def grouped(network, random):
    transposed(network, random, groups=2)


OPERATORS = {f.__name__: f for f in (depth_to_space, pixel_shuffle, space_to_depth, resize, transposed, grouped)}


def random_model(name, seed):
    random = np.random.default_rng([seed, *name.encode()])
    network = Network(random, (1, int(random.integers(1, 9)), *2 * random.integers(2, 5, 2)))
    network.given = [int(v) for v in network.shape]
    OPERATORS[name](network, random)
    network.shape[1] = network.model().graph.output[0].type.tensor_type.shape.dim[1].dim_value
    network.convolution(int(random.integers(1, 20)))
    return network.model(), random


def write(folder, kind, arrays):
    for i, array in enumerate(arrays):
        (folder / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())


def check_layers(tenon, folder, model, x):
    """Each layer by itself, of what onnxruntime makes of the layers before it: within a step of what it makes next."""
    theirs = onnxruntime_tensors(model, {"x": x})
    layers = cut(model)
    onnx.save(layers, folder / "layers.onnx")
    (folder / "layers").mkdir()
    write(folder / "layers", "input", [{**theirs, "x": x}[value.name] for value in layers.graph.input])
    write(folder / "layers", "output", [theirs[value.name.removeprefix(MADE)] for value in layers.graph.output])
    tenon("run", folder / "layers.onnx", "--target=cpu", "--check=none", f"--expect={folder}/layers", "--tolerance=0,1")


def check(tenon, folder, model, random, target):
    onnx.save(model, folder / "model.onnx")
    x = random.uniform(-7, 7, [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]).astype(np.float32)
    check_layers(tenon, folder, model, x)
    np.save(folder / "x.npy", x)
    wishes = [f"--place={operator}:accelerator" for operator in sorted({node.op_type for node in model.graph.node} & PLACED)]
    report = tenon.report(folder / "model.onnx", f"--target={target}", "--check=cpu", f"--input={folder}/x.npy", *wishes)
    assert report["checks"]["cpu"]["status"] == "bit-exact"
    assert report["launches"] == 1
    assert {layer["placed_on"] for layer in report["layers"] if layer["op"] not in ("quantize", "dequantize")} == {"accelerator"}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("count", range(4))
def test_in_one_launch(tenon, tmp_path, name, count):
    seed = of_commit() + count
    print(f"seed {seed}")
    check(tenon, tmp_path, *random_model(name, seed), "functional")


@pytest.mark.parametrize("name", ["depth_to_space", "transposed"])
def test_on_rtl(tenon, tmp_path, name):
    seed = of_commit() + 99
    print(f"seed {seed}")
    check(tenon, tmp_path, *random_model(name, seed), "rtl")


def test_interpolation_stays_on_the_cpu_with_its_reason(tenon, tmp_path):
    random = np.random.default_rng(1)
    network = Network(random, (1, 4, 6, 6))
    network.given = network.shape
    network.convolution(4)
    network.selection("Resize", "", network.constant(np.float32([1, 1, 2, 2])), mode="linear")
    onnx.save(network.model(), tmp_path / "model.onnx")
    np.save(tmp_path / "x.npy", random.uniform(-7, 7, network.given).astype(np.float32))
    report = tenon.report(tmp_path / "model.onnx", "--target=functional", "--check=cpu", f"--input={tmp_path}/x.npy")
    layers = [layer for layer in report["layers"] if any("Resize" in node for node in layer["nodes"])]
    assert {layer["placed_on"] for layer in layers} == {"cpu"}
    assert any("mode 'linear' computes elements that are none of the input's" in layer["reason"] for layer in layers), layers
