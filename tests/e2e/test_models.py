"""Every real network on the CPU: the outputs that are stored beside it."""
import pytest

from conftest import MODELS, test_sets

# Beyond these a result is wrong; float networks are compared with onnxruntime's float32, half precision with its own rounding.
FLOAT, HALF, QUANTISED = "1e-3,1e-4", "2e-2,2e-3", "0,1"


def networks():
    return sorted(str(path.relative_to(MODELS)) for path in MODELS.rglob("*.onnx"))
