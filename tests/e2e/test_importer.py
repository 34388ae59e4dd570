"""The importer against what shares no code with it: tosa_reference.py (numpy), exact arithmetic, onnxruntime's inner tensors.

`tenon run --target=cpu` executes the TOSA as imported, by upstream passes only.
"""
import importlib.util
import pathlib

import numpy as np
import onnx
from onnx import numpy_helper
import pytest

from conftest import SHARED, test_sets, those_there
from layers import MADE, cut, exact_values, load_network, onnxruntime_tensors, quantised, quantised_networks
from seeds import drawn
from test_networks import NETWORKS


@pytest.fixture(scope="module")
def tosa_reference():
    path = SHARED / "tools" / "tosa_reference.py"
    if not path.is_file():
        pytest.skip("../shared/tools/tosa_reference.py is not there")
    spec = importlib.util.spec_from_file_location("tosa_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tensor(path):
    return numpy_helper.to_array(onnx.load_tensor(path))


def write(path, array):
    path.write_bytes(numpy_helper.from_array(array).SerializeToString())


def dumped(folder):
    return {p.stem.replace("%", "/"): np.load(p) for p in pathlib.Path(folder).glob("*.npy")}


def softmax_outputs(graph):
    """Names of the quantised tensors behind a softmax."""
    behind = {o for n in graph.node if n.op_type == "Softmax" for o in n.output}
    return {n.output[0] for n in graph.node if n.op_type == "QuantizeLinear" and n.input[0] in behind}


# tosa_reference.py begins with 8-bit inputs; these have float ones. exact arithmetic checks their layers below.
FLOAT_INPUTS = {"resnet56_cifar10/qdq"}


@pytest.mark.parametrize("network", drawn([n for n in NETWORKS if n not in FLOAT_INPUTS], 4))
def test_every_tensor_equals_tosa_reference(tenon, models, tosa_reference, tmp_path, network):
    model = models / network / "model.onnx"
    data = test_sets(model)[-1]
    tenon("run", model, "--target=cpu", f"--expect={data}", f"--tolerance=0,{NETWORKS[network]}", f"--dump-tensors={tmp_path}")
    got = dumped(tmp_path)
    reference = tosa_reference.Network(str(model))
    reference.run(tosa_reference.load(f"{data}/input_0.pb"))
    graph = onnx.load(model).graph
    inputs = {i.name for i in graph.input}
    loose = softmax_outputs(graph)
    compared = 0
    for name, want in reference.tensors.items():
        if name in inputs or want.dtype not in (np.int8, np.uint8):
            continue
        assert name in got, f"the import lost the quantised tensor {name}"
        assert got[name].dtype == want.dtype and got[name].shape == want.shape, name
        difference = np.abs(got[name].astype(int) - want.astype(int))
        assert difference.max() <= (1 if name in loose else 0), name
        compared += 1
    assert compared >= 10


# Distance, in steps, of what is computed from what is exact. onnxruntime adds up in float, up to 3.4e-5 from it here; Tenon's
# multipliers of additions have 21 bits.
NEAR = 1e-4


@pytest.mark.parametrize("network", drawn(those_there(quantised_networks()), 4))
def test_every_layer_is_the_exact_one_rounded(tenon, models, tmp_path, network):
    """Each layer, fed with onnxruntime's own inputs, is what float64 gives, rounded to a neighbour that is at most half a step and NEAR
    away. So is onnxruntime's: the two differ, by one step, only where the exact value is half way between two.
    Power-of-two scales and averages have values that are so exactly: onnxruntime rounds them to even, TOSA's RESCALE up."""
    model = load_network(network)
    data = test_sets(models / network / "model.onnx")[0]
    feeds = {value.name: tensor(f"{data}/input_{i}.pb") for i, value in enumerate(model.graph.input)}
    theirs = onnxruntime_tensors(model, feeds)
    layers = cut(model)
    feeds.update((name, theirs[name]) for name in quantised(model.graph))
    exact = exact_values(layers, feeds)
    onnx.save(layers, tmp_path / "model.onnx")
    (tmp_path / "set").mkdir()
    for i, value in enumerate(layers.graph.input):
        write(tmp_path / f"set/input_{i}.pb", feeds[value.name])
    for i, value in enumerate(layers.graph.output):
        write(tmp_path / f"set/output_{i}.pb", theirs[value.name.removeprefix(MADE)])
    tenon("run", tmp_path / "model.onnx", "--target=cpu", "--check=none", f"--expect={tmp_path}/set", f"--output-dir={tmp_path}/out")
    elements = near = 0
    for i, value in enumerate(layers.graph.output):
        want, got = theirs[value.name.removeprefix(MADE)], np.load(tmp_path / f"out/output_{i}.npy")
        assert got.dtype == want.dtype and got.shape == want.shape, value.name
        if want.dtype == np.float32:
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4, err_msg=value.name)
            continue
        least, most = np.iinfo(want.dtype).min, np.iinfo(want.dtype).max
        reals = np.clip(exact[value.name], least, most)
        for what, integers in (("Tenon", got), ("onnxruntime", want)):
            assert np.abs(integers - reals).max(initial=0) <= 0.5 + NEAR, (what, value.name)
        differing = got != want
        half_way = np.abs(reals - np.floor(reals) - 0.5) < 1e-9
        elements += got.size
        near += np.count_nonzero(differing & ~half_way)
        print(value.name, got.size, "elements", np.count_nonzero(differing), "differ", np.count_nonzero(differing & half_way), "half way")
    assert elements > 1000
    assert near * 20_000 <= elements, f"{near} of {elements} values are near half way and differ"
