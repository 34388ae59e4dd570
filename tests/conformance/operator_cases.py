# Part of Tenon, under the Apache License v2.0.
"""Suite onnx-backend: the operator cases of the onnx package (onnx.backend.test.case.node)."""
from onnx.backend.test.case.node import collect_testcases

NAME = "onnx-backend"


def cases():
    return collect_testcases(None)
