# Part of Tenon, under the Apache License v2.0.
"""Every network of ../shared/models gives its stored outputs on the CPU, or does what missing/models.txt says."""
import os

import pytest

import model_cases
from common import MODELS
from conformance import surprises


@pytest.mark.skipif(not os.path.isdir(MODELS), reason="../shared/models is not there")
def test_every_network():
    assert not surprises(model_cases)
