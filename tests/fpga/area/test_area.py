"""tenon config show --area and config check --board; the data of the model against a synthesis."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "hw/flows"))

import synthesis  # noqa: E402

TENON = os.environ.get("TENON", str(ROOT / "build/release/bin/tenon"))
WRITE_PACKAGE = os.environ.get("WRITE_PACKAGE", str(ROOT / "build/release/bin/write_package"))


def run(*arguments, expect=0):
    done = subprocess.run([TENON, "config", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == expect, done.stdout + done.stderr
    return done


def test_all_families():
    shown = json.loads(run("show", "tiny", "--area", "--json=-").stdout)
    assert shown["configuration"] == "tiny"
    assert [area["family"] for area in shown["areas"]] == ["ecp5", "gowin", "ice40", "xc7"]
    text = run("show", "tiny", "--area").stdout
    for area in shown["areas"]:
        assert area["used"]["lut"] > 0 and area["used"]["ff"] > 0 and area["used"]["ram"] > 0
        assert f"{area['family']:16}{area['used']['lut']:10.0f}{area['used']['ff']:10.0f}" in text


def test_one_family_by_part():
    area, = json.loads(run("show", "small", "--area", "--family=ecp5", "--json=-").stdout)["areas"]
    names = {part["name"] for part in area["parts"]}
    assert names == {*synthesis.PARTS, synthesis.TOP}
    assert area["used"]["ram"] == sum(memory["blocks"] for memory in area["memories"])
    # eight lanes of 64 bits, each of which takes two blocks of 36 bits
    assert next(memory for memory in area["memories"] if memory["name"] == "wgt")["blocks"] == 16


@pytest.mark.parametrize("arguments, code, said", [
    (("show", "tiny", "--area", "--family=xc2v"), 1, "no model of family 'xc2v'; there are ecp5, gowin, ice40, xc7"),
    (("show", "tiny", "--family=ecp5"), 2, "--family says of which family --area is"),
    (("check", "tiny", "--board=no-such-board"), 1, "no-such-board"),
    (("check", "tiny", "--json=-"), 2, "--json needs --board"),
    (("show", "nothing", "--area"), 1, "nothing"),
])
def test_mistakes(arguments, code, said):
    done = run(*arguments, expect=code)
    assert said in done.stderr and done.stdout == ""


def test_fits():
    done = run("check", "small", "--board=ulx3s-85f")
    assert done.stdout.endswith("\nfits\n")
    assert "bridge, 160 KiB DRAM" in done.stdout


def test_does_not_fit():
    """Exit code 3, in text and JSON; what is missing adds up."""
    text = run("check", "small", "--board=ulx3s-25f", expect=3).stdout
    assert "does not fit: " in text and "98 DSP of 28 (70 too many)" in text
    fit = json.loads(run("check", "small", "--board=ulx3s-25f", "--json=-", expect=3).stdout)
    assert not fit["fits"] and fit["board"] == "ulx3s-25f"
    for entry in fit["shortfall"]:
        key = entry["resource"].lower()
        assert entry["used"] == fit["used"][key] > entry["available"] == fit["available"][key]
        assert fit["used"][key] == fit["machine"][key] + fit["bridge"][key]


def test_extrapolation_is_said():
    assert "beyond the fitted runs: block_in 64" in run("show", "huge", "--area", "--family=xc7").stderr


def test_a_part_is_what_the_data_say(tmp_path):
    """The data file is kept up by hand, after the RTL has changed; what it says of text that is still there must hold."""
    data = json.loads((ROOT / "hw/flows/area_data.json").read_text())
    if data["tools"]["xc7"] != synthesis.version("yosys"):
        pytest.skip(f"the data are of {data['tools']['xc7']}")
    package = tmp_path / "tenon_pkg.sv"
    synthesis.write_package(WRITE_PACKAGE, "tiny", package, any_hash=True)
    keys, modules_of = synthesis.key_of_parts("xc7", package, tmp_path)
    there = [part for part in ("token_channels", "counters", "axi_write") if keys[part] in data["parts"]["xc7"]]
    if not there:
        pytest.skip("hw/rtl has changed: hw/flows/area_sweep.py brings the data up to date")
    part = there[0]
    others = [name for other, name in modules_of.items() if other not in (part, synthesis.TOP)]
    modules = synthesis.synthesise("xc7", package, tmp_path, known=others)
    found = synthesis.with_children(modules, modules_of[part], modules_of.values())
    # ABC's choice among equal covers follows names that other modules shift.
    expected = data["parts"]["xc7"][keys[part]]["cells"]
    lut = re.compile(r"LUT\d")

    def luts(cells):
        return sum(count for kind, count in cells.items() if lut.fullmatch(kind))

    def others_of(cells):
        return {kind: count for kind, count in cells.items() if not lut.fullmatch(kind)}

    assert others_of(found) == others_of(expected)
    assert luts(found) == pytest.approx(luts(expected), rel=0.05)
