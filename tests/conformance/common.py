# Part of Tenon, under the Apache License v2.0.
"""Where things are, for the conformance tests."""
import os

import onnx
from onnx import numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))


def load_tensor(path):
    """The array in an ONNX TensorProto file."""
    tensor = onnx.TensorProto()
    with open(path, "rb") as f:
        tensor.ParseFromString(f.read())
    return numpy_helper.to_array(tensor)
