# Part of Tenon, under the Apache License v2.0.
"""Where things are, for the conformance tests."""
import os

import onnx
from onnx import numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.abspath(os.path.join(HERE, "..", "..", "..", "shared", "models"))


def load_tensor(path):
    """The array in an ONNX TensorProto file."""
    tensor = onnx.TensorProto()
    with open(path, "rb") as f:
        tensor.ParseFromString(f.read())
    return numpy_helper.to_array(tensor)


def tenon_opt():
    """The pass driver under test."""
    return os.environ.get("TENON_OPT", os.path.join(HERE, "..", "..", "build", "release", "bin", "tenon-opt"))


def graphs():
    """Names of the small graphs."""
    return sorted(os.listdir(os.path.join(HERE, "graphs")))


def graph_file(name, *parts):
    return os.path.join(HERE, "graphs", name, *parts)
