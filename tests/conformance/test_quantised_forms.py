# Part of Tenon, under the Apache License v2.0.
"""Quantised networks beyond 8 bits a tensor, on the CPU: 16-bit activations, zero points a channel, dynamic quantisation, weights of
4 bits in groups, and integers that are held in floats.  Integers are to be equal, floats within a stated bound.
"""
import ml_dtypes
import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from lowering import by_onnxruntime, check, model_of, run

R = np.random.default_rng(12)


def integers(kind, *shape):
    info = np.iinfo(kind)
    return R.integers(info.min, info.max, shape, dtype=kind, endpoint=True)


def within_a_step(model, inputs):
    """onnxruntime sums floats in another order, so that a value half way between two steps may become either."""
    done, (found,) = run(model, inputs)
    assert done.returncode == 0, done.stderr[-2000:]
    (want,) = by_onnxruntime(model, inputs)
    assert (found.dtype, found.shape) == (want.dtype, want.shape)
    difference = np.abs(found.astype(np.int64) - want.astype(np.int64))
    assert difference.max() <= 1 and (difference > 0).mean() < 0.01
    assert len(np.unique(want)) > want.size // 8  # the scales use the range


# Activations of 16 bits


@pytest.mark.parametrize("kind", ["int16", "uint16"])
def test_convolution_of_16_bits(kind):
    zero = np.array(0 if kind == "int16" else 32768, kind)
    text = f"""main ({kind}[1,4,9,9] x) => ({kind}[1,6,7,7] y) {{
      a = DequantizeLinear (x, s, z)  b = DequantizeLinear <axis = 0> (w, ws, wz)  c = Conv (a, b, bias)  d = Relu (c)
      y = QuantizeLinear (d, ys, z)
    }}"""
    constants = {"s": np.float32(1e-4), "z": zero, "w": integers("int8", 6, 4, 3, 3), "ws": R.uniform(0.01, 0.02, 6).astype(np.float32),
                 "wz": np.zeros(6, np.int8), "bias": R.standard_normal(6).astype(np.float32), "ys": np.float32(1e-3)}
    within_a_step(model_of(text, constants=constants), {"x": integers(kind, 1, 4, 9, 9)})


@pytest.mark.parametrize("kind", ["int16", "uint16"])
def test_product_of_16_bits(kind):
    zero = np.array(-1000 if kind == "int16" else 30000, kind)
    text = f"""main ({kind}[5,24] x, {kind}[24,7] w) => ({kind}[5,7] y) {{
      a = DequantizeLinear (x, s, z)  b = DequantizeLinear (w, s, z)  c = MatMul (a, b)  y = QuantizeLinear (c, ys, z)
    }}"""
    constants = {"s": np.float32(1e-4), "z": zero, "ys": np.float32(2e-3)}
    within_a_step(model_of(text, constants=constants), {"x": integers(kind, 5, 24), "w": integers(kind, 24, 7)})


# A zero point for each channel of the weights


def convolved(x, w):
    """[N, C, H, W] by [M, C, 3, 3], in 64 bits."""
    windows = sliding_window_view(x.astype(np.int64), (3, 3), (2, 3))
    return np.einsum("nchwij,mcij->nmhw", windows, w.astype(np.int64))


@pytest.mark.parametrize("kind", ["uint8", "int8"])
def test_integer_convolution_with_zero_points(kind):
    text = f"main (uint8[2,3,6,6] x, {kind}[5,3,3,3] w) => (int32[2,5,4,4] y) {{ y = ConvInteger (x, w, xz, wz) }}"
    x, w, zeros = integers("uint8", 2, 3, 6, 6), integers(kind, 5, 3, 3, 3), integers(kind, 5)
    want = convolved(x.astype(int) - 77, w.astype(int) - zeros.astype(int)[:, None, None, None]).astype(np.int32)
    check(model_of(text, constants={"xz": np.uint8(77), "wz": zeros}), {"x": x, "w": w}, [want], rtol=0, atol=0)


def test_integer_product_with_zero_points_of_columns():
    text = "main (uint8[2,4,9] x, int8[9,5] w) => (int32[2,4,5] y) { y = MatMulInteger (x, w, xz, wz) }"
    x, w, zeros = integers("uint8", 2, 4, 9), integers("int8", 9, 5), integers("int8", 5)
    want = (x.astype(np.int64) - 3) @ (w.astype(np.int64) - zeros)
    check(model_of(text, constants={"xz": np.uint8(3), "wz": zeros}), {"x": x, "w": w}, [want.astype(np.int32)], rtol=0, atol=0)


@pytest.mark.parametrize("constant", [True, False])
def test_convolution_with_zero_points_and_scales(constant):
    """QLinearConv; the expected value has the real quotient, so that the result is off by one at a tie alone."""
    border = "" if constant else ", int8[5,3,3,3] w"
    text = f"main (uint8[1,3,8,8] x{border}) => (uint8[1,5,6,6] y) {{ y = QLinearConv (x, xs, xz, w, ws, wz, ys, yz, b) }}"
    x, w, zeros, scales = integers("uint8", 1, 3, 8, 8), integers("int8", 5, 3, 3, 3), integers("int8", 5), R.uniform(0.01, 0.02, 5).astype(np.float32)
    bias = R.integers(-9000, 9000, 5, dtype=np.int32)
    given = {"xs": np.float32(0.02), "xz": np.uint8(120), "ws": scales, "wz": zeros, "ys": np.float32(0.25), "yz": np.uint8(110), "b": bias}
    sums = convolved(x.astype(int) - 120, w.astype(int) - zeros.astype(int)[:, None, None, None]) + bias[:, None, None]
    real = sums * (scales.astype(np.float64) * np.float64(np.float32(0.02)) / 0.25)[:, None, None]
    want = np.clip(np.rint(real) + 110, 0, 255)
    done, (found,) = run(model_of(text, constants={**given, "w": w} if constant else given), {"x": x} if constant else {"x": x, "w": w})
    assert done.returncode == 0, done.stderr[-2000:]
    assert found.shape == want.shape and len(np.unique(want)) > 50
    assert np.array_equal(found, want) or (np.abs(found - want).max() == 1 and np.abs(real - np.floor(real) - 0.5)[found != want].max() < 1e-4)


# Groups


def test_convolution_with_many_groups():
    """As many as no lowering can take one by one: its steps compare each with all others."""
    groups, depth, results = 2000, 2, 3
    text = f"""main (int8[1,{groups * depth},4,3] x) => (int8[1,{groups * results},3,2] y) {{
      y = QLinearConv <group = {groups}, pads = [1, 0, 0, 1]> (x, xs, xz, w, ws, wz, ys, yz, b)
    }}"""
    x, w = integers("int8", 1, groups * depth, 4, 3), integers("int8", groups * results, depth, 3, 3)
    bias = R.integers(-9000, 9000, groups * results, dtype=np.int32)
    # Powers of two: a real value is its quotient, and off by one at a tie alone.
    given = {"xs": np.float32(2**-6), "xz": np.int8(7), "w": w, "ws": np.float32(2**-6), "wz": np.int8(0), "ys": np.float32(2**-3), "yz": np.int8(-5),
             "b": bias}
    padded = np.pad(x.astype(np.int64) - 7, ((0, 0), (0, 0), (1, 0), (0, 1)))
    sums = np.concatenate([convolved(padded[:, g * depth:(g + 1) * depth], w[g * results:(g + 1) * results]) for g in range(groups)], axis=1)
    real = (sums + bias[:, None, None]) / 2**9
    want = np.clip(np.rint(real) - 5, -128, 127)
    done, (found,) = run(model_of(text, constants=given), {"x": x})
    assert done.returncode == 0, done.stderr[-2000:]
    assert found.shape == want.shape and len(np.unique(want)) > 200
    assert (np.abs(found - want) <= (real - np.floor(real) == 0.5)).all()


# Dynamic quantisation


def test_dynamic_quantisation_of_a_product():
    text = """main (float[7,16] x) => (uint8[7,16] q, float s, uint8 z, int32[7,6] y) {
      q, s, z = DynamicQuantizeLinear (x)
      y = MatMulInteger (q, w, z, wz)
    }"""
    # onnxruntime adds two products in 16 bits where a processor has no better instruction: 2 * 255 * 64 fit.
    check(model_of(text, constants={"w": integers("int8", 16, 6) // 2, "wz": np.int8(5)}), {"x": R.standard_normal((7, 16)).astype(np.float32)}, rtol=0, atol=0)


def test_dynamic_quantisation_of_a_convolution():
    text = """main (float[1,3,N,8] x) => (float[1,4,M,6] y) {
      q, s, z = DynamicQuantizeLinear (x)
      i = ConvInteger (q, w, z, wz)  f = Cast <to = 1> (i)  t = Mul (s, ws)  y = Mul (f, t)
    }"""
    constants = {"w": integers("uint8", 4, 3, 3, 3), "wz": np.uint8(121), "ws": np.float32(0.013)}
    check(model_of(text, constants=constants), {"x": R.standard_normal((1, 3, 7, 8)).astype(np.float32)}, rtol=1e-6, atol=0)


# Weights in groups


@pytest.mark.parametrize("bits, axis", [(4, 0), (4, 1), (8, 0)])
def test_blocks_of_weights(bits, axis):
    """One scale and zero point for each block of 8 along an axis; sums of 32 floats in another order than onnxruntime's."""
    kind, shape = (ml_dtypes.uint4 if bits == 4 else np.uint8), {0: (4, 16), 1: (32, 2)}[axis]
    text = f"""main (float[3,32] x) => (float[3,16] y) {{
      d = DequantizeLinear <axis = {axis}, block_size = 8> (w, s, z)
      y = MatMul (x, d)
    }}"""
    constants = {"w": R.integers(0, 2 ** bits, (32, 16)).astype(kind), "z": R.integers(0, 2 ** bits, shape).astype(kind),
                 "s": R.uniform(0.01, 0.02, shape).astype(np.float32)}
    check(model_of(text, constants=constants), {"x": R.standard_normal((3, 32)).astype(np.float32)}, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16"])
def test_blocks_are_quantised(kind):
    text = f"main (float[6,5] x, float[3,5] s, {kind}[3,5] z) => ({kind}[6,5] y) {{ y = QuantizeLinear <axis = 0, block_size = 2> (x, s, z) }}"
    scales = R.uniform(0.01, 0.02, (3, 5)).astype(np.float32)
    zeros = integers(kind, 3, 5) // 4
    x = R.standard_normal((6, 5)).astype(np.float32)
    steps = np.rint(x / np.repeat(scales, 2, 0)).astype(np.int64) + np.repeat(zeros, 2, 0)  # in floats of 32 bits, ties to even
    info = np.iinfo(kind)
    check(model_of(text), {"x": x, "s": scales, "z": zeros}, [np.clip(steps, info.min, info.max).astype(kind)], rtol=0, atol=0)


# Integers in floats


@pytest.mark.parametrize("opset", [11, 21])
def test_integer_network_in_floats(opset):
    """Every value is an integer below 2^24, or one times a power of two: floats are exact, and so is the network."""
    text = """main (float[1,3,8,8] x) => (float[1,4,4,4] y) {
      a = Conv (x, w, b)  c = Mul (a, m)  d = Add (c, r)  e = Div (d, p)  f = Floor (e)  g = Clip (f, low, high)
      h = Conv (g, v)  i = Mul (h, q)  k = Floor (i)  y = Clip (k, low, high)
    }"""
    x, w, v = R.integers(0, 256, (1, 3, 8, 8)), R.integers(-4, 9, (4, 3, 3, 3)), R.integers(-7, 9, (4, 4, 3, 3))
    b, m = R.integers(-500, 500, 4), R.integers(1, 12, (4, 1, 1))
    first = np.clip(((convolved(x, w) + b[:, None, None]) * m + 64) >> 7, 0, 255)
    want = np.clip(convolved(first, v) >> 4, 0, 255)
    assert len(np.unique(want)) > 10
    constants = {"w": w, "b": b, "m": m, "r": 64, "p": 128, "low": 0, "high": 255, "v": v, "q": 1 / 16}
    check(model_of(text, opset=opset, constants={name: np.float32(value) for name, value in constants.items()}),
          {"x": x.astype(np.float32)}, [want.astype(np.float32)], rtol=0, atol=0)


# Integers of 4 bits


@pytest.mark.parametrize("kind", [ml_dtypes.int4, ml_dtypes.uint4])
@pytest.mark.parametrize("shape, axis, block", [((7, 5), 0, 3), ((5, 7), 1, 7), ((3, 4, 3, 3), 1, 2), ((3, 5, 1, 1), 1, 2)])
def test_integers_of_4_bits(kind, shape, axis, block):
    """Two in a byte, of odd counts, too; blocks of which the last one is shorter. One product each: exact."""
    dims = ",".join(map(str, shape))
    text = f"main (float[{dims}] x) => (float[{dims}] y) {{ d = DequantizeLinear <axis = {axis}, block_size = {block}> (w, s) y = Mul (x, d) }}"
    scales = R.uniform(0.01, 0.02, [-(-size // block) if at == axis else size for at, size in enumerate(shape)]).astype(np.float32)
    info = ml_dtypes.iinfo(kind)
    weights = R.integers(info.min, info.max, shape, endpoint=True)
    wide = np.repeat(scales, block, axis).take(range(shape[axis]), axis)
    check(model_of(text, constants={"w": weights.astype(kind), "s": scales}), {"x": np.ones(shape, np.float32)},
          [weights.astype(np.float32) * wide], rtol=0, atol=0)


@pytest.mark.parametrize("kind", [ml_dtypes.int4, ml_dtypes.uint4])
def test_4_bits_a_channel_are_integers(kind):
    """Of a convolution between QuantizeLinear and DequantizeLinear: summed as integers."""
    text = """main (int8[1,3,6,6] x) => (int8[1,5,4,4] y) {
      a = DequantizeLinear (x, s, z)  b = DequantizeLinear <axis = 0> (w, ws, wz)  c = Conv (a, b)  y = QuantizeLinear (c, ys, z)
    }"""
    info = ml_dtypes.iinfo(kind)
    weights, zero = R.integers(info.min, info.max, (5, 3, 3, 3), endpoint=True), 8 if info.min == 0 else 0
    scales, x = R.uniform(0.02, 0.1, 5).astype(np.float32), integers("int8", 1, 3, 6, 6)
    constants = {"s": np.float32(0.5), "z": np.int8(0), "w": weights.astype(kind), "ws": scales,
                 "wz": np.full(5, zero).astype(kind), "ys": np.float32(1)}
    real = convolved(x, weights - zero) * (scales.astype(np.float64) / 2)[:, None, None]
    done, (found,) = run(model_of(text, constants=constants), {"x": x})
    assert done.returncode == 0, done.stderr[-2000:]
    want = np.clip(np.rint(real), -128, 127)
    assert len(np.unique(want)) > 30 and np.abs(found - want).max() <= 1
    assert (np.abs(real - np.floor(real) - 0.5)[found != want] < 1e-4).all()


# Scales of activations along an axis


@pytest.mark.parametrize("scales", [[2.0, 2.0, 2.0], [2.0, 1.0, 4.0]], ids=["one", "three"])
def test_scales_of_an_activation(scales):
    """Where all are the same there is one for integer layers; else the layer computes in float. Exact either way."""
    text = """main (int8[1,3,4,4] x) => (int8[1,3,4,4] y) {
      a = DequantizeLinear <axis = 1> (x, s, z)  b = Relu (a)  y = QuantizeLinear (b, ys, yz)
    }"""
    x = integers("int8", 1, 3, 4, 4)
    constants = {"s": np.float32(scales), "z": np.full(3, 5, np.int8), "ys": np.float32(1), "yz": np.int8(-128)}
    real = np.maximum((x.astype(np.int64) - 5) * np.array(scales)[:, None, None], 0)
    check(model_of(text, constants=constants), {"x": x}, [np.clip(np.rint(real) - 128, -128, 127).astype(np.int8)], rtol=0, atol=0)


# Constants beside sums


def equal_but_at_ties(text, constants, x, real):
    """The network quantises `real`, which is in steps of its result."""
    done, (found,) = run(model_of(text, constants=constants), {"x": x})
    assert done.returncode == 0, done.stderr[-2000:]
    want = np.clip(np.rint(real), -128, 127)
    assert found.shape == want.shape and len(np.unique(want)) > 1
    differs = found != want
    assert np.abs(found - want).max() <= 1 and (np.abs(real - np.floor(real) - 0.5)[differs] < 1e-4).all()


def test_product_with_a_bias_of_rows():
    text = """main (int8[4,8] x) => (int8[4,4] y) {
      a = DequantizeLinear (x, s, z)  b = DequantizeLinear (w, ws, z)  c = Gemm (a, b, bias)  y = QuantizeLinear (c, ys, z)
    }"""
    x, w, bias = integers("int8", 4, 8), integers("int8", 8, 4), np.float32([[0], [900], [-1500], [2600]])
    constants = {"s": np.float32(0.5), "z": np.int8(0), "w": w, "ws": np.float32(0.25), "bias": bias, "ys": np.float32(64)}
    equal_but_at_ties(text, constants, x, (x.astype(np.int64) @ w.astype(np.int64) / 8 + bias) / 64)


@pytest.mark.parametrize("factors", [[1.3, 1.2], [-1.3, -1.2], [1.3, -1.2], [1.3, 0.0]], ids=["positive", "negative", "both", "zero"])
@pytest.mark.parametrize("shape", [(1, 2, 4, 4), (3, 2)], ids=["image", "rows"])
def test_constants_behind_factors(factors, shape):
    dims, ones = ",".join(map(str, shape)), (1,) * max(0, len(shape) - 2)
    text = f"""main (int8[{dims}] x) => (int8[{dims}] y) {{
      a = DequantizeLinear (x, s, z)  b = Mul (a, f)  c = Add (b, k)  y = QuantizeLinear (c, ys, z)
    }}"""
    x, f, k = integers("int8", *shape) // 8, np.float32(factors).reshape(2, *ones), np.float32([0.3, 0.25]).reshape(2, *ones)
    constants = {"s": np.float32(0.5), "z": np.int8(0), "f": f, "k": k, "ys": np.float32(0.1)}
    real = (x * 0.5 * f.astype(np.float64) + k.astype(np.float64)) / np.float64(np.float32(0.1))
    equal_but_at_ties(text, constants, x, real)


def test_activation_behind_factors():
    text = """main (int8[1,2,4,4] x) => (int8[1,2,4,4] y) {
      a = DequantizeLinear (x, s, z)  b = Mul (a, f)  c = HardSigmoid <alpha = 0.5, beta = 0.3> (b)  y = QuantizeLinear (c, ys, z)
    }"""
    x, f = integers("int8", 1, 2, 4, 4) // 16, np.float32([0.3, 0.25]).reshape(2, 1, 1)
    constants = {"s": np.float32(0.5), "z": np.int8(0), "f": f, "ys": np.float32(0.01)}
    real = np.clip((x * 0.5 * f.astype(np.float64)) * 0.5 + np.float64(np.float32(0.3)), 0, 1) / np.float64(np.float32(0.01))
    equal_but_at_ties(text, constants, x, real)


def test_constants_of_many_steps():
    """Together with the tensor they have more than 32 bits."""
    text = """main (int8[3,2] x) => (int8[3,2] y) {
      a = DequantizeLinear (x, s, z)  b = Add (a, j)  c = Add (b, k)  y = QuantizeLinear (c, ys, z)
    }"""
    x = np.int8([[127, 100], [-128, 3], [77, 1]])
    constants = {"s": np.float32(1), "z": np.int8(0), "j": np.float32(16384), "k": np.float32(16383), "ys": np.float32(300)}
    equal_but_at_ties(text, constants, x, (x + 32767.0) / 300)


# Values that leave the type


@pytest.mark.parametrize("bound, most", [(np.inf, "Max"), (1000, "Max"), (-np.inf, "Min"), (-1000, "Min")])
def test_bounds_beyond_the_type(bound, most):
    text = f"""main (int8[1,2,4,4] x) => (int8[1,2,3,3] y) {{
      a = DequantizeLinear (x, s, z)  b = {most} (a, bound)  c = MaxPool <kernel_shape = [2, 2]> (b)  y = QuantizeLinear (c, ys, z)
    }}"""
    constants = {"s": np.float32(1), "z": np.int8(0), "bound": np.float32(bound), "ys": np.float32(10)}
    want = np.full((1, 2, 3, 3), np.clip(bound / 10, -128, 127), np.int8)
    check(model_of(text, constants=constants), {"x": integers("int8", 1, 2, 4, 4)}, [want])


@pytest.mark.parametrize("operator", ["HardSigmoid", "HardSwish"])
def test_activation_of_a_scalar(operator):
    text = f"main (int8 x) => (int8 y) {{ a = DequantizeLinear (x, s, z)  b = {operator} (a)  y = QuantizeLinear (b, ys, z) }}"
    check(model_of(text, constants={"s": np.float32(0.5), "z": np.int8(0), "ys": np.float32(0.25)}), {"x": np.int8(4)})


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_scale_of_another_type(kind):
    """Powers of two: exact."""
    text = f"main (int8[2,3] x) => ({kind}[2,3] y) {{ a = DequantizeLinear (x, s, z)  y = Relu (a) }}"
    of = np.float16 if kind == "float16" else ml_dtypes.bfloat16
    x = integers("int8", 2, 3)
    done, (found,) = run(model_of(text, constants={"s": np.array(0.5, of), "z": np.int8(3)}), {"x": x})
    assert done.returncode == 0, done.stderr[-2000:]
    assert found.dtype == of and np.array_equal(found, np.maximum((x.astype(np.int64) - 3) * 0.5, 0).astype(of))
