# Part of Tenon, under the Apache License v2.0.
"""Tensors that have no element, as the compiler knows: there is no first one to begin with, and no place to put anything."""
import ml_dtypes
import numpy as np
import pytest

from lowering import check, model_of

NONE_OF_EACH = [(0, 4, 2), (3, 0, 2), (3, 4, 0), (0, 0, 2)]


def zeros(*shape):
    return np.zeros(shape, np.float32)


def text(shape, extents, rest):
    dims = ",".join(map(str, shape))
    return f"main (float[{dims}] x) => (float[{','.join('abcdef'[:extents])}] y) {{ {rest} }}"


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("operator", ["CumSum", "CumProd"])
@pytest.mark.parametrize("shape", NONE_OF_EACH)
def test_running_sum(shape, operator, exclusive, reverse):
    node = f"y = {operator} <exclusive = {exclusive}, reverse = {reverse}> (x, axis)"
    check(model_of(text(shape, 3, node), opset=26, constants={"axis": np.int64(1)}), {"x": zeros(*shape)}, [zeros(*shape)])


@pytest.mark.parametrize("shape", NONE_OF_EACH)
@pytest.mark.parametrize("to", [1, 4, 7])
def test_center_crop_pad(shape, to):
    node = "y = CenterCropPad <axes = [1]> (x, to)"
    check(model_of(text(shape, 3, node), constants={"to": np.int64([to])}), {"x": zeros(*shape)}, [zeros(shape[0], to, shape[2])])


@pytest.mark.parametrize("shape", NONE_OF_EACH)
def test_pad(shape):
    expected = np.full([shape[0] + 1, shape[1] + 2, shape[2] + 1], 1.5, np.float32)
    constants = {"pads": np.int64([1, 2, 0, 0, 0, 1]), "with": np.float32(1.5)}
    check(model_of(text(shape, 3, "y = Pad (x, pads, with)"), constants=constants), {"x": zeros(*shape)}, [expected])


@pytest.mark.parametrize("shape", [(0, 4), (3, 0)])
def test_top(shape):
    count = min(2, shape[1])
    graph = f"main (float[{shape[0]},{shape[1]}] x) => (float[a,b] y, int64[c,d] at) {{ y, at = TopK (x, k) }}"
    expected = [zeros(shape[0], count), np.zeros([shape[0], count], np.int64)]
    check(model_of(graph, constants={"k": np.int64([count])}), {"x": zeros(*shape)}, expected)


def test_join_with_an_open_extent():
    """Which can be no other than 0: the others' is."""
    graph = "main (float[8,N] x, float[2,0] y) => (float[a,b] z) { z = Concat <axis = 0> (y, x, y) }"
    check(model_of(graph), {"x": zeros(8, 0), "y": zeros(2, 0)}, [zeros(12, 0)])


@pytest.mark.parametrize("inner", [0, 3])
def test_scatter_nothing(inner):
    """No update where there are elements; an update without elements."""
    rows = 0 if inner else 2
    x = np.arange(4 * inner, dtype=np.float32).reshape(4, inner)
    graph = f"main (float[4,{inner}] x) => (float[a,b] y) {{ y = ScatterND (x, indices, updates) }}"
    constants = {"indices": np.zeros([rows, 1], np.int64), "updates": zeros(rows, inner)}
    check(model_of(graph, constants=constants), {"x": x}, [x])


def test_transposed_convolution_of_no_image():
    check(model_of(text((0, 2, 3, 3), 4, "y = ConvTranspose <strides = [2, 1]> (x, w)"), constants={"w": zeros(2, 3, 2, 2)}),
          {"x": zeros(0, 2, 3, 3)}, [zeros(0, 3, 6, 4)])


@pytest.mark.parametrize("empty", ["batch", "time"])
def test_recurrent_layer(empty):
    """Of no step all that is left is the state that it began with."""
    steps, batch = (0, 2) if empty == "time" else (3, 0)
    graph = f"main (float[{steps},{batch},2] x) => (float[a,b,c,d] y, float[e,f,g] last) {{ y, last = RNN <hidden_size = 3> (x, w, r, , , start) }}"
    start = np.arange(batch * 3, dtype=np.float32).reshape(1, batch, 3)
    check(model_of(graph, constants={"w": zeros(1, 3, 2), "r": zeros(1, 3, 3), "start": start}), {"x": zeros(steps, batch, 2)},
          [zeros(steps, 1, batch, 3), start])


@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0, 0)])
@pytest.mark.parametrize("repeats", [(2, 3), (0, 1), (1, 1)])
def test_tile_as_often_as_a_run_says(shape, repeats):
    graph = f"main (float[{shape[0]},{shape[1]}] x, int64[2] r) => (float[a,b] y) {{ y = Tile (x, r) }}"
    check(model_of(graph), {"x": zeros(*shape), "r": np.int64(repeats)}, [zeros(*(a * b for a, b in zip(shape, repeats)))])


def test_axes_beside_none():
    graph = "main (float[K,L,M,N] x) => (float[a,b,c] y) { e = Expand (x, shape) y = Squeeze (e, axis) }"
    check(model_of(graph, constants={"shape": np.int64([0, 1, 1, 5]), "axis": np.int64([-3])}), {"x": zeros(1, 1, 3, 5)}, [zeros(0, 3, 5)])


@pytest.mark.parametrize("to", [[3, 0, 4], [0, 0, 2], [6, 0]])
def test_reshape_of_an_open_extent(to):
    graph = f"main (float[N,0] x) => (float[{','.join('abc'[:len(to)])}] y) {{ y = Reshape <allowzero = 1> (x, to) }}"
    check(model_of(graph, constants={"to": np.int64(to)}), {"x": zeros(3, 0)}, [zeros(*to)])


@pytest.mark.parametrize("kind", [ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn, np.float32, np.int8, ml_dtypes.int4])
def test_constants(kind):
    graph = "main () => (int16[a,b,c] y) { y = Cast <to = 5> (x) }"
    check(model_of(graph, opset=25, constants={"x": np.zeros((0, 7, 3), kind)}), {}, [np.zeros((0, 7, 3), np.int16)])


@pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("shape", [(2, 3, 0), (3, 0, 4)])
def test_rows_of_several_axes(operator, axis, shape):
    for extents in (shape, "ABC"):
        graph = text(extents, 3, f"y = {operator} <axis = {axis}> (x)")
        check(model_of(graph, opset=11), {"x": zeros(*shape)}, [zeros(*shape)])


@pytest.mark.parametrize("axis, expected", [(0, (1, 0)), (1, (3, 0)), (2, (0, 1))])
def test_flatten(axis, expected):
    for shape in ("3,0", "N,0", "M,N"):
        graph = f"main (float[{shape}] x) => (float[a,b] y) {{ y = Flatten <axis = {axis}> (x) }}"
        check(model_of(graph), {"x": zeros(3, 0)}, [zeros(*expected)])
