# Part of Tenon, under the Apache License v2.0.
"""What the standard says of the operators that the reference interpreter of the onnx package computes otherwise: put into it.

Each names what the interpreter has wrong. Where the interpreter is right about a case its own function is called.
"""
import math

import numpy as np
from onnx import TensorProto, helper
from onnx.reference.op_run import OpRun
from onnx.reference.ops import op_cast, op_conv_transpose, op_resize

import windows


class Corrected(OpRun):
    """`compute(attributes of the node, number of outputs, *inputs)`: a tuple of outputs, floats in any type."""

    def _run(self, *inputs, **_):
        given = {a.name: helper.get_attribute_value(a) for a in self.onnx_node.attribute}
        outputs = self.compute(given, len(self.onnx_node.output), *inputs)
        return tuple(output if output.dtype.kind in "iu" else output.astype(inputs[0].dtype) for output in outputs)


def wide(array):
    return array.astype(np.float64)


class BatchNormalization(Corrected):
    """Before opset 14: it normalises as in training."""

    def compute(self, given, _, x, scale, bias, mean, variance):
        along = (1, -1) + (1,) * (x.ndim - 2)
        scale, bias, mean, variance = (wide(a).reshape(along) for a in (scale, bias, mean, variance))
        return (scale * (wide(x) - mean) / np.sqrt(variance + given.get("epsilon", 1e-5)) + bias,)


def normalized(x, axes, square_added=0.0, added=0.0):
    """`x` less its mean over `axes`, over its deviation: doubles. What is added to the variance, and to the deviation."""
    x = wide(x)
    return (x - x.mean(axes, keepdims=True)) / (np.sqrt(x.var(axes, keepdims=True) + square_added) + added)


class GroupNormalization(Corrected):
    """It has the variance as the mean of squares less the square of the mean, as the one that follows: little of it is left where it is
    little beside the mean. So have the functions that the standard gives for both; its text says a variance."""

    def compute(self, given, _, x, *scale_and_bias):
        batch, channels, *image = x.shape
        groups = given["num_groups"]
        grouped = x.reshape(batch, groups, -1)
        normal = normalized(grouped, (2,), square_added=given.get("epsilon", 1e-5)).reshape(x.shape)
        # Before opset 21 there is one for each group.
        scale, bias = (np.repeat(wide(each), channels // len(each)).reshape(-1, *[1] * len(image)) for each in scale_and_bias)
        return (normal * scale + bias,)


class MeanVarianceNormalization(Corrected):
    def compute(self, given, _, x):
        return (normalized(x, tuple(given.get("axes", [0, 2, 3])), added=1e-9),)


def over_the_rest(given, x, function):
    """Before opset 13 all axes from the given one on are one."""
    axis = given.get("axis", 1) % x.ndim
    rows = wide(x).reshape(math.prod(x.shape[:axis]), -1)
    return (function(rows).reshape(x.shape),)


def logarithm_of_softmax(rows):
    shifted = rows - rows.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))


class Softmax(Corrected):
    """Before opset 13: it has the newest meaning alone, as the two that follow."""

    def compute(self, given, _, x):
        return over_the_rest(given, x, lambda rows: np.exp(logarithm_of_softmax(rows)))


class LogSoftmax(Corrected):
    def compute(self, given, _, x):
        return over_the_rest(given, x, logarithm_of_softmax)


class Hardmax(Corrected):
    def compute(self, given, _, x):
        return over_the_rest(given, x, lambda rows: np.eye(rows.shape[1])[rows.argmax(1)])


class LRN(Corrected):
    """It takes the batch for the channels, and four dimensions alone."""

    def compute(self, given, _, x):
        size, channels = given["size"], x.shape[1]
        squares = wide(x) ** 2
        low, high = (size - 1) // 2, size // 2
        sums = np.stack([squares[:, max(0, c - low):c + high + 1].sum(1) for c in range(channels)], 1)
        return (wide(x) / (given.get("bias", 1.0) + given.get("alpha", 1e-4) / size * sums) ** given.get("beta", 0.75),)


class LpNormalization(Corrected):
    """It adds elements instead of their magnitudes."""

    def compute(self, given, _, x):
        p = given.get("p", 2)
        norm = (np.abs(wide(x)) ** p).sum(given.get("axis", -1), keepdims=True) ** (1 / p)
        return (np.divide(wide(x), norm, out=np.zeros(x.shape), where=norm != 0),)


class Erf(Corrected):
    """It computes doubles in float."""

    def compute(self, _given, _, x):
        return (np.vectorize(math.erf, otypes=[float])(wide(x)),)


class Gelu(Corrected):
    """It computes doubles with constants and an erf in float."""

    def compute(self, given, _, x):
        x = wide(x)
        if given.get("approximate") == b"tanh":
            return (0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),)
        return (0.5 * x * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))),)


class HardSwish(Corrected):
    """It multiplies doubles with a sixth in float."""

    def compute(self, _given, _, x):
        return (wide(x) * np.clip(wide(x) / 6 + 0.5, 0, 1),)


class Gemm(Corrected):
    """Of integers: it sums in doubles, which hold no 64 bits, and what is no integer of the type then is the processor's choice."""

    def compute(self, given, _, a, b, *c):
        def scaled(array, name):
            return array if given.get(name, 1) == 1 else array * given[name]

        a, b, *c = (array if array.dtype.kind in "iu" else wide(array) for array in (a, b, *c))
        product = (a.T if given.get("transA") else a) @ (b.T if given.get("transB") else b)
        return (sum((scaled(array, "beta") for array in c), scaled(product, "alpha")),)


class MaxPool(Corrected):
    """It places windows wrongly where they are dilated, padded by auto_pad or counted up, as the two that follow; it counts the index
    of the greatest from the beginning of each channel."""

    def compute(self, given, outputs, x):
        taken, is_inside, _ = windows.taken(x, given)
        lowest = -np.inf if x.dtype.kind not in "iu" else np.iinfo(x.dtype).min
        rows = np.where(is_inside, taken, lowest).reshape(*taken.shape[:x.ndim], -1)
        if outputs == 1:
            return (rows.max(-1).astype(x.dtype),)
        places = windows.places(x, given).reshape(*rows.shape[2:])
        at = np.take_along_axis(np.broadcast_to(places, rows.shape), rows.argmax(-1)[..., None], -1)[..., 0]
        channels = np.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], *[1] * (x.ndim - 2))
        return rows.max(-1).astype(x.dtype), channels * math.prod(x.shape[2:]) + at


class AveragePool(Corrected):
    def compute(self, given, _, x):
        taken, is_inside, is_padding = windows.taken(wide(x), given)
        kernel = tuple(range(x.ndim, taken.ndim))
        counted = is_inside | is_padding if given.get("count_include_pad", 0) else is_inside
        return (np.where(is_inside, taken, 0).sum(kernel) / counted.sum(tuple(axis - 2 for axis in kernel)),)


class LpPool(Corrected):
    def compute(self, given, _, x):
        taken, is_inside, _ = windows.taken(wide(x), given)
        p = given.get("p", 2)
        return ((np.where(is_inside, np.abs(taken), 0) ** p).sum(tuple(range(x.ndim, taken.ndim))) ** (1 / p),)


class Cast(OpRun):
    """It drops the fraction of floats that become integers of 4 or 2 bits, which are the nearest, half to even, as the one that follows."""

    def _run(self, x, to=None, saturate=1, round_mode="up"):
        if to in (TensorProto.INT4, TensorProto.UINT4, TensorProto.INT2, TensorProto.UINT2) and x.dtype.kind not in "iub":
            x = np.rint(wide(x))
        return (op_cast.cast_to(x, to, saturate, round_mode),)


class CastLike(Cast):
    def _run(self, x, like, saturate=1, round_mode="up"):
        return super()._run(x, helper.np_dtype_to_tensor_dtype(like.dtype), saturate, round_mode)


class OneHot(OpRun):
    """It adds what it should choose: on - off, times 0 or 1, to off."""

    def _run(self, indices, depth, values, axis=-1):
        depth = int(np.ravel(depth)[0])
        along = [1] * (indices.ndim + 1)
        along[axis] = depth
        place = np.where(indices < 0, indices + depth, indices)
        return (np.where(np.expand_dims(place, axis) == np.arange(depth).reshape(along), values[1], values[0]),)


class ConvTranspose(op_conv_transpose.ConvTranspose):
    """It writes a group to one channel, and adds the bias of the first to every group's."""

    def _run(self, x, weights, bias=None, group=1, **given):
        parts = zip(np.split(x, group, 1), np.split(weights, group), np.split(bias, group) if bias is not None else [None] * group)
        return (np.concatenate([super(ConvTranspose, self)._run(*part, group=1, **given)[0] for part in parts], 1),)


class Resize(op_resize.Resize):
    """Of align_corners and pytorch_half_pixel: it does not round a length down that a scale makes fractional; of the latter, the one
    element of an axis of length 1 is at -0.5 instead of 0."""

    def _run(self, x, roi=None, scales=None, sizes=None, coordinate_transformation_mode=None, **given):
        mode = coordinate_transformation_mode
        if mode not in ("align_corners", "pytorch_half_pixel"):
            return super()._run(x, roi, scales, sizes, coordinate_transformation_mode=mode, **given)
        lengths = [int(length) for length in (sizes if scales is None else np.floor(scales * np.array(x.shape)))]
        result = wide(x)
        for axis, length in enumerate(lengths):
            if length == x.shape[axis] and (scales is None or scales[axis] == 1):
                continue
            # At 0, asymmetrically.
            here = "asymmetric" if length == 1 else mode
            if scales is None or mode == "align_corners":
                asked = {"sizes": [*result.shape[:axis], length, *result.shape[axis + 1:]]}
            else:
                asked = {"scales": [1.0] * axis + [float(scales[axis])] + [1.0] * (x.ndim - axis - 1)}
            result, = super()._run(result, roi, coordinate_transformation_mode=here, **asked, **given)
        return (result.astype(x.dtype),)


def corrections(opset):
    """Operators for the interpreter, of a version of the operator set."""
    return ([GroupNormalization, MeanVarianceNormalization, LRN, LpNormalization, Erf, Gelu, HardSwish, Gemm, MaxPool, AveragePool, LpPool,
             Cast, CastLike, OneHot, ConvTranspose, Resize]
            + ([BatchNormalization] if opset < 14 else []) + ([Softmax, LogSoftmax, Hardmax] if opset < 13 else []))
