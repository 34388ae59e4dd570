"""tenon run --board: configuration, clock and memory of a board in one word."""
import pytest

from conftest import EXAMPLE

MODEL = EXAMPLE / "resnet8.onnx"


def run(tenon, *arguments):
    return tenon.report(*arguments, "--target=tlm", "--check=none")


@pytest.mark.parametrize("board, config, clock, memory", [
    ("pynq-z1", "pynq", 100, "dram=pynq-ddr3"), ("zcu104", "wide", 150, "bytes-per-cycle=16,outstanding=8,dram=zcu104-ddr4"),
    ("ulx3s-85f", "small", 60, "latency=4,"), ("tang-nano-20k", "tiny", 54, "latency=4,")])
def test_a_board_is_configuration_clock_and_memory(tenon, board, config, clock, memory):
    report = run(tenon, MODEL, f"--board={board}")
    assert (report["board"], report["config"], report["clock_mhz"]) == (board, config, clock)
    assert memory in report["memory"] and report["board_memory"]
    assert report["time_ms"] == pytest.approx(report["cycles"] / clock / 1e3)
    same = run(tenon, MODEL, f"--config={config}")
    assert report["cycles"] != same["cycles"] and same["board"] == ""


def test_the_summary_names_it(tenon):
    said = tenon("run", MODEL, "--board=pynq-z2", "--target=tlm", "--check=none").stdout
    assert "pynq-z2 · 512 MB DDR3-1050, 16 bits, behind port HP0" in said
    assert "at 100 MHz" in said and "dram=pynq-ddr3" in said


def test_what_is_asked_for_goes_first(tenon):
    report = run(tenon, MODEL, "--board=ulx3s-85f", "--config=tiny", "--memory=dram=ulx3s-sdram")
    assert (report["board"], report["config"], report["clock_mhz"]) == ("ulx3s-85f", "tiny", 60)
    assert "dram=ulx3s-sdram" in report["memory"] and report["board_memory"] == ""
    slower = run(tenon, MODEL, "--board=ulx3s-85f", "--config=tiny")
    assert slower["cycles"] < report["cycles"]


def test_programs(tenon, tmp_path):
    path = tmp_path / "resnet8.tenon"
    tenon("compile", MODEL, "--board=tang-nano-20k", "-o", path)
    compiled = run(tenon, path, "--board=tang-nano-20k")
    assert compiled["clock_mhz"] == 54
    assert compiled["cycles"] == run(tenon, MODEL, "--board=tang-nano-20k")["cycles"]
    # Of the second the machine is the same, but not the clock.
    for board, has in (("pynq-z1", "'pynq' at 100 MHz"), ("ulx3s-25f", "'tiny' at 50 MHz")):
        said = tenon("run", path, f"--board={board}", "--target=tlm", expect=1).stderr
        assert (f"the program was compiled for configuration 'tiny' at 54 MHz, board {board} has {has}: "
                f"compile the network again with --board={board}") in said


@pytest.mark.parametrize("verb", [("run",), ("compile", "-o", "x.tenon")])
def test_unknown_boards(tenon, tmp_path, verb):
    said = tenon(verb[0], MODEL, *verb[1:], "--board=zedboard", expect=1, cwd=tmp_path).stderr
    assert "there is no board 'zedboard'; there are ecp5-evn, hx8k-breakout, " in said


def test_a_board_with_a_machine_of_its_own(tenon):
    """Its machine is a file of hw/."""
    listed = tenon("run", MODEL, "--board=icebreaker", "--target=cpu").stdout
    assert "icebreaker" in listed
