# Part of Tenon, under the Apache License v2.0.
"""Resize: what the cases of the onnx package leave out."""
import numpy as np
import pytest

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
