# Part of Tenon, under the Apache License v2.0.
"""`tenon quantize --weights=int4`: groups of inputs with a scale each, or a scale a channel; the files are ONNX's, and onnxruntime's."""
import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
import pytest

from seeds import of_commit
from test_quantize import answers, quantize, runtime
from test_quantize_hard import noise

RANDOM = np.random.default_rng(of_commit())


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs, [output], output, **attributes)


def written(path, nodes, constants, shape=(1, 3, 8, 8), count=40):
    """A network of opset 17; beside it samples, which are returned."""
    held = [numpy_helper.from_array(np.asarray(of, np.float32), name) for name, of in constants.items()]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), path)
    values = RANDOM.normal(size=(count, *shape[1:])).astype(np.float32)
    np.savez(path.with_suffix(".npz"), x=values)
    return values


def normal(*shape):
    """As wide as makes results about as wide as the inputs."""
    return RANDOM.normal(size=shape) / np.sqrt(max(np.prod(shape[1:]), 1))


def classifier():
    """Convolutions with 3 and with 32 inputs, a Gemm with 48, transposed, and a MatMul with 70, which are two groups and a bit."""
    nodes = [node("Conv", ["x", "w0"], "c0", pads=[1] * 4), node("Relu", ["c0"], "r0"),
             node("Conv", ["r0", "w1", "b1"], "c1", pads=[1] * 4), node("Relu", ["c1"], "r1"),
             node("GlobalAveragePool", ["r1"], "p"), node("Flatten", ["p"], "f"),
             node("Gemm", ["f", "w2", "b2"], "g", transB=1), node("Relu", ["g"], "h"), node("MatMul", ["h", "w3"], "y")]
    return nodes, {"w0": normal(32, 3, 3, 3), "w1": normal(48, 32, 3, 3), "b1": normal(48), "w2": normal(70, 48), "b2": normal(70),
                   "w3": normal(70, 5) / 8}


def steps(weights, axis, group):
    """By numpy: the integers of symmetric groups along an axis, and their scales."""
    count = weights.shape[axis]
    edges = range(0, count, group)
    largest = np.maximum.reduceat(np.abs(weights), edges, axis)
    scales = (largest / np.float32(7)).astype(np.float32)
    scales[scales == 0] = 1
    wide = np.repeat(scales, group, axis).take(range(count), axis)
    return np.clip(np.rint(weights / wide), -7, 7), scales, wide


def same_as_onnxruntime(tenon, path, values):
    """Our outputs of one sample are onnxruntime's, but for the order in which floats are added up."""
    folder = path.parent / "out"
    np.save(path.parent / "one.npy", values)
    for target in ("cpu", "functional"):
        tenon("run", path, f"--input={path.parent}/one.npy", f"--target={target}", "--check=none", f"--output-dir={folder}")
        want = runtime(path, optimised=False).run(None, {"x": values})[0]
        assert np.allclose(np.load(folder / "output_0.npy"), want, rtol=1e-4, atol=1e-5 * np.abs(want).max())


def constants_of(path):
    return {of.name: of for of in onnx.load(path).graph.initializer}


GROUPED = {"w1": (1, 32), "w2": (1, 32), "w3": (0, 32)}


@pytest.fixture
def network(tmp_path):
    nodes, constants = classifier()
    return tmp_path / "model.onnx", written(tmp_path / "model.onnx", nodes, constants), constants


def test_groups_are_numpys(tenon, network, tmp_path):
    """The integers, two in a byte, and the scales; a convolution of three inputs has a scale a channel."""
    path, _, constants = network
    report = quantize(tenon, path, path.with_suffix(".npz"), tmp_path / "q.onnx", "--weights=int4", "--no-bias-correction",
                      "--no-equalize")
    assert report["weights"] == "int4 in groups of 32"
    onnx.checker.check_model(onnx.load(tmp_path / "q.onnx"), full_check=True)
    held = constants_of(tmp_path / "q.onnx")
    for name, (axis, group) in GROUPED.items():
        want, scales, _ = steps(np.float32(constants[name]), axis, group)
        tensor = held[f"{name}/quantized"]
        assert tensor.data_type == TensorProto.INT4 and len(tensor.raw_data) == -(-want.size // 2)
        assert np.array_equal(numpy_helper.to_array(tensor).astype(np.int64), want)
        assert np.array_equal(numpy_helper.to_array(held[f"{name}/scale"]), scales)
    nodes = {of.output[0]: {a.name: a.i for a in of.attribute} for of in onnx.load(tmp_path / "q.onnx").graph.node}
    assert {name: nodes[f"{name}/dequantized"] for name in ("w0", *GROUPED)} == {
        "w0": {"axis": 0}, **{name: {"axis": axis, "block_size": group} for name, (axis, group) in GROUPED.items()}}
    assert numpy_helper.to_array(held["w0/scale"]).shape == (32,) and held["w0/quantized"].data_type == TensorProto.INT4
    note, = [note for note in report["notes"] if "--group" in note]
    assert note == "convolutions whose inputs are no multiple of --group=32 have a scale a channel: c0 (3)"
    facts = json.loads(tenon("inspect", tmp_path / "q.onnx", "--json=-").stdout)["quantization"]
    assert facts["weights"] == ["int4"] and facts["granularity"] == "channel and group"
    left = {of["node"]: of["reason"] for of in report["left"]}
    assert set(left) == {"c1", "g", "y"} and all("--group=0" in reason and "host" in reason for reason in left.values())


@pytest.mark.parametrize("options", [["--weights=int4"], ["--weights=int4", "--group=16"], ["--weights=int4", "--group=0"]],
                         ids=lambda options: options[-1])
def test_outputs(tenon, network, tmp_path, options):
    """onnxruntime's, with optimisations and without, and the reference's are ours; the noise is what is reported."""
    path, values, _ = network
    report = quantize(tenon, path, path.with_suffix(".npz"), tmp_path / "q.onnx", *options)
    real, plain = answers(path, values), answers(tmp_path / "q.onnx", values, optimised=False)
    assert abs(noise(real, plain) - report["accuracy"]["sqnr_db"]) < 0.3
    assert noise(plain, answers(tmp_path / "q.onnx", values)) > 25, "MatMul of groups has 8-bit inputs there"
    evaluator = ReferenceEvaluator(onnx.load(tmp_path / "q.onnx"))
    reference = np.concatenate([evaluator.run(None, {"x": of[None]})[0] for of in values])
    assert noise(reference, plain) > 60
    run = tenon.report(tmp_path / "q.onnx", "--target=functional", "--check=cpu", f"--inputs={path.with_suffix('.npz')}")
    assert run["checks"]["cpu"]["status"] == "bit-exact"
    same_as_onnxruntime(tenon, tmp_path / "q.onnx", values[:1])


def test_a_scale_a_channel_is_the_accelerators(tenon, network, tmp_path):
    """All in one launch, as with weights of 8 bits."""
    path, _, constants = network
    quantize(tenon, path, path.with_suffix(".npz"), tmp_path / "q8.onnx")
    report = quantize(tenon, path, path.with_suffix(".npz"), tmp_path / "q4.onnx", "--weights=int4", "--group=0", "--no-equalize")
    assert report["weights"] == "int4 per channel" and not report["left"]
    held = constants_of(tmp_path / "q4.onnx")
    for name in ("w0", "w1", "w2"):
        of = np.float32(constants[name])
        want, _, _ = steps(of.reshape(len(of), -1), 1, of[0].size)
        assert np.array_equal(numpy_helper.to_array(held[f"{name}/quantized"]).astype(np.int64).reshape(want.shape), want)
    runs = [tenon.report(tmp_path / f"{name}.onnx", "--target=rtl", "--check=functional", "--check=cpu",
                         f"--inputs={path.with_suffix('.npz')}") for name in ("q8", "q4")]
    for run in runs:
        assert run["launches"] == 1 and run["checks"]["cpu"]["status"] == run["checks"]["functional"]["status"] == "bit-exact"


def test_sizes(tenon, network, tmp_path):
    path, _, constants = network
    report = quantize(tenon, path, path.with_suffix(".npz"), tmp_path / "q.onnx", "--weights=int4", "--group=0")
    assert report["bytes"] == (tmp_path / "q.onnx").stat().st_size
    assert report["float_bytes"] == pytest.approx(path.stat().st_size, rel=0.02)
    weights = sum(constants[name].size for name in ("w0", "w1", "w2", "w3"))
    assert weights / 2 < report["bytes"] < weights / 2 + 8000
    text = tenon("quantize", path, f"--calibration={path.with_suffix('.npz')}", "-o", tmp_path / "q.onnx", "--weights=int4").stdout
    assert f"{(tmp_path / 'q.onnx').stat().st_size:,} bytes, " in text and "weights int4 in groups of 32" in text


def test_smaller_groups_have_less_noise(tenon, tmp_path):
    """Beside numpy's own rounding, of weights whose inputs have different widths."""
    weights = normal(96, 24) * np.exp2(RANDOM.integers(0, 4, (96, 1)))
    values = written(tmp_path / "model.onnx", [node("MatMul", ["x", "w"], "y")], {"w": weights}, shape=(1, 96))
    found = []
    for group in (96, 32, 8):
        report = quantize(tenon, tmp_path / "model.onnx", tmp_path / "model.npz", tmp_path / "q.onnx", "--weights=int4",
                          f"--group={group}", "--activations=int16", "--no-bias-correction")
        integers, _, scales = steps(np.float32(weights), 0, group)
        assert report["accuracy"]["sqnr_db"] == pytest.approx(noise(values @ weights, values @ (integers * scales)), abs=0.2)
        found.append(report["accuracy"]["sqnr_db"])
    assert found == sorted(found)


def test_nothing_but_groups(tenon, tmp_path):
    """No layer computes in integers: weights alone are quantised."""
    nodes = [node("MatMul", ["x", "u"], "a"), node("Add", ["a", "b"], "s"), node("Tanh", ["s"], "t"), node("MatMul", ["t", "v"], "y")]
    values = written(tmp_path / "model.onnx", nodes, {"u": normal(64, 64), "b": normal(64), "v": normal(64, 8)}, shape=(1, 64))
    report = quantize(tenon, tmp_path / "model.onnx", tmp_path / "model.npz", tmp_path / "q.onnx", "--weights=int4", "--sensitivity=4")
    kinds = {of.op_type for of in onnx.load(tmp_path / "q.onnx").graph.node}
    assert "QuantizeLinear" not in kinds and "DequantizeLinear" in kinds and not report["tensors"]
    assert noise(answers(tmp_path / "model.onnx", values), answers(tmp_path / "q.onnx", values, optimised=False)) > 15


def test_biases_of_groups_take_out_what_rounding_does(tenon, tmp_path):
    """Weights that all round the same way, of inputs that are not 0 in the mean, with a bias and with a sum."""
    weights = np.full((64, 4), 0.4 / 7)
    weights[::16] = 1
    for nodes in ([node("Gemm", ["x", "w", "b"], "y")], [node("MatMul", ["x", "w"], "p"), node("Add", ["b", "p"], "y")]):
        values = written(tmp_path / "model.onnx", nodes, {"w": weights, "b": np.arange(4)}, shape=(1, 64))
        values = values * 0.1 + 5
        np.savez(tmp_path / "x.npz", x=values)
        real, off = answers(tmp_path / "model.onnx", values), []
        for options in (["--no-bias-correction"], []):
            quantize(tenon, tmp_path / "model.onnx", tmp_path / "x.npz", tmp_path / "q.onnx", "--weights=int4", "--group=16", *options)
            off.append(abs((answers(tmp_path / "q.onnx", values, optimised=False) - real).mean()))
        assert off[1] < off[0] / 10


def test_shared_weights(tenon, tmp_path):
    """Read by a product and, the other way round, by another one: along each one's inputs."""
    nodes = [node("Gemm", ["x", "w"], "a"), node("Tanh", ["a"], "t"), node("Gemm", ["t", "w"], "y", transB=1)]
    values = written(tmp_path / "model.onnx", nodes, {"w": normal(64, 48)}, shape=(1, 64))
    quantize(tenon, tmp_path / "model.onnx", tmp_path / "model.npz", tmp_path / "q.onnx", "--weights=int4")
    axes = sorted(a.i for of in onnx.load(tmp_path / "q.onnx").graph.node for a in of.attribute if a.name == "axis")
    assert axes == [0, 1]
    assert noise(answers(tmp_path / "model.onnx", values), answers(tmp_path / "q.onnx", values, optimised=False)) > 12


def test_odd_counts_are_packed(tenon, tmp_path):
    """Of 5 x 7 and 3 x 7 weights the last byte holds one: read by onnxruntime, and by us on the CPU and on the accelerator."""
    nodes = [node("MatMul", ["x", "u"], "a"), node("Relu", ["a"], "r"), node("MatMul", ["r", "v"], "y")]
    constants = {"u": normal(5, 7), "v": normal(7, 3)}
    values = written(tmp_path / "model.onnx", nodes, constants, shape=(1, 5))
    for group in (0, 3):
        quantize(tenon, tmp_path / "model.onnx", tmp_path / "model.npz", tmp_path / "q.onnx", "--weights=int4", f"--group={group}",
                 "--no-equalize")
        held = constants_of(tmp_path / "q.onnx")
        assert [len(held[f"{name}/quantized"].raw_data) for name in ("u", "v")] == [18, 11]
        run = tenon.report(tmp_path / "q.onnx", "--target=functional", "--check=cpu", f"--inputs={tmp_path}/model.npz")
        assert run["checks"]["cpu"]["status"] == "bit-exact"
        same_as_onnxruntime(tenon, tmp_path / "q.onnx", values[:1])


WRONG = [(["--group=8"], "--group is of 4-bit weights; add --weights=int4"),
         (["--weights=int4", "--per-tensor"], "a group its own; add --group=0"),
         (["--weights=int4", "--group=-1"], "--group"), (["--weights=int3"], "int3 not in {int8,int4}"),
         (["--weights=int4", "--group=many"], "--group")]


@pytest.mark.parametrize("options, said", WRONG, ids=lambda value: value[-1] if isinstance(value, list) else "")
def test_options_that_do_not_go_together(tenon, network, tmp_path, options, said):
    path, _, _ = network
    done = tenon("quantize", path, f"--calibration={path.with_suffix('.npz')}", "-o", tmp_path / "q.onnx", *options, expect=2)
    assert said in done.stderr and not (tmp_path / "q.onnx").exists()


@pytest.mark.parametrize("operator", ["DFT", "GroupNormalization"])
def test_operators_that_meant_something_else(tenon, tmp_path, operator):
    """An axis that is not given was 1 before opset 20, scale and bias were those of groups before 21."""
    if operator == "DFT":
        shape = (1, 6, 4, 2)
        nodes = [node("DFT", ["x"], "a"), node("MatMul", ["a", "w"], "y")]
        constants = {"w": normal(2, 5)}
    else:
        shape = (1, 3, 8, 8)
        nodes = [node("Conv", ["x", "u"], "a", pads=[1] * 4), node("GroupNormalization", ["a", "s", "b"], "n", num_groups=2),
                 node("Conv", ["n", "w"], "y")]
        constants = {"u": normal(8, 3, 3, 3), "s": [0.5, 4], "b": [1, -3], "w": normal(5, 8, 1, 1)}
    path = tmp_path / "model.onnx"
    values = written(path, nodes, constants, shape)
    model = onnx.load(path)
    model.opset_import[0].version = 18
    onnx.save(model, path)
    quantize(tenon, path, path.with_suffix(".npz"), tmp_path / "q.onnx", "--weights=int4", "--group=0")
    assert noise(answers(path, values), answers(tmp_path / "q.onnx", values, optimised=False)) > 12
