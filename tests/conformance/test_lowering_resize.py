# Part of Tenon, under the Apache License v2.0.
"""Resize: what the cases of the onnx package leave out."""
import numpy as np
import pytest

from onnx.reference import ReferenceEvaluator

from lowering import check, model_of, refusal

OPEN = "main (float[1,2,H,W] x) => (float[a,b,c,d] y) "
X = np.random.default_rng(5).random((1, 2, 5, 7), dtype=np.float32)
SCALES = np.float32([1, 1, 2.5, 0.7])  # no coordinate is half way between two elements
COORDINATES = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"]


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_open_extents(mode, coordinates):
    text = OPEN + f'{{ y = Resize <mode = "{mode}", coordinate_transformation_mode = "{coordinates}", exclude_outside = {int(mode == "cubic")}> (x, , scales) }}'
    check(model_of(text, constants={"scales": SCALES}), {"x": X}, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("by", ["scales", "sizes"])
def test_to_one_element_as_pytorch(mode, by):
    """length_resized > 1 ? (x_resized + 0.5) / scale - 0.5 : 0, of ONNX's text: the first one, though the scale makes a length of 1.75."""
    given = {"scales": np.float32([1, 1, 0.2, 0.25])} if by == "scales" else {"sizes": np.int64([1, 2, 1, 1])}
    inputs = "x, , scales" if by == "scales" else "x, , , sizes"
    text = f'main (float[1,2,5,7] x) => (float[a,b,c,d] y) {{ y = Resize <mode = "{mode}", coordinate_transformation_mode = "pytorch_half_pixel"> ({inputs}) }}'
    check(model_of(text, constants=given), {"x": X}, [X[:, :, :1, :1]])


@pytest.mark.parametrize("policy", ["stretch", "not_larger", "not_smaller"])
def test_sizes_of_the_run(policy):
    text = f"""main (float[1,2,5,7] x, int64[2] sizes) => (float[a,b,c,d] y) {{
      y = Resize <mode = "linear", axes = [2, 3], keep_aspect_ratio_policy = "{policy}"> (x, , , sizes)
    }}"""
    check(model_of(text), {"x": X, "sizes": np.int64([10, 9])}, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("opset", [9, 10])
def test_older_forms(opset):
    operator = "Upsample" if opset == 9 else "Resize"
    text = f'main (float[1,2,5,7] x) => (float[1,2,10,14] y) {{ y = {operator} <mode = "nearest"> (x, scales) }}'
    check(model_of(text, opset=opset, constants={"scales": np.float32([1, 1, 2, 2])}), {"x": X})


@pytest.mark.parametrize("scales", [[1, 1, 0.6, 0.6], [1, 1, 0.75, 1], [1, 1, 2, 1.5], [1, 1, 0.6, 2.5], [1, 0.5, 1.5, 0.75]])
@pytest.mark.parametrize("is_known", [True, False])
def test_nearest_of_opset_10(scales, is_known):
    """What shrinks takes the element behind, what grows the one before."""
    given = {"scales": np.float32(scales)}
    inputs = "float[1,2,5,7] x" if is_known else "float[1,2,5,7] x, float[4] scales"
    model = model_of(f"main ({inputs}) => (float[a,b,c,d] y) {{ y = Resize (x, scales) }}", opset=10, constants=given if is_known else None)
    check(model, {"x": X} | ({} if is_known else given))


def test_nearest_of_opset_10_as_its_case():
    """test_resize_downsample_nearest of ONNX 1.5."""
    x = np.float32([[[[1, 2, 3, 4], [5, 6, 7, 8]]]])
    model = model_of("main (float[1,1,2,4] x) => (float[1,1,1,2] y) { y = Resize (x, scales) }", opset=10, constants={"scales": np.float32([1, 1, 0.6, 0.6])})
    check(model, {"x": x}, [np.float32([[[[1, 3]]]])])


def test_extent_that_stays_by_rounding():
    """5 * 1.1 is 5: at x / 1.1 of asymmetric coordinates, all the same."""
    x = np.float32([[[[0, 10, 20, 30, 40]] * 2]])
    text = 'main (float[1,1,2,5] x) => (float[a,b,c,d] y) { y = Resize <mode = "linear", coordinate_transformation_mode = "asymmetric"> (x, , scales) }'
    check(model_of(text, constants={"scales": np.float32([1, 1, 2, 1.1])}), {"x": x}, [np.float32([[[[0, 10 / 1.1, 20 / 1.1, 30 / 1.1, 40 / 1.1]] * 4]])])
    text = text.replace('"asymmetric"', '"half_pixel"')
    check(model_of(text, constants={"scales": np.float32([1, 1, 2, 1.1])}), {"x": x})


def test_extent_that_stays_by_a_common_scale():
    """9 / 10 is the scale of both axes: 3 * 0.9 is 3."""
    x = np.random.default_rng(6).random((1, 1, 3, 10), dtype=np.float32)
    text = """main (float[1,1,3,10] x) => (float[a,b,c,d] y) {
      y = Resize <mode = "linear", axes = [2, 3], keep_aspect_ratio_policy = "not_larger"> (x, , , sizes)
    }"""
    model = model_of(text, constants={"sizes": np.int64([3, 9])})
    check(model, {"x": x}, ReferenceEvaluator(model).run(None, {"x": x}))


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("scale", [0.25, 0.34])
def test_antialias_to_one_element(mode, scale):
    """Weights reach beyond the border on both sides; what lies there is the last element."""
    x = np.float32([[[[1, 0, 0, 0]]]])
    text = f'main (float[1,1,1,4] x) => (float[a,b,c,d] y) {{ y = Resize <mode = "{mode}", antialias = 1> (x, , scales) }}'
    model = model_of(text, constants={"scales": np.float32([1, 1, 1, scale])})
    check(model, {"x": x}, ReferenceEvaluator(model).run(None, {"x": x}))


FIXED = "main (float[1,2,5,7] x) => (float[a,b,c,d] y) "
FOUR, TWO = np.float32([1, 1, 2, 2]), np.float32([1, 1])
REFUSED = {
    "mode": (FIXED + '{ y = Resize <mode = "area"> (x, , scales) }', {"scales": FOUR}, "is none that Resize has"),
    "nothing": (FIXED + "{ y = Resize (x) }", {}, "it needs either scales or sizes"),
    "scales": (FIXED + "{ y = Resize (x, , scales) }", {"scales": TWO}, "' does not have 4 elements"),
    "sizes": (FIXED + "{ y = Resize (x, , , sizes) }", {"sizes": np.int64([1, 2])}, "sizes for 4 axes"),
    "policy": (FIXED + '{ y = Resize <keep_aspect_ratio_policy = "fit"> (x, , , sizes) }', {"sizes": np.int64([1, 2, 3, 4])}, "is none of stretch, not_larger, not_smaller"),
    "region": (FIXED + '{ y = Resize <coordinate_transformation_mode = "tf_crop_and_resize"> (x, , scales) }', {"scales": FOUR}, "tf_crop_and_resize needs a region"),
    "narrow floats": (FIXED.replace("float", "float8e4m3fn") + "{ y = Resize (x, , scales) }", {"scales": FOUR}, "input 0 ('x') is tensor(float8e4m3fn), expected tensor(bfloat16) or "),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name):
    text, constants, message = REFUSED[name]
    assert message in refusal(model_of(text, constants=constants))
