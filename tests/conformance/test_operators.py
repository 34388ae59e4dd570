# Part of Tenon, under the Apache License v2.0.
"""Every operator case of the onnx package that is in scope, on the CPU (operator_cases.py).

`cases_missing.txt` lists those that fail, each with the reason; one that passes must not stand there.
"""
import os

import pytest

from common import HERE
from operator_cases import cases, run_all


def missing():
    with open(os.path.join(HERE, "cases_missing.txt"), encoding="utf-8") as f:
        lines = [line.strip() for line in f if line.strip() and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the cases' own arithmetic
def test_every_case():
    selected = cases()
    results = run_all(selected)
    expected = missing()
    wrong = {name: reason for name, reason in results.items() if reason and name not in expected}
    assert not wrong, "\n".join(f"{name}: {reason}" for name, reason in sorted(wrong.items()))
    passing = [name for name in expected if not results[name]]
    assert not passing, "these pass: take them from cases_missing.txt"
