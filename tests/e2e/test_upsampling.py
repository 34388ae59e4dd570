# Part of Tenon, under the Apache License v2.0.
"""Images that grow on the accelerator: transposed convolutions, repeated pixels and those between two, pixels that were channels and channels
that were pixels, in random networks between convolutions. What is expected is onnxruntime's."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import pytest

from layers import MADE, cut, exact_values, onnxruntime_tensors
from seeds import of_commit, seeds

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


def linear(network, random, factors=None, coordinates=None):
    """Pixels between others: as many, or as many distances where corners stay at corners."""
    coordinates = coordinates or str(random.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric"]))
    factors = factors or random.permutation([int(random.integers(1, 5)), int(random.integers(2, 5))])
    network.convolution(int(random.integers(1, 20)))
    less = int(coordinates == "align_corners")
    sizes = [*network.shape[:2], *((extent - less) * int(factor) + less for extent, factor in zip(network.shape[2:], factors))]
    lengths = (network.constant(np.int64(sizes)) if less or random.integers(2)
               else network.constant(np.float32([1, 1, *factors])))
    inputs = ["", "", lengths] if network.constants[-1].data_type == TensorProto.INT64 else ["", lengths]
    zero = network.zero if random.integers(2) else None  # the same integers, or others
    network.layer(network.node("Resize", [network.last, *inputs], mode="linear", coordinate_transformation_mode=coordinates), zero)


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


OPERATORS = {f.__name__: f for f in (depth_to_space, pixel_shuffle, space_to_depth, resize, linear, transposed, grouped)}


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
    tenon("run", folder / "layers.onnx", "--target=cpu", "--check=none", f"--expect={folder}/layers", "--tolerance=0,1",
          f"--output-dir={folder}/out")


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
@pytest.mark.parametrize("seed", seeds(4))
def test_in_one_launch(tenon, tmp_path, name, seed):
    check(tenon, tmp_path, *random_model(name, seed), "functional")


@pytest.mark.parametrize("name", ["depth_to_space", "transposed", "linear"])
def test_on_rtl(tenon, tmp_path, name):
    seed = of_commit() + 99
    print(f"seed {seed}")
    check(tenon, tmp_path, *random_model(name, seed), "rtl")


def resized(seed, factors, coordinates, shape):
    random = np.random.default_rng(seed)
    network = Network(random, shape)
    network.given = list(shape)
    linear(network, random, factors, coordinates)
    return network, random


@pytest.mark.parametrize("factors, coordinates, shape, config", [
    ((2, 2), "half_pixel", (1, 3, 4, 6), "pynq"), ((3, 1), "asymmetric", (1, 3, 5, 4), "tiny"), ((4, 4), "align_corners", (2, 5, 3, 4), "batch4"),
    ((8, 8), "half_pixel", (1, 3, 3, 2), "pynq"), ((2, 3), "half_pixel", (1, 3, 1, 1), "small")])
def test_linear_on_rtl(tenon, tmp_path, factors, coordinates, shape, config):
    """Taps of 8 parts a pixel, and factors whose largest one takes nine bits; rows and columns of one pixel, batches."""
    network, random = resized(of_commit(), factors, coordinates, shape)
    onnx.save(network.model(), tmp_path / "model.onnx")
    np.save(tmp_path / "x.npy", random.uniform(-7, 7, shape).astype(np.float32))
    report = tenon.report(tmp_path / "model.onnx", "--target=rtl", "--check=cpu,functional", f"--input={tmp_path}/x.npy", f"--config={config}",
                          "--place=Resize:accelerator", "--place=Conv:accelerator")
    assert report["checks"]["cpu"]["status"] == report["checks"]["functional"]["status"] == "bit-exact"


@pytest.mark.parametrize("factors", [(2, 2), (3, 3), (4, 4), (5, 2), (6, 6), (7, 1), (8, 8), (1, 16)])
@pytest.mark.parametrize("coordinates", ["half_pixel", "asymmetric", "align_corners"])
def test_linear_is_rounded_once(tenon, tmp_path, factors, coordinates):
    """Within half a step of what real numbers make of the integers that it reads: of onnx's reference in float64."""
    random = np.random.default_rng(of_commit())
    network = Network(random, (1, 3, 5, 4))
    network.given = network.shape
    less = int(coordinates == "align_corners")
    sizes = network.constant(np.int64([1, 3, *((extent - less) * factor + less for extent, factor in zip(network.shape[2:], factors))]))
    network.layer(network.node("Resize", [network.last, "", "", sizes], mode="linear", coordinate_transformation_mode=coordinates), like=5)
    model = network.model()
    check(tenon, tmp_path, model, random, "functional")
    layers = onnx.load(tmp_path / "layers.onnx")
    exact = exact_values(layers, {value.name: numpy_helper.to_array(onnx.load_tensor(tmp_path / f"layers/input_{i}.pb"))
                                  for i, value in enumerate(layers.graph.input)})
    for i, value in enumerate(layers.graph.output[:2]):
        got = np.load(tmp_path / f"out/output_{i}.npy").astype(float)
        assert np.abs(got - np.clip(exact[value.name], -128, 127)).max() <= 0.5 + 1e-4, value.name


@pytest.mark.parametrize("attributes, sizes, reason", [
    ({"mode": "cubic"}, (12, 12), "mode 'cubic' has taps that are negative, or beyond neighbours"),
    ({"mode": "linear"}, (9, 12), "its factors are no whole numbers known in advance"),
    ({"mode": "linear", "coordinate_transformation_mode": "align_corners"}, (12, 12), "its factors are no whole numbers known in advance"),
    ({"mode": "linear"}, (60, 60), "a pixel has the part 361/400 of another, which taps of 8 bits (up to 255) cannot say exactly"),
])
def test_interpolation_stays_on_the_cpu_with_its_reason(tenon, tmp_path, attributes, sizes, reason):
    random = np.random.default_rng(1)
    network = Network(random, (1, 4, 6, 6))
    network.given = network.shape
    network.convolution(4)
    network.selection("Resize", "", "", network.constant(np.int64([1, 4, *sizes])), **attributes)
    onnx.save(network.model(), tmp_path / "model.onnx")
    np.save(tmp_path / "x.npy", random.uniform(-7, 7, network.given).astype(np.float32))
    report = tenon.report(tmp_path / "model.onnx", "--target=functional", "--check=cpu", f"--input={tmp_path}/x.npy")
    layers = [layer for layer in report["layers"] if any("Resize" in node for node in layer["nodes"])]
    assert {layer["placed_on"] for layer in layers} == {"cpu"}
    assert any(reason in layer["reason"] for layer in layers), layers
