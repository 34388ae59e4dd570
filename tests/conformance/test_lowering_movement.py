# Part of Tenon, under the Apache License v2.0.
"""Operators that move elements, make shapes or read at computed places: what the cases of the onnx package leave out."""
import numpy as np
import pytest

from lowering import check, model_of, refusal, run

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
LIST = np.int64


# One model, several shapes.

# Of an empty tensor what -1 stands for is not determined.
@pytest.mark.parametrize("shape, to", [
    (shape, to) for to in [[0, -1], [-1, 4], [0, 0, 2, 2], [0, 0, 1, 4], [1, 0, -1, 4]] for shape in [(2, 3, 4), (1, 5, 4), (0, 3, 4)]
    if not (0 in shape and -1 in to)])
def test_reshape_of_open_extents(shape, to):
    text = f"main (float[B,S,4] x) => (float[{','.join('abcd'[:len(to)])}] y) {{ y = Reshape (x, to) }}"
    check(model_of(text, constants={"to": LIST(to)}), {"x": np.arange(np.prod(shape), dtype=np.float32).reshape(shape)})


@pytest.mark.parametrize("shape", [(2, 3, 8), (1, 5, 8)])
def test_heads_of_open_extents(shape):
    text = """main (float[B,S,8] x) => (float[b,h,s,d] y, float[p,q,r] z) {
      dims = Shape (x)
      b = Gather <axis = 0> (dims, zero)
      s = Gather <axis = 0> (dims, one)
      b1 = Unsqueeze (b, at)
      s1 = Unsqueeze (s, at)
      split = Concat <axis = 0> (b1, s1, heads)
      parts = Reshape (x, split)
      y = Transpose <perm = [0, 2, 1, 3]> (parts)
      back = Transpose <perm = [0, 2, 1, 3]> (y)
      joined = Concat <axis = 0> (b1, s1, rest)
      z = Reshape (back, joined)
    }"""
    constants = {"zero": LIST(0), "one": LIST(1), "at": LIST([0]), "heads": LIST([2, 4]), "rest": LIST([-1])}
    check(model_of(text, constants=constants), {"x": np.random.default_rng(1).random(shape, dtype=np.float32)})


@pytest.mark.parametrize("rows", [1, 3])
def test_movement_of_open_extents(rows):
    text = """main (float[N,4] x) => (float[a,b] joined, float[c,d] part, float[e,f] back, float[g,h] more, float[i,j,k] wide,
                                    float[l,m] left, float[n,o] right, int64[p] numbers) {
      joined = Concat <axis = 0> (x, x)
      part = Slice (joined, starts, ends)
      back = Slice (joined, minus, far, at, minus)
      more = Tile (x, twice)
      wide = Expand (x, shape)
      left, right = Split <axis = 0, num_outputs = 2> (joined)
      dims = Shape (x)
      n = Gather <axis = 0> (dims, zero)
      numbers = Range (zero, n, one)
    }"""
    constants = {"starts": LIST([1]), "ends": LIST([-1]), "minus": LIST([-1]), "far": LIST([-100]), "at": LIST([0]), "twice": LIST([2, 3]),
                 "shape": LIST([2, 1, 4]), "zero": LIST(0), "one": LIST(1)}
    check(model_of(text, constants=constants), {"x": np.random.default_rng(2).random((rows, 4), dtype=np.float32)})


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
@pytest.mark.parametrize("pads", [[0, 1, 2, 0, 3, 1], [1, 0, -1, 0, -2, 2]])
def test_pads(mode, pads):
    text = f"""main (float[2,N,4] x) => (float[a,b,c] y) {{ y = Pad <mode = "{mode}"> (x, pads) }}"""
    low, high = np.array(pads).reshape(2, 3)
    cut = X[tuple(slice(max(-a, 0), n - max(-b, 0)) for a, b, n in zip(low, high, X.shape))]
    expected = [np.pad(cut, [(max(a, 0), max(b, 0)) for a, b in zip(low, high)], mode)]
    check(model_of(text, constants={"pads": LIST(pads)}), {"x": X}, expected)


# Numbers that the run tells.

def test_axes_of_the_run():
    text = """main (float[2,1,3] x, int64[1] a, int64[2] b) => (float[p,q] y, float[p,q,r,s,t] z) {
      y = Squeeze (x, a)
      z = Unsqueeze (x, b)
    }"""
    x = X[:, :, :3][:, :1]
    check(model_of(text), {"x": x, "a": LIST([-2]), "b": LIST([-1, 1])}, [x[:, 0], x[:, None, :, :, None]])


@pytest.mark.parametrize("starts, ends, axes, steps", [([0, 1], [9, 4], [1, 2], [1, 2]), ([-1, 3], [-9, 0], [-2, 2], [-1, -2]), ([2, 2], [2, 1], [0, 1], [1, 1])])
def test_slice_of_the_run(starts, ends, axes, steps):
    text = """main (float[2,3,4] x, int64[2] starts, int64[2] ends, int64[2] axes, int64[2] steps) => (float[a,b,c] y) {
      y = Slice (x, starts, ends, axes, steps)
    }"""
    check(model_of(text), {"x": X, "starts": LIST(starts), "ends": LIST(ends), "axes": LIST(axes), "steps": LIST(steps)})


@pytest.mark.parametrize("to", [[6, 4], [-1, 8], [0, 12]])
def test_reshape_of_the_run(to):
    text = "main (float[2,3,4] x, int64[2] to) => (float[a,b] y) { y = Reshape (x, to) }"
    check(model_of(text), {"x": X, "to": LIST(to)})


@pytest.mark.parametrize("to", [[2, 3, 4], [1, 3, 1], [5, 2, 3, 4], [3, 4]])
def test_expand_of_the_run(to):
    text = f"main (float[2,3,4] x, int64[{len(to)}] to) => (float[{','.join('abcd'[:max(3, len(to))])}] y) {{ y = Expand (x, to) }}"
    check(model_of(text), {"x": X, "to": LIST(to)})


def test_gather_of_the_run():
    text = """main (float[2,N,4] x, int32[2,2] at) => (float[a,b,c,d] y) { y = Gather <axis = 1> (x, at) }"""
    check(model_of(text), {"x": X, "at": np.int32([[0, -1], [2, 1]])})


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_scatters_of_open_extents(reduction):
    text = f"""main (float[2,N,4] x, int64[3,1] at, float[3,N,4] more, int64[1,2,4] places, float[1,2,4] single) => (float[a,b,c] y, float[d,e,f] z) {{
      y = ScatterND <reduction = "{reduction}"> (x, at, more)
      z = ScatterElements <axis = 1, reduction = "{reduction}"> (x, places, single)
    }}"""
    at = LIST([[1], [-1], [0]]) if reduction != "none" else LIST([[1], [1], [0]])
    rng = np.random.default_rng(3)
    check(model_of(text), {"x": X, "at": at, "more": rng.random((3, 3, 4), dtype=np.float32), "single": rng.random((1, 2, 4), dtype=np.float32),
                           "places": LIST([[[0, 1, -1, 2], [1, 1, 1, 1]]])})


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("rows", [0, 1, 7])
def test_sorting_of_open_extents(rows, largest):
    text = f"""main (float[R,N] x, uint8[N] z) => (float[a,b] y, int64[c,d] i, int64[e,f] n, uint8[g] u, int64[h] v) {{
      y, i = TopK <axis = 1, largest = {largest}> (x, k)
      n = NonZero (x)
      u, v = TopK <largest = {largest}> (z, k)
    }}"""
    values = np.random.default_rng(4).integers(-3, 4, (rows, 9)).astype(np.float32)
    check(model_of(text, constants={"k": LIST([5])}), {"x": values, "z": np.uint8([1, 255, 3, 128, 127, 9, 0, 200, 4])})


@pytest.mark.parametrize("boxes", [0, 1, 20])
def test_suppression_of_open_extents(boxes):
    text = """main (float[B,N,4] x, float[B,C,N] s) => (int64[a,b] y) { y = NonMaxSuppression (x, s, most, overlap, least) }"""
    rng = np.random.default_rng(6)
    corner = rng.random((2, boxes, 2))
    x = np.concatenate([corner, corner + rng.random((2, boxes, 2))], 2).astype(np.float32)
    constants = {"most": LIST([5]), "overlap": np.float32([0.3]), "least": np.float32([0.2])}
    check(model_of(text, constants=constants), {"x": x, "s": rng.random((2, 3, boxes), dtype=np.float32)})


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("kind, start, limit, delta, expected", [
    ("float", 0, 0.3, 0.1, np.float32([0, 1, 2, 3]) * np.float32(0.1)),  # three tenths are more than three times a tenth
    ("float", 1, -1, -0.75, [1, 0.25, -0.5]),
    ("float", 0, np.nan, 1, []),
    ("double", 0, 0.3, 0.1, [0, 0.1, 0.2]),
    ("int64", 0, 10, 2**63 - 1, [0]),
    ("int64", 10, 0, -2**63, [10]),
    ("int32", 5, 5, 1, []), ("int32", 0, 7, 3, [0, 3, 6]), ("int32", 7, 0, 3, []), ("int16", 7, 0, -3, [7, 4, 1])])
def test_ranges(kind, start, limit, delta, expected, is_known):
    names, held = ("start", "limit", "delta"), {"float": np.float32, "double": np.float64}.get(kind) or np.dtype(kind).type
    given = {name: held(value) for name, value in zip(names, (start, limit, delta))}
    inputs = "" if is_known else ", ".join(f"{kind} {name}" for name in names)
    model = model_of(f"main ({inputs}) => ({kind}[N] y) {{ y = Range ({', '.join(names)}) }}", constants=given if is_known else None)
    check(model, {} if is_known else given, [np.array(expected, held)])


@pytest.mark.parametrize("start, limit, delta, expected", [
    (-2**63, 2**63 - 1, 2**63 - 1, [-2**63, -1, 2**63 - 2]), (2**63 - 1, -2**63, -2**62, [2**63 - 1, 2**62 - 1, -1, -2**62 - 1])])
def test_range_of_the_whole_type(start, limit, delta, expected):
    """Of the run: where ONNX's inference knows the numbers, its difference overflows."""
    model = model_of("main (int64 a, int64 b, int64 c) => (int64[N] y) { y = Range (a, b, c) }")
    check(model, {"a": LIST(start), "b": LIST(limit), "c": LIST(delta)}, [LIST(expected)])


def test_range_that_memory_does_not_hold():
    done, _ = run(model_of("main (int64 a, int64 b, int64 c) => (int64[N] y) { y = Range (a, b, c) }"), {"a": LIST(-2**63), "b": LIST(2**63 - 1), "c": LIST(1)})
    assert done.returncode and "its result has a negative extent, or is too large" in done.stderr


@pytest.mark.parametrize("to", [[9, 6148914691236517206], [6148914691236517206, 9], [9, 6148914691236517206, -1], [-1, 2**32, 2**32]])
def test_shape_whose_product_overflows(to):
    """9 * 6148914691236517206 is 6 in 64 bits."""
    text = f"main (float[2,3] x, int64[{len(to)}] to) => (float[a] y) {{ z = Reshape (x, to) y = ReduceMax <keepdims = 0> (z, axes) }}"
    done, _ = run(model_of(text, constants={"axes": LIST(list(range(1, len(to))))}), {"x": X[0, :2, :3], "to": LIST(to)})
    assert done.returncode == 1 and "its result has a negative extent, or is too large" in done.stderr


def test_one_hot_of_unsigned_indices():
    """The largest is no index from the end."""
    text = "main (uint64[3] x) => (float[a,b] y) { y = OneHot (x, depth, values) }"
    check(model_of(text, constants={"depth": LIST(3), "values": np.float32([0, 1])}), {"x": np.uint64([1, 2**64 - 1, 2])}, [np.float32([[0, 1, 0], [0, 0, 0], [0, 0, 1]])])


def test_cache_index_beyond_all():
    text = "main (float[2,4,3] x, float[2,2,3] u, int64[2] at) => (float[a,b,c] y) { y = TensorScatter <axis = 1> (x, u, at) }"
    done, _ = run(model_of(text, opset=24), {"x": np.zeros((2, 4, 3), np.float32), "u": np.ones((2, 2, 3), np.float32), "at": LIST([1, 2**63 - 1])})
    assert done.returncode and "its updates are outside of its cache" in done.stderr


# Numbers that normalisation knows.

@pytest.mark.parametrize("c, body", [
    (LIST([2, 0, 5]), "b = Cast <to = 9> (c) i = Cast <to = 7> (b)"),
    (LIST([300, -1, 7]), "b = Cast <to = 2> (c) i = Cast <to = 7> (b)"),
    (LIST([2**24 + 1, 3, -2**25 - 1]), "b = Cast <to = 1> (c) i = Cast <to = 7> (b)"),
    (np.int32([2**17, -2**16, 3]), "b = Mul (c, c) i = Cast <to = 7> (b)"),
    (np.uint8([7, 200, 255]), "b = Add (c, c) i = Cast <to = 7> (b)"),
], ids=["bool", "uint8", "float", "int32", "sums"])
def test_numbers_are_of_their_type(c, body):
    text = f"main (int64[3] x) => (int64[3] y) {{ {body} y = Add (i, x) }}"
    check(model_of(text, constants={"c": c}), {"x": LIST([10, 20, 40])}, rtol=0)


def test_numbers_of_a_matrix():
    text = """main (int64 x, float[2,5] z) => (int64 y, int64[n] back) {
      a1 = Unsqueeze (a, one)  b1 = Unsqueeze (b, zero)  s = Add (a1, b1)  n = Size (s)  y = Add (n, x)
      dims = Shape (z)  row = Unsqueeze (dims, zero)  r = Slice (row, minus, least, zero, minus)  back = Squeeze (r, zero)
    }"""
    constants = {"a": LIST([0, 3, 6]), "b": LIST([0, 1, 2]), "zero": LIST([0]), "one": LIST([1]), "minus": LIST([-1]), "least": LIST([-2**63])}
    check(model_of(text, constants=constants), {"x": LIST(0), "z": np.zeros((2, 5), np.float32)}, [LIST(9), LIST([2, 5])])


@pytest.mark.parametrize("size", [2, 3])
def test_numbers_from_where_the_run_says(size):
    text = """main (float[N] x, int64 k) => (int64 y) { at = Shape (x)  s = Slice (c, at, ends)  g = Gather (s, zero)  y = Add (g, k) }"""
    constants = {"c": LIST([10, 20, 30, 40]), "ends": LIST([4]), "zero": LIST(0)}
    check(model_of(text, constants=constants), {"x": np.zeros(size, np.float32), "k": LIST(5)}, [LIST(10 * size + 15)])


def test_numbers_at_long_steps():
    text = "main (int64[1] k) => (int64[1] y) { s = Slice (c, starts, ends, axes, steps)  y = Add (s, k) }"
    constants = {"c": LIST([1, 2, 3]), "starts": LIST([2]), "ends": LIST([-9]), "axes": LIST([0]), "steps": LIST([-2**32])}
    check(model_of(text, constants=constants), {"k": LIST([4])}, [LIST([7])])


# What is refused.

TWO = "main (float[2,3] x) => (float[a,b] y) "
LISTED = "main (float[2,3] x, int64[N] n) => (float[a,b] y) "
OPEN = "main (float[2,N] x) => (float[a] y) "
REFUSED = {
    "the shape has no length": (LISTED + "{ y = Reshape (x, n) }", {}, "is not known before the run: give it a fixed length"),
    "another count": (TWO + "{ y = Reshape (x, n) }", {"n": LIST([2, 2])}, "its shape has another number of elements than the tensor"),
    "uneven": (TWO + "{ y = Reshape (x, n) }", {"n": LIST([4, -1])}, "the tensor's elements do not fill its shape evenly"),
    "two are missing": (TWO + "{ y = Reshape (x, n) }", {"n": LIST([-1, -1])}, "its shape has -1 more than once"),
    "negative": (TWO + "{ y = Reshape (x, n) }", {"n": LIST([-2, -3])}, "its shape has the extent -2"),
    "nothing to keep": (TWO + "{ y = Reshape (x, n) }", {"n": LIST([2, 3, 0])}, "extent 0 of its shape keeps dimension 2"),
    "not 1": (OPEN + "{ y = Squeeze (x, n) }", {"n": LIST([0])}, "an axis that it is to drop has the extent 2"),
    "twice": (TWO + "{ y = Unsqueeze (x, n) }", {"n": LIST([0, -4])}, "is named twice"),
    "parts": (TWO.replace("float[a,b] y", "float[a,b] y, float[c,d] z") + "{ y, z = Split (x, n) }", {"n": LIST([1, 1, 0])}, "it splits into 3 parts"),
    "sum of parts": (TWO.replace("float[a,b] y", "float[a,b] y, float[c,d] z") + "{ y, z = Split (x, n) }", {"n": LIST([1, 2])},
                     "the parts do not add up to the dimension that is split"),
    "outputs": (TWO + "{ y = Split <num_outputs = 2> (x) }", {}, "num_outputs is 2"),
    "other ranks": (TWO + "{ y = Concat <axis = 0> (x, n) }", {"n": np.float32([1])}, "has another rank or element type than the first"),
    "other extents": (TWO + "{ y = Concat <axis = 0> (x, n) }", {"n": np.float32([[1]])}, "its inputs differ in a dimension that is not joined"),
    "step 0": (TWO + "{ y = Slice (x, n, n, n, n) }", {"n": LIST([0])}, "a step is 0"),
    "uneven slice": (TWO + "{ y = Slice (x, n, m) }", {"n": LIST([0]), "m": LIST([1, 1])}, "it needs as many starts as ends, axes and steps"),
    "pads": (TWO + "{ y = Pad (x, n) }", {"n": LIST([1, 1])}, "axes: two an axis are needed"),
    "pad mode": (TWO + '{ y = Pad <mode = "mirror"> (x, n) }', {"n": LIST([1, 1, 0, 0])}, "is none of constant, edge, reflect, wrap"),
    "pad value": (TWO + "{ y = Pad (x, n, m) }", {"n": LIST([1, 1, 0, 0]), "m": np.float32([1, 2])}, "its constant value is not one number"),
    "crop": (TWO + "{ y = CenterCropPad <axes = [0]> (x, n) }", {"n": LIST([1, 1])}, "its shape has 2 extents for 1 axes"),
    "repeats": (TWO + "{ y = Tile (x, n) }", {"n": LIST([1])}, "repeats for a tensor with 2"),
    "negative extent": (TWO + "{ y = Expand (x, n) }", {"n": LIST([-1, 3])}, "an extent of its shape is negative"),
    "a value of two": (TWO + "{ y = ConstantOfShape <value: tensor = float[2] {1, 2}> (n) }", {"n": LIST([2, 3])}, "its value is not one number"),
    "range of lists": ("main (int64[2] x) => (int64[N] y) { y = Range (x, x, x) }", {}, "its start, limit and delta are to be one number each"),
    "range stands": ("main (int64 x) => (int64[N] y) { y = Range (x, x, n) }", {"n": LIST(0)}, "its delta is 0"),
    "ranks of indices": (TWO + "{ y = GatherElements (x, n) }", {"n": LIST([0])}, "its indices have another rank than its data"),
    "tuples": (TWO + "{ y = GatherND (x, n) }", {"n": LIST([[0, 1, 2]])}, "indices do not fit a tensor with 2"),
    "unknown tuples": (LISTED + "{ y = GatherND (x, n) }", {}, "give the last dimension of its indices a fixed extent"),
}

FOUR = "main (float[1,4,3,2] x) => (float[a,b,c,d] y) "
REFUSED |= {
    "blocks": (FOUR + "{ y = DepthToSpace <blocksize = 0> (x) }", {}, "it needs a blocksize from 1 to 32767"),
    "blocks that do not fit": (FOUR + "{ y = SpaceToDepth <blocksize = 2> (x) }", {}, "a dimension is not a multiple of the blocks"),
    "mode of blocks": (FOUR + '{ y = DepthToSpace <blocksize = 2, mode = "RCD"> (x) }', {}, "is neither DCR nor CRD"),
    "time is batch": (TWO + "{ y = ReverseSequence <time_axis = 1> (x, n) }", {"n": LIST([1, 2, 3])}, "it needs a time axis beside its batch axis"),
    "lengths": (TWO + "{ y = ReverseSequence (x, n) }", {"n": LIST([1, 2])}, "it has not one length for each sequence"),
    "diagonals": (TWO + "{ y = Trilu (x, n) }", {"n": LIST([1, 2])}, "it needs one diagonal, and at least 2 dimensions"),
    "eye of a list": ("main (float[2] x) => (float[a,b] y) { y = EyeLike (x) }", {}, "it makes matrices of numbers only"),
    "eye of narrow floats": (TWO.replace("float[a,b]", "float8e4m3fn[a,b]") + "{ y = EyeLike <dtype = 17> (x) }", {}, "it makes no matrices of floats with 8 bits"),
    "reduction": (TWO + '{ y = ScatterElements <reduction = "mean"> (x, n, m) }', {"n": LIST([[0]]), "m": np.float32([[0]])}, "is none of none, add, mul, max, min"),
    "narrow reduction": ("main (float8e4m3fn[2] x, float8e4m3fn[1] m) => (float8e4m3fn[a] y) { y = ScatterElements <reduction = \"add\"> (x, n, m) }",
                         {"n": LIST([0])}, "input 0 ('x') is tensor(float8e4m3fn), expected tensor(bfloat16) or "),
    "ranks of updates": (TWO + "{ y = ScatterElements (x, n, m) }", {"n": LIST([0]), "m": np.float32([[0]])}, "its data, indices and updates differ in rank"),
    "updates": (TWO + "{ y = ScatterElements (x, n, m) }", {"n": LIST([[0]]), "m": np.float32([[0, 1]])}, "its indices and updates differ in a dimension"),
    "updates of tuples": (TWO + "{ y = ScatterND (x, n, m) }", {"n": LIST([[0]]), "m": np.float32([0])}, "and those of its data that no index names are needed"),
    "extents of updates": (TWO + "{ y = ScatterND (x, n, m) }", {"n": LIST([[0]]), "m": np.float32([[0, 1]])}, "its updates differ in a dimension from what they replace"),
    "cache mode": (TWO + '{ y = TensorScatter <mode = "ring", axis = 1> (x, m) }', {"m": np.float32([[0], [1]])}, "is neither linear nor circular"),
    "cache axis": (TWO + "{ y = TensorScatter <axis = 0> (x, m) }", {"m": np.float32([[0, 1, 2]])}, "its axis is the batch, or its updates have another rank than its cache"),
    "cache updates": (TWO + "{ y = TensorScatter <axis = 1> (x, m) }", {"m": np.float32([[0]])}, "its updates differ in a dimension from its cache"),
    "cache indices": (TWO + "{ y = TensorScatter <axis = 1> (x, m, n) }", {"m": np.float32([[0], [1]]), "n": LIST([0])}, "it has not one index for each batch"),
    "condition": (TWO + "{ y = Compress <axis = 0> (x, n) }", {"n": np.bool_([[True]])}, "its condition is not a list"),
    "narrow zeros": ("main (float8e4m3fn[2] x) => (int64[a,b] y) { y = NonZero (x) }", {}, "input 0 ('x') is tensor(float8e4m3fn), expected tensor(bfloat16) or "),
    "depth": (TWO + "{ y = OneHot (n, n, m) }", {"n": LIST([1, 2]), "m": np.float32([0, 1])}, "its depth is not one number, or its values are no list"),
    "values": (TWO + "{ y = OneHot (n, k, m) }", {"n": LIST([1, 2]), "k": LIST(3), "m": np.float32([0, 1, 2])}, "its values are not two"),
    "no boxes": ("main (float[2,4] x, float[1,1,2] s) => (int64[a,b] y) { y = NonMaxSuppression (x, s) }", {}, "its boxes and scores are to have 3 dimensions"),
    "other boxes": ("main (float[1,3,4] x, float[1,1,2] s) => (int64[a,b] y) { y = NonMaxSuppression (x, s) }", {}, "its boxes are not one of 4 numbers for each score"),
    "two thresholds": ("main (float[1,2,4] x, float[1,1,2] s) => (int64[a,b] y) { y = NonMaxSuppression (x, s, n) }", {"n": LIST([1, 2])}, "' is not one number"),
    "how many": (TWO.replace("float[a,b] y", "float[a,b] y, int64[c,d] z") + "{ y, z = TopK (x, n) }", {"n": LIST([4])}, "it is asked for more elements than the axis has"),
    "numbers of how many": (TWO.replace("float[a,b] y", "float[a,b] y, int64[c,d] z") + "{ y, z = TopK (x, n) }", {"n": LIST([4, 1])}, "it needs one number of elements to give"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name):
    text, constants, message = REFUSED[name]
    assert message in refusal(model_of(text, opset=24, constants=constants))
