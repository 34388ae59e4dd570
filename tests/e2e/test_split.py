"""A network that the host cuts in two: a concatenation at a channel that no block begins at stands between two parts
of the accelerator's."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import onnxruntime

from sums import assert_cycles_add_up

SCALE, ZERO = 0.05, 2  # of both inputs of the concatenation and of its result


class Builder:
    """Collects nodes and constants of a quantised model."""

    def __init__(self):
        self.random = np.random.default_rng(3)
        self.nodes, self.constants = [], []

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def convolution(self, name, x, y, channels, kernel, x_quant, y_quant):
        weights = self.random.integers(-127, 128, (channels[1], channels[0], kernel, kernel)).astype(np.int8)
        bias = self.random.integers(-500, 500, channels[1]).astype(np.int32)
        values = {"xs": np.float32(x_quant[0]), "xz": np.int8(x_quant[1]), "w": weights, "ws": np.float32(0.01),
                  "wz": np.int8(0), "ys": np.float32(y_quant[0]), "yz": np.int8(y_quant[1]), "b": bias}
        inputs = [x] + [self.constant(f"{name}_{k}", v) for k, v in values.items()]
        self.nodes.append(helper.make_node("QLinearConv", inputs, [y], name=name, kernel_shape=[kernel] * 2,
                                           pads=[kernel // 2] * 4))

    def quantisation(self, operator, x, y):
        scale, zero = self.constant(f"{y}_s", np.float32(SCALE)), self.constant(f"{y}_z", np.int8(ZERO))
        self.nodes.append(helper.make_node(operator, [x, scale, zero], [y], name=f"q_{y}"))

    def model(self, x_shape, y_shape):
        graph = helper.make_graph(self.nodes, "split", [helper.make_tensor_value_info("x", TensorProto.INT8, x_shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.INT8, y_shape)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 7
        onnx.checker.check_model(model)
        return model


def split_model():
    b = Builder()
    b.convolution("first", "x", "a", (8, 8), 3, (0.02, -3), (SCALE, ZERO))
    b.convolution("second", "x", "b", (8, 8), 1, (0.02, -3), (SCALE, ZERO))
    for name in "ab":
        b.quantisation("DequantizeLinear", name, f"{name}_float")
    b.nodes.append(helper.make_node("Concat", ["a_float", "b_float"], ["c_float"], name="concat", axis=1))
    b.quantisation("QuantizeLinear", "c_float", "c")
    b.convolution("third", "c", "y", (16, 24), 3, (SCALE, ZERO), (0.1, -7))
    return b.model([1, 8, 9, 11], [1, 24, 9, 11])


def test_two_launches(tenon, tmp_path):
    model = split_model()
    onnx.save(model, tmp_path / "split.onnx")
    folder = tmp_path / "set"
    folder.mkdir()
    x = np.random.default_rng(5).integers(-128, 128, (1, 8, 9, 11)).astype(np.int8)
    y = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    for name, array in [("input_0", x), ("output_0", y)]:
        (folder / f"{name}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    report = tenon.report(tmp_path / "split.onnx", f"--expect={folder}")
    assert report["launches"] == 2
    assert report["checks"]["functional"]["status"] == report["checks"]["cpu"]["status"] == "bit-exact"
    assert report["checks"]["cpu"]["tensors"] == 3  # a, b and y
    assert report["checks"]["expected"][0]["outputs"][0]["max_lsb"] <= 1
    host = [layer for layer in report["layers"] if layer["placed_on"] == "cpu"]
    assert [layer["nodes"][0] for layer in host] == ["concat"]
    assert host[0]["reason"].endswith("; channel counts that are multiples of the block")
    assert_cycles_add_up(report)
    refused = tenon("compile", tmp_path / "split.onnx", "--require=accelerator", "-o", tmp_path / "p.tenon", expect=1)
    assert "concat" in refused.stderr


def overwriting_model(random):
    """Kernels on both sides of a convolution read the input, and the first could overwrite it."""
    b = Builder()
    columns = random.permuted(np.tile(np.arange(8), (1, 16, 8, 1)), axis=3)
    updates = random.standard_normal((1, 16, 8, 8)).astype(np.float32)
    b.nodes.append(helper.make_node("ScatterElements", ["x", b.constant("columns", columns), b.constant("updates", updates)], ["scattered"],
                                    name="scatter", axis=3))
    b.quantisation("QuantizeLinear", "scattered", "a")
    b.convolution("middle", "a", "b", (16, 16), 3, (SCALE, ZERO), (SCALE, ZERO))
    b.quantisation("DequantizeLinear", "b", "b_float")
    b.nodes.append(helper.make_node("Add", ["b_float", "x"], ["y"], name="add"))
    border = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 16, 8, 8]) for name in "xy"]
    graph = helper.make_graph(b.nodes, "overwriting", border[:1], border[1:], b.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)


def test_kernels_leave_what_others_read(tenon, tmp_path):
    random = np.random.default_rng(7)
    model = overwriting_model(random)
    onnx.save(model, tmp_path / "model.onnx")
    x = random.standard_normal((1, 16, 8, 8)).astype(np.float32)
    y = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    (tmp_path / "set").mkdir()
    for name, array in [("input_0", x), ("output_0", y)]:
        (tmp_path / f"set/{name}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    report = tenon.report(tmp_path / "model.onnx", "--target=functional", f"--expect={tmp_path}/set", f"--tolerance=0,{SCALE / 10}")
    assert [layer["placed_on"] for layer in report["layers"]].count("cpu") == 2
