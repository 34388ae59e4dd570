"""Open dimensions: what --shape fixes, and what does not fit."""
import numpy as np
import onnx
from onnx import TensorProto, helper
import pytest


@pytest.fixture
def model(tmp_path):
    """y = relu(a + b), both of shape [rows, columns, 2]; c, whose shape is not told, on its own."""
    def info(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    nodes = [helper.make_node("Add", ["a", "b"], ["s"], name="sum"), helper.make_node("Relu", ["s"], ["y"], name="cut"),
             helper.make_node("Relu", ["c"], ["d"], name="other")]
    graph = helper.make_graph(nodes, "g", [info("a", ["rows", "columns", 2]), info("b", ["rows", "columns", 2]), info("c", None)],
                              [info("y", None), info("d", None)])
    path = tmp_path / "open.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
    return path


def test_given_shapes(tenon, model, tmp_path):
    a, b = np.random.default_rng(5).normal(size=(2, 3, 4, 2)).astype(np.float32)
    c = np.float32([1, -1, 2])
    for name, array in (("a", a), ("b", b), ("c", c)):
        np.save(tmp_path / f"{name}.npy", array)
    tenon("run", model, "--target=cpu", "--check=none", "--shape", "a=3,4,2", "--shape", "c=3", f"--output-dir={tmp_path}",
          *(f"--input={name}={tmp_path}/{name}.npy" for name in "abc"))
    np.testing.assert_array_equal(np.load(tmp_path / "output_0.npy"), np.maximum(a + b, 0))
    np.testing.assert_array_equal(np.load(tmp_path / "output_1.npy"), np.maximum(c, 0))


@pytest.mark.parametrize("shapes, expected", [
    (["x=1"], "a shape is given for 'x', but the model's inputs are a, b, c"),
    (["a=1,2"], "the shape given for input 'a' has 2 dimensions, expected 3"),
    (["a=1,2,3"], "dimension 2 of input 'a' is given as 3, but the model fixes it at 2"),
    (["a=1,2,2", "b=1,3,2"], "dimension 'columns' is given as 2 and as 3"),
])
def test_shapes_that_do_not_fit(tenon, model, shapes, expected):
    options = [f"--shape={shape}" for shape in shapes]
    assert expected in tenon("compile", model, *options, "--emit=tosa", expect=1).stderr


@pytest.mark.parametrize("text", ["a", "=1", "a=1,x", "a=-1"])
def test_not_a_shape(tenon, model, text):
    assert f"'{text}' is not NAME=EXTENT,EXTENT,..." in tenon("compile", model, f"--shape={text}", expect=2).stderr


def test_no_tensor(tenon, model):
    changed = onnx.load(model)
    changed.graph.input[2].type.CopyFrom(helper.make_sequence_type_proto(changed.graph.input[0].type))
    onnx.save(changed, model)
    assert "'c' is not a tensor, so it has no shape to be given" in tenon("compile", model, "--shape=c=1", "--emit=tosa", expect=1).stderr


def test_dimensions_without_a_name_of_their_own(tenon, tmp_path):
    """Some exporters call every open dimension "?": that is no name that two of them share."""
    path = tmp_path / "anonymous.onnx"
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["?", "?"]) for name in "xy"]
    onnx.save(helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", value[:1], value[1:]),
                                opset_imports=[helper.make_opsetid("", 13)]), path)
    assert "tensor<2x3xf32>" in tenon("compile", path, "--shape=x=2,3", "--emit=tosa").stdout
