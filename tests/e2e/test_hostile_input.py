"""Files that somebody else wrote, through the whole program: what must be refused, and how."""
import os
import re

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import pytest

from conftest import EXAMPLE, ROOT

GRAPH = ROOT / "tests/conformance/graphs/max_pool_qop/model.onnx"
KEPT = ROOT / "tests/fuzz/input/kept"


def refused(tenon, *arguments, **options):
    result = tenon(*arguments, expect=1, **options)
    lines = [line for line in result.stderr.splitlines() if line.startswith("tenon: ") and not line.startswith("tenon: remark: ")]
    assert len(lines) == 1, result.stderr
    assert result.stderr.startswith("tenon: "), result.stderr
    return result.stderr


@pytest.mark.parametrize("name, expected", [
    ("scalar_argument", "@main takes or returns 'i8', expected tensors of fixed shape"),
    ("memref_argument", "expected tensors of fixed shape"),
    ("open_dimension", "expected tensors of fixed shape")])
@pytest.mark.parametrize("target", ["cpu", "functional"])
def test_modules_that_are_no_network(tenon, name, expected, target):
    assert expected in refused(tenon, "run", KEPT / f"tosa/{name}.mlir", f"--target={target}")


@pytest.mark.parametrize("body, expected", [
    ("%n = math.absi %x : tensor<4xi8> return %n : tensor<4xi8>", "a network has no operation 'math.absi'"),
    ("%i = arith.constant 9 : index\n%e = tensor.extract %x[%i] : tensor<4xi8>\n%n = tensor.splat %e : tensor<4xi8> "
     "return %n : tensor<4xi8>", "a network has no operation 'arith.constant'"),
    ("%n = tosa.cast %x : (tensor<4xi8>) -> tensor<?xi8> return %x : tensor<4xi8>", "expected a fixed shape"),
    # A table of 256 entries is read by an index of 8 bits.
    ('%t = "tosa.const"() <{values = dense<1> : tensor<4xi8>}> : () -> tensor<4xi8>\n'
     "%n = tosa.table %x, %t : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8> return %n : tensor<4xi8>",
     "its indices are values")])
def test_operations_that_no_network_has(tenon, tmp_path, body, expected):
    """Among them those that read outside of a tensor where an index says so."""
    path = tmp_path / "x.mlir"
    path.write_text("func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> { " + body.replace(" return", "\nreturn") + " }")
    assert expected in refused(tenon, "run", path, "--target=cpu")


@pytest.mark.parametrize("element", ["i16", "f16", "i1", "index"])
def test_borders_of_types_that_programs_lack(tenon, tmp_path, element):
    path = tmp_path / "x.mlir"
    path.write_text(f"func.func @main(%x: tensor<4x{element}>) -> tensor<4x{element}> {{ return %x : tensor<4x{element}> }}")
    assert f"takes or returns 'tensor<4x{element}>', expected tensors of fixed shape of int8" in refused(
        tenon, "run", path, "--target=cpu")


@pytest.mark.parametrize("line", [
    "%y = tosa.gather %x, %i : (tensor<1x4x2xi8>, tensor<1x4xi32>) -> tensor<1x4x2xi8>",
    "%y = tosa.scatter %x, %i, %x : (tensor<1x4x2xi8>, tensor<1x4xi32>, tensor<1x4x2xi8>) -> tensor<1x4x2xi8>"])
def test_indices_beyond_a_tensor(tenon, tmp_path, line):
    path = tmp_path / "x.mlir"
    path.write_text(f"""func.func @main(%x: tensor<1x4x2xi8>) -> tensor<1x4x2xi8> {{
  %i = "tosa.const"() <{{values = dense<900000000> : tensor<1x4xi32>}}> : () -> tensor<1x4xi32>
  {line}
  return %y : tensor<1x4x2xi8> }}""")
    for target in ["cpu", "functional"]:
        assert "its indices are values, which nothing keeps within the tensor" in refused(tenon, "run", path, f"--target={target}")


def test_tensors_whose_bytes_overflow(tenon, tmp_path):
    path = tmp_path / "x.mlir"
    shape = "tensor<4294967296x4294967296xi8>"
    path.write_text(f"func.func @main(%x: {shape}) -> {shape} {{ return %x : {shape} }}")
    assert "expected tensors of fixed shape" in refused(tenon, "run", path, "--target=cpu")


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="a sanitizer has its own allocator")
def test_tensors_that_no_machine_has_memory_for(tenon, tmp_path):
    """What the CPU's code allocates within a network, and does not look at."""
    path = tmp_path / "x.mlir"
    path.write_text("""func.func @main(%x: tensor<1048576xi8>) -> tensor<1xi32> {
  %o = tosa.const_shape {values = dense<[1, 1048576]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %m = tosa.const_shape {values = dense<[262144, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %x, %o : (tensor<1048576xi8>, !tosa.shape<2>) -> tensor<1x1048576xi8>
  %t = tosa.tile %r, %m : (tensor<1x1048576xi8>, !tosa.shape<2>) -> tensor<262144x4194304xi8>
  %c = tosa.cast %t : (tensor<262144x4194304xi8>) -> tensor<262144x4194304xi32>
  %a = tosa.reduce_sum %c {axis = 0 : i32} : (tensor<262144x4194304xi32>) -> tensor<1x4194304xi32>
  %b = tosa.reduce_sum %a {axis = 1 : i32} : (tensor<1x4194304xi32>) -> tensor<1x1xi32>
  %n = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %y = tosa.reshape %b, %n : (tensor<1x1xi32>, !tosa.shape<1>) -> tensor<1xi32>
  return %y : tensor<1xi32> }""")
    assert refused(tenon, "run", path, "--target=cpu") == "tenon: the workspace of host kernels: no memory for 1099511627776 bytes\n"


@pytest.fixture(scope="module")
def program(tenon, tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "p.tenon"
    tenon("compile", GRAPH, "--config=tiny", "-o", path)
    return path


def test_programs_of_another_version(tenon, tmp_path, program):
    """Bad input, not a missing tool: code 1."""
    content, path = bytearray(program.read_bytes()), tmp_path / "x.tenon"
    content[8] = 65  # behind the magic bytes
    path.write_bytes(content)
    for verb in ["run", "verify", "dis"]:
        assert "made for version 65 of the instruction set, this is version 2" in refused(tenon, verb, path)


REFERENCE = (ROOT / "tests/fuzz/input/seeds/tosa/max_pool.mlir").read_text()
LARGER = """func.func @main(%x: tensor<1x20x9x8xi8>, %y: tensor<1x20x9x8xi8>) -> tensor<1x20x9x8xi8> {
  return %y : tensor<1x20x9x8xi8> }"""


def changed(old, new):
    assert old in REFERENCE
    return REFERENCE.replace(old, new)


@pytest.mark.parametrize("reference, expected", [
    ("no network", "custom op 'no' is unknown"),
    ("func.func private @main()", "a network is one function @main of one block"),
    (changed("return %2", "%3 = bufferization.to_buffer %2 : tensor<1x20x5x4xi8> to memref<1x20x5x4xi8>\nreturn %2"), "'bufferization.to_buffer' is nothing that an import gives"),
    (LARGER, "it has 2 inputs, the program has 1"),
    (changed("return %2 : ", "return %2, %2 : tensor<1x20x5x4xi8>, ").replace('"maxpool_0"}) {', '"maxpool_0"}, tensor<1x20x5x4xi8>) {'),
     "it has 2 outputs, the program has 1"),
    (REFERENCE.replace("1x20x9x8", "1x20x11x8").replace("1x9x8x20", "1x11x8x20").replace("1x5x4x20", "1x6x4x20").replace(
        "1x20x5x4", "1x20x6x4").replace("1, 20, 5, 4", "1, 20, 6, 4"),
     "its input 'x' is 1x20x11x8 int8, the program's is 1x20x9x8 int8"),
    ("""func.func @main(%x: tensor<1x20x9x8xi8>) -> tensor<1x20x5x4xi32> {
  %c = "tosa.const"() <{values = dense<0> : tensor<1x20x5x4xi32>}> : () -> tensor<1x20x5x4xi32>
  return %c : tensor<1x20x5x4xi32> }""",
     "its output 'maxpool_0' is 1x20x5x4 int32, the program's is 1x20x5x4 int8"),
    (changed("perm = array<i64: 0, 3, 1, 2>", "perm = array<i64: 0, 3, 1, 9>"),
     "tensor 'maxpool_0': perm is not a permutation of 4 axes"),
    (changed("shape = array<i64: 1, 20, 5, 4>", "shape = array<i64: 1, 20, 5, 40>"),
     "tensor 'maxpool_0': shape has not the elements of the result"),
    (changed("shape = array<i64: 1, 20, 5, 4>", "shape = array<i64: 1, 20, 4, 5>"),
     "its tensor 'maxpool_0' is 1x20x4x5, the program's is 1x20x5x4"),
    (changed("    return %2", '%s = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> {tenon.tensor = {name = "s"}} : () -> '
             "tensor<1xi32>\nreturn %2"), "tensor 's': expected 8-bit integers"),
])
@pytest.mark.parametrize("target", ["--target=cpu", "--check=cpu"])
def test_references_that_are_not_the_programs(tenon, tmp_path, program, reference, expected, target):
    with_reference = replaced(tenon, tmp_path, program, reference)
    # Tensors between the border and the border are made where they are compared or written.
    also = ["--target=functional"] if target == "--check=cpu" else [f"--dump-tensors={tmp_path}/tensors"]
    message = refused(tenon, "run", with_reference, target, *also)
    assert message.startswith("tenon: the program's reference network cannot be used: ") and expected in message


def test_a_reference_of_other_values_differs(tenon, tmp_path, program):
    """The same border, another network: that is what the check is for."""
    other = replaced(tenon, tmp_path, program, changed("kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 0>",
                                                       "kernel = array<i64: 2, 2>, pad = array<i64: 1, 0, 0, 0>"))
    tenon("run", other, "--target=functional", "--check=cpu", expect=3)
    tenon("run", replaced(tenon, tmp_path, program, REFERENCE), "--target=functional", "--check=cpu")


def replaced(tenon, folder, program, reference):
    """The program with another reference network, by way of its text."""
    text, path = folder / "p.tasm", folder / "p.tenon"
    tenon("dis", program, "-o", text)
    quoted = "".join(f"\\{byte:03o}" for byte in reference.encode())
    changed, count = re.subn(r'^  reference: ".*"$', lambda _: f'  reference: "{quoted}"', text.read_text(), flags=re.M)
    assert count == 1
    text.write_text(changed)
    tenon("asm", text, "-o", path)
    return path


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
    assert "tensor 'sums': expected 8-bit integers" in refused(
        tenon, "run", path, "--target=cpu", f"--input={tmp_path}/x.npy", f"--dump-tensors={tmp_path}/tensors")


def test_constants_without_their_bytes(tenon, tmp_path):
    path = tmp_path / "x.mlir"
    path.write_text(CONSTANT)
    assert "a constant has not the bytes of its type" in refused(tenon, "run", path, "--target=cpu")
    tenon("compile", ROOT / "tests/conformance/graphs/weight_zero_point_qop/model.onnx", "--emit=tosa", "-o", path)
    assert "those of --emit=tosa are left out" in refused(tenon, "compile", path, "-o", tmp_path / "p.tenon")


def test_directories_and_devices(tenon, tmp_path):
    assert f"'{tmp_path}': cannot read the file: Is a directory" in refused(tenon, "compile", tmp_path, "-o", tmp_path / "p.tenon")
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
     "is too large"),
    ([helper.make_node("Pad", ["dx", "p"], ["r"])], {"p": np.int64([0, 0, 10**5, 10**5, 0, 0, 0, 0])},
     "its result of 1x4x100008x100008 is too large"),
    ([helper.make_node("Transpose", ["dx"], ["r"], perm=[2**63 - 1, -2**63, 0, 1])], {}, "perm is not a permutation of 4 axes"),
    ([helper.make_node("DequantizeLinear", ["l", "s", "m"], ["dl"]), helper.make_node("Add", ["dx", "dl"], ["r"])],
     {"l": np.int64([-2**63]), "m": np.int64([2**62])},
     "input 0 ('l') is tensor(int64), expected tensor(int32) or "),
])
def test_graphs_with_extreme_numbers(tenon, tmp_path, nodes, constants, expected):
    path = tmp_path / "x.onnx"
    onnx.save(quantized_graph(nodes, constants), path)
    if expected:
        assert expected in refused(tenon, "compile", path, "-o", tmp_path / "p.tenon")
    else:
        tenon("compile", path, "-o", tmp_path / "p.tenon")


def test_a_selection_too_large_for_the_accelerator_is_the_hosts(tenon, tmp_path):
    path = tmp_path / "x.onnx"
    wide = [helper.make_node("Slice", ["dx", "a", "b", "c"], ["r"])]
    onnx.save(quantized_graph(wide, {"a": np.int64([1]), "b": np.int64([60000]), "c": np.int64([1])}, (1, 60001, 1, 1)), path)
    assert "is not on the accelerator, which is required" in refused(tenon, "compile", path, "-o", tmp_path / "p.tenon",
                                                                      "--require=accelerator")
    tenon("compile", path, "-o", tmp_path / "p.tenon")


@pytest.mark.parametrize("extent, channels, expected", [
    (2**18, 4, "the sum of a window of 262144x262144 is up to 68719476736 times 128, which does not fit 32 bits"),
    (4000, 256, "windows of 4000x4000 over 256 channels are too large")])
def test_windows_that_are_too_large(tenon, tmp_path, extent, channels, expected):
    path = tmp_path / "x.onnx"
    pool = helper.make_node("AveragePool", ["dx"], ["r"], kernel_shape=[extent] * 2, pads=[extent // 2] * 4, count_include_pad=1)
    onnx.save(quantized_graph([pool], {}, (1, channels, 8, 8)), path)
    assert expected in tenon("compile", path, "--emit=tosa").stdout
