# Part of Tenon, under the Apache License v2.0.
"""Rules of operators of com.microsoft that onnxruntime defines and runs on a CPU: its own results are the expected ones."""
import numpy as np

from quantized import BYTES, scale, zero_point
from values import FLOATS, Unmet

F32 = FLOATS[0]
DOMAIN = "com.microsoft"


def emit(g, operator, inputs, outputs=1, **attributes):
    return g.emit(operator, inputs, outputs, domain=DOMAIN, **attributes)


def rounded_clearly(real):
    """What is quantised lies away from where it is rounded up or down."""
    if real.size and np.abs(real - np.floor(real) - 0.5).min() < 1e-3:
        raise Unmet("half way between two integers")


def real(value, scale_, zero):
    return (value.array.astype(np.float64) - zero.array.astype(np.float64)) * scale_.array.astype(np.float64)


def quantized(g, kind, value=None, shape=None):
    """A value of bytes with its scale and zero point."""
    value = value or g.fresh(kind, shape, -60, 60)
    return [value, scale(g), zero_point(g, kind)]


def quantized_binary(g):
    operator = g.choose(["QLinearAdd", "QLinearMul"])
    kind = g.dtype(BYTES)
    first = quantized(g, kind, g.find([kind]))
    second = quantized(g, kind, shape=[1 if g.chance(0.3) else extent for extent in first[0].shape])
    result = [scale(g), zero_point(g, kind)]
    a, b = real(*first), real(*second)
    rounded_clearly((a + b if operator == "QLinearAdd" else a * b) / result[0].array)
    emit(g, operator, [*first, *second, *result])


def quantized_concat(g):
    kind = g.dtype(BYTES)
    first = quantized(g, kind, g.find([kind], least=1, where=lambda v: 0 not in v.shape))
    axis = g.number(0, first[0].rank - 1)
    shape = list(first[0].shape)
    shape[axis] = g.number(1, 3)
    second = quantized(g, kind, shape=shape)
    result = [scale(g), zero_point(g, kind)]
    for each in (first, second):
        rounded_clearly(real(*each) / result[0].array)
    emit(g, "QLinearConcat", [*result, *first, *second], axis=axis)


def quantized_unary(g):
    operator = g.choose(["QLinearLeakyRelu", "QLinearSigmoid"])
    kind = g.dtype(BYTES)
    value = quantized(g, kind, g.find([kind], where=lambda v: v.array.size > 0))
    result = [scale(g), zero_point(g, kind)]
    x, attributes = real(*value), {}
    if operator == "QLinearLeakyRelu":
        attributes["alpha"] = 0.25
        y = np.where(x < 0, 0.25 * x, x)
    else:
        y = 1 / (1 + np.exp(-x))
    rounded_clearly(y / result[0].array)
    emit(g, operator, [*value, *result], **attributes)


def quantized_average(g):
    kind = g.dtype(BYTES)
    value = quantized(g, kind, shape=[1, g.number(1, 3), g.number(2, 5), g.number(2, 5)])
    result = [scale(g), zero_point(g, kind)]
    rounded_clearly(real(*value).mean((2, 3)) / result[0].array)
    emit(g, "QLinearGlobalAveragePool", [*value, *result], channels_last=0)


def quantized_gemm(g):
    kind = g.dtype(BYTES)
    rows, inner, columns = (g.number(1, 5) for _ in range(3))
    flips = [g.number(0, 1), g.number(0, 1)]
    a = quantized(g, kind, shape=[inner, rows] if flips[0] else [rows, inner])
    b = quantized(g, kind, shape=[columns, inner] if flips[1] else [inner, columns])
    bias = [g.add_constant(g.data(np.dtype(np.int32), [columns], -900, 900))] if g.chance(0.6) else [None]
    result = [scale(g), zero_point(g, kind)] if g.chance(0.7) else []
    alpha = g.choose([1.0, 0.5])
    if result:
        product = (real(*a).T if flips[0] else real(*a)) @ (real(*b).T if flips[1] else real(*b))
        if bias[0]:
            product = product + bias[0].array * float(a[1].array) * float(b[1].array)
        rounded_clearly(alpha * product / result[0].array)
    emit(g, "QGemm", [*a, *b, *bias, *result], transA=flips[0], transB=flips[1], alpha=alpha)


def fused_product(g):
    value = g.find([F32], least=2, where=lambda v: 0 not in v.shape)
    flips = [g.number(0, 1), g.number(0, 1)]
    inner, columns = value.shape[-2 if flips[0] else -1], g.number(1, 5)
    lead = value.shape[:-2] if g.chance(0.5) else []
    other = g.fresh(F32, [*lead, *([columns, inner] if flips[1] else [inner, columns])], -1, 1)
    emit(g, "FusedMatMul", [value, other], transA=flips[0], transB=flips[1], alpha=g.choose([1.0, 0.5]))


def gelu(g):
    operator = g.choose(["Gelu", "BiasGelu", "FastGelu", "QuickGelu"])
    value = g.find([F32], least=1, where=lambda v: 0 not in v.shape)
    has_bias = operator == "BiasGelu" or (operator == "FastGelu" and g.chance(0.5))
    emit(g, operator, [value] + ([g.fresh(F32, [value.shape[-1]], -1, 1)] if has_bias else []))


def skip_normalization(g):
    operator = g.choose(["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"])
    shape = [g.number(1, 2), g.number(1, 4), g.number(2, 8)]
    inputs = [g.fresh(F32, shape), g.fresh(F32, shape), g.fresh(F32, shape[-1:])]
    if operator == "SkipLayerNormalization":
        inputs.append(g.fresh(F32, shape[-1:]) if g.chance(0.7) else None)
    if g.chance(0.5):
        inputs.append(g.fresh(F32, shape[-1:]))
    emit(g, operator, inputs, epsilon=g.choose([1e-5, 1e-3]))


def weights_of_bits(g):
    block, blocks, columns = g.choose([16, 32]), g.number(1, 2), g.number(1, 5)
    inner = block * blocks - g.choose([0, 0, 4])
    value = g.fresh(F32, [g.number(1, 3), inner], -1, 1)
    packed = g.add_constant(g.random.integers(0, 256, [columns, blocks, block // 2]).astype(np.uint8))
    scales = g.add_constant(g.random.uniform(0.02, 0.1, [columns * blocks]).astype(np.float32))
    more = [g.add_constant(g.random.integers(0, 256, [columns * ((blocks + 1) // 2)]).astype(np.uint8))] if g.chance(0.5) else []
    emit(g, "MatMulNBits", [value, packed, scales, *more], K=inner, N=columns, bits=4, block_size=block)


def to_float(g):
    """Products of integers that become floats at once."""
    kind, other = g.dtype(BYTES), g.dtype(BYTES)
    rows, inner, columns = (g.number(1, 5) for _ in range(3))
    b = g.add_constant(g.data(other, [inner, columns], -60, 60))
    b_scale, b_zero = g.add_constant(np.float32([0.03])), g.add_constant(np.asarray([3]).astype(other))
    bias = [g.fresh(F32, [columns])] if g.chance(0.5) else []
    if g.chance(0.5):
        emit(g, "MatMulIntegerToFloat", [g.fresh(kind, [rows, inner], -60, 60), b, g.add_constant(np.float32([0.05])), b_scale,
                                         g.add_constant(np.asarray([2]).astype(kind)), b_zero, *bias])
    else:
        emit(g, "DynamicQuantizeMatMul", [g.fresh(F32, [rows, inner]), b, b_scale, b_zero, *bias])


def fused_layer(g):
    activation = g.choose(["Relu", "LeakyRelu", "Tanh", "Sigmoid"])
    if g.chance(0.5):
        rows, inner, columns = (g.number(1, 5) for _ in range(3))
        more = {"activation_alpha": 0.1} if activation == "LeakyRelu" else {}
        emit(g, "FusedGemm", [g.fresh(F32, [rows, inner]), g.fresh(F32, [inner, columns], -1, 1), g.fresh(F32, [columns])],
             activation=activation, **more)
        return
    more = {"activation_params": [0.1]} if activation == "LeakyRelu" else {}
    channels = g.number(1, 4)
    emit(g, "FusedConv", [g.fresh(F32, [1, channels, 5, 4]), g.fresh(F32, [g.number(1, 3), channels, 2, 3], -1, 1)],
         activation=activation, pads=[0, 1, 1, 0], **more)


def distance(g):
    inner = g.number(1, 6)
    emit(g, "CDist", [g.fresh(F32, [g.number(1, 4), inner]), g.fresh(F32, [g.number(1, 4), inner])],
         metric=g.choose(["sqeuclidean", "euclidean"]))


RULES = [(quantized_binary, 2), (quantized_concat, 1), (quantized_unary, 1), (quantized_average, 0.7), (quantized_gemm, 1.5), (fused_product, 1.5),
         (gelu, 2), (skip_normalization, 1.5), (weights_of_bits, 1.5), (to_float, 1), (fused_layer, 1), (distance, 0.5)]
