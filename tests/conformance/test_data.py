# Part of Tenon, under the Apache License v2.0.
"""Every case of Debian's libonnx-testdata does what missing/libonnx-testdata.txt says."""
import data_cases
from conformance import surprises


def test_every_case():
    assert not surprises(data_cases)
