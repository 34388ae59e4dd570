# Part of Tenon, under the Apache License v2.0.
"""Rules of quantised operators."""
import ml_dtypes
import numpy as np

from values import FLOATS

BYTES = [np.dtype(np.int8), np.dtype(np.uint8)]
WORDS = [np.dtype(np.int16), np.dtype(np.uint16)]
NIBBLES = [np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.uint4)]
F32 = FLOATS[0]


def storage(g, operator, index):
    return g.dtype(g.admitted(operator, index, BYTES * 4 + WORDS + NIBBLES))


def scale(g, value=None, shape=(), dtype=F32):
    """Scales that are powers of two times a little more, so that hardly a number lies between two integers."""
    most = 4 if value is None or not value.array.size else max(0.5, float(np.abs(value.array.astype(np.float64)).max()))
    return g.add_constant(np.asarray(most / g.random.uniform(60, 140, shape)).astype(dtype))


def zero_point(g, dtype, shape=()):
    low, high = (-3, 3) if dtype in (BYTES[0], WORDS[0], NIBBLES[0]) else (0, 6)
    return g.add_constant(np.asarray(g.random.integers(low, high + 1, shape)).astype(dtype))


def quantize(g):
    value = g.find(g.admitted("QuantizeLinear", 0, FLOATS[:3]))
    to = storage(g, "QuantizeLinear", 2)
    axis = g.choose([None, *range(value.rank)]) if g.opset >= 13 else None
    shape = () if axis is None else (value.shape[axis],)
    which = {} if axis is None else {"axis": axis}
    g.emit("QuantizeLinear", [value, scale(g, value, shape, value.dtype), zero_point(g, to, shape)], **which)


def dequantize(g):
    kinds = g.admitted("DequantizeLinear", 0, BYTES + WORDS + NIBBLES + [np.dtype(np.int32)])
    value = g.find(kinds)
    axis = g.choose([None, *range(value.rank)]) if g.opset >= 13 else None
    shape = () if axis is None else (value.shape[axis],)
    which = {} if axis is None else {"axis": axis}
    more = [] if value.dtype == np.int32 or g.chance(0.3) else [zero_point(g, value.dtype, shape)]
    g.emit("DequantizeLinear", [value, scale(g, shape=shape), *more], **which)


def blocked(g):
    """Blocks of several elements with a scale each, as weights of 4 bits have them."""
    block, count = g.number(2, 4), g.number(1, 3)
    dtype = storage(g, "DequantizeLinear", 0)
    if g.opset < 21:
        return quantize(g)
    shape = [block * count, g.number(1, 4)]
    value = g.add_constant(g.data(dtype, shape, -6, 6))
    more = [zero_point(g, dtype, (count, shape[1]))] if g.chance(0.5) else []
    return g.emit("DequantizeLinear", [value, scale(g, shape=(count, shape[1])), *more], axis=0, block_size=block)


def dynamic_quantize(g):
    # Of zeros alone the scale would be 0.
    g.emit("DynamicQuantizeLinear", [g.find([F32], where=lambda v: v.array.any())], 3)


def around_layer(g):
    """Dequantise, compute in float, quantise: what becomes an integer cluster."""
    kind = g.dtype(BYTES)
    value = g.find([kind], least=4, most=4, where=lambda v: 0 not in v.shape)
    real = g.emit("DequantizeLinear", [value, scale(g), zero_point(g, kind)])
    which = g.choose(["Conv", "Relu", "MaxPool", "Add", "AveragePool", "Sigmoid", "GlobalAveragePool", "Transpose"])
    if which == "Conv":
        channels = g.number(1, 4)
        weights = g.add_constant(g.data(np.dtype(np.int8), [channels, value.shape[1], 1, 1], -60, 60))
        real = g.emit("Conv", [real, g.emit("DequantizeLinear", [weights, scale(g), zero_point(g, np.dtype(np.int8))])])
    elif which == "Add":
        real = g.emit("Add", [real, real])
    elif which in ("MaxPool", "AveragePool"):
        real = g.emit(which, [real], kernel_shape=[1, 1])
    else:
        real = g.emit(which, [real])
    g.emit("QuantizeLinear", [real, scale(g, real), zero_point(g, kind)])


def integer_product(g):
    kind = g.dtype(BYTES)
    value = g.find([kind], least=1, where=lambda v: 0 not in v.shape)
    other = g.fresh(g.dtype(BYTES), [value.shape[-1], g.number(1, 4)])
    points = [zero_point(g, kind), zero_point(g, other.dtype)][:g.number(0, 2)]
    g.emit("MatMulInteger", [value, other, *points])


def integer_convolution(g):
    value = g.fresh(np.uint8, [1, g.number(1, 3), 4, 5], 0, 60)
    weights = g.fresh(g.dtype(BYTES), [g.number(1, 3), value.shape[1], 2, 2], -30, 30)
    points = [zero_point(g, value.dtype), zero_point(g, weights.dtype)][:g.number(0, 2)]
    g.emit("ConvInteger", [value, weights, *points], **({"pads": [1, 0, 1, 1]} if g.chance(0.4) else {}))


def quantized_layer(g):
    kind = g.dtype(BYTES)
    if g.chance(0.5):
        value = g.find([kind], least=2, where=lambda v: 0 not in v.shape)
        other = g.fresh(kind, [value.shape[-1], g.number(1, 4)])
        operator = "QLinearMatMul"
    else:
        value = g.fresh(kind, [1, g.number(1, 3), 4, 5], -60, 60)
        other = g.fresh(np.int8 if kind == np.int8 or g.chance(0.5) else np.uint8, [g.number(1, 3), value.shape[1], 2, 2], -60, 60)
        operator = "QLinearConv"
    scales = [g.add_constant(np.float32(g.random.uniform(0.01, 0.05))) for _ in range(3)]
    points = [zero_point(g, dtype) for dtype in (kind, other.dtype, kind)]
    g.emit(operator, [value, scales[0], points[0], other, scales[1], points[1], scales[2], points[2]])


RULES = [(quantize, 2), (dequantize, 2), (blocked, 0.7), (dynamic_quantize, 0.7), (around_layer, 2), (integer_product, 1), (integer_convolution, 0.7),
         (quantized_layer, 1)]
