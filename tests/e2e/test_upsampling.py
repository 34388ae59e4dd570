# Part of Tenon, under the Apache License v2.0.
"""Images that grow on the accelerator: transposed convolutions, repeated pixels, pixels that were channels and channels that were pixels,
in random networks between convolutions. What is expected is onnxruntime's."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import onnxruntime
import pytest

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


def check(tenon, folder, model, random, target):
    onnx.save(model, folder / "model.onnx")
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    x = random.uniform(-7, 7, shape).astype(np.float32)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    y = onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, {"x": x})[0]
    (folder / "set").mkdir()
    for name, array in [("input_0", x), ("output_0", y)]:
        (folder / f"set/{name}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    # A step within the network may be another one; convolutions behind it spread that.
    wishes = [f"--place={operator}:accelerator" for operator in sorted({node.op_type for node in model.graph.node} & PLACED)]
    report = tenon.report(folder / "model.onnx", f"--target={target}", "--check=cpu", f"--expect={folder}/set", f"--tolerance=0,{2.01 * SCALE}",
                          *wishes)
    assert report["checks"]["cpu"]["status"] == "bit-exact"
    return report


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("count", range(6))
def test_in_one_launch(tenon, tmp_path, name, count):
    seed = of_commit() + count
    print(f"seed {seed}")
    report = check(tenon, tmp_path, *random_model(name, seed), "functional")
    assert report["launches"] == 1
    assert {layer["placed_on"] for layer in report["layers"] if layer["op"] not in ("quantize", "dequantize")} == {"accelerator"}
