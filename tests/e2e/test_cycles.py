"""Cycle counts of every workload: exact on the RTL, close on the SystemC model, and all accounted for. Those of more than
three million cycles see the memory with banks in `./dev nightly networks` alone.

Cycles are deterministic. A change that moves one is accepted by `./dev bench --accept` and explained in its commit.
"""
import json
import sys

import pytest

from conftest import ROOT
from seeds import LONG
from sums import assert_cycles_add_up, assert_states_add_up

sys.path.insert(0, str(ROOT / "tests/bench"))
from workloads import TLM_MEAN, TLM_WORST, Absent, workloads  # noqa: E402

BOUNDS = json.loads((ROOT / "tests/bench/bounds.json").read_text())
EXPECTED = json.loads((ROOT / "tests/bench/cycles.json").read_text())
WORKLOADS = {w.name: w for w in workloads()}
# A DRAM with banks beside the plain memory of all comparisons.
BANKED = "dram=ddr3-1066"
SHORT = [name for name, cycles in EXPECTED.items() if cycles <= 3_000_000]


@pytest.fixture(scope="module")
def programs(tenon, tmp_path_factory):
    """Compiles a workload when it is first asked for."""
    folder, made = tmp_path_factory.mktemp("programs"), {}

    def program(name):
        if name not in made:
            workload = WORKLOADS[name]
            try:
                source = workload.make()
            except Absent as reason:
                pytest.skip(f"../shared/{reason} is not there")
            path = folder / f"{name}.tenon"
            if source.suffix == ".tasm":
                tenon("asm", source, "-o", path)
            else:
                tenon("compile", source, "-o", path, f"--config={workload.config}")
            made[name] = path
        return made[name]
    return program


@pytest.fixture(scope="module")
def errors():
    """Relative errors of the SystemC model by memory, filled by the tests in front of test_mean_error."""
    return {}


def test_every_workload_has_its_cycles():
    assert set(EXPECTED) == set(BOUNDS) == set(WORKLOADS)


def run(tenon, program, target, options):
    """A report whose memory was compared and whose cycles add up."""
    report = tenon.report(program, f"--target={target}", "--check=functional", *options)
    assert report["checks"]["functional"]["status"] == "bit-exact"
    if report["layers"]:
        assert_cycles_add_up(report)
    else:  # a bare program
        assert_states_add_up(report)
    return report


def compare(tlm, rtl, errors):
    error = abs(tlm["cycles"] / rtl["cycles"] - 1)
    errors.append(error)
    assert error <= TLM_WORST, f"{tlm['cycles']:,.0f} cycles, on the RTL {rtl['cycles']:,.0f}"


@pytest.mark.parametrize("name", WORKLOADS)
def test_cycles(tenon, programs, errors, name):
    program, options = programs(name), WORKLOADS[name].options()
    rtl = run(tenon, program, "rtl", options)
    assert rtl["cycles"] == EXPECTED[name], f"{name}: if this is meant, say why and run ./dev bench --accept"
    assert WORKLOADS[name].bound_of(rtl) == BOUNDS[name]
    compare(run(tenon, program, "tlm", options), rtl, errors.setdefault("plain", []))


@pytest.mark.parametrize("name", WORKLOADS if LONG else SHORT)
def test_cycles_with_banked_memory(tenon, programs, errors, name):
    program, options = programs(name), WORKLOADS[name].options(BANKED)
    rtl, tlm = run(tenon, program, "rtl", options), run(tenon, program, "tlm", options)
    compare(tlm, rtl, errors.setdefault("banked", []))


@pytest.mark.parametrize("memory", ["plain", "banked"])
def test_mean_error(errors, memory):
    measured = errors.get(memory)
    assert measured, "no workload was measured"
    assert sum(measured) / len(measured) <= TLM_MEAN
