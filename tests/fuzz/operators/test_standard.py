# Part of Tenon, under the Apache License v2.0.
"""What standard.py puts into the reference interpreter gives what the onnx package's own cases say."""
import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx.backend.test.case.node import collect_testcases
from onnx.reference import ReferenceEvaluator

import standard

# Their expected values come from the interpreter, which does not round a fractional length down; the text of the standard does.
AGAINST_THE_TEXT = {"test_resize_downsample_scales_cubic_align_corners", "test_resize_downsample_scales_linear_align_corners"}


# Their cases are of integers, with tensors as protobuf messages: the interpreter takes none, so that these have a test of their own.
OF_MESSAGES = {"Cast", "CastLike"}


def corrected_operators(opset):
    return {one.__name__ for one in standard.corrections(opset)} - OF_MESSAGES


def corrected(model):
    names = corrected_operators(model.opset_import[0].version)
    return any(node.op_type in names for node in model.graph.node)


with np.errstate(all="ignore"):
    CASES = {case.name: case for case in collect_testcases(None) if corrected(case.model) and case.name not in AGAINST_THE_TEXT}


@pytest.mark.parametrize("name", CASES)
def test_is_what_onnx_expects(name):
    model = CASES[name].model
    run = ReferenceEvaluator(model, new_ops=standard.corrections(model.opset_import[0].version)).run
    for inputs, expected in CASES[name].data_sets:
        found = run(None, dict(zip([given.name for given in model.graph.input], inputs)))
        for have, want in zip(found, expected):
            assert have.shape == want.shape
            # Some are written down with four digits.
            np.testing.assert_allclose(np.asarray(have, np.float64), np.asarray(want, np.float64), rtol=1e-5, atol=1e-4)


def test_cases_reach_every_correction():
    reached = {node.op_type for case in CASES.values() for node in case.model.graph.node}
    assert corrected_operators(onnx.defs.onnx_opset_version()) <= reached


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_resize_to_one_element_as_pytorch(mode):
    """It is the first: length_resized > 1 ? (x_resized + 0.5) / scale - 0.5 : 0."""
    text = f"""<ir_version: 10, opset_import: ["": 19]> main (float[5] x, float[1] scales) => (float[1] y) {{
      y = Resize <mode = "{mode}", coordinate_transformation_mode = "pytorch_half_pixel"> (x, , scales) }}"""
    run = ReferenceEvaluator(onnx.parser.parse_model(text), new_ops=standard.corrections(19)).run
    assert run(None, {"x": np.float32([3, 5, 4, 1, 2]), "scales": np.float32([0.3])})[0].tolist() == [3]


@pytest.mark.parametrize("operator", ["GroupNormalization <num_groups = 2> (x, ones, zeros)", "MeanVarianceNormalization <axes = [2]> (x)"])
def test_a_variance_that_is_little_beside_the_mean(operator):
    """Of two elements 2^-7 apart, exact beside 16: each is one deviation from the mean, whose square in float has no bit of 2^-16."""
    text = f"""<ir_version: 10, opset_import: ["": 21]> main (float[1,2,2] x, float[2] ones, float[2] zeros) => (float[1,2,2] y) {{
      y = {operator} }}"""
    x = 16 + np.float32([[[0, 2 ** -7], [2 ** -7, 0]]])
    run = ReferenceEvaluator(onnx.parser.parse_model(text), new_ops=standard.corrections(21)).run
    found, = run(None, {"x": x, "ones": np.ones(2, np.float32), "zeros": np.zeros(2, np.float32)})
    deviation = 2 ** -8
    expected = deviation / (np.sqrt(deviation ** 2 + 1e-5) if operator[0] == "G" else deviation + 1e-9)
    np.testing.assert_allclose(found, expected * np.float32([[[-1, 1], [1, -1]]]), rtol=1e-6)


@pytest.mark.parametrize("cast", ["Cast <to = 22> (x)", "CastLike (x, like)"])
def test_the_nearest_small_integers(cast):
    text = f"""<ir_version: 10, opset_import: ["": 21]> main (float[5] x, int4[1] like) => (int4[5] y) {{ y = {cast} }}"""
    run = ReferenceEvaluator(onnx.parser.parse_model(text), new_ops=standard.corrections(21)).run
    found, = run(None, {"x": np.float32([-1.9, -2.5, 1.5, 0.4, 6.6]), "like": np.zeros(1, ml_dtypes.int4)})
    assert found.dtype == ml_dtypes.int4 and found.astype(int).tolist() == [-2, -2, 2, 0, 7]


OLDER = {"Softmax": "<axis = 1> (x)", "LogSoftmax": "(x)", "Hardmax": "<axis = 2> (x)", "BatchNormalization": "(x, one, two, one, two)"}


@pytest.mark.parametrize("operator", OLDER)
def test_older_versions(operator):
    """The package has no cases of these: onnxruntime is asked."""
    random = np.random.default_rng(3)
    text = f'<ir_version: 7, opset_import: ["": 12]> main (float[2,3,4] x, float[3] one, float[3] two) => (float[2,3,4] y) {{ y = {operator} {OLDER[operator]} }}'
    model = onnx.parser.parse_model(text)
    inputs = {"x": random.standard_normal((2, 3, 4), np.float32), "one": np.float32([0.5, 1.5, 2.5]), "two": np.float32([3, 0.7, 1.2])}
    wanted, = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, inputs)
    found, = ReferenceEvaluator(model, new_ops=standard.corrections(12)).run(None, inputs)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
