"""The importer against what shares no code with it: tosa_reference.py (numpy) and onnxruntime's inner tensors.

`tenon run --target=cpu` executes the TOSA as imported, by upstream passes only.
"""
import importlib.util
import pathlib

import numpy as np
import onnx
from onnx import numpy_helper
import onnx.utils
import onnxruntime
import pytest

from conftest import SHARED, test_sets
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


def dumped(folder):
    return {p.stem.replace("%", "/"): np.load(p) for p in pathlib.Path(folder).glob("*.npy")}


def softmax_outputs(graph):
    """Names of the quantised tensors behind a softmax."""
    behind = {o for n in graph.node if n.op_type == "Softmax" for o in n.output}
    return {n.output[0] for n in graph.node if n.op_type == "QuantizeLinear" and n.input[0] in behind}


# tosa_reference.py begins with 8-bit inputs; these have float ones. onnxruntime checks their layers below.
FLOAT_INPUTS = {"resnet56_cifar10/qdq"}


@pytest.mark.parametrize("network", [n for n in NETWORKS if n not in FLOAT_INPUTS])
def test_every_tensor_equals_tosa_reference(tenon, models, tosa_reference, tmp_path, network):
    model = models / network / "model.onnx"
    data = test_sets(model)[-1]
    tenon("run", model, "--target=cpu", f"--expect={data}", f"--dump-tensors={tmp_path}")
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


def quantised(graph):
    """Quantised activations in graph order: outputs of QuantizeLinear and QLinear operators."""
    return [n.output[0] for n in graph.node if n.op_type == "QuantizeLinear" or n.op_type.startswith("QLinear")]


def single_layers(model):
    """(inputs, output) of each layer: from quantised tensors to the next quantised tensor."""
    graph = model.graph
    producer = {o: n for n in graph.node for o in n.output}
    constants = {i.name for i in graph.initializer}
    borders = set(quantised(graph)) | {i.name for i in graph.input}
    for output in quantised(graph):
        inputs, todo, seen = [], [producer[output]], set()
        while todo:
            node = todo.pop()
            for name in node.input:
                if not name or name in constants or name in seen:
                    continue
                seen.add(name)
                # A reshape of a quantised tensor belongs to the layer behind it.
                if name in borders:
                    inputs.append(name)
                else:
                    todo.append(producer[name])
        yield inputs, output


def onnxruntime_tensors(model, names, feeds):
    """Runs the model with every name as an output, optimisations off."""
    extended = onnx.ModelProto()
    extended.CopyFrom(model)
    outputs = {o.name for o in extended.graph.output}
    for name in names:
        if name not in outputs:
            extended.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(extended.SerializeToString(), options)
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, feeds)))


@pytest.mark.parametrize("network", NETWORKS)
def test_every_layer_agrees_with_onnxruntime(tenon, models, tmp_path, network):
    """Each layer, fed with onnxruntime's own inputs, differs in at most 1 of 10,000 values, by 1; average pools by 1
    and only at exact ties."""
    path = models / network / "model.onnx"
    model = onnx.load(path)
    data = test_sets(path)[0]
    feeds = {model.graph.input[0].name: numpy_helper.to_array(onnx.load_tensor(f"{data}/input_0.pb"))}
    tensors = {**onnxruntime_tensors(model, quantised(model.graph), feeds), **feeds}
    inferred = onnx.shape_inference.infer_shapes(model)
    values = differing = 0
    for i, (inputs, output) in enumerate(single_layers(model)):
        layer = onnx.utils.Extractor(inferred).extract_model(inputs, [output])
        kinds = {n.op_type for n in layer.graph.node}
        if "Softmax" in kinds:
            continue
        folder = tmp_path / str(i)
        (folder / "set").mkdir(parents=True)
        onnx.save(layer, folder / "model.onnx")
        order = [v.name for v in layer.graph.input]
        for k, name in enumerate(order):
            (folder / "set" / f"input_{k}.pb").write_bytes(numpy_helper.from_array(tensors[name]).SerializeToString())
        want = tensors[output]
        (folder / "set" / "output_0.pb").write_bytes(numpy_helper.from_array(want).SerializeToString())
        tenon("run", folder / "model.onnx", "--target=cpu", f"--expect={folder}/set", f"--output-dir={folder}/out")
        got = np.load(folder / "out" / "output_0.npy")
        difference = np.abs(got.astype(int) - want.astype(int))
        assert difference.max() <= 1, (output, kinds)
        if "AveragePool" in kinds or "GlobalAveragePool" in kinds:
            assert_only_ties(layer, [tensors[n] for n in order], difference)
            continue
        values += difference.size
        differing += np.count_nonzero(difference)
    assert values > 1000
    assert differing * 10_000 <= values, f"{differing} of {values} values differ"


def assert_only_ties(layer, inputs, difference):
    """Where an average differs, sum / count lies exactly between two integers (in the input's scale, which is the
    output's)."""
    x = inputs[0].astype(np.int64)
    sums = x.reshape(x.shape[0], x.shape[1], -1).sum(-1)
    count = x.shape[2] * x.shape[3]
    ties = (2 * sums) % count == 0
    assert not np.any(difference.reshape(ties.shape)[~ties]), "an average differs that is no tie"
