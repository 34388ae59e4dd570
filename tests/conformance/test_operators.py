# Part of Tenon, under the Apache License v2.0.
"""Every operator case of the onnx package does what missing/onnx-backend.txt says."""
import operator_cases
from conformance import surprises


def test_every_case():
    assert not surprises(operator_cases)
