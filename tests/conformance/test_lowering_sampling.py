# Part of Tenon, under the Apache License v2.0.
"""Samples between elements, windows put back, determinants and what is unique: what the cases of the onnx package leave out."""
import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from lowering import check, model_of, refusal, run

R = np.random.default_rng(8)
FEATURES = R.standard_normal((2, 3, 5, 7)).astype(np.float32)


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_grids_of_open_extents(mode, padding, align):
    text = f"""main (float[N,C,H,W] x, float[N,A,B,2] g) => (float[a,b,c,d] y) {{
      y = GridSample <mode = "{mode}", padding_mode = "{padding}", align_corners = {align}> (x, g)
    }}"""
    grid = R.uniform(-2.5, 2.5, (2, 4, 6, 2)).astype(np.float32)  # some points lie far outside
    # By the package's reference: onnxruntime moves both coordinates to the border where one is outside.
    inputs = {"x": FEATURES[:, :2], "g": grid}
    check(model_of(text), inputs, ReferenceEvaluator(model_of(text)).run(None, inputs), rtol=1e-4, atol=1e-4)


def test_grid_of_volumes():
    text = "main (float[1,2,3,4,5] x, float[1,2,2,2,3] g) => (float[a,b,c,d,e] y) { y = GridSample (x, g) }"
    x, grid = R.standard_normal((1, 2, 3, 4, 5)), R.uniform(-1.2, 1.2, (1, 2, 2, 2, 3)).astype(np.float32)
    check(model_of(text), {"x": x.astype(np.float32), "g": grid}, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("ratio", [0, 2])
@pytest.mark.parametrize("opset", [10, 16])
def test_regions(mode, ratio, opset):
    text = f"""main (float[N,C,H,W] x, float[R,4] r, int64[R] b) => (float[a,b,c,d] y) {{
      y = RoiAlign <mode = "{mode}", output_height = 3, output_width = 2, sampling_ratio = {ratio}, spatial_scale = 0.5> (x, r, b)
    }}"""
    regions = np.float32([[0, 0, 9, 7], [2, 1, 5, 9], [-3, -4, 3, 2], [4, 4, 4, 4]])  # one beyond the border, one of nothing
    check(model_of(text, opset=opset), {"x": FEATURES, "r": regions, "b": np.int64([0, 1, 1, 0])}, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", ["avg", "max"])
def test_regions_without_end(mode):
    """Of as many samples as a region is large the features have a few; all others are 0."""
    text = f"""main (float[N,C,H,W] x, float[R,4] r, int64[R] b) => (float[a,b,c,d] y) {{
      y = RoiAlign <mode = "{mode}", output_height = 2, output_width = 2> (x, r, b)
    }}"""
    nan, inf = np.nan, np.inf
    regions = np.float32([[nan, 0, 2, 2], [nan, nan, nan, nan], [0, 0, inf, 2], [-inf, -inf, inf, inf], [0, 0, 1e15, 1e15]])
    x, expected = 1 + abs(FEATURES), np.zeros((5, 3, 2, 2), np.float32)
    if mode == "max":  # samples lie at whole numbers from 0 on: in the first element of the map all that there are
        expected[4, :, 0, 0] = x[0].max((1, 2))
    check(model_of(text, opset=16), {"x": x, "r": regions, "b": np.int64([0] * 5)}, [expected])


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("coordinates", ["half_pixel", "output_half_pixel"])
def test_regions_far_beyond_the_border(mode, coordinates):
    text = f"""main (float[N,C,H,W] x, float[R,4] r, int64[R] b) => (float[a,b,c,d] y) {{
      y = RoiAlign <mode = "{mode}", coordinate_transformation_mode = "{coordinates}", output_height = 3, output_width = 2> (x, r, b)
    }}"""
    regions = np.float32([[-50, -40, 60, 70], [1, 2, 300, 4], [-300, 1.5, 3.25, 100], [100, 100, 200, 200], [-1, -1, 7, 5]])
    check(model_of(text, opset=16), {"x": FEATURES, "r": regions, "b": np.int64([0, 1, 1, 0, 1])}, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [0, 1, 2, 6])
def test_determinants(size):
    x = R.standard_normal((3, size, size)).astype(np.float32)
    x[1] = 0  # no pivot
    check(model_of("main (float[N,M,M] x) => (float[a] y) { y = Det (x) }"), {"x": x}, [np.linalg.det(x.astype(np.float64)).astype(np.float32)],
          rtol=1e-4, atol=1e-5)


UNIQUE = "{kind}[{shape}] y, int64[d] first, int64[e] inverse, int64[f] counts"


@pytest.mark.parametrize("is_sorted", [0, 1])
@pytest.mark.parametrize("kind", ["float", "int8", "int64"])
@pytest.mark.parametrize("count", [0, 1, 9])
def test_what_is_unique(kind, is_sorted, count):
    text = f"""main ({kind}[N,2] x) => ({UNIQUE.format(kind=kind, shape="a")}) {{
      y, first, inverse, counts = Unique <sorted = {is_sorted}> (x)
    }}"""
    x = R.integers(-2, 3, (count, 2)).astype({"float": np.float32}.get(kind, kind))
    check(model_of(text), {"x": x}, by_numpy(x.reshape(-1), is_sorted))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_slices_that_are_unique(axis):
    text = f"""main (int32[N,M,K] x) => ({UNIQUE.format(kind="int32", shape="a,b,c")}) {{
      y, first, inverse, counts = Unique <axis = {axis}> (x)
    }}"""
    x = np.repeat(R.integers(0, 2, (3, 4, 2)), 2, axis).astype(np.int32)
    check(model_of(text), {"x": x}, by_numpy(x, True, axis))


def by_numpy(x, is_sorted, axis=None):
    values, first, inverse, counts = np.unique(x, True, True, True, axis)
    inverse = inverse.reshape(-1)
    if not is_sorted:
        order = np.argsort(first)
        values, first, counts = values[order], first[order], counts[order]
        inverse = np.argsort(order)[inverse]
    return [values, first.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)]


def test_blocks_of_the_run():
    text = """main (float[N,C,L] x, int64[2] image, int64[2] block) => (float[a,b,c,d] y) {
      y = Col2Im <strides = [2, 1], dilations = [1, 2], pads = [1, 0, 1, 2]> (x, image, block)
    }"""
    # Blocks along 6: (6 + 2 - 2) / 2 + 1 = 4, along 5: (5 + 2 - 4 - 1) + 1 = 3.
    x = R.standard_normal((2, 3 * 6, 12)).astype(np.float32)
    check(model_of(text), {"x": x, "image": np.int64([6, 5]), "block": np.int64([2, 3])})


def test_pooled_and_unpooled():
    text = """main (float[N,2,6,H] x) => (float[a,b,c,d] y) {
      p, at = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
      y = MaxUnpool <kernel_shape = [2, 2], strides = [2, 2]> (p, at)
    }"""
    check(model_of(text), {"x": R.permutation(96).reshape(1, 2, 6, 8).astype(np.float32)})


def test_number_or_list_of_one():
    text = """main (bool c, float x, float[3] z) => (float[3] y) {
      n = If (c) <then_branch = t () => (float a) { a = Neg (x) }, else_branch = e () => (float[1] b) { b = Reshape (x, one) }>
      y = Add (z, n)
    }"""
    for condition, want in [(True, [-1, 0, 1]), (False, [3, 4, 5])]:
        check(model_of(text, constants={"one": np.int64([1])}), {"c": np.bool_(condition), "x": np.float32(2), "z": np.float32([1, 2, 3])},
              [np.float32(want)])


# What the run refuses.

STOPPED = {
    "a place": ("main (float[1,1,2,2] x, int64[1,1,2,2] i) => (float[a,b,c,d] y) { y = MaxUnpool <kernel_shape = [1, 1]> (x, i) }",
                {"x": np.ones((1, 1, 2, 2), np.float32), "i": np.int64([[[[0, 1], [2, 4]]]])}, "an index is outside of its output"),
    "a batch": ("main (float[1,1,2,2] x, float[1,4] r, int64[1] b) => (float[a,b,c,d] y) { y = RoiAlign (x, r, b) }",
                {"x": np.ones((1, 1, 2, 2), np.float32), "r": np.float32([[0, 0, 1, 1]]), "b": np.int64([1])}, "the batch of a region is outside of its input"),
    "a block": ("main (float[1,4,4] x, int64[2] b) => (float[c,d,e,f] y) { y = Col2Im (x, image, b) }",
                {"x": np.ones((1, 4, 4), np.float32), "b": np.int64([0, 2])}, "its image or its block is empty"),
    "a shape": ("main (float[1,1,2,2] x, int64[1,1,2,2] i, int64[4] n) => (float[a,b,c,d] y) { y = MaxUnpool <kernel_shape = [1, 1]> (x, i, n) }",
                {"x": np.ones((1, 1, 2, 2), np.float32), "i": np.int64([[[[0, 1], [2, 3]]]]), "n": np.int64([1, 1, 2, 1])},
                "its output_shape is less than what its windows cover"),
    "an axis": ("main (float[2,1,N] x) => (float[a,b] y) { y = Squeeze (x) }", {"x": np.ones((2, 1, 1), np.float32)},
                "an axis that stays turns out to be 1: name the axes that it is to drop"),
}


@pytest.mark.parametrize("name", STOPPED)
def test_is_stopped(name):
    text, inputs, message = STOPPED[name]
    done, _ = run(model_of(text, constants={"image": np.int64([3, 3])} if "image" in text else None), inputs)
    assert done.returncode != 0
    assert message in done.stderr


# What the compiler refuses.

GRID = "main (float[1,1,2,2] x, float[{}] g) => (float[a,b,c,d] y) {{ y = GridSample {} (x, g) }}"
REGION = "main (float[1,1,2,2] x, float[{}] r, int64[{}] b) => (float[a,b,c,d] y) {{ y = RoiAlign {} (x, r, b) }}"
BLOCKS = "main (float[{}] x) => (float[a,b,c,d] y) {{ y = Col2Im (x, image, block) }}"
UNPOOL = "main (float[{}] x, int64[{}] i, int64[{}] n) => (float[a,b,c,d] y) {{ y = MaxUnpool <kernel_shape = [1, 1]> (x, i, n) }}"
REFUSED = {
    "mode of a grid": (GRID.format("1,2,2,2", '<mode = "spline">'), "mode 'spline' is none that it has"),
    "padding of a grid": (GRID.format("1,2,2,2", '<padding_mode = "wrap">'), "padding_mode 'wrap' is none that it has"),
    "rank of a grid": (GRID.format("1,2,2", ""), "its grid has 3 dimensions and its input 4; as many are needed, 3 or more"),
    "batch of a grid": (GRID.format("2,2,2,2", ""), "its grid has another batch than its input"),
    "numbers of a grid": (GRID.format("1,2,2,3", ""), "its grid has not one number for each axis"),
    "integers on a grid": (GRID.format("1,2,2,2", "").replace("float[1,1", "int32[1,1").replace("float[a", "int32[a"), "it interpolates floats only"),
    "mode of regions": (REGION.format("1,4", "1", '<mode = "sum">'), "mode 'sum' or 'half_pixel' is none that it has"),
    "size of regions": (REGION.format("1,4", "1", "<output_height = 0>"), "its maps are to have 1 element or more, and its sampling_ratio is not to be negative"),
    "rank of regions": (REGION.format("4", "1", ""), "it needs features with 4 dimensions, regions with 2 and a list of their batches"),
    "corners of regions": (REGION.format("1,5", "1", ""), "its regions are not of 4 numbers"),
    "batches of regions": (REGION.format("2,4", "1", ""), "it has not one batch for each region"),
    "axes of blocks": (BLOCKS.format("1,4,4").replace("block)", "three)"), "its image has 2 axes and its block 3, expected as many"),
    "rank of blocks": (BLOCKS.format("4,4"), "its input has 2 dimensions, expected 3"),
    "rows of blocks": (BLOCKS.format("1,5,4"), "dimension 1 of its input is no multiple of a block"),
    "columns of blocks": (BLOCKS.format("1,4,5"), "its input has not one column for each block"),
    "rank of places": (UNPOOL.format("1,1,2,2", "4", "4"), "its input has 4 dimensions and its indices 1; as many are needed, 3 or more"),
    "extents of places": (UNPOOL.format("1,1,2,2", "1,1,2,1", "4"), "its indices differ in a dimension from its input"),
    "shape of what is unpooled": (UNPOOL.format("1,1,2,2", "1,1,2,2", "3"), "its output_shape has 3 numbers, expected 4"),
    "narrow floats": ("main (float8e4m3fn[2] x) => (float8e4m3fn[a] y) { y = Unique (x) }", "input 0 ('x') is tensor(float8e4m3fn), expected tensor(bool) or "),
    "a list": ("main (float[2] x) => (float y) { y = Det (x) }", "its input has 1 dimensions, expected 2 or more"),
    "no square": ("main (float[2,3] x) => (float y) { y = Det (x) }", "its matrices are not square"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name):
    text, message = REFUSED[name]
    constants = {"image": np.int64([3, 3]), "block": np.int64([2, 2]), "three": np.int64([1, 1, 1])}
    model = model_of(text, opset=22, constants={name: value for name, value in constants.items() if name in text.split("{")[1]})
    assert message in refusal(model)
