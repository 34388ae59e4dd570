"""`tenon quantize`: float networks to QDQ that onnxruntime runs, too, and that the accelerator takes whole."""
import dataclasses
import json
import shutil

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import onnxruntime
import pytest

from layers import macs
from seeds import drawn
from test_messages import refused

CIFAR = "data_cifar10/cifar10_100.npz"
MNIST = "data_mnist/mnist100.npz"


@dataclasses.dataclass
class Network:
    """A float network of ../shared/models, and what it is calibrated on."""
    path: str
    data: str  # below the models
    mean: tuple
    std: tuple = (1,)
    bgr: bool = False
    host: tuple = ()  # operators that stay on the host, besides the border's conversions

    @property
    def preprocess(self):
        text = "mean=" + "/".join(map(str, self.mean)) + ",std=" + "/".join(map(str, self.std))
        return "--preprocess=" + text + (",color=bgr" if self.bgr else "")


NETWORKS = {
    "resnet8": Network("mlperftiny_resnet8/fp32/model.onnx", CIFAR, (0,), host=("Softmax",)),
    "resnet56": Network("resnet56_cifar10/fp32/model.onnx", CIFAR, (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)),
    "mnist": Network("mnist/mnist8/model.onnx", MNIST, (0,)),
    "mobilenetv1": Network("mobilenetv1_0.25_128/fp32/model.onnx", "images", (127.5,), (127.5,), host=("Softmax",)),
    "mobilenetv2": Network("mobilenetv2_1.0_224_int8/fp32/model.onnx", "images", (128,), (128,), host=("Softmax",)),
    "squeezenet": Network("squeezenet1.1_fp16/fp32/model.onnx", "images", (103.94, 116.78, 123.68), bgr=True,
                          host=("Softmax", "Reshape", "Flatten")),
}
LABELLED = [name for name, network in NETWORKS.items() if network.data.endswith(".npz")]
TRIED = [*LABELLED, *drawn([name for name in NETWORKS if name not in LABELLED], 1)]


def quantize(tenon, model, calibration, output, *options, **named):
    """The report."""
    return json.loads(tenon("quantize", model, f"--calibration={calibration}", "-o", output, "--json=-", *options,
                            **named).stdout)


@pytest.fixture(scope="module")
def quantized(tenon, models, tmp_path_factory):
    """By name: the file and the report, each made once."""
    folder, made = tmp_path_factory.mktemp("quantized"), {}

    def make(name):
        if name not in made:
            network, path = NETWORKS[name], folder / f"{name}.onnx"
            made[name] = path, quantize(tenon, models / network.path, models / network.data, path, network.preprocess)
        return made[name]
    return make


def runtime(path, optimised=True):
    options = onnxruntime.SessionOptions()
    # Without VNNI it would add two products of a signed and an unsigned byte in 16 bits, and saturate them.
    options.add_session_config_entry("session.x64quantprecision", "1")
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def answers(path, values, optimised=True):
    """onnxruntime's outputs of a network of one input."""
    session = runtime(path, optimised)
    name = session.get_inputs()[0].name
    return np.concatenate([session.run(None, {name: values[i:i + 1]})[0].reshape(1, -1) for i in range(len(values))])


def samples(models, network):
    arrays = np.load(models / network.data)
    mean, std = (np.float32(v).reshape(1, -1, 1, 1) for v in (network.mean, network.std))
    return ((arrays["x"].astype(np.float32) - mean) / std).astype(np.float32), arrays["y"]


@pytest.mark.parametrize("name", LABELLED)
def test_accuracy(quantized, models, name):
    """Within 1 in 100 of float by our own count, and by onnxruntime's of the same file."""
    path, report = quantized(name)
    accuracy = report["accuracy"]
    assert accuracy["samples"] == accuracy["labelled"] == report["samples"] == 100
    values, classes = samples(models, NETWORKS[name])
    real = answers(models / NETWORKS[name].path, values)
    assert accuracy["float_top1"] == (real.argmax(1) == classes).sum()
    assert abs(accuracy["quantized_top1"] - accuracy["float_top1"]) <= 1
    ours = answers(path, values)
    assert abs((ours.argmax(1) == classes).sum() - accuracy["quantized_top1"]) <= 1
    noise = 10 * np.log10((real ** 2).sum() / ((real - ours) ** 2).sum())
    assert abs(noise - accuracy["sqnr_db"]) < 1, "onnxruntime loses another amount than we"


@pytest.mark.parametrize("name", [name for name in TRIED if name not in LABELLED])
def test_pictures(quantized, name):
    """Ten photos: at most one answer changes."""
    accuracy = quantized(name)[1]["accuracy"]
    assert accuracy["samples"] == 10 and accuracy["same_top1"] >= 9


@pytest.mark.parametrize("name", TRIED)
def test_the_file(tenon, quantized, models, name):
    """It is valid ONNX with the border of the float network, and everything but what needs floats is on the accelerator."""
    path, report = quantized(name)
    assert not report["left"]
    onnx.checker.check_model(onnx.load(path), full_check=True)
    assert ([(i.name, i.type, i.shape) for i in runtime(path).get_inputs() + runtime(path).get_outputs()] ==
            [(i.name, i.type, i.shape) for i in runtime(models / NETWORKS[name].path).get_inputs() +
             runtime(models / NETWORKS[name].path).get_outputs()])
    facts = json.loads(tenon("inspect", path, "--json=-").stdout)
    assert facts["quantization"]["form"] == "QDQ" and facts["quantization"]["granularity"] == "channel"
    operators = {node.name or "": node.op_type for node in onnx.load(path).graph.node}
    host = {operators.get(node, "?") for group in facts["groups"] if group["place"] == "host" for node in group["nodes"]}
    assert host - {"QuantizeLinear", "DequantizeLinear"} <= set(NETWORKS[name].host)


@pytest.mark.parametrize("name", ["resnet8", "mnist"])
def test_bit_exact(tenon, quantized, models, name):
    path, _ = quantized(name)
    report = tenon.report(path, "--target=functional", "--check=cpu", f"--inputs={models / NETWORKS[name].data}",
                          NETWORKS[name].preprocess)
    assert report["checks"]["cpu"]["status"] == "bit-exact" and report["inputs"]["compared"] == 100
    assert report["launches"] == 1


@pytest.mark.parametrize("name", TRIED)
def test_on_rtl(tenon, quantized, models, name):
    """In one launch, which has 99 % of the multiplications and additions of the float network."""
    path, _ = quantized(name)
    report = tenon.report(path, "--target=rtl", "--check=functional", "--check=cpu")
    assert report["launches"] == 1
    assert report["checks"]["functional"]["status"] == report["checks"]["cpu"]["status"] == "bit-exact"
    there = sum(layer["macs"] for layer in report["layers"] if layer["placed_on"] == "accelerator")
    assert there >= 0.99 * macs(onnx.load(models / NETWORKS[name].path))


def test_steps(tenon, models, tmp_path):
    """Each is measured; what does not help is not in the file."""
    network = NETWORKS["resnet56"]
    arrays = np.load(models / network.data)
    np.savez(tmp_path / "few.npz", x=arrays["x"][:20], y=arrays["y"][:20])
    report = quantize(tenon, models / network.path, tmp_path / "few.npz", tmp_path / "q.onnx", network.preprocess,
                      "--per-tensor", "--equalize")
    steps = {step["name"].split()[0]: step for step in report["steps"]}
    assert list(steps) == ["minmax", "bias", "equalisation", "balance"] and steps["minmax"]["kept"]
    best = most = steps["minmax"]
    for name in ("bias", "equalisation", "balance"):
        new, old, least = (step["accuracy"] for step in (steps[name], best, most))
        assert new["samples"] == 10, "a half of the samples calibrates, the other one chooses"
        # An answer more or less is chance; the noise of the outputs decides then.
        enough = new["quantized_top1"] >= least["quantized_top1"] - 1
        better = new["quantized_top1"] > old["quantized_top1"] + 1 or new["sqnr_db"] > old["sqnr_db"]
        assert steps[name]["kept"] == (enough and better)
        best = steps[name] if steps[name]["kept"] else best
        most = max(most, steps[name], key=lambda step: step["accuracy"]["quantized_top1"])
    assert report["accuracy"]["samples"] == report["samples"] == 20
    assert [s for s in report["steps"] if s["kept"]][-1]["measured_cycles"] == \
        tenon.report(tmp_path / "q.onnx", "--target=tlm")["cycles"]
    text = tenon("quantize", models / network.path, f"--calibration={tmp_path}/few.npz", network.preprocess, "-o",
                 tmp_path / "q.onnx", "--no-bias-correction").stdout
    assert "bias correction" not in text


METHODS = [["--method=percentile"], ["--method=entropy"], ["--method=mse"], ["--per-tensor"], ["--symmetric"],
           ["--power-of-two", "--method=mse"]]


@pytest.mark.parametrize("options", drawn(METHODS, 1), ids=lambda options: options[0])
def test_methods(tenon, models, tmp_path, options):
    """Each is right on an easy network, and is what the file says."""
    network = NETWORKS["resnet8"]
    report = quantize(tenon, models / network.path, models / network.data, tmp_path / "q.onnx", network.preprocess, *options)
    assert report["accuracy"]["quantized_top1"] >= report["accuracy"]["float_top1"] - 2
    constants = {c.name: numpy_helper.to_array(c) for c in onnx.load(tmp_path / "q.onnx").graph.initializer}
    scales = np.concatenate([c.ravel() for name, c in constants.items() if name.endswith("/scale")])
    if "--power-of-two" in options:
        assert (np.exp2(np.round(np.log2(scales))) == scales).all()
    if "--symmetric" in options:
        assert all((c == 0).all() for name, c in constants.items() if name.endswith("/zero_point"))
    if "--per-tensor" in options:
        assert all(c.ndim == 0 for name, c in constants.items() if name.endswith("/scale"))


def test_keyword_spotting(tenon, models, tmp_path):
    """Of its five sets, as .pb files in a folder; a network of one-channel pictures that are no pictures."""
    folder = models / "mlperftiny_kws_dscnn/fp32"
    (tmp_path / "in").mkdir()
    for directory in folder.glob("test_data_set_*"):
        shutil.copy(directory / "input_0.pb", tmp_path / "in" / f"{directory.name}.pb")
    report = quantize(tenon, folder / "model.onnx", tmp_path / "in", tmp_path / "q.onnx")
    assert report["accuracy"]["samples"] == report["accuracy"]["same_top1"] == 5
    values = np.concatenate([numpy_helper.to_array(onnx.load_tensor(path)) for path in sorted((tmp_path / "in").iterdir())])
    assert (answers(folder / "model.onnx", values).argmax(1) == answers(tmp_path / "q.onnx", values).argmax(1)).all()
    run = tenon.report(tmp_path / "q.onnx", "--target=rtl", "--check=functional", "--check=cpu", f"--inputs={tmp_path}/in")
    assert run["checks"]["functional"]["status"] == run["checks"]["cpu"]["status"] == "bit-exact" and run["launches"] == 1


def test_samples_to_evaluate_on_that_cannot_be_read(tenon, models, tmp_path):
    """They are told, as those of the calibration; the answers of none are no accuracy."""
    folder = models / "mlperftiny_kws_dscnn/fp32"
    for into in ("in", "some", "none"):
        (tmp_path / into).mkdir()
        for directory in sorted(folder.glob("test_data_set_*"))[:2]:
            shutil.copy(directory / "input_0.pb", tmp_path / into / f"{directory.name}.pb")
    whole = (tmp_path / "in/test_data_set_0.pb").read_bytes()
    for cut in ("some/cut", "none/test_data_set_0", "none/test_data_set_1"):
        (tmp_path / f"{cut}.pb").write_bytes(whole[:len(whole) // 2])
    report = quantize(tenon, folder / "model.onnx", tmp_path / "in", tmp_path / "q.onnx", f"--evaluate={tmp_path}/some", expect=1)
    assert (report["accuracy"]["samples"], report["unreadable"], report["samples"]) == (2, 1, 2)
    assert any("1 samples to evaluate on cannot be read; the first: cut" in note for note in report["notes"])
    for options in ([], ["--target-accuracy=0.99"]):
        said = tenon("quantize", folder / "model.onnx", f"--calibration={tmp_path}/in", f"--evaluate={tmp_path}/none", "-o",
                     tmp_path / "none.onnx", *options, expect=1).stderr
        assert "none of the samples to evaluate on can be read; the first: test_data_set_0" in said
        assert not (tmp_path / "none.onnx").exists()


def test_a_network_as_it_is_shipped(tenon, models, tmp_path):
    """Batch norms unfused, hard-swish spelt out, squeeze-excite blocks, a Reshape to a shape that is computed."""
    folder = models / "ppocr_cls_mobilenetv3"
    values = numpy_helper.to_array(onnx.load_tensor(folder / "test_data_set_0/input_0.pb"))
    np.savez(tmp_path / "in.npz", x=np.concatenate([values, values[..., ::-1], values[..., ::-1, :], -values]))
    report = quantize(tenon, folder / "model.onnx", tmp_path / "in.npz", tmp_path / "q.onnx", "--shape=x=1,3,48,192")
    kinds = {node.op_type for node in onnx.load(tmp_path / "q.onnx").graph.node}
    assert "BatchNormalization" not in kinds and report["accuracy"]["same_top1"] == 4
    quantised = {node.input[1] for node in onnx.load(tmp_path / "q.onnx").graph.node if node.op_type == "Conv"}
    assert all(name.endswith("/dequantized") for name in quantised)


def test_evaluated_on_others(tenon, models, tmp_path):
    """Calibrated on some pictures, measured on others, whose classes a file has."""
    network, arrays = NETWORKS["resnet8"], np.load(models / CIFAR)
    np.savez(tmp_path / "few.npz", x=arrays["x"][:16])
    np.savez(tmp_path / "others.npz", x=arrays["x"][16:])
    (tmp_path / "classes.txt").write_text("\n".join(map(str, arrays["y"][16:])))
    report = quantize(tenon, models / network.path, tmp_path / "few.npz", tmp_path / "q.onnx", network.preprocess,
                      f"--evaluate={tmp_path}/others.npz", f"--expect-labels={tmp_path}/classes.txt")
    assert (report["samples"], report["accuracy"]["samples"], report["accuracy"]["labelled"]) == (16, 84, 84)
    real = answers(models / network.path, samples(models, network)[0][16:])
    assert report["accuracy"]["float_top1"] == (real.argmax(1) == arrays["y"][16:]).sum()


def test_summary(tenon, models, tmp_path):
    network = NETWORKS["resnet8"]
    text = tenon("quantize", models / network.path, f"--calibration={models / network.data}", network.preprocess, "-o",
                 tmp_path / "q.onnx", f"--evaluate={models / network.data}").stdout
    for part in ["weights int8 per channel", "float        88 of 100 (88.0 %)", "most noise", " · outputs at ",
                 "steps        minmax · ", "bias correction · ", " predicted), ", "gained most  bias correction: ",
                 "100 samples",
                 " s · at most ", " MB"]:
        assert part in text


#
# Graphs made for what they hold
#

RANDOM = np.random.default_rng(5)


def constant(name, values):
    return numpy_helper.from_array(np.asarray(values, np.float32), name)


def model(tmp_path, nodes, constants, shape=(1, 4, 8, 8), outputs=("y",), opset=13, **shapes):
    """A file of a network of input x."""
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes.get(name)) for name in outputs], constants)
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)
    return path


@pytest.fixture
def data(tmp_path):
    np.savez(tmp_path / "data.npz", x=RANDOM.normal(size=(8, 4, 8, 8)).astype(np.float32))
    return tmp_path / "data.npz"


def weights(name="w", *shape):
    return constant(name, RANDOM.normal(size=shape or (4, 4, 3, 3)) * 0.2)


def conv(of, to, w="w", *bias):
    return helper.make_node("Conv", [of, w, *bias], [to], to, pads=[1, 1, 1, 1])


def check(tenon, path, data, tmp_path, least=25):
    """Quantises; onnxruntime and we agree on the file, and it is near the float network. The file's nodes."""
    report = quantize(tenon, path, data, tmp_path / "q.onnx")
    values = np.load(data)["x"]
    real, ours = answers(path, values), answers(tmp_path / "q.onnx", values, optimised=False)
    assert 10 * np.log10((real ** 2).sum() / ((real - ours) ** 2).sum()) > least
    run = tenon.report(tmp_path / "q.onnx", "--target=functional", "--check=cpu", f"--inputs={data}")
    assert run["checks"]["cpu"]["status"] == "bit-exact"
    return list(onnx.load(tmp_path / "q.onnx").graph.node), report


def scale_of(path, tensor):
    """Scale and zero point of what quantises a tensor."""
    graph = onnx.load(path).graph
    values = {c.name: numpy_helper.to_array(c) for c in graph.initializer}
    node, = [n for n in graph.node if n.op_type == "QuantizeLinear" and n.input[0] in (tensor, tensor + "/float")]
    return values[node.input[1]].item(), values[node.input[2]].item()


def test_concatenations_share_a_scale(tenon, data, tmp_path):
    path = model(tmp_path, [conv("x", "a"), conv("x", "b", "v"), helper.make_node("Relu", ["b"], ["c"], "relu"),
                            helper.make_node("Concat", ["a", "c"], ["d"], "concat", axis=1), conv("d", "y", "u")],
                 [weights(), weights("v"), weights("u", 4, 8, 3, 3)])
    nodes, _ = check(tenon, path, data, tmp_path)
    scales = {scale_of(tmp_path / "q.onnx", name) for name in ("a", "c", "d")}
    assert len(scales) == 1 and scale_of(tmp_path / "q.onnx", "y") not in scales
    relu, = [n for n in nodes if n.op_type == "Relu"]
    assert relu.input[0] == "b", "the activation is not fused: its input was quantised"


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_enlarging_keeps_the_scale(tenon, data, tmp_path, mode):
    """What is between two values is in their range."""
    resize = helper.make_node("Resize", ["a", "", "twice"], ["b"], "resize", mode=mode)
    path = model(tmp_path, [conv("x", "a"), resize, conv("b", "y", "v")], [weights(), weights("v"), constant("twice", [1, 1, 2, 2])])
    _, report = check(tenon, path, data, tmp_path)
    assert not report["left"]
    assert scale_of(tmp_path / "q.onnx", "a") == scale_of(tmp_path / "q.onnx", "b")


def test_batch_normalisation_is_folded(tenon, data, tmp_path):
    statistics = [constant(n, v) for n, v in (("s", [1, 2, 3, 4]), ("o", [0, 1, 0, -1]), ("m", [0, 0, 1, 1]),
                                              ("v", [1, 4, 9, 16]))]
    path = model(tmp_path, [conv("x", "a"), helper.make_node("BatchNormalization", ["a", "s", "o", "m", "v"], ["b"], "bn"),
                            helper.make_node("Relu", ["b"], ["y"], "relu")], [weights(), *statistics])
    nodes, _ = check(tenon, path, data, tmp_path)
    assert "BatchNormalization" not in {n.op_type for n in nodes}


def a_convolution():
    w = np.full((4, 4, 1, 1), 0.4 / 127)
    w[:, 0] = 1  # the others are 0.4 steps: 0
    return [helper.make_node("Conv", ["x", "w"], ["y"], "conv")], [constant("w", w)]


def a_product_and_a_sum():
    """As transformers have it: a Gemm has two dimensions alone."""
    w = np.full((8, 8), 0.4 / 127)
    w[0] = 1
    return ([helper.make_node("MatMul", ["x", "w"], ["p"], "product"), helper.make_node("Add", ["b", "p"], ["y"], "sum")],
            [constant("w", w), constant("b", -np.arange(8))])


@pytest.mark.parametrize("build", [a_convolution, a_product_and_a_sum])
def test_biases_take_out_what_rounding_does(tenon, data, tmp_path, build):
    """Weights that all round the same way move the mean of the result; the bias moves it back."""
    # The last element is never the largest: no answer is right, and the noise decides what is kept.
    np.savez(tmp_path / "ones.npz", x=np.load(data)["x"] * 0.1 + 5, y=np.full(8, 255))
    path = model(tmp_path, *build())
    values = np.load(tmp_path / "ones.npz")["x"]
    real, means = answers(path, values), []
    for options in (["--no-bias-correction"], []):
        quantize(tenon, path, tmp_path / "ones.npz", tmp_path / "q.onnx", *options)
        means.append(abs((answers(tmp_path / "q.onnx", values) - real).mean()))
    assert means[1] < means[0] / 3


def test_means_of_another_axis(tenon, tmp_path):
    """The channels of a tensor that a matrix product reads are its last axis: what a convolution sums over was not measured."""
    w, v = np.zeros((4, 4, 1, 1)), np.full((4, 4), 1.6 / 127)
    w[:, 0], v[0] = 1, 4
    w[:, 1:3, 0, 0] = np.array([0.4, -0.4]) / 127  # steps, which become 0, and so do the others of v
    path = model(tmp_path, [helper.make_node("MatMul", ["x", "v"], ["p"], "product"), helper.make_node("Add", ["p", "b"], ["y"], "sum"),
                            helper.make_node("Conv", ["x", "w"], ["z"], "conv")],
                 [constant("w", w), constant("v", v), constant("b", np.arange(4))], shape=(1, 4, 8, 4), outputs=("y", "z"))
    values = RANDOM.normal(size=(8, 4, 8, 4)) * 0.1 + [5, 0, 10, 5]
    np.savez(tmp_path / "data.npz", x=values.astype(np.float32), y=np.zeros(8, int))
    report = quantize(tenon, path, tmp_path / "data.npz", tmp_path / "q.onnx")
    assert [step["kept"] for step in report["steps"]] == [True, True]
    graph = onnx.load(tmp_path / "q.onnx").graph
    assert "b/corrected" in {c.name for c in graph.initializer}
    assert [len(node.input) for node in graph.node if node.op_type == "Conv"] == [2]


def test_nothing_to_equalise(tenon, data, tmp_path):
    path = model(tmp_path, [conv("x", "y")], [weights()])
    report = quantize(tenon, path, data, tmp_path / "q.onnx", "--equalize")
    assert any("there is nothing to equalise: no convolution leads to another one alone" in note for note in report["notes"])


def test_an_outlier_channel_is_named(tenon, data, tmp_path):
    """A channel a hundred times as wide as the others takes their resolution; nothing of its weights tells."""
    bias = np.zeros(4, np.float32)
    w = numpy_helper.to_array(weights()).copy()
    w[2] *= 100
    path = model(tmp_path, [conv("x", "a", "w", "b"), conv("a", "y", "v")],
                 [constant("w", w), constant("b", bias), weights("v")])
    report = quantize(tenon, path, data, tmp_path / "q.onnx", "--no-equalize")
    tensor, = [t for t in report["tensors"] if t["name"] == "a"]
    assert tensor["outlier_channel"] == 2 and tensor["outlier_ratio"] > 50
    text = tenon("quantize", path, f"--calibration={data}", "-o", tmp_path / "q.onnx", "--no-equalize").stdout
    assert "channel 2 is" in text and "times the median's width" in text


def test_equalisation_rescues_unequal_channels(tenon, data, tmp_path):
    """Depthwise layers whose channels differ by a thousand: one scale for all of them is worthless, equal ranges are
    worth it (Nagel et al., 2019)."""
    factors = np.float32([1, 1000, 0.03, 30]).reshape(-1, 1, 1, 1)
    first = numpy_helper.to_array(weights()) * factors
    depthwise = numpy_helper.to_array(weights("v", 4, 1, 3, 3)) * factors[::-1]
    last = numpy_helper.to_array(weights("u")) / (factors * factors[::-1]).reshape(1, -1, 1, 1)
    path = model(tmp_path, [conv("x", "a"), helper.make_node("Relu", ["a"], ["b"], "relu"),
                            helper.make_node("Conv", ["b", "v"], ["c"], "c", pads=[1, 1, 1, 1], group=4),
                            helper.make_node("Relu", ["c"], ["d"], "relu2"), conv("d", "y", "u")],
                 [constant("w", first), constant("v", depthwise), constant("u", last)])
    report = quantize(tenon, path, data, tmp_path / "q.onnx", "--per-tensor", "--equalize")
    steps = {step["name"].split()[0]: step for step in report["steps"]}
    plain, equal = (steps[name]["accuracy"]["sqnr_db"] for name in ("minmax", "equalisation"))
    assert steps["equalisation"]["name"] == "equalisation of 2 pairs" and steps["equalisation"]["kept"]
    assert plain < 10 and equal > 20  # four samples calibrate, four are measured


def test_a_float_operator_between(tenon, data, tmp_path):
    """What stays in float reads what the integers stand for; its result is quantised again."""
    path = model(tmp_path, [conv("x", "a"), helper.make_node("Sin", ["a"], ["b"], "sin"), conv("b", "y", "v")],
                 [weights(), weights("v")])
    nodes, report = check(tenon, path, data, tmp_path)
    sine, = [n for n in nodes if n.op_type == "Sin"]
    assert sine.input[0] == "a/dequantized" and not report["left"]
    assert {t["name"] for t in report["tensors"]} == {"x", "a", "b", "y"}


def test_a_bias_that_would_overflow(tenon, data, tmp_path):
    """A channel of tiny weights and a large bias: its weights' scale is what keeps the bias in 32 bits."""
    w = numpy_helper.to_array(weights()).copy()
    w[2] = 0
    w[3] *= 1e-12
    path = model(tmp_path, [conv("x", "y", "w", "b")], [constant("w", w), constant("b", [0, 1, 1000, -1000])])
    check(tenon, path, data, tmp_path)


def test_a_channel_of_hardly_any_weights(tenon, data, tmp_path):
    """The scale of its bias, the weights' times the input's, is a number that floats have."""
    w = numpy_helper.to_array(weights()).copy()
    w[2] *= 1e-42
    path = model(tmp_path, [conv("x", "y", "w", "b")], [constant("w", w), constant("b", [0, 1, 0, -1])])
    check(tenon, path, data, tmp_path)
    scales = {c.name: numpy_helper.to_array(c) for c in onnx.load(tmp_path / "q.onnx").graph.initializer if c.name.endswith("/scale")}
    assert len(scales["b/scale"]) == 4 and all((values > 0).all() for values in scales.values())


def test_what_only_one_node_cannot(tenon, data, tmp_path):
    """Import says which node has no integer form; it alone stays in float."""
    path = model(tmp_path, [conv("x", "a"), helper.make_node("MaxPool", ["a"], ["b"], "pool", kernel_shape=[2, 2],
                                                             dilations=[2, 2]), conv("b", "y", "v")],
                 [weights(), weights("v")])
    _, report = check(tenon, path, data, tmp_path)
    assert [(node["node"], "dilations" in node["reason"]) for node in report["left"]] == [("pool", True)]
    text = tenon("quantize", path, f"--calibration={data}", "-o", tmp_path / "q.onnx").stdout
    assert "left in float  pool: dilations" in text


def test_an_open_batch_stays_open(tenon, data, tmp_path):
    path = model(tmp_path, [conv("x", "y")], [weights()], shape=("n", 4, 8, 8), y=("n", 4, 8, 8))
    quantize(tenon, path, data, tmp_path / "q.onnx")
    values = np.load(data)["x"]
    session = runtime(tmp_path / "q.onnx")
    assert session.get_inputs()[0].shape == ["n", 4, 8, 8]
    assert session.run(None, {"x": values})[0].shape == (8, 4, 8, 8)


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_sequences_of_other_lengths(tenon, tmp_path, order):
    """The scores have as many columns as there are tokens; their range is that of all inputs, whichever is last."""
    nodes = [helper.make_node("MatMul", ["x", name], [name + "x"], name) for name in "qkv"]
    nodes += [helper.make_node("Transpose", ["kx"], ["t"], perm=[0, 2, 1]), helper.make_node("MatMul", ["qx", "t"], ["scores"]),
              helper.make_node("Softmax", ["scores"], ["shares"], axis=-1), helper.make_node("MatMul", ["shares", "vx"], ["y"])]
    path = model(tmp_path, nodes, [weights(name, 4, 4) for name in "qkv"], shape=(1, "tokens", 4))
    (tmp_path / "samples").mkdir()
    given = {"long": RANDOM.normal(size=(1, 8, 4)).astype(np.float32) * 5, "short": RANDOM.normal(size=(1, 3, 4)).astype(np.float32)}
    for name, values in zip(order, given.values()):
        np.save(tmp_path / "samples" / f"{name}.npy", values)
    report = quantize(tenon, path, tmp_path / "samples", tmp_path / "q.onnx", "--no-bias-correction")
    seen, = [tensor for tensor in report["tensors"] if tensor["name"] == "scores"]
    constants = {c.name: numpy_helper.to_array(c).astype(np.float64) for c in onnx.load(path).graph.initializer}
    scores = [(x @ constants["q"]) @ (x @ constants["k"]).swapaxes(1, 2) for x in given.values()]
    want = [min(s.min() for s in scores), max(s.max() for s in scores)]
    np.testing.assert_allclose([seen["seen_low"], seen["seen_high"]], want, rtol=1e-4)


def test_values_that_are_not_finite(tenon, data, tmp_path):
    """They are kept out of ranges, and told."""
    values = np.load(data)["x"].copy()
    values[0, 0, 0, 0] = np.inf
    np.savez(tmp_path / "inf.npz", x=values)
    path = model(tmp_path, [conv("x", "y")], [weights()])
    report = quantize(tenon, path, tmp_path / "inf.npz", tmp_path / "q.onnx")
    assert report["tensors"][0]["seen_high"] < 10
    assert any("are not finite" in note for note in report["notes"])


def test_refusals(tenon, data, tmp_path):
    def says(path, *options, calibration=data):
        return refused(tenon, "quantize", path, f"--calibration={calibration}", "-o", tmp_path / "q.onnx", *options)
    sine = model(tmp_path, [helper.make_node("Sin", ["x"], ["y"], "sin")], [])
    assert "nothing can be quantised: there is no convolution or matrix product of float32" in \
        says(sine)
    bad = numpy_helper.to_array(weights()).copy()
    bad[0] = np.nan
    path = model(tmp_path, [conv("x", "y")], [constant("w", bad)])
    assert "the weights 'w' have elements that are no finite numbers: they cannot be quantised" in says(path)
    path = model(tmp_path, [conv("x", "y")], [weights()])
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a.npy").write_bytes(b"no array")
    assert "none of the samples can be read; the first: a.npy" in says(path, calibration=tmp_path / "bad")
    assert "--calibration " in says(path, calibration=tmp_path / "nowhere")
    assert not (tmp_path / "q.onnx").exists()


def test_a_node_that_means_something_else(tenon, data, tmp_path):
    """The mean has a form of opset 18 alone, where the corners of RoiAlign are elsewhere than in the file's."""
    path = model(tmp_path, [conv("x", "a"), helper.make_node("RoiAlign", ["a", "r", "i"], ["b"], "rois"),
                            helper.make_node("ReduceMean", ["b"], ["y"], "mean", axes=[2])],
                 [weights(), constant("r", [[0, 0, 4, 4]]), numpy_helper.from_array(np.zeros(1, np.int64), "i")], opset=11)
    text = refused(tenon, "quantize", path, f"--calibration={data}", "-o", tmp_path / "q.onnx")
    assert "node 'rois'" in text and "it cannot be written as a node of opset 18: its corners are half a pixel off" in text


def test_functions_that_are_called_alike(tenon, data, tmp_path):
    """Two calls by nodes of one name, and one of a function that gives its argument."""
    opset = [helper.make_opsetid("", 17)]
    functions = [helper.make_function("local", "swish", ["a"], ["b"],
                                      [helper.make_node("Sigmoid", ["a"], ["t"], "s"), helper.make_node("Mul", ["a", "t"], ["b"], "m")], opset),
                 helper.make_function("local", "both", ["a"], ["a", "b"], [helper.make_node("Relu", ["a"], ["b"], "r")], opset)]
    path = model(tmp_path, [conv("x", "a"), helper.make_node("swish", ["a"], ["b"], "call", domain="local"),
                            helper.make_node("swish", ["b"], ["c"], "call", domain="local"),
                            helper.make_node("both", ["c"], ["y", "z"], "both", domain="local")], [weights()], opset=17, y=[1, 4, 8, 8])
    built = onnx.load(path)
    built.functions.extend(functions)
    built.opset_import.append(helper.make_opsetid("local", 1))
    built.graph.output.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, 4, 8, 8]))
    onnx.save(built, path)
    quantize(tenon, path, data, tmp_path / "q.onnx")
    made = onnx.load(tmp_path / "q.onnx")
    onnx.checker.check_model(made, full_check=True)
    assert [of.name for of in made.graph.output] == ["y", "z"]
