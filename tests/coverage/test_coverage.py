"""The tables of ./dev coverage, on counts made by hand."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import coverage  # noqa: E402
import rtl  # noqa: E402

LINES = {"isa/a.cpp": (10, 9), "isa/b.h": (10, 4), "sim/rtl/c.cpp": (5, 0)}


def test_folders_and_shares():
    assert coverage.by_folder(LINES) == {"isa": (20, 13), "sim/rtl": (5, 0)}
    text = coverage.table("C++", coverage.by_folder(LINES), (25, 13))
    assert "65.0%" in text and "52.0%" in text.splitlines()[-1]


def test_exclusions_have_reasons_and_exist():
    for path, reason in coverage.exclusions().items():
        assert reason and (rtl.ROOT / path).exists(), path
    assert coverage.is_excluded("sim/rtl/c.cpp", {"sim/": "x"}) and not coverage.is_excluded("isa/a.cpp", {"isa/a": "x"})


def counts(*points):
    return "# SystemC::Coverage-3\n" + "".join(
        "C '" + "".join(f"\1{key}\2{value}" for key, value in fields.items()) + f"' {count}\n" for fields, count in points)


def test_counts_of_several_models_are_added(tmp_path, monkeypatch):
    monkeypatch.setattr(rtl, "COUNTS", tmp_path)
    line = {"f": "any/where/fifo.sv", "l": "7", "page": "v_line/fifo", "o": "block", "S": "7-8,10"}
    other = {**line, "l": "20", "S": ""}
    toggle = {**line, "l": "3", "page": "v_toggle/fifo", "o": "valid_o", "S": ""}
    (tmp_path / "a.dat").write_text(counts((line, 0), (other, 0), (toggle, 0)))
    (tmp_path / "b.dat").write_text(counts((line, 5), (other, 0), (toggle, 1), ({**line, "f": "verilated.sv"}, 9)))
    assert rtl.measure() == {"hw/rtl/fifo.sv": (4, 3)}
    assert rtl.missed() == {"hw/rtl/fifo.sv": [20]}
    assert rtl.by_file(rtl.sums()[1]) == {"hw/rtl/fifo.sv": (1, 1)}
