"""The memory fails, or is hostile: the user sees engine, instruction and place, or the right result."""
import re

import pytest

from conftest import EXAMPLE

MODEL = EXAMPLE / "resnet8.onnx"


@pytest.fixture(scope="module")
def program(tenon, tmp_path_factory):
    path = tmp_path_factory.mktemp("faults") / "resnet8.tenon"
    tenon("compile", MODEL, "-o", path)
    return path


@pytest.fixture(scope="module")
def places(tenon, program):
    """{name: offset in DRAM} of segments and tensors; the first of a name."""
    text = tenon("dis", program).stdout
    found = {}
    for name, offset in re.findall(r'^\.segment "(.*)" @0x(\w+)', text, re.M):
        found.setdefault(name, int(offset, 16))
    for name, offset in re.findall(r'^  tensors \{\n    name: "(.*)"\n(?:    offset: (\d+)\n)?', text, re.M):
        found.setdefault(name, int(offset or 0))
    return found


@pytest.mark.parametrize("name, within, engine, what", [
    ("instructions", 500 * 16, "FETCH", "segment 'instructions'"),
    ("weights of conv2d_3", 100, "LOAD", "segment 'weights of conv2d_3'"),
    ("input_1_int8", 2000, "LOAD", "tensor 'input_1_int8'"),
    ("quantizelinear_15", 4000, "STORE", "tensor 'quantizelinear_15'"),
])
def test_a_byte_that_fails_is_named(tenon, tmp_path, program, places, name, within, engine, what):
    place = places[name] + within
    result = tenon("run", program, f"--target=rtl:fault={place:#x}", "--output-dir", tmp_path / "out", "--json",
                   tmp_path / "report.json", "--report", tmp_path / "page.html", expect=4)
    message = re.fullmatch(
        r"tenon: rtl: (\w+)(?: #\d+)? \(instruction (\d+) of the stream\)(?: `(?:load|store) .*`)?(?: or one of \d+ others)?: "
        r"the memory answered with an error at DRAM offset 0x(\w+) \(address 0x(\w+), (.*)\)\n", result.stderr)
    assert message, result.stderr
    assert message[1] == engine and what in message[5]
    offset = int(message[3], 16)
    # A burst lies within 4 KiB.
    assert offset <= place and place // 4096 == offset // 4096
    assert int(message[4], 16) == 0x340000000 + offset
    if engine == "FETCH":
        assert int(message[2]) == (offset - places[name]) // 16 and place - offset < 16
    assert not list((tmp_path / "out").iterdir()) and [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_byte_that_nobody_touches_may_fail(tenon, program):
    """FETCH reads ahead of FINISH; what fails there is no error."""
    size = int(re.search(r"^\.dram (\d+)", tenon("dis", program).stdout, re.M)[1])
    result = tenon("run", program, f"--target=rtl:fault={size + 64}")
    assert "bit-exact with functional" in result.stdout


def test_a_memory_that_is_late_changes_no_result(tenon, program):
    usual = tenon.report(program)
    late = tenon.report(program, "--target=rtl:jitter=3")
    assert late["checks"]["functional"]["status"] == late["checks"]["cpu"]["status"] == "bit-exact"
    assert late["cycles"] > 1.5 * usual["cycles"]
    assert late["cycles"] == tenon.report(program, "--target=rtl:jitter=3")["cycles"]


@pytest.mark.parametrize("config", ["pynq", "small"])
def test_sleep_and_power_up_change_nothing(tenon, tmp_path, config):
    """Parts that sleep in the simulator, and what registers and scratchpads begin with: the same cycles, the same bits."""
    path = tmp_path / "network.tenon"
    tenon("compile", MODEL, "--config", config, "-o", path)
    usual = tenon.report(path)
    for target in ("rtl:awake=1", "rtl:powerup=1", "rtl:powerup=77777", "rtl:powerup=5,awake=1"):
        other = tenon.report(path, f"--target={target}")
        assert other["checks"]["functional"]["status"] == other["checks"]["cpu"]["status"] == "bit-exact", target
        assert other["cycles"] == usual["cycles"], target


def test_an_access_outside_of_dram_is_named_alike(tenon, tmp_path, program):
    """On every executor: the instruction, the offset, the size of DRAM."""
    text = tenon("dis", program).stdout
    first = re.search(r"^.*store .*?dram=(\w+)", text, re.M)
    assert first
    line = first[0].replace(f"dram={first[1]}", "dram=0x100000")
    path = tmp_path / "far.tasm"
    path.write_text(text.replace(first[0], line, 1))
    tenon("asm", path, "-o", tmp_path / "far.tenon")
    for target in ("functional", "tlm", "rtl"):
        message = tenon("run", tmp_path / "far.tenon", "--no-verify", f"--target={target}", "--check=none", expect=1).stderr
        assert re.search(r"STORE #0 \(instruction \d+ of the stream\) `store .*`.* at DRAM offset 0x800000.*outside of the "
                         r"\d+ bytes of DRAM", message), message


@pytest.mark.parametrize("target", ["rtl:", "rtl:fault", "rtl:fault=x", "rtl:late=3"])
def test_a_target_that_is_none(tenon, target):
    message = tenon("run", MODEL, f"--target={target}", expect=2).stderr
    assert "is none of fault=OFFSET, a byte of DRAM, jitter=SEED, powerup=SEED and awake=1" in message
