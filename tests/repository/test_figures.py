"""Figures of the documents are the measured ones: cycles.json, bounds.json and tlm.json of tests/bench, hw/flows/area_data.json."""
import json
import re
import sys

from test_tree import ROOT

sys.path.insert(0, str(ROOT / "tests/bench"))
import figures  # noqa: E402
import tlm_error  # noqa: E402
from workloads import TLM_MEAN, TLM_WORST  # noqa: E402


def test_the_table_of_the_readme():
    assert figures.README.read_text() == figures.document(), "run tests/bench/figures.py --write"


def test_the_first_run_of_the_readme():
    """What it shows of ResNet-8."""
    cycles, bound = figures.read("cycles")["resnet8"], figures.read("bounds")["resnet8"]
    text = figures.README.read_text()
    assert f"accelerator   {cycles:,} cycles · {cycles / 1e5:.3f} ms at 100 MHz" in text
    assert f"bound         {bound:,} cycles, the sum over the layers of max(compute, reads, writes) · {100 * bound / cycles:.1f} % of it" in text


def test_the_error_of_the_systemc_model():
    text = re.sub(r"\s+", " ", figures.README.read_text())
    assert f"within {100 * TLM_WORST:g} % for each workload and {100 * TLM_MEAN:g} % on average" in text


def test_the_table_of_the_systemc_model():
    assert tlm_error.DOCUMENT.read_text() == tlm_error.document(), "run tests/bench/tlm_error.py --document"


def test_the_area_of_pynq():
    area = json.loads((ROOT / "hw/flows/area_data.json").read_text())["synthesised"]["xc7"]["pynq"]
    lut, ff, dsp, ram = (f"{area[key]:,}" for key in ("lut", "ff", "dsp", "ram"))
    assert f"{lut} LUT, {dsp} DSP48, {ram} RAMB36" in figures.README.read_text()
    assert f"| {lut} of 53,200 | {ff} | {dsp} of 220 | {ram} of 140 |" in (ROOT / "docs/fpga.md").read_text()
