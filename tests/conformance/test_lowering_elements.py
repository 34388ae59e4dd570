# Part of Tenon, under the Apache License v2.0.
"""Element-wise operators, reductions, conversions and quantisation: what the cases of the onnx package leave out."""
import ml_dtypes
import numpy as np
import pytest

from lowering import check, model_of, refusal, run

ROWS = np.float32([[1, -2, 3], [4, 5, -6]])


def of(text, *inputs, expected=None, opset=21, constants=None, **options):
    """The graph `text` of the inputs x, y, z gives `expected`, or what onnxruntime gives."""
    check(model_of(text, opset=opset, constants=constants), dict(zip("xyz", inputs)),
          None if expected is None else [expected], **options)


def stops(text, *inputs, opset=21, constants=None):
    done, _ = run(model_of(text, opset=opset, constants=constants), dict(zip("xyz", inputs)))
    assert done.returncode == 1
    return done.stderr


# Shapes that only the run tells

@pytest.mark.parametrize("x, y", [((2, 3), (2, 3)), ((1, 3), (4, 3)), ((4, 3), (1, 3)), ((0, 3), (1, 3)), ((5, 1), (5, 3))])
def test_open_extents_are_broadcast(x, y):
    a, b = np.random.default_rng(1).uniform(-2, 2, x).astype("f"), np.random.default_rng(2).uniform(-2, 2, y).astype("f")
    of("main (float[N,K] x, float[M,3] y) => (float[P,3] z) { z = Sub (x, y) }", a, b)


def test_extents_that_cannot_be_broadcast_end_the_run():
    text = "main (float[N,3] x, float[M,3] y) => (float[P,3] z) { z = Sub (x, y) }"
    assert "cannot be broadcast to one" in stops(text, np.zeros((2, 3), "f"), np.zeros((4, 3), "f"))


def test_where_of_a_scalar_and_open_extents():
    of("main (bool[N] x, float y, float[1,2,1] z) => (float[1,2,N] r) { r = Where (x, y, z) }",
       np.bool_([1, 0, 1]), np.float32(7), np.float32([[[1], [2]]]))


# Integers

def test_division_by_zero_is_zero_and_the_least_number_wraps():
    x, y = np.int32([7, -7, -2**31, 5]), np.int32([2, 2, -1, 0])
    of("main (int32[4] x, int32[4] y) => (int32[4] z) { z = Div (x, y) }", x, y, expected=np.int32([3, -3, -2**31, 0]))


def test_unsigned_division_and_order():
    x, y = np.uint8([200, 100, 255]), np.uint8([100, 200, 2])
    of("main (uint8[3] x, uint8[3] y) => (uint8[3] z) { z = Div (x, y) }", x, y, expected=np.uint8([2, 0, 127]))
    of("main (uint8[3] x, uint8[3] y) => (uint8[3] z) { z = Max (x, y) }", x, y, expected=np.uint8([200, 200, 255]))
    of("main (uint8[3] x, uint8[3] y) => (bool[3] z) { z = Greater (x, y) }", x, y, expected=np.bool_([1, 0, 1]))


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64])
def test_remainders(kind):
    x, y = kind([7, -7, 7, -7, 6]), kind([3, 3, -3, -3, -3])
    name = np.dtype(kind).name
    text = f"main ({name}[5] x, {name}[5] y) => ({name}[5] z) {{ z = Mod <fmod = F> (x, y) }}"
    of(text.replace("F", "0"), x, y, expected=np.mod(x, y))
    of(text.replace("F", "1"), x, y, expected=np.fmod(x, y))


def test_remainders_of_floats_are_exact():
    x = np.float32([1e30, -7.5, 5, -0.75, np.inf, 3, 2, 1e-40, -3])
    y = np.float32([0.7, 2, -3, np.inf, 2, 0, np.nan, 3e-41, -np.inf])
    with np.errstate(invalid="ignore"):
        of("main (float[9] x, float[9] y) => (float[9] z) { z = Mod <fmod = 1> (x, y) }", x, y, expected=np.fmod(x, y), rtol=0, atol=0)
        of("main (float[9] x, float[9] y) => (float[9] z) { z = Mod (x, y) }", x, y, opset=28, expected=np.mod(x, y), rtol=1e-7, atol=0)


def test_shifts_by_any_amount():
    x, y = np.int8([-128, -1, 64, 3, 3]), np.int8([1, 9, 8, -1, 7])
    text = 'main (int8[5] x, int8[5] y) => (int8[5] z) { z = BitShift <direction = "D"> (x, y) }'
    of(text.replace("D", "RIGHT"), x, y, opset=28, expected=np.int8([-64, -1, 0, 0, 0]))
    of(text.replace("D", "LEFT"), x, y, opset=28, expected=np.int8([0, 0, 0, 0, -128]))


def test_powers_of_integers():
    x, y = np.int64([3, -2, 2, 1, -1, 0]), np.int64([39, 3, -1, -5, -3, 0])
    of("main (int64[6] x, int64[6] y) => (int64[6] z) { z = Pow (x, y) }", x, y, expected=np.int64([3**39, -8, 0, 1, -1, 1]))


@pytest.mark.parametrize("exponent", [1.0, 2.0, 3.0, 0.5, -1.0])
def test_powers_of_a_constant(exponent):
    of("main (float[4] x) => (float[4] y) { y = Pow (x, e) }", np.float32([0.25, 1, 2, 9]), constants={"e": np.float32(exponent)})


def test_exponents_that_no_float_holds():
    """In doubles, as numpy has it: 2**24 + 1 is odd."""
    x, y = np.float32([-1, -1, 1.0000001]), np.int64([2**24 + 1, 2**24, 2**25 + 1])
    of("main (float[3] x, int64[3] y) => (float[3] z) { z = Pow (x, y) }", x, y, expected=np.power(x, y).astype("f"))
    of("main (float[3] x) => (float[3] z) { z = Pow (x, e) }", x, constants={"e": y[0]}, expected=np.power(x, y[0]).astype("f"))


# NaN and infinities

def test_nan_is_an_extreme():
    x, y = np.float32([np.nan, 1, -np.inf]), np.float32([0, np.nan, 2])
    of("main (float[3] x, float[3] y) => (float[3] z) { z = Max (x, y) }", x, y, expected=np.maximum(x, y))
    of("main (float[3] x) => (float z) { z = ReduceMin <keepdims = 0> (x) }", x, expected=np.float32(np.nan))
    of("main (float[3] x) => (int64[1] z) { z = ArgMin (x) }", np.float32([1, np.nan, np.nan]), expected=np.int64([1]))
    of("main (float[3] x) => (int64[1] z) { z = ArgMin <select_last_index = 1> (x) }", np.float32([np.nan, np.nan, 0]), expected=np.int64([1]))


@pytest.mark.parametrize("negative, positive", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_infinities(negative, positive):
    x = np.float32([np.inf, -np.inf, np.nan, 0])
    of(f"main (float[4] x) => (bool[4] y) {{ y = IsInf <detect_negative = {negative}, detect_positive = {positive}> (x) }}", x,
       expected=np.bool_([positive, negative, 0, 0]))


@pytest.mark.parametrize("operator", ["Sigmoid", "Softplus", "Mish", "Elu", "Selu", "Softsign", "HardSwish", "Gelu"])
def test_activations_far_out(operator):
    of(f"main (float[6] x) => (float[6] y) {{ y = {operator} (x) }}", np.float32([-100, -20, -1e-3, 1e-3, 20, 100]))


# Older forms

def test_old_forms():
    of("main (float[2,3] x) => (float[2,3] y) { y = Clip <min = -1.0, max = 3.0> (x) }", ROWS, opset=7)
    of("main (float[2,3] x) => (float[2,1] y) { y = ReduceSum <axes = [-1]> (x) }", ROWS, opset=7)
    of("main (float[2,3] x) => (float[2,3] y) { y = Dropout <ratio = 0.5> (x) }", ROWS, opset=7)
    of("main (float[2,3] x) => (float[3] y) { y = ReduceMax <axes = [0], keepdims = 0> (x) }", ROWS, opset=13)


def test_dropout_drops_nothing():
    check(model_of("main (float[2,3] x) => (float[2,3] y, bool[2,3] m) { y, m = Dropout (x, r) }", constants={"r": np.float32(0.25)}),
          {"x": ROWS}, [ROWS, np.ones((2, 3), bool)])


# Reductions

REDUCTIONS = ["L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"]
CUBE = np.random.default_rng(3).uniform(0.5, 2, (2, 3, 4)).astype("f")


@pytest.mark.parametrize("keeps", [0, 1])
@pytest.mark.parametrize("operator", REDUCTIONS)
def test_axes_are_computed(operator, keeps):
    rank = 3 if keeps else 1
    text = f"main (float[A,B,C] x, int64[2] y) => (float[{','.join('PQR'[:rank])}] z) {{ z = Reduce{operator} <keepdims = {keeps}> (x, y) }}"
    of(text, CUBE, np.int64([-1, 0]), rtol=1e-4)
    of(text, CUBE, np.int64([1, 2]), rtol=1e-4)


@pytest.mark.parametrize("noop", [0, 1])
@pytest.mark.parametrize("axes", [[], [1], [0, 2], [0, 1, 2]])
def test_number_of_axes_is_computed(axes, noop):
    of(f"main (float[2,B,4] x, int64[K] y) => (float[P,Q,R] z) {{ z = ReduceSum <noop_with_empty_axes = {noop}> (x, y) }}",
       CUBE, np.int64(axes), rtol=1e-4)


def test_wrong_computed_axes_end_the_run():
    text = "main (float[2,3,4] x, int64[2] y) => (float[P] z) { z = ReduceSum <keepdims = 0> (x, y) }"
    assert "one of its axes is outside of its input's 3 dimensions" in stops(text, CUBE, np.int64([0, 3]))
    assert "its axes do not leave 1 dimensions: one is named twice" in stops(text, CUBE, np.int64([0, -3]))


@pytest.mark.parametrize("operator, expected", [("Sum", 0), ("Prod", 1), ("Max", -np.inf), ("Min", np.inf), ("LogSumExp", -np.inf)])
def test_reductions_of_nothing(operator, expected):
    of(f"main (float[N,2] x) => (float[1,2] y) {{ y = Reduce{operator} <keepdims = 1> (x, a) }}", np.zeros((0, 2), "f"),
       expected=np.full((1, 2), expected, "f"), constants={"a": np.int64([0])})


def test_reductions_of_integers():
    x = np.int32([[3, 4], [-6, 8]])
    of("main (int32[2,2] x) => (int32[2,1] y) { y = ReduceL2 (x, a) }", x, expected=np.int32([[5], [10]]), constants={"a": np.int64([1])})
    of("main (int32[2,2] x) => (int32[2,1] y) { y = ReduceMean (x, a) }", x, expected=np.int32([[3], [1]]), constants={"a": np.int64([1])})


def test_sums_of_large_exponents():
    x = np.float32([[1000, 1000], [-np.inf, -np.inf], [-1000, -1001]])
    of("main (float[N,2] x) => (float[N] y) { y = ReduceLogSumExp <keepdims = 0> (x, a) }", x, constants={"a": np.int64([1])},
       expected=np.logaddexp(x[:, 0].astype("d"), x[:, 1].astype("d")).astype("f"))


@pytest.mark.parametrize("axis", [-3, 0, 1, 2, -1])
@pytest.mark.parametrize("attributes", ["exclusive = 0", "exclusive = 1", "exclusive = 1, reverse = 1"])
def test_running_sums_along_a_computed_axis(axis, attributes):
    of(f"main (float[A,B,4] x, int64 y) => (float[A,B,4] z) {{ z = CumSum <{attributes}> (x, y) }}", CUBE, np.int64(axis))


def test_running_sums_of_nothing():
    of("main (float[A,2] x) => (float[A,2] z) { z = CumSum (x, a) }", np.zeros((0, 2), "f"), constants={"a": np.int64(0)})


def test_running_sum_along_no_axis_ends_the_run():
    text = "main (float[2,3,4] x, int64 y) => (float[2,3,4] z) { z = CumSum (x, y) }"
    assert "its axis is outside of its input's 3 dimensions" in stops(text, CUBE, np.int64(3))


# Conversions

NUMBERS = np.float32([0, -0.0, 1, -1, 0.3, 447, 448, 449, 463.9, 464, 465, 57344, 61439, 61440, 1e9, -1e9, 2**-6, 2**-9, 2**-10, 2**-10 * 1.01,
                      2**-14, 2**-16, 2**-17, 2**-18, 3e-5, 1e-8, np.inf, -np.inf, np.nan, 1.0625, 1.1875, 1.3125, -1.75, 6.5, 5.0])
BYTES = {"float8e4m3fn": ml_dtypes.float8_e4m3fn, "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "float8e5m2": ml_dtypes.float8_e5m2,
         "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz}
CODES = {"float8e4m3fn": 17, "float8e4m3fnuz": 18, "float8e5m2": 19, "float8e5m2fnuz": 20}


def through(name, number, kind="float", options=""):
    """To a type and to FLOAT again."""
    return f"main ({kind}[N] x) => (float[N] y) {{ t = Cast <to = {number}{options}> (x) y = Cast <to = 1> (t) }}"


@pytest.mark.parametrize("name", BYTES)
def test_floats_of_8_bits(name):
    with np.errstate(all="ignore"):
        exact = NUMBERS.astype(BYTES[name]).astype("f")
        of(through(name, CODES[name], options=", saturate = 0"), NUMBERS, expected=exact, rtol=0, atol=0)
        most = np.float32(ml_dtypes.finfo(BYTES[name]).max)
        kept = np.clip(NUMBERS, -most, most).astype(BYTES[name]).astype("f")
        of(through(name, CODES[name]), NUMBERS, expected=kept, rtol=0, atol=0)
        of(through(name, CODES[name], "double"), NUMBERS.astype("d"), expected=kept, rtol=0, atol=0)


def test_powers_of_two():
    x = np.float32([1, 1.5, 1.4, 3, 2**-127, 2.0**127, 3e38, 0])
    cases = {"up": [1, 2, 2, 4, 2**-127, 2.0**127, 2.0**127, 2**-127], "down": [1, 1, 1, 2, 2**-127, 2.0**127, 2.0**127, 2**-127],
             "nearest": [1, 2, 1, 4, 2**-127, 2.0**127, 2.0**127, 2**-127]}
    for mode, expected in cases.items():
        of(through("", 24, options=f', round_mode = "{mode}"'), x, opset=24, expected=np.float32(expected), rtol=0, atol=0)


def test_doubles_are_rounded_once():
    # Halfway between two numbers of f16 but for a bit that f32 has not.
    x = np.float64([1 + 2**-11 + 2**-40, 1 + 2**-11, 65519.999, 65520, 2**-25, 2**-25 + 2**-60, -1e300, np.nan])
    with np.errstate(all="ignore"):
        of("main (double[N] x) => (float16[N] y) { y = Cast <to = 10> (x) }", x, expected=x.astype(np.float16), rtol=0, atol=0)


def test_integers_lose_their_higher_bits():
    x = np.int16([300, -300, 127, 128, -129, 9, 7, -9])
    of("main (int16[8] x) => (int8[8] y) { y = Cast <to = 3> (x) }", x, expected=x.astype(np.int8))
    of("main (int16[8] x) => (uint8[8] y) { y = Cast <to = 2> (x) }", x, expected=x.astype(np.uint8))
    of("main (int16[8] x) => (int32[8] y) { t = Cast <to = 22> (x) y = Cast <to = 6> (t) }", x, expected=np.int32((x & 15 ^ 8) - 8))
    of("main (int16[8] x) => (int32[8] y) { t = Cast <to = 21> (x) y = Cast <to = 6> (t) }", x, expected=np.int32(x & 15))


@pytest.mark.parametrize("kind, dtype", [("float", np.float32), ("double", np.float64), ("float16", np.float16)])
@pytest.mark.parametrize("width, signed, unsigned", [(4, 22, 21), (2, 26, 25)])
def test_floats_become_the_nearest_small_integers(kind, dtype, width, signed, unsigned):
    """The standard, "4 bit integer types" and "2 bit integer types": Cast rounds to the nearest, half to even, and truncates."""
    x = dtype([0.5, 1.5, -0.5, -1.5, -1.75, 0.75, 6.5, 7.5, -2.5, 300.5, -301.75, 1e-3, -0.0])
    nearest = np.int32([0, 2, 0, -2, -2, 1, 6, 8, -2, 300, -302, 0, 0])
    of(through("", unsigned, kind), x, opset=26, expected=np.float32(nearest % 2 ** width))
    of(through("", signed, kind), x, opset=26, expected=np.float32((nearest + 2 ** (width - 1)) % 2 ** width - 2 ** (width - 1)))


def test_signs_are_higher_bits_of_wider_integers():
    x = np.int8([-1, -2, 0, 1])
    text = "main (int8[4] x) => (float[4] z) { s = Cast <to = S> (x) t = Cast <to = T> (s) z = Cast <to = 1> (t) }"
    of(text.replace("S", "26").replace("T", "21"), x, opset=26, expected=np.float32([15, 14, 0, 1]))
    of(text.replace("S", "26").replace("T", "22"), x, opset=26, expected=np.float32(x))
    of(text.replace("S", "25").replace("T", "22"), x, opset=26, expected=np.float32([3, 2, 0, 1]))


@pytest.mark.parametrize("kind, dtype", [("float", np.float32), ("double", np.float64), ("float16", np.float16), ("bfloat16", ml_dtypes.bfloat16)])
@pytest.mark.parametrize("number, target", [(6, np.int32), (12, np.uint32), (7, np.int64), (13, np.uint64), (5, np.int16), (2, np.uint8)])
@pytest.mark.parametrize("is_constant", [False, True])
def test_numbers_out_of_range_become_the_nearest(kind, dtype, number, target, is_constant):
    with np.errstate(all="ignore"):
        x = np.array([3e38, np.inf, -3e38, -np.inf, np.nan, 2.0**31, 2.0**32, 2.0**63, 2.0**64, -2.0**31, 100.5, 1]).astype(dtype)
    limits, name = np.iinfo(target), np.dtype(target).name
    nearest = [0 if np.isnan(v) else limits.max if v >= limits.max else limits.min if v <= limits.min else int(v) for v in x.astype("d")]
    if is_constant:
        of(f"main ({name} x) => ({name}[12] z) {{ t = Cast <to = {number}> (c) z = Add (t, x) }}", target(0),
           expected=np.array(nearest, target), constants={"c": x}, rtol=0, atol=0)
        for value, end in zip(x[:4], nearest):
            of(f"main ({name} x) => ({name} z) {{ t = Cast <to = {number}> (c) z = Add (t, x) }}", target(0), expected=target(end),
               constants={"c": value}, rtol=0, atol=0)
    else:
        of(f"main ({kind}[12] x) => ({name}[12] z) {{ z = Cast <to = {number}> (x) }}", x, expected=np.array(nearest, target), rtol=0, atol=0)


def test_bits_of_small_integers_are_kept():
    x = np.int8([-1, -2, 0, 1])
    text = "main (int8[4] x) => (float[4] z) { s = Cast <to = S> (x) t = BitCast <to = T> (s) z = Cast <to = 1> (t) }"
    of(text.replace("S", "22").replace("T", "21"), x, opset=26, expected=np.float32([15, 14, 0, 1]))
    of(text.replace("S", "26").replace("T", "25"), x, opset=26, expected=np.float32([3, 2, 0, 1]))
    of(text.replace("S", "21").replace("T", "22"), x, opset=26, expected=np.float32(x))
    # Sign, exponent of two bits, one of fraction.
    numbers = np.array([-0.5, 1, -6, 0]).astype(ml_dtypes.float4_e2m1fn)
    text = "main (float x) => (float[4] z) { t = BitCast <to = 21> (c) s = Cast <to = 1> (t) z = Add (s, x) }"
    of(text, np.float32(0), opset=26, constants={"c": numbers}, expected=np.float32([0b1001, 0b0010, 0b1111, 0]))


def test_bits_are_kept():
    of("main (float[3] x) => (int32[3] y) { y = BitCast <to = 6> (x) }", np.float32([1, -2, np.inf]), opset=26,
       expected=np.float32([1, -2, np.inf]).view(np.int32))
    of("main (uint16[2] x) => (bfloat16[2] y) { y = BitCast <to = 16> (x) }", np.uint16([0x3f80, 0xc000]), opset=26,
       expected=np.uint16([0x3f80, 0xc000]).view(ml_dtypes.bfloat16))


# Quantisation

WIDE = np.random.default_rng(4).uniform(-300, 300, (2, 5, 3)).astype("f")


@pytest.mark.parametrize("text, scales", [
    ("", np.float32(1.5)), ("axis = 1", np.float32([1, 2, 0.5, 3, 0.25])), ("axis = -1", np.float32([2, 0.1, 5])),
    ("axis = 1, block_size = 2", np.random.default_rng(5).uniform(0.5, 3, (2, 3, 3)).astype("f"))])
@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int16, np.uint16])
def test_quantised_and_back(text, scales, kind):
    zero = (np.arange(scales.size).reshape(scales.shape) + 3).astype(kind)
    text = f"main (float[2,5,N] x) => (float[2,5,N] y) {{ q = QuantizeLinear <{text}> (x, s, z) y = DequantizeLinear <{text}> (q, s, z) }}"
    of(text.replace("<>", ""), WIDE, constants={"s": scales, "z": zero})


def test_scales_are_computed():
    text = "main (float[5,K] x, float[5,M] y) => (uint8[5,K] z) { z = QuantizeLinear <axis = 1, block_size = 2> (x, y) }"
    scales = np.random.default_rng(7).uniform(0.5, 3, (5, 2)).astype("f")
    of(text, WIDE[0], scales)
    assert "the shape of a scale does not fit its input's" in stops(text, WIDE[0], scales[:, :1])


def test_ties_go_to_even_and_quotients_are_divided():
    x = np.float32([0.5, 1.5, 2.5, -0.5, -1.5, 1e30, -1e30, 3 * 0.1])
    of("main (float[8] x) => (int8[8] y) { y = QuantizeLinear (x, s, z) }", x, constants={"s": np.float32(1), "z": np.int8(0)},
       expected=np.int8([0, 2, 2, 0, -2, 127, -128, 0]))


def test_half_quantised_in_its_own_precision():
    x = np.random.default_rng(6).uniform(-20, 20, 64).astype(np.float16)
    expected = np.clip(np.rint(x / np.float16(0.1)) + 3, -128, 127).astype(np.int8)
    of("main (float16[64] x) => (int8[64] y) { y = QuantizeLinear (x, s, z) }", x, expected=expected,
       constants={"s": np.float16(0.1), "z": np.int8(3)})


@pytest.mark.parametrize("x", [[0, 2, -3, -2.5, 1.34, 0.5], [1, 2, 3], [-1, -2.5], [0, 0]])
def test_scale_is_found(x):
    check(model_of("main (float[N] x) => (uint8[N] y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear (x) }"), {"x": np.float32(x)})


# What is refused

REFUSED = {
    "its inputs are of two element types, FLOAT and INT32, expected one": "main (float[2] x, int32[2] y) => (float[2] z) { z = Add (x, y) }",
    "is a bound, expected a scalar": "main (float[2] x, float[2] y) => (float[2] z) { z = Clip (x, y) }",
    "direction is 'UP', expected 'LEFT' or 'RIGHT'": 'main (uint8[2] x, uint8[2] y) => (uint8[2] z) { z = BitShift <direction = "UP"> (x, y) }',
    "approximate is 'erf', expected 'none' or 'tanh'": 'main (float[2] x) => (float[2] z) { z = Gelu <approximate = "erf"> (x) }',
    "its result has 3 dimensions, but its input has 2": "main (float[2,3] x, int64[1] a) => (float[1,2,3] z) { z = ReduceSum <keepdims = 0> (x, a) }",
    "output 'z' has 1 dimensions, but the model says 2": "main (float[2,3] x) => (float[2,3] z) { z = ArgMax <axis = 1, keepdims = 0> (x) }",
    "axis -2 is named twice": "main (float[2,3] x) => (float[1,3] z) { a = Constant <value_ints = [0, -2]> () z = ReduceSum (x, a) }",
    "its axes have 2 dimensions, expected one": "main (float[2] x, int64[1,1] a) => (float[1] z) { z = ReduceSum (x, a) }",
    "it has 2 axes, expected one": "main (float[2,3] x) => (float[2,3] z) { a = Constant <value_ints = [0, 1]> () z = CumSum (x, a) }",
    "its axis is not one number, expected a scalar": "main (float[2,3] x, int64[2] a) => (float[2,3] z) { z = CumSum (x, a) }",
    "its input is a scalar, which has no axis": "main (float x, int64 a) => (float z) { z = CumSum (x, a) }",
    "it converts to STRING, expected a type of numbers or BOOL": "main (float[2] x) => (string[2] z) { z = Cast <to = 8> (x) }",
    "round_mode is 'odd', expected 'up', 'down' or 'nearest'":
        'main (float[2] x) => (float8e8m0[2] z) { z = Cast <to = 24, round_mode = "odd"> (x) }',
    "which have not as many bits": "main (float[2] x) => (int64[2] z) { z = BitCast <to = 7> (x) }",
    "it is in training mode, which drops at random": "main (float[2] x, bool t) => (float[2] z) { z = Dropout (x, , t) }",
    "expected 2 for its input's shape and its axis":
        "main (float[3,2] x, float[3] s) => (uint8[3,2] z) { z = QuantizeLinear (x, s) }",
    "a scale has 2 dimensions, expected": "main (float[3,2] x, float[3,2] s) => (uint8[3,2] z) { z = QuantizeLinear (x, s) }",
    "output_dtype is INT8, but its zero point is UINT8":
        "main (float[2] x, float s, uint8 y) => (uint8[2] z) { z = QuantizeLinear <output_dtype = 3> (x, s, y) }",
    "it quantises to INT32, expected integers of at most 16 bits": "main (float[2] x, float s) => (int32[2] z) { z = QuantizeLinear <output_dtype = 6> (x, s) }",
    "which is no type of numbers": "main (float[2] x, float s) => (uint8[2] z) { z = QuantizeLinear <output_dtype = 8> (x, s) }",
    "block_size is -1, expected at least 0": "main (float[2] x, float s) => (uint8[2] z) { z = QuantizeLinear <block_size = -1> (x, s) }",
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message):
    assert message in refusal(model_of(REFUSED[message], opset=28))


def test_rank_that_nobody_knows_is_refused():
    text = "main (float[2,3] x, int64[K] a) => (float[N] y) { z = ReduceSum <keepdims = 0> (x, a) y = Flatten (z) }"
    assert "its axes are computed and keepdims is 0, so nobody knows the rank of its result" in refusal(model_of(text))
