# Part of Tenon, under the Apache License v2.0.
"""What the importer makes of a file, executed in numpy, against onnxruntime."""
import os

import numpy as np
import pytest

from common import HERE, graph_file, graphs, load_tensor, tenon_opt
from tosa_interpreter import imported, interpret

MODELS = os.path.join(HERE, "..", "..", "..", "shared", "models")
# What no integer cluster takes, and why; lowered in float, which that file's interpreter does not know.
FLOAT = {"weight_zero_points_qdq": "zero points that differ between channels (90 and 91)"}
NETWORKS = [f"{n}/{f}" for n in ("mlperftiny_resnet8", "mlperftiny_kws_dscnn", "mobilenetv1_0.25_128")
            for f in ("qdq", "qop")]


@pytest.mark.parametrize("name", [g for g in graphs() if g not in FLOAT])
def test_graph_equals_onnxruntime(name):
    """Exactly: the generator keeps every value away from ties."""
    results, _ = interpret(imported(tenon_opt(), graph_file(name, "model.onnx")),
                           [load_tensor(graph_file(name, "test_data_set_0", "input_0.pb"))])
    want = load_tensor(graph_file(name, "test_data_set_0", "output_0.pb"))
    assert results[0].dtype == want.dtype and results[0].shape == want.shape
    np.testing.assert_array_equal(results[0], want)


@pytest.mark.parametrize("name", FLOAT)
def test_graph_is_in_no_cluster(name):
    assert FLOAT[name] in imported(tenon_opt(), graph_file(name, "model.onnx"))


@pytest.mark.parametrize("network", NETWORKS)
def test_layers_equal_onnxruntime(network):
    """Each layer on onnxruntime's own inputs: at most 1 of 10,000 values differs, by 1.

    onnxruntime averages in float and rounds ties to even, TOSA rounds them up, so a
    pool may differ at ties: one with a power-of-two count has them.  Softmax is
    float in both, with another exponential.
    """
    model = os.path.join(MODELS, network, "model.onnx")
    if not os.path.exists(model):
        pytest.skip("../shared/models is not there")
    stored = dict(np.load(os.path.join(HERE, "inner", network.replace("/", "_") + ".npz")))
    text = imported(tenon_opt(), model)
    source = next(iter(stored))  # the generator writes the input first
    ours = {}
    interpret(text, [stored[source]], stored, ours)
    missing = set(stored) - set(ours) - {source}
    assert not missing, f"no operation is marked as {missing}"
    total = different = 0
    for name, got in ours.items():
        if name not in stored:
            continue
        want = stored[name]
        assert got.dtype == want.dtype and got.shape == want.shape, name
        distance = np.abs(got.astype(int) - want.astype(int))
        assert distance.max() <= 1, name
        if "avg_pool2d" in operation_of(text, name) or name == list(ours)[-1]:
            continue
        total += got.size
        different += np.count_nonzero(distance)
    assert different <= max(1, total // 10000), f"{different} of {total}"


def operation_of(text, name):
    """The line whose result is the ONNX tensor `name`."""
    return next(line for line in text.splitlines() if f'tenon.tensor = {{name = "{name}"' in line)
