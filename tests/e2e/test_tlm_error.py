"""The SystemC model's cycles beside the RTL's, on every machine that ships and every board, with plain and banked memory.

Both are what tests/bench/tlm.json has, out of which docs/tlm.md is made; `tests/bench/tlm_error.py --write` takes new ones.
"""
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tests/bench"))
import tlm_error  # noqa: E402
from workloads import TLM_MEAN, TLM_WORST, Absent  # noqa: E402

CASES = list(tlm_error.cases())


def test_every_case_is_kept():
    assert list(tlm_error.kept()) == [case.name for case in CASES]


def test_every_board_is_a_case(tenon):
    """But those whose machine is too small for a network."""
    boards = {line.split()[0] for line in tenon("fpga", "list").stdout.splitlines()[1:]}
    assert boards - {"icebreaker", "hx8k-breakout"} == set(tlm_error.BOARDS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cycles(tenon, case):
    def run(arguments):
        return tenon.report(*arguments)
    try:
        found = tlm_error.cycles(case, run)
    except Absent as reason:
        pytest.skip(f"../shared/{reason} is not there")
    assert abs(tlm_error.error(found)) <= TLM_WORST, found
    assert found == tlm_error.kept()[case.name], "if this is meant: tests/bench/tlm_error.py --write"


def test_mean_error():
    errors = [abs(tlm_error.error(row)) for row in tlm_error.kept().values()]
    assert sum(errors) / len(errors) <= TLM_MEAN
