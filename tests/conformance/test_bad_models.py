# Part of Tenon, under the Apache License v2.0.
"""Broken files: diagnostics, exit code 1, never a crash."""
import os
import random
import subprocess

import onnx
import pytest

from common import graph_file, tenon_opt


# A sanitizer's finding must not look like a refusal.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:exitcode=99:detect_leaks=0",
               "UBSAN_OPTIONS": "exitcode=99"}


def run(path):
    return subprocess.run([tenon_opt(), str(path), "-o", "/dev/null"], capture_output=True, timeout=60, check=False,
                          env=ENVIRONMENT)


def refuse(path):
    """The diagnostics; a signal, a success or silence fails the test."""
    done = run(path)
    text = done.stderr.decode(errors="replace")
    assert done.returncode == 1, f"exit code {done.returncode}\n{text}"
    assert "error:" in text, text
    return text


def survives(path):
    """Imported or refused, but not crashed."""
    done = run(path)
    assert done.returncode in (0, 1), f"exit code {done.returncode}\n{done.stderr.decode(errors='replace')}"


@pytest.fixture(scope="module", params=["add_scales_qdq", "weight_zero_point_qop"])
def model_bytes(request):
    with open(graph_file(request.param, "model.onnx"), "rb") as f:
        return f.read()


def test_missing_and_empty(tmp_path):
    assert "cannot read the file" in refuse(tmp_path / "none.onnx")
    (tmp_path / "empty.onnx").write_bytes(b"")
    assert "not an ONNX model" in refuse(tmp_path / "empty.onnx")


def test_random_bytes(tmp_path):
    rng = random.Random(5)
    for size in (1, 2, 7, 100, 5000):
        (tmp_path / "m.onnx").write_bytes(rng.randbytes(size))
        refuse(tmp_path / "m.onnx")


def test_truncated(tmp_path, model_bytes):
    for part in (1, 10, 100, 2, 3, 1.1):
        (tmp_path / "m.onnx").write_bytes(model_bytes[:int(len(model_bytes) / part) - 1])
        refuse(tmp_path / "m.onnx")


def test_changed_bytes(tmp_path, model_bytes):
    """Seeds are the case numbers; a failure names its own."""
    for seed in range(60):
        rng = random.Random(seed)
        data = bytearray(model_bytes)
        for _ in range(rng.choice((1, 2, 8, 40))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path = tmp_path / f"seed_{seed}.onnx"
        path.write_bytes(data)
        survives(path)


def test_changed_fields(tmp_path, model_bytes):
    """Sound protobuf, unsound graph: names, types, dimensions and attributes."""
    def change(rng, model):
        graph = model.graph
        node, tensor = rng.choice(graph.node), rng.choice(graph.initializer)
        kind = rng.randrange(9)
        if kind == 0:
            tensor.dims[:] = [rng.choice((-1, 0, 1, 3, 2**40)) for _ in range(rng.randrange(5))]
        elif kind == 1:
            tensor.data_type = rng.randrange(-1, 25)
        elif kind == 2 and node.input:
            node.input[rng.randrange(len(node.input))] = rng.choice(["", "nowhere", rng.choice(graph.node).output[0]])
        elif kind == 3 and node.attribute:
            attribute = rng.choice(node.attribute)
            attribute.ints[:] = [rng.choice((-2**62, -1, 0, 1, 5, 2**62)) for _ in range(rng.randrange(6))]
        elif kind == 4 and node.attribute:
            rng.choice(node.attribute).i = rng.choice((-2**62, -1, 0, 2, 7, 2**62))
        elif kind == 5:
            node.op_type = rng.choice(["Conv", "Add", "Relu", "MaxPool", "Concat", "Softmax", "Gemm", "Reshape",
                                       "Transpose", "Squeeze", "Flatten", "Mul", "Cast", "QLinearConv", "If"])
        elif kind == 6:
            del node.input[rng.randrange(len(node.input) + 1):]
        elif kind == 7:
            dims = graph.input[0].type.tensor_type.shape.dim
            dims[rng.randrange(len(dims))].dim_value = rng.choice((-1, 0, 1, 2, 17, 2**31, 2**62))
        else:
            tensor.raw_data = rng.randbytes(len(tensor.raw_data))
    for seed in range(150):
        rng = random.Random(seed)
        model = onnx.load_from_string(model_bytes)
        for _ in range(rng.choice((1, 1, 2, 4))):
            change(rng, model)
        path = tmp_path / f"seed_{seed}.onnx"
        path.write_bytes(model.SerializeToString())
        survives(path)
