# Part of Tenon, under the Apache License v2.0.
"""Rules of operators that move elements and make shapes."""
import math

import numpy as np
from onnx import helper

from values import ANY, BOOL, FLOATS, INTEGERS, SMALL, Unmet


def kinds(g, operator):
    return g.admitted(operator, 0, ANY + (SMALL if g.opset >= 23 else []))


def factors(g, count):
    """A random shape of as many elements."""
    shape = []
    while count > 1 and len(shape) < 4:
        part = g.choose([d for d in range(2, count + 1) if count % d == 0])
        shape.append(part)
        count //= part
    shape += [1] * (g.chance(0.3) or not shape) + ([count] if count != 1 else [])
    g.random.shuffle(shape)
    return [int(extent) for extent in shape]


def reshape(g):
    value = g.find(kinds(g, "Reshape"), where=lambda v: v.array.size > 0)
    shape = factors(g, value.array.size)
    for axis, extent in enumerate(shape):
        if axis < value.rank and value.shape[axis] == extent and g.chance(0.5):
            shape[axis] = 0
    if g.chance(0.5):
        shape[g.number(0, len(shape) - 1)] = -1
    g.emit("Reshape", [value, g.integers(shape)])


def flatten(g):
    value = g.find(kinds(g, "Flatten"))
    g.emit("Flatten", [value], axis=g.number(0 if g.opset < 11 else -value.rank, value.rank))


def transpose(g):
    value = g.find(kinds(g, "Transpose"))
    axes = [int(axis) for axis in g.random.permutation(value.rank)]
    g.emit("Transpose", [value], **({"perm": axes} if axes and g.chance(0.8) else {}))


def with_axes(g, operator, value, axes):
    """The axes as an input or, before opset 13, an attribute."""
    if g.opset < 13:
        g.emit(operator, [value], axes=axes)
    else:
        g.emit(operator, [value, g.integers(axes)])


def signed(g, axes, rank):
    """Axes, some of them counted from the end."""
    return [axis - rank if g.opset >= 11 and g.chance(0.3) else axis for axis in axes]


def squeeze(g):
    value = g.find(kinds(g, "Squeeze"), where=lambda v: 1 in v.shape)
    ones = [axis for axis, extent in enumerate(value.shape) if extent == 1]
    if g.chance(0.2) and not any(v.open for v in g.visible()):
        g.emit("Squeeze", [value])
        return
    with_axes(g, "Squeeze", value, signed(g, [ones[i] for i in g.some(ones, 1)], value.rank))


def unsqueeze(g):
    value = g.find(kinds(g, "Unsqueeze"), most=4)
    rank = value.rank + g.number(1, 2)
    axes = [int(axis) for axis in g.random.choice(rank, rank - value.rank, replace=False)]
    with_axes(g, "Unsqueeze", value, signed(g, axes if g.opset >= 13 else sorted(axes), rank))


def concat(g):
    value = g.find(kinds(g, "Concat"), least=1)
    axis = g.number(0, value.rank - 1)
    values = [value]
    for _ in range(g.number(0, 3)):
        same = [v for v in g.visible() if v.dtype == value.dtype and v.rank == value.rank
                and all(a == b or i == axis for i, (a, b) in enumerate(zip(v.shape, value.shape)))]
        shape = list(value.shape)
        shape[axis] = g.number(1, 4)
        values.append(g.choose(same) if g.chance(0.6) else g.fresh(value.dtype, shape))
    g.emit("Concat", values, axis=signed(g, [axis], value.rank)[0])


def split(g):
    value = g.find(kinds(g, "Split"), least=1)
    axis = g.number(0, value.rank - 1)
    extent = value.shape[axis]
    count = g.number(1, min(4, extent))
    attributes = {"axis": signed(g, [axis], value.rank)[0]}
    if g.chance(0.6) or (extent % count and g.opset < 18):
        cuts = sorted(g.random.integers(0, extent + 1, count - 1).tolist())
        parts = [b - a for a, b in zip([0, *cuts], [*cuts, extent])]
        if g.opset < 13:
            g.emit("Split", [value], count, split=parts, **attributes)
        else:
            g.emit("Split", [value, g.integers(parts)], count, **attributes)
        return
    if g.opset >= 18:
        attributes["num_outputs"] = count
    g.emit("Split", [value], count, **attributes)


def slice_(g):
    value = g.find(kinds(g, "Slice"), least=1)
    axes = g.some(range(value.rank), 1)
    starts, ends, steps = [], [], []
    for axis in axes:
        extent = value.shape[axis]
        step = g.choose([1, 1, 1, 2, 3, -1, -2]) if g.opset >= 10 else 1
        start, end = sorted(g.random.integers(0, extent + 1, 2).tolist())
        if step < 0:
            start, end = end - 1, start - 1 if start else -extent - 1
        elif g.chance(0.2):
            end = g.choose([2**31 - 1, 2**63 - 1, extent + 3])
        starts.append(start - extent if 0 < start < extent and g.chance(0.3) else start)
        ends.append(end)
        steps.append(step)
    if g.opset < 10:
        g.emit("Slice", [value], starts=starts, ends=ends, axes=axes)
        return
    kind = g.choose([np.int64, np.int32]) if max(ends) < 2**31 else np.int64
    lists = [starts, ends, signed(g, axes, value.rank)] + ([steps] if g.chance(0.7) or set(steps) != {1} else [])
    g.emit("Slice", [value, *(g.integers(numbers, kind) for numbers in lists)])


def expand(g):
    value = g.find(kinds(g, "Expand"))
    shape = [g.number(1, 4) if extent == 1 else g.choose([1, extent]) for extent in value.shape]
    shape = ([g.number(1, 3)] if g.chance(0.3) else []) + shape
    g.emit("Expand", [value, g.integers(shape[0 if g.chance(0.7) else len(shape) - value.rank:])])


def tile(g):
    value = g.find(kinds(g, "Tile"), least=1)
    g.emit("Tile", [value, g.integers([g.choose([1, 1, 2, 3]) for _ in value.shape])])


def pad(g):
    value = g.find(kinds(g, "Pad"), least=1, where=lambda v: v.array.size > 0)
    mode = g.choose(["constant", "constant", "reflect", "edge"] + ["wrap"] * (g.opset >= 19))
    axes = g.some(range(value.rank), 1) if g.opset >= 18 and g.chance(0.5) else None
    padded = range(value.rank) if axes is None else axes
    limits = [value.shape[axis] - 1 if mode == "reflect" else value.shape[axis] if mode == "wrap" else 2 for axis in padded]
    pads = [g.number(-1 if mode == "constant" and limit > 1 and value.shape[axis] > 2 and g.chance(0.2) else 0, max(0, min(2, limit)))
            for _ in range(2) for axis, limit in zip(padded, limits)]
    fill = g.chance(0.5) and mode == "constant"
    if g.opset < 11:
        g.emit("Pad", [value], mode=mode, pads=pads, **({"value": 1.5} if fill else {}))
        return
    inputs = [value, g.integers(pads)]
    if fill or axes is not None:
        inputs.append(g.add_constant(g.data(value.dtype, [])) if fill else None)
    if axes is not None:
        inputs.append(g.integers(signed(g, axes, value.rank)))
    g.emit("Pad", inputs, mode=mode)


def depth_and_space(g):
    block = g.number(2, 3)
    if g.chance(0.5):
        value = g.find(g.admitted("DepthToSpace"), least=4, most=4, where=lambda v: v.shape[1] % (block * block) == 0, fresh=0)
        mode = {"mode": g.choose(["DCR", "CRD"])} if g.opset >= 11 else {}
        g.emit("DepthToSpace", [value], blocksize=block, **mode)
        return
    value = g.find(g.admitted("SpaceToDepth"), least=4, most=4, where=lambda v: v.shape[2] % block == 0 and v.shape[3] % block == 0, fresh=0)
    g.emit("SpaceToDepth", [value], blocksize=block)


def picture(g):
    """What DepthToSpace, SpaceToDepth and windows take."""
    g.fresh(g.dtype(FLOATS), [g.number(1, 2), g.choose([1, 4, 9, 8]), g.choose([2, 4, 6]), g.choose([2, 3, 6])])


def shape_of(g):
    value = g.find()
    bounds = {"start": g.number(-value.rank, value.rank), "end": g.number(-value.rank, value.rank)} if g.opset >= 15 and g.chance(0.4) else {}
    g.emit("Shape", [value], **bounds)


def size_of(g):
    g.emit("Size", [g.find()])


def filled(g):
    shape = g.integers(g.shape(0, 3))
    if g.chance(0.5):
        value = g.find(least=1, most=3)
        shape = g.emit("Shape", [value])
    dtype = g.dtype(FLOATS[:3] + INTEGERS + [BOOL])
    g.emit("ConstantOfShape", [shape], **({"value": helper.make_tensor("value", helper.np_dtype_to_tensor_dtype(dtype), [1], g.data(dtype, [1]))}
                                          if g.chance(0.7) else {}))


def ranged(g):
    dtype = g.dtype(g.admitted("Range"))
    start, step = g.number(-3, 3), g.choose([1, 2, -1])
    limit = start + step * g.number(1, 7)
    if g.chance(0.3) and dtype in FLOATS:
        limit += step / 2
    g.emit("Range", [g.fresh(dtype, [], number, number) if g.chance(0.3) else g.add_constant(np.asarray(number, dtype))
                     for number in (start, limit, step)])


def eye_like(g):
    value = g.find(g.admitted("EyeLike"), least=2, most=2)
    g.emit("EyeLike", [value], k=g.number(-2, 2))


def trilu(g):
    value = g.find(g.admitted("Trilu"), least=2)
    g.emit("Trilu", [value, *([g.add_constant(np.int64(g.number(-2, 2)))] if g.chance(0.5) else [])], upper=g.number(0, 1))


def reverse_sequence(g):
    value = g.find(g.admitted("ReverseSequence"), least=2)
    time = g.number(0, 1)
    lengths = g.random.integers(1, value.shape[time] + 1, value.shape[1 - time]).astype(np.int64)
    g.emit("ReverseSequence", [value, g.add_constant(lengths) if g.chance(0.5) else g.add_input(lengths)], time_axis=time, batch_axis=1 - time)


def one_hot(g):
    indices = g.find([t for t in g.admitted("OneHot") if t in INTEGERS], most=3)
    depth = g.number(1, 6)
    axis = g.number(-indices.rank - 1, indices.rank)
    values = g.fresh(g.dtype(g.admitted("OneHot", 2)), [2])
    if g.opset < 11 and (indices.array < 0).any():
        raise Unmet("negative indices")
    g.emit("OneHot", [indices, g.add_constant(np.asarray(depth, np.int64)), values], axis=axis)


def crop(g):
    value = g.find(g.admitted("CenterCropPad"), least=1)
    axes = g.some(range(value.rank), 1)
    g.emit("CenterCropPad", [value, g.integers([g.number(1, 6) for _ in axes])], axes=signed(g, axes, value.rank))


def columns(g):
    """Col2Im of blocks that cover a picture."""
    block, image = [g.number(1, 2), g.number(1, 3)], [g.number(3, 5), g.number(3, 5)]
    count = math.prod(i - b + 1 for i, b in zip(image, block))
    value = g.fresh(g.dtype(FLOATS[:2]), [1, g.number(1, 2) * math.prod(block), count])
    g.emit("Col2Im", [value, g.integers(image), g.integers(block)])


RULES = [(reshape, 3), (flatten, 1), (transpose, 3), (squeeze, 1), (unsqueeze, 1.5), (concat, 2), (split, 1.5), (slice_, 2.5), (expand, 1.5),
         (tile, 1), (pad, 1.5), (depth_and_space, 1), (picture, 1), (shape_of, 1), (size_of, 0.3), (filled, 0.7), (ranged, 0.5), (eye_like, 0.3),
         (trilu, 0.7), (reverse_sequence, 0.5), (one_hot, 0.5), (crop, 0.5), (columns, 0.4)]
