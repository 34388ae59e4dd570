"""Files that somebody else wrote, through the whole program: what must be refused, and how."""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import pytest

from conftest import EXAMPLE, ROOT

GRAPH = ROOT / "tests/conformance/graphs/max_pool_qop/model.onnx"
KEPT = ROOT / "tests/fuzz/input/kept"


def refused(tenon, *arguments, **options):
    result = tenon(*arguments, expect=1, **options)
    assert result.stderr.startswith("tenon: ") and result.stderr.count("tenon: ") == 1, result.stderr
    return result.stderr


@pytest.mark.parametrize("name, expected", [
    ("no_main", "a network is one function @main of one block"),
    ("scalar_argument", "@main takes or returns 'i8', expected tensors of fixed shape"),
    ("memref_argument", "expected tensors of fixed shape"),
    ("open_dimension", "expected tensors of fixed shape")])
@pytest.mark.parametrize("target", ["cpu", "functional"])
def test_modules_that_are_no_network(tenon, name, expected, target):
    assert expected in refused(tenon, "run", KEPT / f"tosa/{name}.mlir", f"--target={target}")


@pytest.mark.parametrize("body, expected", [
    ("%n = math.absi %x : tensor<4xi8> return %n : tensor<4xi8>", "a network has no operation 'math.absi'"),
    ("%n = tensor.cast %x : tensor<4xi8> to tensor<?xi8> return %x : tensor<4xi8>", "expected a fixed shape")])
def test_operations_that_no_network_has(tenon, tmp_path, body, expected):
    path = tmp_path / "x.mlir"
    path.write_text("func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> { " + body.replace(" return", "\nreturn") + " }")
    assert expected in refused(tenon, "run", path, "--target=cpu")


CONSTANT = """func.func @main(%x: tensor<64xi8>) -> tensor<64xi8> {
  %c = "tosa.const"() <{values = dense_resource<r> : tensor<64xi8>}> : () -> tensor<64xi8>
  return %c : tensor<64xi8>
}
{-# dialect_resources: { builtin: { r: "0x0100000001020304" } } #-}"""


NAMED = """func.func @main(%x: tensor<1x2x2x4xi8> {tenon.name = "x"}) -> tensor<1x2x2x4xi32> {
  %y = tosa.cast %x {tenon.tensor = {name = "sums", unsigned = false, perm = array<i64: 0, 1, 2, 3>,
    shape = array<i64: 1, 2, 2, 4>}} : (tensor<1x2x2x4xi8>) -> tensor<1x2x2x4xi32>
  return %y : tensor<1x2x2x4xi32>
}"""


def test_named_tensors_of_other_widths(tenon, tmp_path):
    path = tmp_path / "x.mlir"
    path.write_text(NAMED)
    np.save(tmp_path / "x.npy", np.arange(16, dtype=np.int8).reshape(1, 2, 2, 4))
    assert "tensor 'sums', which the network names, has 32 bits, not 8" in refused(
        tenon, "run", path, "--target=cpu", f"--input={tmp_path}/x.npy")


def test_constants_without_their_bytes(tenon, tmp_path):
    path = tmp_path / "x.mlir"
    path.write_text(CONSTANT)
    assert "a constant has not the bytes of its type" in refused(tenon, "run", path, "--target=cpu")
    tenon("compile", ROOT / "tests/conformance/graphs/weight_zero_point_qop/model.onnx", "--emit=tosa", "-o", path)
    assert "those of --emit=tosa are left out" in refused(tenon, "compile", path, "-o", tmp_path / "p.tenon")


def test_directories_and_devices(tenon, tmp_path):
    assert f"{tmp_path}: cannot be read: Is a directory" in refused(tenon, "compile", tmp_path, "-o", tmp_path / "p.tenon")
    tenon("compile", GRAPH, "--emit=tosa", "-o", "/dev/null")
    assert not os.path.isfile("/dev/null")


def test_picture_of_a_billion_pixels(tenon, tmp_path):
    path = tmp_path / "x.bmp"
    path.write_bytes(b"BM" + (54).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + (40).to_bytes(4, "little")
                     + (40000).to_bytes(4, "little") + (40000).to_bytes(4, "little") + b"\1\0\x18\0" + bytes(24))
    assert "has 40000x40000 pixels, at most 67108864 are read" in refused(
        tenon, "run", EXAMPLE / "resnet8.onnx", "--target=functional", f"--input=input_1_int8={path}")


def quantized_graph(nodes, constants, shape=(1, 4, 8, 8)):
    """x, INT8, dequantised to dx; r is quantised to y."""
    scale, zero = numpy_helper.from_array(np.float32(0.5), "s"), numpy_helper.from_array(np.int8(0), "z")
    graph = helper.make_graph(
        [helper.make_node("DequantizeLinear", ["x", "s", "z"], ["dx"]), *nodes, helper.make_node("QuantizeLinear", ["r", "s", "z"], ["y"])],
        "g", [helper.make_tensor_value_info("x", TensorProto.INT8, shape)], [helper.make_tensor_value_info("y", TensorProto.INT8, None)],
        [scale, zero, *(numpy_helper.from_array(value, name) for name, value in constants.items())])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


@pytest.mark.parametrize("nodes, constants, expected", [
    # A bias of two axes with a scale for each index of the first: the channel is not the element.
    ([helper.make_node("DequantizeLinear", ["w", "s", "z"], ["dw"]),
      helper.make_node("DequantizeLinear", ["b", "two", "zeros"], ["db"], axis=0),
      helper.make_node("Conv", ["dx", "dw", "db"], ["r"])],
     {"w": np.arange(-12, 12, dtype=np.int8).reshape(6, 4, 1, 1), "b": np.arange(6, dtype=np.int32).reshape(2, 3),
      "two": np.float32([0.25, 0.25]), "zeros": np.int32([0, 0])}, None),
    ([helper.make_node("Pad", ["dx", "p"], ["r"])], {"p": np.int64([0, 1, 0, 0, 0, 2**62, 0, 0])},
     "a pad of axis 1 is larger than 1048576"),
    ([helper.make_node("Pad", ["dx", "p"], ["r"])], {"p": np.int64([0, 0, 10**5, 10**5, 0, 0, 0, 0])},
     "its result of 1x4x100008x100008 is too large"),
    ([helper.make_node("Transpose", ["dx"], ["r"], perm=[2**63 - 1, -2**63, 0, 1])], {}, "perm is not a permutation of 4 axes"),
    ([helper.make_node("DequantizeLinear", ["l", "s", "m"], ["dl"]), helper.make_node("Add", ["dx", "dl"], ["r"])],
     {"l": np.int64([-2**63]), "m": np.int64([2**62])}, "expected an integer type of at most 32 bits"),
])
def test_graphs_with_extreme_numbers(tenon, tmp_path, nodes, constants, expected):
    path = tmp_path / "x.onnx"
    onnx.save(quantized_graph(nodes, constants), path)
    if expected:
        assert expected in refused(tenon, "compile", path, "-o", tmp_path / "p.tenon")
    else:
        tenon("compile", path, "-o", tmp_path / "p.tenon")


def test_selections_and_windows_that_are_too_large(tenon, tmp_path):
    path = tmp_path / "x.onnx"
    wide = [helper.make_node("Slice", ["dx", "a", "b", "c"], ["r"])]
    onnx.save(quantized_graph(wide, {"a": np.int64([1]), "b": np.int64([60000]), "c": np.int64([1])}, (1, 60001, 1, 1)), path)
    assert "its selection of 59999 from 60001 channels is too large" in refused(tenon, "compile", path, "--emit=tosa")
    pool = helper.make_node("AveragePool", ["dx"], ["r"], kernel_shape=[2**18] * 2, pads=[2**17] * 4, count_include_pad=1)
    onnx.save(quantized_graph([pool], {}), path)
    assert "x262144 over 4 channels are too large" in refused(tenon, "compile", path, "--emit=tosa")
