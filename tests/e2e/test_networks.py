"""Whole quantised networks on the RTL, against three independent sources."""
import numpy as np
import onnx
from onnx import numpy_helper
import pytest

from conftest import EXAMPLE, test_sets
from layers import macs
from sums import assert_cycles_add_up

# Largest difference from the stored outputs (onnxruntime): what TOSA's integer
# arithmetic gives, measured with ../shared/tools/tosa_reference.py.
NETWORKS = {
    "mlperftiny_resnet8/qdq": 1,
    "mlperftiny_resnet8/qop": 1,
    "mlperftiny_kws_dscnn/qdq": 1,
    "mlperftiny_kws_dscnn/qop": 1,
    "resnet56_cifar10/qdq": 1,
    "mobilenetv1_0.25_128/qdq": 6,
    "mobilenetv1_0.25_128/qop": 1,
}
# What may run on the host beside the border's packing and unpacking.
HOST_STEPS = ("pack", "unpack", "quantize", "dequantize", "softmax")


@pytest.mark.parametrize("network", NETWORKS)
def test_network_on_rtl(tenon, models, network):
    model = models / network / "model.onnx"
    sets = test_sets(model)
    assert len(sets) >= 2
    report = tenon.report(model, "--target=rtl", *[f"--expect={s}" for s in sets], f"--tolerance=0,{NETWORKS[network]}")
    assert report["launches"] == 1
    assert report["checks"]["functional"]["status"] == "bit-exact"
    assert report["checks"]["cpu"]["status"] == "bit-exact"
    layers = [layer for layer in report["layers"] if layer["placed_on"] == "accelerator"]
    assert report["checks"]["cpu"]["tensors"] >= len(layers) * len(sets)
    assert len(report["checks"]["expected"]) == len(sets)
    for expected in report["checks"]["expected"]:
        for output in expected["outputs"]:
            assert output["max_lsb"] <= NETWORKS[network], expected
            assert output["top1_same"], expected
    for step in report["host_steps"]:
        assert step["name"].lower().startswith(HOST_STEPS), step
    assert_cycles_add_up(report)


def test_example_says_cat(tenon):
    report = tenon.report(EXAMPLE / "resnet8.onnx", f"--input=input_1_int8={EXAMPLE}/pictures/cat.png",
                          "--preprocess=mean=128", f"--labels={EXAMPLE}/labels.txt")
    assert report["answer"][0]["label"] == "cat"
    assert report["checks"]["functional"]["status"] == report["checks"]["cpu"]["status"] == "bit-exact"
    assert_cycles_add_up(report)


@pytest.mark.parametrize("picture", ["airplane", "frog", "horse", "ship"])
def test_example_pictures(tenon, picture):
    report = tenon.report(EXAMPLE / "resnet8.onnx", f"--input=input_1_int8={EXAMPLE}/pictures/{picture}.png",
                          "--preprocess=mean=128", f"--labels={EXAMPLE}/labels.txt", "--target=functional")
    assert report["answer"][0]["label"] == picture


def test_cifar_accuracy(tenon, models, tmp_path):
    """86 of 100 pictures, as onnxruntime has it; the label as a one-hot output makes top1_same the answer."""
    model = models / "mlperftiny_resnet8/qdq/model.onnx"
    data = np.load(models / "data_cifar10/cifar10_100.npz")
    program = tmp_path / "resnet8.tenon"
    tenon("compile", model, "-o", program)
    for i, (picture, label) in enumerate(zip(data["x"], data["y"])):
        folder = tmp_path / f"set_{i}"
        folder.mkdir()
        pixels = (picture[None].astype(np.int16) - 128).astype(np.int8)
        answer = np.full((1, 10), -128, np.int8)
        answer[0, label] = 127
        for name, array in [("input_0", pixels), ("output_0", answer)]:
            (folder / f"{name}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    report = tenon.report(program, "--target=functional", *[f"--expect={tmp_path}/set_{i}" for i in range(100)],
                          "--tolerance=0,255")  # only the largest value is known
    correct = sum(s["outputs"][0]["top1_same"] for s in report["checks"]["expected"])
    assert 85 <= correct <= 87


def test_macs_are_the_models(tenon):
    report = tenon.report(EXAMPLE / "resnet8.onnx", "--target=functional")
    assert report["macs"] == macs(onnx.load(EXAMPLE / "resnet8.onnx"))
