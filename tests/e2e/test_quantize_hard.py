"""Networks that break quantisers: channels of unequal ranges, layers whose one scale is worth nothing, hard-swish and squeeze-excite,
classes that no sample of the calibration had. Each is measured on samples that were not calibrated on."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import pytest

from seeds import of_commit
from test_quantize import answers, quantize

RANDOM = np.random.default_rng(of_commit())


def noise(real, ours):
    """The signal to noise ratio in dB."""
    return 10 * np.log10((real ** 2).sum() / ((real - ours) ** 2).sum())


def constant(name, values):
    return numpy_helper.from_array(np.asarray(values, np.float32), name)


def conv(of, to, w, **attributes):
    return helper.make_node("Conv", [of, w], [to], to, pads=[1, 1, 1, 1], **attributes)


@pytest.fixture
def network(tmp_path):
    def make(nodes, constants, shape=(1, 4, 12, 12), opset=14):
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], constants)
        path = tmp_path / "model.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)
        return path
    return make


@pytest.fixture
def samples(tmp_path):
    """Values, and the file of the first half of them."""
    values = RANDOM.normal(size=(32, 4, 12, 12)).astype(np.float32)
    np.savez(tmp_path / "few.npz", x=values[:16])
    return values, tmp_path / "few.npz"


def weights(*shape):
    """As wide for each input as for another, each with a sign of its own."""
    return RANDOM.choice([-1, 1], shape) * RANDOM.uniform(0.1, 0.2, shape)


BETWEEN = {
    "relu": lambda of, to: helper.make_node("Relu", [of], [to], to),
    "relu6": lambda of, to: helper.make_node("Clip", [of, "zero", "six"], [to], to),
}


@pytest.mark.parametrize("between", BETWEEN)
def test_an_unequal_channel(tenon, network, samples, tmp_path, between):
    """Channels a hundredth as wide as one, which a depthwise convolution makes equal again: one scale leaves two or three of the 256
    steps to the others. Equal ranges are the remedy that gains most: by weights alone where nothing but a Relu is between, else by what
    is seen of activations."""
    factors = np.float32([100, 1, 1, 1]).reshape(-1, 1, 1, 1) * (0.05 if between == "relu6" else 1)
    first, last = weights(4, 4, 3, 3) * factors, weights(4, 4, 3, 3)
    depthwise = weights(4, 1, 3, 3) / factors
    path = network([conv("x", "a", "w"), BETWEEN[between]("a", "b"), conv("b", "c", "v", group=4),
                    helper.make_node("Relu", ["c"], ["d"], "d"), conv("d", "y", "u")],
                   [constant("w", first), constant("v", depthwise), constant("u", last), constant("zero", 0), constant("six", 6)])
    values, few = samples
    quantize(tenon, path, few, tmp_path / "plain.onnx", "--no-equalize")
    report = quantize(tenon, path, few, tmp_path / "q.onnx", "--equalize")
    remedy = "equalisation of " if between == "relu" else "balance of "
    assert report["gains"][0]["remedy"].startswith(remedy), report["steps"]
    real = answers(path, values[16:])
    before, after = (noise(real, answers(tmp_path / f"{name}.onnx", values[16:], optimised=False)) for name in ("plain", "q"))
    assert after > before + 6 and after > 20, report["steps"]


def test_what_hard_swish_does_not_tell_apart(tenon, network, samples, tmp_path):
    """Below -3 all is 0: no step of the range is there."""
    path = network([conv("x", "a", "w"), helper.make_node("HardSwish", ["a"], ["b"], "b"), conv("b", "y", "v")],
                   [constant("w", weights(4, 4, 3, 3) * 8), constant("v", weights(4, 4, 3, 3))])
    report = quantize(tenon, path, samples[1], tmp_path / "q.onnx")
    tensor, = [tensor for tensor in report["tensors"] if tensor["name"] == "a"]
    assert tensor["seen_low"] < -5 and tensor["low"] == pytest.approx(-3, abs=0.1)
