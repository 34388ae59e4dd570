# Part of Tenon, under the Apache License v2.0.
"""Names of open extents: who runs a network binds those of its inputs; what a model says of computed tensors may be wrong."""
import numpy as np
from onnx import TensorProto, helper
import pytest

from lowering import check, model_of
from one_node import floats


def test_product_that_inference_gives_the_first_extent():
    """The ONNX library takes the rows of an ellipsis for those of the first term."""
    text = """main (float[n,1,1] x, float[m,1,1] w) => (float[P,1,1] z) {
      y = Einsum <equation = "...ij,...jk->...ik"> (x, w)
      z = Add (y, x)
    }"""
    for rows, columns in [(1, 5), (5, 1), (5, 5)]:
        x, w = floats(rows, 1, 1), floats(columns, 1, 1, seed=1)
        check(model_of(text), {"x": x, "w": w}, [x * w + x])


def test_transform_that_inference_gives_the_length_of_its_input():
    text = """main (float[1,n,1] x, int64 k) => (float[1,P,2] z) {
      y = DFT (x, k, axis)
      z = Mul (y, x)
    }"""
    x = floats(1, 6, 1)
    found = np.fft.fft(x, 1, axis=1)
    check(model_of(text, constants={"axis": np.int64(1)}), {"x": x, "k": np.int64(1)}, [np.stack([found.real, found.imag], -1)[:, :, 0] * x], atol=1e-5)


@pytest.mark.parametrize("first, second", [(5, 1), (1, 5), (5, 5)])
def test_one_function_of_two_extents(first, second):
    """What the function says of the tensor in it is true of either call by itself."""
    inside = helper.make_tensor_value_info("m", TensorProto.FLOAT, ["N"])
    model = model_of("main (float[A] p, float[B] q) => (float[P] z) { f = Neg (p) g = Neg (q) z = Add (f, g) }", others=[("local", 1)])
    function = helper.make_function("local", "F", ["x"], ["y"], [helper.make_node("Relu", ["x"], ["m"]), helper.make_node("Neg", ["m"], ["y"])],
                                    [helper.make_opsetid("", 21)], value_info=[inside])
    model.functions.append(function)
    for node in model.graph.node[:2]:
        node.op_type, node.domain = "F", "local"
    p, q = floats(first), floats(second, seed=1)
    check(model, {"p": p, "q": q}, [-np.maximum(p, 0) - np.maximum(q, 0)])


@pytest.mark.parametrize("kept", [1, 5])
def test_declared_name_of_what_data_tells(kept):
    text = """main (float[n] x, bool[n] c) => (float[P] z) <float[n] y> {
      y = Compress <axis = 0> (x, c)
      z = Add (y, x)
    }"""
    x = floats(5)
    check(model_of(text), {"x": x, "c": np.arange(5) < kept}, [x[:kept] + x])


@pytest.mark.parametrize("condition", [True, False])
def test_branch_that_declares_a_name(condition):
    text = """main (bool c, float[n] x, float[m] w) => (float[P] z) <float[n] y> {
      y = If (c) <
        then_branch = t () => (float[n] a) { a = Neg (x) },
        else_branch = e () => (float[n] b) { b = Neg (w) }>
      z = Add (y, x)
    }"""
    x, w = floats(5), floats(1, seed=1)
    check(model_of(text), {"c": np.bool_(condition), "x": x, "w": w}, [-(x if condition else w) + x])


@pytest.mark.parametrize("count", [1, 3])
def test_carried_tensor_that_declares_a_name(count):
    text = """main (int64 t, float[m] a, float[n] x) => (float[P] y) {
      y = Loop (t, c, a) <body = b (int64 i, bool keeps, float[n] before) => (bool goes, float[n] next) {
        goes = Identity (keeps)
        next = Add (before, x)
      }>
    }"""
    a, x = floats(1), floats(5, seed=1)
    check(model_of(text, constants={"c": np.bool_(True)}), {"t": np.int64(count), "a": a, "x": x}, [a + count * x])


def test_slice_that_declares_a_name():
    text = """main (float[m] s, float[r,k] x, float[n] w) => (float[P] last, float[r,Q] rows) {
      last, rows = Scan <num_scan_inputs = 1, body = b (float[n] before, float[n] row) => (float[n] next, float[n] out) {
        next = Add (before, row)
        out = Mul (row, w)
      }> (s, x)
    }"""
    s, x, w = floats(1), floats(3, 1, seed=1), floats(5, seed=2)
    check(model_of(text), {"s": s, "x": x, "w": w}, [s + x.sum(0), x * w])


@pytest.mark.parametrize("first, second", [(5, 1), (1, 5), (5, 5)])
def test_question_marks_are_no_name(first, second):
    model = model_of("main (float[a] x, float[b] y) => (float[P] z) { z = Add (x, y) }")
    for value in model.graph.input:
        value.type.tensor_type.shape.dim[0].dim_param = "?"
    x, y = floats(first), floats(second, seed=1)
    check(model, {"x": x, "y": y}, [x + y])


def test_extents_of_one_name_need_no_check():
    """Of inputs, and of what is made of them, whatever a node makes it of."""
    text = """main (float[n,h,4] x, float[n,h,4] y) => (float[n,h,8] z) {
      shape = Shape (x)
      front = Slice (shape, zero, two)
      target = Concat <axis = 0> (front, halves)
      split = Reshape (x, target)
      turned = Transpose <perm = [0, 1, 3, 2]> (split)
      back = Reshape (turned, flat)
      sum = Add (back, y)
      cut = Slice (sum, zero, two, last)
      rest = Slice (sum, two, four, last)
      both = Concat <axis = 2> (rest, cut)
      z = Concat <axis = 2> (both, y)
    }"""
    constants = {"zero": [0], "two": [2], "four": [4], "last": [2], "halves": [2, 2], "flat": [0, 0, 4]}
    model = model_of(text, constants={name: np.int64(value) for name, value in constants.items()})
    x, y = floats(2, 3, 4), floats(2, 3, 4, seed=1)
    total = x.reshape(2, 3, 2, 2).swapaxes(2, 3).reshape(2, 3, 4) + y
    check(model, {"x": x, "y": y}, [np.concatenate([total[..., 2:], total[..., :2], y], -1)])
