# Part of Tenon, under the Apache License v2.0.
"""The networks of ../shared/models, of which `./dev test` draws a part, give their stored outputs on the CPU, or do what
missing/models.txt says."""
import os
import pathlib
import sys

import pytest

import model_cases
from common import MODELS
from conformance import surprises

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from seeds import drawn  # noqa: E402


@pytest.mark.skipif(not os.path.isdir(MODELS), reason="../shared/models is not there")
def test_networks():
    assert not surprises(model_cases, lambda every: drawn(every, 10))
