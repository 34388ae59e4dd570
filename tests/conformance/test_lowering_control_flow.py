# Part of Tenon, under the Apache License v2.0.
"""If, Loop and Scan: what the cases of the onnx package leave out."""
import numpy as np
import pytest

from lowering import check, model_of, refusal, run

X = np.float32([[1, -2, 3], [4, 5, -6]])


# If

BRANCHES = """main (bool c, float[2,3] x) => (float[N,3] y) {
  y = If (c) <
    then_branch = t () => (float[2,3] a) { a = Relu (x) },
    else_branch = e () => (float[4,3] b) { b = Concat <axis = 0> (x, x) }>
}"""


@pytest.mark.parametrize("condition", [True, False])
def test_branches_of_different_extents(condition):
    check(model_of(BRANCHES), {"c": np.bool_(condition), "x": X})


@pytest.mark.parametrize("condition", [[True], [False]])
def test_condition_with_one_axis(condition):
    check(model_of(BRANCHES.replace("bool c", "bool[1] c")), {"c": np.bool_(condition), "x": X})


@pytest.mark.parametrize("condition", [True, False])
def test_constant_condition_with_branches_of_different_rank(condition):
    text = """main (float[2,3] x) => (float[] y) {
      y = If (c) <
        then_branch = t () => (float[] a) { a = Relu (x) },
        else_branch = e () => (float[] b) { b = Reshape (x, six) }>
    }"""
    model = model_of(text, constants={"c": np.bool_(condition), "six": np.int64([6])})
    check(model, {"x": X})


@pytest.mark.parametrize("condition", [True, False])
def test_branch_gives_what_is_from_outside(condition):
    text = """main (bool c, float[2,3] x) => (float[2,3] y, float[2,3] z) {
      two = Add (x, x)
      y, z = If (c) <
        then_branch = t () => (float[2,3] a, float[2,3] p) { a = Identity (x) p = Identity (two) },
        else_branch = e () => (float[2,3] b, float[2,3] q) { b = Identity (two) q = Mul (x, two) }>
    }"""
    check(model_of(text), {"c": np.bool_(condition), "x": X})


@pytest.mark.parametrize("condition", [True, False])
def test_branch_that_gives_what_was_computed_before(condition):
    """What it was computed into is needed until the result of the branches is read."""
    text = """main (bool c, float[2,8,4,4] x) => (float[2,8,1,1] y) {
      before = AveragePool <kernel_shape = [1, 1]> (x)
      either = If (c) <
        then_branch = t () => (float[2,8,4,4] a) { a = Identity (before) },
        else_branch = e () => (float[2,8,4,4] b) { b = Neg (x) }>
      y = GlobalMaxPool (either)
    }"""
    check(model_of(text), {"c": np.bool_(condition), "x": np.random.default_rng(0).uniform(1, 2, (2, 8, 4, 4)).astype(np.float32)})


def test_branches_of_different_rank_are_refused():
    text = """main (bool c, float[2,3] x) => (float[] y) {
      y = If (c) <
        then_branch = t () => (float[] a) { a = Relu (x) },
        else_branch = e () => (float[] b) { b = Reshape (x, six) }>
    }"""
    model = model_of(text, constants={"six": np.int64([6])})
    assert "in 2 and 1 dimensions or in two element types" in refusal(model)


# Loop

COUNTED = """main (int64 n, float[3] x) => (float[3] y, float[N,3] rows) {
  y, rows = Loop (n, c, x) <body = b (int64 i, bool keeps, float[3] a) => (bool goes, float[3] next, float[3] row) {
    goes = Identity (keeps)
    next = Add (a, x)
    row = Mul (a, a)
  }>
}"""


@pytest.mark.parametrize("count", [0, 1, 4])
def test_counted_loop(count):
    check(model_of(COUNTED, constants={"c": np.bool_(True)}), {"n": np.int64(count), "x": X[0]})


@pytest.mark.parametrize("count", [0, 5])
def test_known_count_gives_a_static_type(count):
    text = COUNTED.replace("int64 n, ", "").replace("[N,3]", f"[{count},3]")
    check(model_of(text, constants={"c": np.bool_(True), "n": np.int64(count)}), {"x": X[0]})


def test_condition_is_ignored_where_it_is_left_out():
    text = COUNTED.replace("(n, c, x)", '(n, "", x)').replace("Identity (keeps)", "Identity (no)")
    count = 3
    expected = [X[0] * (count + 1), np.stack([np.square(X[0] * (i + 1)) for i in range(count)])]
    check(model_of(text, constants={"no": np.bool_(False)}), {"n": np.int64(count), "x": X[0]}, expected)


@pytest.mark.parametrize("kind, value, count", [("int64", 0.5, 1), ("bool", 0.5, 10), ("bool", -0.0, 1), ("int8", 256, 1), ("int64", 256, 10)])
def test_condition_by_way_of_another_type(kind, value, count):
    """What is not zero may become it."""
    number = {"bool": 9, "int8": 3, "int64": 7}[kind]
    text = """main (int64 n, float[3] x) => (float[3] y) {
      y = Loop (n, c, x) <body = b (int64 i, bool keeps, float[3] a) => (bool goes, float[3] next) {
        between = Cast <to = NUMBER> (value)
        goes = Cast <to = 9> (between)
        next = Add (a, x)
      }>
    }""".replace("NUMBER", str(number))
    value = np.int64(value) if isinstance(value, int) else np.float32(value)
    check(model_of(text, constants={"c": np.bool_(True), "value": value}), {"n": np.int64(10), "x": X[0]}, [X[0] * (1 + count)])


UNTIL = """main (MAIN) => (float[3] y, int64[N] numbers) {
  y, numbers = Loop (INPUTS, x) <body = b (int64 i, bool keeps, float[3] a) => (bool goes, float[3] next, int64 number) {
    next = Add (a, x)
    sum = ReduceSum <keepdims = 0> (next)
    goes = Less (sum, limit)
    number = Mul (i, i)
  }>
}"""


@pytest.mark.parametrize("limit", [5.0, 100.0])
@pytest.mark.parametrize("inputs, extra", [('"", c', {}), ("n, c", {"n": np.int64(7)}), ("n, c", {"n": np.int64(2**62)})])
def test_loop_until_a_condition_fails(limit, inputs, extra):
    text = UNTIL.replace("INPUTS", inputs).replace("MAIN", "int64 n, float[3] x" if extra else "float[3] x")
    check(model_of(text, constants={"c": np.bool_(True), "limit": np.float32(limit)}), {**extra, "x": np.float32([1, 2, 3])})


@pytest.mark.parametrize("condition", [True, False])
def test_first_condition_is_computed(condition):
    text = UNTIL.replace("INPUTS", '"", c').replace("MAIN", "bool c, float[3] x")
    check(model_of(text, constants={"limit": np.float32(20)}), {"c": np.bool_(condition), "x": np.float32([1, 2, 3])})


GROWING = """main (int64 n, float[K] x) => (float[M] y) {
  y = Loop (n, c, x) <body = b (int64 i, bool keeps, float[L] a) => (bool goes, float[P] next) {
    goes = Identity (keeps)
    next = Concat <axis = 0> (a, x)
  }>
}"""


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("extent", [0, 1, 3])
def test_carried_tensor_grows(count, extent):
    check(model_of(GROWING, constants={"c": np.bool_(True)}), {"n": np.int64(count), "x": np.arange(extent, dtype=np.float32)})


def test_static_tensor_grows():
    text = GROWING.replace("[K]", "[2]")
    check(model_of(text, constants={"c": np.bool_(True)}), {"n": np.int64(3), "x": np.float32([1, 2])})


@pytest.mark.parametrize("count", [0, 1, 5])
@pytest.mark.parametrize("conditional", [False, True])
def test_rows_of_open_extents(count, conditional):
    text = """main (int64 n, float[K,2] x) => (float[N,K,2] rows, float[N,2,K] turned) {
      s, rows, turned = Loop (n, c, x) <body = b (int64 i, bool keeps, float[K,2] a) => (bool goes, float[K,2] next, float[K,2] row, float[2,K] t) {
        GOES
        next = Add (a, x)
        row = Identity (next)
        t = Transpose <perm = [1, 0]> (a)
      }>
    }""".replace("GOES", "hundred = Constant <value = int64 {100}> () goes = Less (i, hundred)" if conditional else "goes = Identity (keeps)")
    check(model_of(text, constants={"c": np.bool_(True)}), {"n": np.int64(count), "x": X.T} if count else
          {"n": np.int64(count), "x": X.T}, None if count else [np.zeros((0, 0, 2), np.float32), np.zeros((0, 2, 0), np.float32)])


def test_loops_in_each_other():
    text = """main (int64 n, float[2] x) => (float[2] y, float[N,M,2] rows) {
      y, rows = Loop (n, c, x) <body = b (int64 i, bool keeps, float[2] a) => (bool goes, float[2] next, float[M,2] row) {
        goes = Identity (keeps)
        next, row = Loop (n, c, a) <body = inner (int64 j, bool k2, float[2] p) => (bool g2, float[2] q, float[2] r) {
          g2 = Identity (k2)
          q = Add (p, x)
          r = Mul (a, q)
        }>
      }>
    }"""
    check(model_of(text, constants={"c": np.bool_(True)}), {"n": np.int64(3), "x": np.float32([1, -2])})


@pytest.mark.parametrize("opset", [7, 11, 13, 16])
def test_older_loops(opset):
    check(model_of(COUNTED, opset=opset, constants={"c": np.bool_(True)}), {"n": np.int64(4), "x": X[0]})


def test_branch_in_a_loop():
    text = """main (float[3] x) => (float[3] y) {
      y = Loop (n, c, x) <body = b (int64 i, bool keeps, float[3] a) => (bool goes, float[3] next) {
        goes = Identity (keeps)
        early = Less (i, two)
        next = If (early) <then_branch = t () => (float[3] p) { p = Add (a, x) },
                           else_branch = e () => (float[3] q) { q = Mul (a, a) }>
      }>
    }"""
    check(model_of(text, constants={"c": np.bool_(True), "n": np.int64(4), "two": np.int64(2)}), {"x": X[0]})


def test_carried_rank_changes():
    text = """main (int64 n, float[2,3] x) => (float[] y) {
      y = Loop (n, c, x) <body = b (int64 i, bool keeps, float[] a) => (bool goes, float[] next) {
        goes = Identity (keeps)
        next = Unsqueeze (a, zero)
      }>
    }"""
    model = model_of(text, constants={"c": np.bool_(True), "zero": np.int64([0])})
    assert "what it carries from iteration to iteration (0) changes its rank or element type" in refusal(model)


def test_rows_change_their_shape():
    text = """main (int64 n, float[2] x) => (float[N,M] y) {
      s, y = Loop (n, c, x) <body = b (int64 i, bool keeps, float[K] a) => (bool goes, float[L] next, float[L] row) {
        goes = Identity (keeps)
        next = Concat <axis = 0> (a, x)
        row = Identity (next)
      }>
    }"""
    done, _ = run(model_of(text, constants={"c": np.bool_(True)}), {"n": np.int64(3), "x": np.float32([1, 2])})
    assert done.returncode != 0
    assert "an output of its body changes its shape between iterations" in done.stderr


@pytest.mark.parametrize("body, message", [
    ("(int64 i) => (bool goes) { goes = Identity (c) }", "its body has 1 inputs, expected 2 at least"),
    ("(int64 i, bool k, float[3] a, float[3] z) => (bool goes, float[3] m) { goes = Identity (k) m = Add (a, z) }",
     "a body of it has 4 inputs, expected 3"),
    ("(int64 i, bool k, float[3] a) => (bool goes) { goes = Identity (k) }", "its body has 1 outputs, expected 2 at least"),
    ("(int64 i, bool k, float[3] a) => (bool g, float[3] m, float[3] o) { g = Identity (k) m = Relu (a) o = Relu (a) }",
     "its body has 2 outputs behind the condition, expected 1"),
])
def test_ill_formed_loops(body, message):
    text = f"main (int64 n, float[3] x) => (float[3] y) {{ y = Loop (n, c, x) <body = b {body}> }}"
    assert message in refusal(model_of(text, constants={"c": np.bool_(True)}))


def test_carried_input_is_left_out():
    text = COUNTED.replace("(n, c, x)", '(n, c, "", x)').replace("float[3] a)", "float[3] z, float[3] a)")
    assert "input 2 ('v_initial') is left out, but it is not optional" in refusal(model_of(text, constants={"c": np.bool_(True)}))


def test_ill_formed_branch():
    text = """main (bool c, float[3] x) => (float[3] y) {
      y = If (c) <then_branch = t () => (float[3] a, float[3] z) { a = Relu (x) z = Relu (x) },
                  else_branch = e () => (float[3] b) { b = Add (x, x) }>
    }"""
    assert "a branch of it has 2 outputs, expected 1" in refusal(model_of(text))


# Scan

def scan(attributes="", shape="[4,3]", body=None):
    body = body or """(float[3] s, float[3] a) => (float[3] next, float[3] row) {
      next = Add (s, a)
      row = Mul (next, a)
    }"""
    return f"""main (float[3] start, float{shape} x) => (float[3] last, float[] y) {{
      last, y = Scan <num_scan_inputs = 1 {attributes}, body = b {body}> (start, x)
    }}"""


@pytest.mark.parametrize("directions", ["", ", scan_input_directions = [1]", ", scan_output_directions = [1]"])
@pytest.mark.parametrize("axes, shape", [("", (4, 3)), (", scan_input_axes = [1]", (3, 4)), (", scan_input_axes = [-1]", (3, 4)),
                                         (", scan_output_axes = [1]", (4, 3)), (", scan_output_axes = [-1]", (4, 3))])
@pytest.mark.parametrize("opset", [9, 21])
def test_scan(directions, axes, shape, opset):
    x = np.arange(12, dtype=np.float32).reshape(shape) - 5
    text = scan(axes + directions, f"[{shape[0]},{shape[1]}]")
    check(model_of(text, opset=opset), {"start": np.float32([1, 2, 3]), "x": x})


@pytest.mark.parametrize("length", [0, 1, 4])
def test_scan_of_open_length(length):
    x = np.arange(3 * length, dtype=np.float32).reshape(length, 3) - 5
    check(model_of(scan(shape="[N,3]")), {"start": np.float32([1, 2, 3]), "x": x},
          [np.float32([1, 2, 3]), np.zeros((0, 3), np.float32)] if length == 0 else None)


SEVERAL = """main (float[N,3] x, float[2,M] z) => (float[M,3] y) {
  y = Scan <num_scan_inputs = 2, scan_input_axes = [0, 1], scan_input_directions = [0, 1],
            body = b (float[3] p, float[2] q) => (float[3] row) { s = ReduceSum <keepdims = 1> (q) row = Mul (p, s) }> (x, z)
}"""


def test_several_scan_inputs():
    check(model_of(SEVERAL), {"x": X, "z": np.float32([[1, 2], [3, 5]])})


def test_scan_inputs_of_different_lengths():
    done, _ = run(model_of(SEVERAL), {"x": X, "z": np.float32([[1, 2, 3], [3, 5, 7]])})
    assert done.returncode != 0
    assert "its inputs differ in their number of slices" in done.stderr
    assert "its inputs differ in their number of slices: 2 and 3" in refusal(
        model_of(SEVERAL.replace("[N,3]", "[2,3]").replace("[2,M]", "[2,3]")))


BATCHED = """main (LENGTHS float[2,3] start, float[2,4,3] x) => (float[2,3] last, float[2,4,3] y) {
  last, y = Scan <num_scan_inputs = 1, directions = [DIRECTION], body = b (float[3] s, float[3] a) => (float[3] next, float[3] row) {
    next = Add (s, a)
    row = Mul (next, a)
  }> (NAME, start, x)
}"""


@pytest.mark.parametrize("direction", [0, 1])
@pytest.mark.parametrize("lengths", [None, [4, 4], [1, 3], [2, 4]])
def test_scan_over_batches(lengths, direction):
    text = BATCHED.replace("LENGTHS", "int64[2] lengths," if lengths else "").replace("NAME", "lengths" if lengths else '""')
    inputs = {"start": np.float32([[1, 2, 3], [-1, 0, 2]]), "x": np.arange(24, dtype=np.float32).reshape(2, 4, 3) - 11}
    if lengths:
        inputs["lengths"] = np.int64(lengths)
    check(model_of(text.replace("DIRECTION", str(direction)), opset=8), inputs)


def test_sequence_is_too_long():
    text = BATCHED.replace("LENGTHS", "int64[2] lengths,").replace("NAME", "lengths").replace("DIRECTION", "0")
    done, _ = run(model_of(text, opset=8), {"lengths": np.int64([4, 5]), "start": np.zeros((2, 3), np.float32),
                                            "x": np.zeros((2, 4, 3), np.float32)})
    assert done.returncode != 0
    assert "a sequence's length is negative or more than there are slices" in done.stderr


@pytest.mark.parametrize("attributes, message", [
    (", scan_input_axes = [0, 1]", "attribute 'scan_input_axes' has 2 values, expected 1"),
    (", scan_input_axes = [2]", "axis 2 is outside of a tensor with 2 dimensions"),
    (", scan_output_axes = [-3]", "axis -3 is outside of a tensor with 2 dimensions"),
])
def test_ill_formed_scans(attributes, message):
    assert message in refusal(model_of(scan(attributes)))


def test_scan_inputs_are_counted():
    model = model_of(scan())
    next(a for a in model.graph.node[0].attribute if a.name == "num_scan_inputs").i = 3
    assert "num_scan_inputs is 3 of 2 inputs and 2 outputs" in refusal(model)
    model = model_of(scan(body="(float[3] s, float[3] a) => (float[3] next) { next = Add (s, a) }"))
    assert "its body has 1 outputs, expected 2" in refusal(model)
