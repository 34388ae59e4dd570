"""The tables of ./dev coverage, on counts made by hand."""
import os
import pathlib
import subprocess
import sys
import types

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import coverage  # noqa: E402
import rtl  # noqa: E402

COUNTS = {("isa/a.cpp", 3): 2, ("isa/a.cpp", 4): 0, ("isa/b.h", 9): 7, ("sim/rtl/c.cpp", 1): 0, ("sim/rtl/c.cpp", 2): 0,
          ("sim/rtl/c.cpp", 5): 0}


def test_folders_and_shares():
    assert coverage.tally(COUNTS) == {"isa/a.cpp": (2, 1), "isa/b.h": (1, 1), "sim/rtl/c.cpp": (3, 0)}
    folders = coverage.tally(COUNTS, coverage.folder)
    assert folders == {"isa": (3, 2), "sim/rtl": (3, 0)}
    text = coverage.table("C++", folders, (6, 2))
    assert "66.7%" in text and "33.3%" in text.splitlines()[-1]
    assert coverage.share(0, 0) == 0  # nothing was counted: no goal holds


def test_missed_lines():
    assert coverage.missed(COUNTS) == {"isa/a.cpp": [4], "sim/rtl/c.cpp": [1, 2, 5]}
    assert coverage.ranges([5, 1, 2]) == "1-2, 5"


def test_exclusions_have_reasons_and_exist():
    for path, reason in coverage.exclusions().items():
        assert reason and (rtl.ROOT / path).exists(), path
    assert coverage.is_excluded("sim/rtl/c.cpp", {"sim/": "x"})
    assert not coverage.is_excluded("isa/a.cpp", {"isa/a": "x"})


@pytest.mark.parametrize("ctest, covered, code", [(0, 1, 0), (8, 1, 1), (0, 0, 3), (8, 0, 1)])
def test_a_failing_test_is_a_failure(monkeypatch, ctest, covered, code):
    """Whatever share of the lines was run."""
    monkeypatch.setattr(sys, "argv", ["coverage.py", "--cpp"])
    monkeypatch.setattr(coverage.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, ctest))
    monkeypatch.setitem(coverage.MODULES, "cpp", types.SimpleNamespace(
        TESTS="", prepare=lambda: {}, lines=lambda: {("isa/a.cpp", 1): covered}))
    assert coverage.main() == code


def counts(*points):
    return "# SystemC::Coverage-3\n" + "".join(
        "C '" + "".join(f"\1{key}\2{value}" for key, value in fields.items()) + f"' {count}\n" for fields, count in points)


def test_counts_of_several_models_are_added(tmp_path, monkeypatch):
    monkeypatch.setattr(rtl, "COUNTS", tmp_path)
    line = {"f": "any/rtl/fifo.sv", "l": "7", "page": "v_line/fifo", "o": "block", "S": "7-8,10"}
    other = {**line, "l": "20", "S": ""}
    toggle = {**line, "l": "3", "page": "v_toggle/fifo", "o": "valid_o", "S": ""}
    (tmp_path / "a.dat").write_text(counts((line, 0), (other, 0), (toggle, 0)))
    (tmp_path / "b.dat").write_text(counts((line, 5), (other, 0), (toggle, 1), ({**line, "f": "x/formal/fifo.sv"}, 9)))
    assert rtl.lines() == {("hw/rtl/fifo.sv", 7): 5, ("hw/rtl/fifo.sv", 8): 5, ("hw/rtl/fifo.sv", 10): 5, ("hw/rtl/fifo.sv", 20): 0}
    assert rtl.toggles() == {("hw/rtl/fifo.sv", 3, "valid_o"): 1}


def test_models_files_are_found_in_the_tree():
    assert rtl.source("../../hw/rtl/multiplier.sv") == "hw/rtl/multiplier.sv"
    assert rtl.source("rtl/multiplier.sv") == "hw/rtl/multiplier.sv"
    assert rtl.source("bridge/memory_array.sv") == "hw/bridge/memory_array.sv"
    assert rtl.source("/x/hw/boards/icebreaker/memory_array.sv") == "hw/boards/icebreaker/memory_array.sv"
    assert rtl.source("netlist.v") is rtl.source("rtl/tenon_pkg.sv") is rtl.source("probe/fifo.sv") is None


MODEL = """module fifo (input logic clk_i, input logic push_i, output logic [1:0] count_o);
  always_ff @(posedge clk_i) begin
    if (push_i)
      count_o <= count_o + 1;
    else
      count_o <= 0;
  end
endmodule
"""
MAIN = """#include "Vfifo.h"
#include "sim/rtl/coverage_counts.h"
int main(int, char **arguments) {
  for (const char *push = arguments[1]; *push; ++push) { // a model each
    Vfifo top;
    top.push_i = *push == '1';
    for (int edge = 0; edge < 6; ++edge) {
      top.clk_i = !top.clk_i;
      top.eval();
    }
    tenon::sim::writeCoverage(*Verilated::threadContextp());
  }
}
"""


def test_models_and_processes_add_what_they_count(tmp_path, monkeypatch):
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl/fifo.sv").write_text(MODEL)
    (tmp_path / "main.cpp").write_text(MAIN)
    subprocess.run(["verilator", "--cc", "--exe", "--build", "--coverage-line", "--coverage-toggle", "-CFLAGS",
                    f"-std=c++17 -O0 -I{rtl.ROOT}", "rtl/fifo.sv", "main.cpp"], cwd=tmp_path, check=True, capture_output=True)
    counts = tmp_path / "counts"
    counts.mkdir()
    monkeypatch.setattr(rtl, "COUNTS", counts)
    environment = {**os.environ, "TENON_RTL_COVERAGE": str(counts)}
    for push in ("0", "00"):
        subprocess.run([tmp_path / "obj_dir/Vfifo", push], env=environment, check=True)
    assert coverage.missed(rtl.lines()) == {"hw/rtl/fifo.sv": [3, 4]}
    lines, toggles = rtl.sums()
    assert lines["hw/rtl/fifo.sv", 6] == 3 * 2  # three models, two rising edges each behind the first evaluation
    assert not any(count for (_, _, signal), count in toggles.items() if signal.startswith("count_o"))
    subprocess.run([tmp_path / "obj_dir/Vfifo", "101"], env=environment, check=True)
    assert coverage.missed(rtl.lines()) == {}
    lines, toggles = rtl.sums()
    assert (lines["hw/rtl/fifo.sv", 3], lines["hw/rtl/fifo.sv", 6]) == (2 * 2, 4 * 2)
    assert toggles["hw/rtl/fifo.sv", 1, "count_o[0]"] == 2 * 2
    assert [file.suffix for file in sorted(counts.iterdir())] == [".dat", ".lock"]
