# Part of Tenon, under the Apache License v2.0.
"""--place: where a user wants nodes, by their names or their operators."""
import numpy as np
import onnx
import pytest

from test_split import Builder, split_model


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    path = tmp_path_factory.mktemp("split") / "split.onnx"
    onnx.save(split_model(), path)
    return path


def run(tenon, path, folder, *wishes):
    """Where each node runs, by name, and the output."""
    np.save(folder / "x.npy", np.random.default_rng(5).integers(-128, 128, [d.dim_value for d in onnx.load(path).graph.input[0].type.tensor_type.shape.dim])
            .astype(np.int8))
    options = [word for wish in wishes for word in ("--place", wish)]
    report = tenon.report(path, "--target=functional", "--check=cpu", f"--input={folder}/x.npy", f"--output-dir={folder}", *options)
    assert report["checks"]["cpu"]["status"] == "bit-exact"
    return {node: layer for layer in report["layers"] for node in layer["nodes"]}, np.load(folder / "output_0.npy")


def test_an_operator_goes_to_the_cpu_and_one_node_stays(tenon, split, tmp_path):
    free, expected = run(tenon, split, tmp_path)
    assert {free[node]["placed_on"] for node in ("first", "second", "third")} == {"accelerator"}
    layers, output = run(tenon, split, tmp_path, "QLinearConv:cpu", "third:accelerator")
    assert [layers[node]["placed_on"] for node in ("first", "second", "third")] == ["cpu", "cpu", "accelerator"]
    assert "it is wanted on the CPU (--place)" in layers["first"]["reason"]
    np.testing.assert_array_equal(output, expected)


def test_a_layer_that_is_dearer_there_goes_to_the_accelerator(tenon, tmp_path):
    b = Builder()
    b.quantisation("DequantizeLinear", "x", "f")
    b.nodes.append(onnx.helper.make_node("QuantizeLinear", ["f", b.constant("s", np.float32(0.07)), b.constant("z", np.int8(3))], ["y"], name="requantised"))
    path = tmp_path / "requantised.onnx"
    onnx.save(b.model([1, 16, 64, 64], [1, 16, 64, 64]), path)
    layers, expected = run(tenon, path, tmp_path)
    assert layers["requantised"]["placed_on"] == "cpu" and "the network is faster with it on the host" in layers["requantised"]["reason"]
    layers, output = run(tenon, path, tmp_path, "requantised:accelerator")
    assert layers["requantised"]["placed_on"] == "accelerator"
    np.testing.assert_array_equal(output, expected)


@pytest.mark.parametrize("wishes, expected, code", [
    (["concat:accelerator"], "concat: node 'concat' is wanted on the accelerator, but: operand 1 of a concatenation begins at channel 8", 1),
    (["QuantizeLinear:cpu", "q_c:accelerator"], "node 'q_c' is wanted on the accelerator, but: ", 1),
    (["q_c:cpu", "none:cpu"], "no node and no operator of the model is named 'none', which is wanted on the cpu", 1),
    (["third:gpu"], "'third:gpu' is not NAME:accelerator or NAME:cpu", 2), ([":cpu"], "':cpu' is not NAME:accelerator or NAME:cpu", 2)])
def test_wishes_that_cannot_be_met(tenon, split, tmp_path, wishes, expected, code):
    options = [word for wish in wishes for word in ("--place", wish)]
    assert expected in tenon("compile", split, "-o", tmp_path / "p.tenon", *options, expect=code).stderr
    assert not (tmp_path / "p.tenon").exists()
