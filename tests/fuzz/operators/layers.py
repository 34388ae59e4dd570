# Part of Tenon, under the Apache License v2.0.
"""Rules of the layers of networks: convolutions, pooling, products, normalisations, recurrences, resampling."""
import numpy as np

from values import FLOATS, Unmet

REAL = FLOATS[:3]


def window(g, sizes, transposed=False):
    """Attributes of a window on axes of these sizes."""
    kernel = [g.number(1, min(3, size)) for size in sizes]
    strides = [g.number(1, 3) if g.chance(0.5) else 1 for _ in sizes]
    dilations = [2 if 2 * (k - 1) < size and g.chance(0.2) else 1 for k, size in zip(kernel, sizes)]
    attributes = {"kernel_shape": kernel}
    if max(strides) > 1 or g.chance(0.3):
        attributes["strides"] = strides
    if max(dilations) > 1:
        attributes["dilations"] = dilations
    mode = g.choose(["NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"])
    if mode != "NOTSET":
        attributes["auto_pad"] = mode
    elif g.chance(0.6):
        # Less than a window, so that no window is of padding alone.
        attributes["pads"] = [g.number(0, k - 1) for _ in range(2) for k in kernel]
    if transposed and mode == "NOTSET" and g.chance(0.3):
        attributes["output_padding"] = [g.number(0, max(strides[i], dilations[i]) - 1) if "strides" in attributes else 0
                                        for i in range(len(sizes))]
    return attributes


def picture(g, types, channels=None, least=3, most=5):
    fitting = [v for v in g.visible() if v.dtype in types and least <= v.rank <= most and 0 not in v.shape
               and (channels is None or v.shape[1] % channels == 0)]
    if fitting and not g.chance(0.2):
        return fitting[-1]
    sizes = [g.choose([3, 4, 5, 6, 7]) for _ in range(g.number(least, min(most, 4)) - 2)]
    return g.fresh(g.dtype(types), [g.number(1, 2), (channels or 1) * g.choose([1, 2, 3, 4]), *sizes], -2, 2)


def convolution(g):
    group = g.choose([1, 1, 2])
    value = picture(g, g.admitted("Conv", 0, REAL), group)
    if g.chance(0.2):
        group = value.shape[1]
    attributes = window(g, value.shape[2:])
    if g.chance(0.5) and group == 1:
        attributes.setdefault("kernel_shape")
    outputs = group * g.number(1, 3)
    weights = g.fresh(value.dtype, [outputs, value.shape[1] // group, *attributes["kernel_shape"]], -1, 1)
    bias = [g.fresh(value.dtype, [outputs], -1, 1)] if g.chance(0.5) else []
    if g.chance(0.3):
        del attributes["kernel_shape"]
    g.emit("Conv", [value, weights, *bias], group=group, **attributes)


def transposed_convolution(g):
    group = g.choose([1, 1, 2])
    value = picture(g, g.admitted("ConvTranspose", 0, REAL), group)
    attributes = window(g, value.shape[2:], transposed=True)
    each = g.number(1, 3)
    weights = g.fresh(value.dtype, [value.shape[1], each, *attributes["kernel_shape"]], -1, 1)
    bias = [g.fresh(value.dtype, [group * each], -1, 1)] if g.chance(0.5) else []
    g.emit("ConvTranspose", [value, weights, *bias], group=group, **attributes)


def pooling(g):
    operator = g.choose(["MaxPool", "MaxPool", "AveragePool", "AveragePool", "LpPool"])
    value = picture(g, g.admitted(operator))
    attributes = window(g, value.shape[2:])
    schema = g.schema(operator)
    for name, choices in (("ceil_mode", [0, 1]), ("count_include_pad", [0, 1]), ("p", [1, 2])):
        if name in schema.attributes and g.chance(0.3):
            attributes[name] = g.choose(choices)
    if "dilations" not in schema.attributes:
        attributes.pop("dilations", None)
    g.emit(operator, [value], 2 if operator == "MaxPool" and g.opset >= 8 and g.chance(0.2) else 1, **attributes)


def global_pooling(g):
    operator = g.choose(["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"])
    g.emit(operator, [picture(g, g.admitted(operator, 0, REAL))])


def product(g):
    value = g.find(g.admitted("MatMul"), least=1, where=lambda v: 0 not in v.shape)
    inner = value.shape[-1]
    other = [v for v in g.visible() if v.dtype == value.dtype and v.rank >= 1 and v.shape[max(0, v.rank - 2)] == inner
             and all(a == b or 1 in (a, b) for a, b in zip(v.shape[-3::-1], value.shape[-3::-1]))]
    if not other or g.chance(0.6):
        lead = [extent if g.chance(0.5) else 1 for extent in value.shape[:-2]][g.number(0, max(0, value.rank - 2)):]
        other = [g.fresh(value.dtype, [*lead, inner, g.number(1, 5)] if g.chance(0.9) else [inner], -1, 1)]
    g.emit("MatMul", [value, g.choose(other)])


def gemm(g):
    value = g.find(g.admitted("Gemm"), least=2, most=2)
    flips = [g.number(0, 1), g.number(0, 1)]
    rows, inner = value.shape[::-1] if flips[0] else value.shape
    columns = g.number(1, 5)
    other = g.fresh(value.dtype, [columns, inner] if flips[1] else [inner, columns], -1, 1)
    inputs = [value, other]
    if g.opset < 11 or g.chance(0.6):
        inputs.append(g.fresh(value.dtype, g.choose([[columns], [rows, columns], [rows, 1], [1, 1], []][:4 if g.opset < 9 else 5])))
    scales = {name: g.choose([0.5, 2.0]) for name in ("alpha", "beta") if value.dtype in FLOATS and g.chance(0.3)}
    g.emit("Gemm", inputs, transA=flips[0], transB=flips[1], **scales)


EQUATIONS = ["ij,jk->ik", "bij,bjk->bik", "ij->ji", "ij->i", "ij->", "ii->i", "bij,bkj->bik", "...ij,...jk->...ik", "i,j->ij", "bhwc,bhkc->bhwk"]


def einsum(g):
    equation = g.choose(EQUATIONS)
    dtype = g.dtype(g.admitted("Einsum", 0, FLOATS[:2]))
    extents = {letter: g.number(1, 4) for letter in "ijkbhwc"}
    operands = [g.fresh(dtype, [extents[c] for c in term.replace("...", "b")], -2, 2) for term in equation.split("->")[0].split(",")]
    g.emit("Einsum", operands, equation=equation)


def batch_normalization(g):
    value = picture(g, g.admitted("BatchNormalization", 0, REAL), least=2)
    channels = [value.shape[1]]
    given = [g.fresh(value.dtype, channels, low, 2) for low in (0.5, -1, -1, 0.3)]
    if g.since("BatchNormalization") < 9 and g.chance(0.2):
        raise Unmet("spatial")
    g.emit("BatchNormalization", [value, *given], epsilon=g.choose([1e-5, 1e-3]))


def normalization(g):
    operator = g.choose(["InstanceNormalization", "LayerNormalization", "GroupNormalization", "RMSNormalization", "LRN", "LpNormalization",
                         "MeanVarianceNormalization"])
    value = picture(g, g.admitted(operator, 0, REAL), least=3 if operator != "LayerNormalization" else 2, most=4)
    if operator == "InstanceNormalization":
        g.emit(operator, [value, g.fresh(value.dtype, [value.shape[1]]), g.fresh(value.dtype, [value.shape[1]])])
    elif operator in ("LayerNormalization", "RMSNormalization"):
        axis = g.number(-value.rank, value.rank - 1)
        shape = value.shape[axis % value.rank:]
        more = [g.fresh(value.dtype, shape)] if operator[0] == "L" and g.chance(0.6) else []
        g.emit(operator, [value, g.fresh(value.dtype, shape), *more], axis=axis)
    elif operator == "GroupNormalization":
        groups = g.choose([d for d in range(1, value.shape[1] + 1) if value.shape[1] % d == 0])
        count = [value.shape[1] if g.opset >= 21 else groups]
        g.emit(operator, [value, g.fresh(value.dtype, count), g.fresh(value.dtype, count)], num_groups=groups)
    elif operator == "LRN":
        g.emit(operator, [value], size=g.choose([1, 3]), alpha=0.01, beta=0.7)
    elif operator == "LpNormalization":
        g.emit(operator, [value], axis=g.number(-value.rank, value.rank - 1), p=g.number(1, 2))
    else:
        axes = g.some(range(value.rank), 1) if g.chance(0.5) else [axis for axis in (0, 2, 3) if axis < value.rank]
        if value.array.astype(np.float64).std(tuple(axes)).min() < 0.05:
            raise Unmet("it divides by a deviation of 0")
        g.emit(operator, [value], axes=axes)


def recurrent(g):
    operator, gates = g.choose([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    dtype = g.dtype(g.admitted(operator, 0, REAL[:1]))
    time, batch, width, hidden = (g.number(1, 4) for _ in range(4))
    layout = g.number(0, 1) if g.opset >= 14 else 0
    direction = g.choose(["forward", "reverse", "bidirectional"])
    ways = 2 if direction == "bidirectional" else 1
    if layout and ways == 2:
        raise Unmet("the interpreter refuses batches first in two directions")
    inputs = [g.fresh(dtype, [batch, time, width] if layout else [time, batch, width]), g.fresh(dtype, [ways, gates * hidden, width], -1, 1),
              g.fresh(dtype, [ways, gates * hidden, hidden], -1, 1)]
    if g.chance(0.6):
        inputs.append(g.fresh(dtype, [ways, 2 * gates * hidden], -1, 1))
        if g.chance(0.4):
            start = [batch, ways, hidden] if layout else [ways, batch, hidden]
            inputs += [None, g.fresh(dtype, start, -1, 1)] + ([g.fresh(dtype, start, -1, 1)] if operator == "LSTM" else [])
    more = {"linear_before_reset": 1} if operator == "GRU" and g.chance(0.5) else {}
    g.emit(operator, inputs, 2, hidden_size=hidden, direction=direction, **({"layout": 1} if layout else {}), **more)


def resize(g):
    operator = "Resize" if g.opset >= 11 else "Upsample"
    value = picture(g, g.admitted(operator, 0, FLOATS[:1]), least=4, most=4)
    if operator == "Upsample":
        scales = [1.0, 1.0, g.choose([1.0, 2.0, 3.0]), g.choose([1.0, 2.0])]
        if g.opset < 9:
            g.emit(operator, [value], mode=g.choose(["nearest", "linear"]), scales=scales)
        else:
            g.emit(operator, [value, g.add_constant(np.float32(scales))], mode=g.choose(["nearest", "linear"]))
        return
    mode = g.choose(["nearest", "linear", "cubic"])
    attributes = {"mode": mode, "coordinate_transformation_mode": g.choose(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])}
    if mode == "nearest":
        attributes["nearest_mode"] = g.choose(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
    if mode == "cubic" and g.chance(0.5):
        attributes.update(cubic_coeff_a=-0.5, exclude_outside=g.number(0, 1))
    roi = None if g.opset >= 13 else g.add_constant(np.zeros([0], np.float32))
    if g.chance(0.5):
        sizes = g.integers([*value.shape[:2], g.number(1, 9), g.number(1, 9)])
        empty = None if g.opset >= 13 else g.add_constant(np.zeros([0], np.float32))
        g.emit("Resize", [value, roi, empty, sizes], **attributes)
    else:
        g.emit("Resize", [value, roi, g.add_constant(np.float32([1, 1, g.choose([0.5, 1, 2]), g.choose([1, 2, 3])]))], **attributes)


def grid_sample(g):
    value = g.fresh(g.dtype(g.admitted("GridSample", 0, FLOATS[:1])), [1, g.number(1, 2), 4, 5])
    grid = g.fresh(value.dtype, [1, g.number(1, 4), 3, 2], -1.2, 1.2)
    linear = "linear" if g.opset >= 20 else "bilinear"
    g.emit("GridSample", [value, grid], mode=g.choose([linear, "nearest"]), padding_mode=g.choose(["zeros", "border", "reflection"]),
           align_corners=g.number(0, 1))


def attention(g):
    dtype = g.dtype(g.admitted("Attention", 0, FLOATS[:1]))
    batch, heads, queries, keys, size = g.number(1, 2), g.number(1, 3), g.number(1, 4), g.number(1, 4), g.number(1, 4)
    inputs = [g.fresh(dtype, [batch, heads, length, size], -1, 1) for length in (queries, keys, keys)]
    if g.chance(0.3):
        inputs.append(g.fresh(dtype, [queries, keys], -1, 1))
    g.emit("Attention", inputs, **({"is_causal": 1} if g.chance(0.3) else {}), **({"softcap": 2.0} if g.chance(0.2) else {}))


def rotary(g):
    dtype = g.dtype(g.admitted("RotaryEmbedding", 0, FLOATS[:1]))
    batch, heads, length, size = g.number(1, 2), g.number(1, 2), g.number(1, 4), 2 * g.number(1, 3)
    value = g.fresh(dtype, [batch, heads, length, size])
    tables = [g.fresh(dtype, [batch, length, size // 2], -1, 1) for _ in range(2)]
    g.emit("RotaryEmbedding", [value, *tables], interleaved=g.number(0, 1))


RULES = [(convolution, 4), (transposed_convolution, 1), (pooling, 3), (global_pooling, 1), (product, 3), (gemm, 1.5), (einsum, 1),
         (batch_normalization, 1), (normalization, 2), (recurrent, 0.7), (resize, 1), (grid_sample, 0.4), (attention, 0.5), (rotary, 0.3)]
