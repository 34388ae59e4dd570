# Part of Tenon, under the Apache License v2.0.
"""The operator cases of the onnx package, of which `./dev test` draws a part, do what missing/onnx-backend.txt says."""
import pathlib
import sys

import operator_cases
from conformance import surprises

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from seeds import drawn  # noqa: E402


def test_cases():
    assert not surprises(operator_cases, lambda every: drawn(every, len(every) // 4))
