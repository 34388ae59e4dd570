"""tenon bench: what it says, and that a network's time on the CPU is of onnxruntime's order."""
import json
import math
import time

import numpy as np
import onnx
from onnx import numpy_helper
import onnxruntime
import pytest

from conftest import test_sets


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
    figures = bench(tenon, relu, "--shape=x=3,4", "--runs=37", "--seconds=0", "--warm-up=0", "--threads=3")
    assert figures["runs"] == 37 and figures["threads"] == 3 and figures["host"].startswith(("x86-64-v", "aarch64"))
    assert 0 < figures["p10_ms"] <= figures["median_ms"] <= figures["p90_ms"]
    assert figures["first_ms"] > 0 and figures["load_ms"] > 0 and figures["compile_s"] > 0


def test_text(tenon, relu):
    text = tenon("bench", relu, "--shape=x=3,4", "--runs=5", "--seconds=0").stdout
    assert "ms · a tenth below" in text and "5 runs" in text and "first run" in text and "compiling" in text


@pytest.fixture
def product(tmp_path):
    """y = relu(x w), of 64 x 32 by 32 x 16."""
    info = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in (("x", [64, 32]), ("y", [64, 16]))]
    weights = numpy_helper.from_array(np.ones((32, 16), np.float32), "w")
    nodes = [onnx.helper.make_node("MatMul", ["x", "w"], ["xw"], name="product"), onnx.helper.make_node("Relu", ["xw"], ["y"], name="clip")]
    path = tmp_path / "product.onnx"
    graph = onnx.helper.make_graph(nodes, "g", info[:1], info[1:], [weights])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)]), path)
    return path


def test_profile(tenon, product):
    figures = bench(tenon, product, "--runs=9", "--seconds=0", "--profile")
    (nest,) = [nest for nest in figures["nests"] if "product" in nest["nodes"]]
    assert nest["operations"] == 2 * 64 * 32 * 16
    assert nest["bytes"] >= 4 * (64 * 32 + 32 * 16 + 64 * 16)
    assert 0 < nest["ms"] <= figures["profiled_ms"]
    assert sum(nest["share"] for nest in figures["nests"]) == pytest.approx(1)
    peaks = figures["peaks"]
    rates = [memory["bytes_per_s"] for memory in peaks["memory"]]
    assert peaks["float_operations_per_s"] > 1e8 and peaks["byte_operations_per_s"] > 1e8 and min(rates) > 1e7
    assert 0 < nest["bound_ms"] == pytest.approx(1e3 * max(nest["operations"] / peaks["float_operations_per_s"], nest["bytes"] / rates[0]))


def test_profile_as_text(tenon, product):
    text = tenon("bench", product, "--runs=5", "--seconds=0", "--profile").stdout
    assert "loop nests" in text and "of bound" in text and "this machine, measured" in text
    assert any("product" in line and "%" in line for line in text.splitlines())
    assert "of bound" not in tenon("bench", product, "--runs=5", "--seconds=0").stdout


def test_program_without_a_network(tenon, relu, tmp_path):
    program = tmp_path / "relu.tenon"
    tenon("compile", relu, "--no-reference", "-o", program)
    assert "carries no network (--no-reference)" in tenon("bench", program, expect=1).stderr


def inputs_of(folder, session):
    tensors = [onnx.load_tensor(str(folder / f"input_{i}.pb")) for i in range(len(session.get_inputs()))]
    return {info.name: numpy_helper.to_array(tensor) for info, tensor in zip(session.get_inputs(), tensors)}


def median_ms(run, runs=30):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - begin))
    return sorted(times)[runs // 2]


def test_order_of_onnxruntime(tenon, models):
    """Both on one thread, one after the other: 4 times as long in the mean, 15 times for one network, are too long."""
    ratios = {}
    for network in ["mlperftiny_resnet8/fp32", "mlperftiny_kws_dscnn/fp32", "mobilenetv1_0.25_128/fp32", "byte_sb_bidi_lstm",
                    "stories260k_llama/prefill64", "resnet56_cifar10/fp32"]:
        path = models / network / "model.onnx"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        folder = test_sets(path)[0]
        given = inputs_of(folder, session)
        peer = median_ms(lambda: session.run(None, given))
        ratios[network] = bench(tenon, path, f"--expect={folder}", "--seconds=0.2")["median_ms"] / peer
    mean = math.exp(sum(math.log(ratio) for ratio in ratios.values()) / len(ratios))
    assert mean <= 4 and max(ratios.values()) <= 15, ratios
