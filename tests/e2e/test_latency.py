"""tenon bench: what it says, and that a network's time on the CPU is of onnxruntime's order."""
import json
import math
import os
from pathlib import Path
import time

import numpy as np
import onnx
from onnx import numpy_helper
import onnxruntime
import pytest

MODELS = Path(os.environ.get("TENON_MODELS", "/nowhere"))


def bench(tenon, *args):
    return json.loads(tenon("bench", *args, "--json=-").stdout)


@pytest.fixture
def relu(tmp_path):
    info = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["rows", 4]) for name in "xy"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "g", info[:1], info[1:])
    path = tmp_path / "relu.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)]), path)
    return path


def test_figures(tenon, relu):
    figures = bench(tenon, relu, "--shape=x=3,4", "--runs=37", "--seconds=0", "--warm-up=0")
    assert figures["runs"] == 37 and figures["threads"] == 1
    assert 0 < figures["p10_ms"] <= figures["median_ms"] <= figures["p90_ms"]
    assert figures["first_ms"] > 0 and figures["load_ms"] > 0 and figures["compile_s"] > 0


def test_text(tenon, relu):
    text = tenon("bench", relu, "--shape=x=3,4", "--runs=5", "--seconds=0").stdout
    assert "ms · a tenth below" in text and "5 runs" in text and "first run" in text and "compiling" in text


def test_program_without_a_network(tenon, relu, tmp_path):
    program = tmp_path / "relu.tenon"
    tenon("compile", relu, "--no-reference", "-o", program)
    assert "carries no network (--no-reference)" in tenon("bench", program, expect=1).stderr
