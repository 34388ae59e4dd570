"""`tenon quantize --target-accuracy`: a precision for each layer, and what every step is predicted to take."""
import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import onnxruntime
import pytest

import browser
from seeds import of_commit
from test_messages import refused
import test_quantize
from test_quantize import CIFAR, NETWORKS, answers, runtime, samples

CLASSES, CHANNELS, SIDE = 4, 8, 6
# Of which int8 may get a few wrong where it has no outlier to hold.
COUNT, TARGET = 60, 0.9
NAMES = ["first", "widen", "narrow", "last", "head"]
# Equalisation would spread the outlier over the weights, and leave nothing to take out of int8.
UNEQUAL = "--no-equalize"


def quantize(tenon, model, data, output, *options):
    """The report; the outlier stays one."""
    return test_quantize.quantize(tenon, model, data, output, UNEQUAL, *options)


def convolution(random, name, outputs, inputs, kernel=3, nodes=None):
    weights = random.normal(size=(outputs, inputs, kernel, kernel)) / np.sqrt(inputs * kernel * kernel)
    return weights.astype(np.float32)


def network(path, factor, seed):
    """Five products. Channel 0 of what `widen` gives is `factor` times the others, and `narrow` takes all of it away again."""
    random = np.random.default_rng(seed)
    weights = {name: convolution(random, name, CHANNELS, 3 if name == "first" else CHANNELS) for name in NAMES[:4]}
    weights["widen"][0] *= factor
    weights["narrow"][:, 0] = 0
    weights["head"] = random.normal(size=(CHANNELS * SIDE * SIDE, CLASSES)).astype(np.float32) / SIDE
    nodes, tensor = [], "x"
    for name in NAMES[:4]:
        nodes += [helper.make_node("Conv", [tensor, name + ".w"], [name + ".c"], name, pads=[1] * 4),
                  helper.make_node("Relu", [name + ".c"], [name + ".y"], name + ".relu")]
        tensor = name + ".y"
    nodes += [helper.make_node("Flatten", [tensor], ["flat"], "flatten"),
              helper.make_node("MatMul", ["flat", "head.w"], ["y"], "head")]
    graph = helper.make_graph(
        nodes, "outlier", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, CLASSES])],
        [numpy_helper.from_array(value, name + ".w") for name, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture(scope="module")
def outlier(tenon, tmp_path_factory):
    """A network with an outlier channel that int8 cannot hold, and samples with the float network's classes: the first one drawn of
    which int8 gets a quarter of the answers wrong, and not all."""
    folder = tmp_path_factory.mktemp("outlier")
    for seed in range(of_commit(), of_commit() + 50):
        path = network(folder / "outlier.onnx", 1000, seed)
        values = np.random.default_rng(seed + 1).normal(size=(COUNT, 3, SIDE, SIDE)).astype(np.float32)
        classes = answers(path, values).argmax(1)
        np.savez(folder / "x.npz", x=values, labels=classes)
        if 0 < quantize(tenon, path, folder / "x.npz", folder / "q.onnx")["accuracy"]["quantized_top1"] < 0.75 * COUNT:
            print("seed", seed)
            return path, folder / "x.npz", values, classes
    pytest.fail(f"of no network with seeds {seed - 49} to {seed} does int8 get a quarter of the answers wrong, and not all")


@pytest.fixture(scope="module")
def mixed(tenon, outlier, tmp_path_factory):
    path, data, _, _ = outlier
    folder = tmp_path_factory.mktemp("mixed")
    facts = quantize(tenon, path, data, folder / "q.onnx", f"--target-accuracy={TARGET}", f"--report={folder}/q.html")
    return facts, folder / "q.onnx", folder / "q.html"


def predicted(tenon, path, *options):
    return json.loads(tenon("compile", path, "--stats", "--json=-", *options).stdout)["prediction"]


def measured(tenon, path, *options):
    return tenon.report(path, "--target=tlm", *options)["cycles"]


def quantized_types(path):
    """By the tensor: the type of its integers."""
    model = onnx.load(path)
    zeros = {t.name: t.data_type for t in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant":
            zeros[node.output[0]] = node.attribute[0].t.data_type
    return {node.output[0]: zeros[node.input[2]] for node in model.graph.node if node.op_type == "QuantizeLinear"}


def test_the_layers_of_the_outlier_leave(mixed, outlier):
    """What makes the outlier and what reads it, and nothing that is not needed."""
    facts, path, _ = mixed
    mix, needed = facts["mix"], TARGET * COUNT
    assert facts["steps"][0]["accuracy"]["quantized_top1"] < needed
    assert mix["reached"] >= TARGET and facts["accuracy"]["quantized_top1"] >= needed
    reverted = {layer["layer"]: layer["precision"] for layer in mix["reverted"]}
    assert {"widen", "narrow"} <= set(reverted) < set(NAMES)
    assert all(layer["accuracy_without"]["quantized_top1"] < needed for layer in mix["reverted"]), "one of them is not needed"
    types = quantized_types(path)
    for name in NAMES[:4]:
        if (precision := reverted.get(name, "int8")) != "float":
            held = types[f"{name}.y/quantized" + ("/int16" if precision == "int16" else "")]
            assert held == (TensorProto.INT16 if precision == "int16" else TensorProto.INT8)


def test_onnxruntime_gives_the_same_answers(mixed, outlier):
    """With its optimisations and without."""
    facts, path, _ = mixed
    _, _, values, classes = outlier
    onnx.checker.check_model(onnx.load(path), full_check=True)
    for optimised in (True, False):
        right = (answers(path, values, optimised).argmax(1) == classes).sum()
        assert abs(right - facts["accuracy"]["quantized_top1"]) <= 1


def test_costs_are_those_of_the_compiler(tenon, mixed, outlier, tmp_path):
    """What is named for the mix, for all in int8 and for the float network is what `tenon compile` predicts of each."""
    facts, path, _ = mixed
    mix, (model, data, _, _) = facts["mix"], outlier
    assert mix["mix"] == predicted(tenon, path)
    assert mix["mix"] == [step for step in facts["steps"] if step["kept"]][-1]["prediction"]
    assert mix["all_float"] == predicted(tenon, model)
    assert mix["all_float"]["cycles"] == 0 and mix["all_float"]["host_ms"] > 0
    quantize(tenon, model, data, tmp_path / "int8.onnx")
    assert mix["all_int8"] == predicted(tenon, tmp_path / "int8.onnx")
    assert mix["all_int8_measured_cycles"] == measured(tenon, tmp_path / "int8.onnx")
    assert mix["mix_measured_cycles"] == measured(tenon, path) == facts["steps"][-1]["measured_cycles"]
    assert mix["all_float_measured_cycles"] == 0
    assert 0 < mix["mix"]["cycles"] < mix["all_int8"]["cycles"] and mix["mix"]["host_ms"] > mix["all_int8"]["host_ms"]
    for layer in mix["reverted"]:
        assert layer["cost_cycles"] < 0
    total = mix["mix"]
    assert total["total_ms"] == pytest.approx(sum(total[key] for key in ("accelerator_ms", "launch_ms", "move_ms", "host_ms")))


def test_the_text(tenon, outlier, tmp_path):
    path, data, _, _ = outlier
    text = tenon("quantize", path, f"--calibration={data}", "-o", tmp_path / "q.onnx", UNEQUAL,
                 f"--target-accuracy={TARGET}").stdout
    assert f"of the float network's answers for {TARGET} · " in text and "all float" in text
    line, = [line for line in text.splitlines() if "not in int8" in line]
    assert " · +" in line and (" in int16 · " in line or " in float · " in line)


def test_times_are_of_the_configuration(tenon, outlier, tmp_path):
    path, data, _, _ = outlier
    small, large = (quantize(tenon, path, data, tmp_path / "q.onnx", f"--config={name}")["steps"][0]["prediction"]
                    for name in ("tiny", "pynq"))
    assert small["cycles"] > large["cycles"]
    assert large == predicted(tenon, tmp_path / "q.onnx", "--config=pynq")


@pytest.mark.parametrize("config", ["tiny", "pynq"])
def test_cycles_are_measured(tenon, outlier, tmp_path, config):
    """Those of a run of the file, whatever the samples are."""
    path, data, _, _ = outlier
    facts = quantize(tenon, path, data, tmp_path / "q.onnx", f"--config={config}")
    last = [step for step in facts["steps"] if step["kept"]][-1]
    assert last["measured_cycles"] == measured(tenon, tmp_path / "q.onnx", f"--config={config}") > 0
    text = tenon("quantize", path, f"--calibration={data}", "-o", tmp_path / "q.onnx", UNEQUAL, f"--config={config}").stdout
    assert f"{last['measured_cycles']:,.0f} cycles ({last['prediction']['cycles']:,.0f} predicted)" in text


def test_a_target_that_int8_reaches(tenon, outlier, tmp_path):
    path, data, _, _ = outlier
    share = quantize(tenon, path, data, tmp_path / "q.onnx")["accuracy"]["quantized_top1"] / COUNT
    facts = quantize(tenon, path, data, tmp_path / "q.onnx", f"--target-accuracy={share}")
    assert facts["mix"]["reached"] == share and not facts["mix"]["reverted"] and not facts["mix"]["evaluations"]
    assert facts["mix"]["mix"] == facts["mix"]["all_int8"]


def test_a_target_that_cannot_be_reached(tenon, tmp_path):
    """Of one layer none can leave: the network is written, and the exit code says that it is not as asked."""
    random = np.random.default_rng(of_commit())
    weights = random.normal(size=(3, 16)).astype(np.float32)
    weights[:, 1:] = weights[:, :1] * (1 + 1e-4 * random.normal(size=(3, 15))).astype(np.float32)
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"], "only")], "one",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 16])],
                              [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "one.onnx")
    np.savez(tmp_path / "x.npz", x=random.normal(size=(50, 3)).astype(np.float32))
    text = refused(tenon, "quantize", tmp_path / "one.onnx", f"--calibration={tmp_path}/x.npz", "-o", tmp_path / "q.onnx",
                   "--target-accuracy=1", code=3)
    assert "--target-accuracy=1 is not reached: " in text and "is the most with a layer left in int8" in text
    assert runtime(tmp_path / "q.onnx").get_outputs()[0].shape == [1, 16]


def test_the_float_network_must_be_right_somewhere(tenon, outlier, tmp_path):
    path, _, values, classes = outlier
    np.savez(tmp_path / "wrong.npz", x=values, labels=(classes + 1) % CLASSES)
    text = refused(tenon, "quantize", path, f"--calibration={tmp_path}/wrong.npz", "-o", tmp_path / "q.onnx", "--target-accuracy=0.5")
    assert "the float network has no right answer on the samples" in text


def test_int16_for_all(tenon, outlier, tmp_path):
    """Activations of 16 bits everywhere, which onnxruntime runs, and nothing on the accelerator."""
    path, data, values, _ = outlier
    facts = quantize(tenon, path, data, tmp_path / "q.onnx", "--activations=int16")
    assert facts["activations"] == "int16" and facts["weights"] == "int8 per channel"
    assert set(quantized_types(tmp_path / "q.onnx").values()) == {TensorProto.INT16}
    real, ours = answers(path, values), answers(tmp_path / "q.onnx", values)
    noise = 10 * np.log10((real ** 2).sum() / ((real - ours) ** 2).sum())
    assert noise > facts["accuracy"]["sqnr_db"] - 1 and facts["accuracy"]["sqnr_db"] > 20
    assert facts["steps"][0]["prediction"]["cycles"] == 0
    assert "leave out --activations=int16" in refused(tenon, "quantize", path, f"--calibration={data}", "-o", tmp_path / "q.onnx",
                                                      "--activations=int16", "--target-accuracy=0.5", code=2)


def test_nodes_that_stay_in_float(tenon, outlier, tmp_path):
    path, data, _, _ = outlier
    facts = quantize(tenon, path, data, tmp_path / "q.onnx", "--keep-float=last", "--keep-float=head")
    assert {left["node"]: left["reason"] for left in facts["left"]} == dict.fromkeys(("last", "head"), "it is to stay in float")
    weights = {t.name: t.data_type for t in onnx.load(tmp_path / "q.onnx").graph.initializer}
    assert weights["last.w"] == weights["head.w"] == TensorProto.FLOAT and "widen.w" not in weights
    text = refused(tenon, "quantize", path, f"--calibration={data}", "-o", tmp_path / "q.onnx", "--keep-float=wide")
    assert "there is no node 'wide' to keep in float; near it: 'widen'" in text


def test_the_page(mixed):
    facts, _, path = mixed
    with browser.Page(path) as page:
        page.wait("document.documentElement?.dataset.ready || document.documentElement?.dataset.problem")
        assert page.evaluate("document.documentElement.dataset.problem ?? ''") == ""
        rows = page.evaluate("[...document.querySelectorAll('#mix tbody tr')].map((row) => row.cells[0].textContent)")
        assert rows == [layer["layer"] for layer in facts["mix"]["reverted"]]
        cycles = page.evaluate("[...document.querySelectorAll('#costs tbody tr')].map((row) => row.cells[1].textContent)")
        assert cycles == [f"{facts['mix'][key]['cycles']:,.0f}" for key in ("all_int8", "mix", "all_float")]
        cycles = page.evaluate("[...document.querySelectorAll('#costs tbody tr')].map((row) => row.cells[2].textContent)")
        assert cycles == [f"{facts['mix'][key + '_measured_cycles']:,.0f}" for key in ("all_int8", "mix", "all_float")]


def test_resnet8_at_one_scale_a_layer(tenon, models, tmp_path):
    """A real network whose weights have one scale a layer, with CIFAR's classes: more answers than without the target."""
    net = NETWORKS["resnet8"]
    values, classes = samples(models, net)
    real = (answers(models / net.path, values).argmax(1) == classes).sum()
    facts = test_quantize.quantize(tenon, models / net.path, models / CIFAR, tmp_path / "q.onnx", net.preprocess, "--per-tensor",
                                   "--no-bias-correction", "--target-accuracy=1", "--sensitivity=16")
    mix, accuracy = facts["mix"], facts["accuracy"]
    assert accuracy["float_top1"] == real and mix["reached"] == accuracy["quantized_top1"] / real >= 1
    assert facts["steps"][0]["accuracy"]["quantized_top1"] < real and mix["reverted"]
    assert abs((answers(tmp_path / "q.onnx", values).argmax(1) == classes).sum() - accuracy["quantized_top1"]) <= 1
    assert mix["mix"] == predicted(tenon, tmp_path / "q.onnx")
