# Part of Tenon, under the Apache License v2.0.
"""The windows of pooling, as the standard places them: kernel_shape, strides, dilations, pads, auto_pad, ceil_mode."""
import numpy as np


def axis_windows(extent, kernel, stride, dilation, pads, same, is_counted_up):
    """Of one axis: the place of each element of each window, [windows, kernel], and how far behind the axis padding reaches. `same`:
    None, or whether the odd one of what SAME pads is at the beginning."""
    reach = (kernel - 1) * dilation + 1
    if same is not None:
        count = -(-extent // stride)
        total = max(0, (count - 1) * stride + reach - extent)
        low = total - total // 2 if same else total // 2
        high = total - low
    else:
        low, high = pads
        free = extent + low + high - reach
        count = (-(-free // stride) if is_counted_up else free // stride) + 1
        # None begins in the padding behind the axis.
        if is_counted_up and (count - 1) * stride >= extent + low:
            count -= 1
    starts = np.arange(count) * stride - low
    return starts[:, None] + np.arange(kernel) * dilation, high


def all_axes(x, given):
    sizes = x.shape[2:]
    ones, kernel = [1] * len(sizes), given["kernel_shape"]
    pads = given.get("pads") or [0] * (2 * len(sizes))
    mode = given.get("auto_pad", b"NOTSET")
    same = {b"SAME_UPPER": False, b"SAME_LOWER": True}.get(mode)
    if mode == b"VALID":
        pads = [0] * (2 * len(sizes))
    return [axis_windows(*one, same, given.get("ceil_mode", 0))
            for one in zip(sizes, kernel, given.get("strides") or ones, given.get("dilations") or ones, zip(pads, pads[len(sizes):]))]


def spread(tables):
    """A table [windows, kernel] an axis, each on its own two of the axes [windows..., kernel...]."""
    count = len(tables)
    for axis, table in enumerate(tables):
        shape = [1] * (2 * count)
        shape[axis], shape[count + axis] = table.shape
        yield table.reshape(shape)


def taken(x, given):
    """[N, C, windows..., kernel...]: the elements of each window, those outside of `x` anything; which are inside, and which in padding
    that the node asks for (of windows... and kernel... alone)."""
    sizes = x.shape[2:]
    axes = all_axes(x, given)
    tables = [np.clip(places, 0, size - 1) for (places, _), size in zip(axes, sizes)]
    elements = x[(slice(None), slice(None), *spread(tables))]
    inside, reached = True, True
    for one in spread([(places >= 0) & (places < size) for (places, _), size in zip(axes, sizes)]):
        inside = inside & one
    for one in spread([places < size + high for (places, high), size in zip(axes, sizes)]):
        reached = reached & one
    return elements, inside, reached & ~inside


def places(x, given):
    """[windows..., kernel...]: where each element of each window is within its channel; storage_order 1: columns first."""
    sizes = x.shape[2:]
    axes = spread([np.clip(at, 0, size - 1) for (at, _), size in zip(all_axes(x, given), sizes)])
    strides = np.cumprod([1, *(sizes[:-1] if given.get("storage_order", 0) else sizes[:0:-1])])
    return sum(one * stride for one, stride in zip(axes, strides if given.get("storage_order", 0) else strides[::-1]))
