# Part of Tenon, under the Apache License v2.0.
"""Where onnxruntime differs from the standard, by the operator of the smallest graph; and what Tenon refuses.

A difference between Tenon and the interpreter (which standard.py corrects) has no excuse: these are of onnxruntime alone.
"""
import fractions
import re

import numpy as np

import rounding
from interpreter import SEQUENCES
from values import INTEGERS


def kind_of(network):
    """The element type of the last node's first input."""
    return str(network.values[network.nodes[-1].input[0]].dtype)


def of(name):
    return lambda network: kind_of(network) == name


def attribute(network, name, default=None):
    """Of the last node."""
    return rounding.attributes(network.nodes[-1]).get(name, default)


def is_dilated_and_auto(network):
    return attribute(network, "auto_pad") in (b"SAME_UPPER", b"SAME_LOWER") and max(attribute(network, "dilations") or [1]) > 1


def skips_and_is_auto(network):
    """Windows that are farther from each other than they are wide, where as many are asked for as there are strides."""
    strides, kernel = attribute(network, "strides") or [1], attribute(network, "kernel_shape")
    return attribute(network, "auto_pad") in (b"SAME_UPPER", b"SAME_LOWER") and any(s > k for s, k in zip(strides, kernel))


def hardly_varies(network):
    """Some row has a variance that is little beside the square of its mean."""
    x = network.values[network.nodes[-1].input[0]].array.astype(np.float64)
    rows = x.reshape(x.shape[0] * x.shape[1], -1)
    return (rows.var(1) < 0.01 * rows.mean(1) ** 2).any()


def is_wider_than_float(network):
    """Some integer is none of the floats."""
    x = network.values[network.nodes[-1].input[0]].array
    return x.dtype in INTEGERS and any(int(np.float32(each)) != int(each) for each in x.flat)


def sums_nothing(network):
    return 0 in network.values[network.nodes[-1].input[0]].shape


def coordinate(mode, place, length, resized, scale):
    """Where an element of a resized axis lies in the axis, exactly."""
    if mode == "align_corners":
        return fractions.Fraction(place * (length - 1), max(resized - 1, 1))
    return place / scale if mode == "asymmetric" else (place + fractions.Fraction(1, 2)) / scale - fractions.Fraction(1, 2)


def lies_where_nearest_changes(network):
    """Of nearest neighbours: for some element the next one is as near, so that a coordinate rounded to float falls to either side."""
    node, result = network.nodes[-1], network.values[network.nodes[-1].output[0]].shape
    if attribute(network, "mode", b"nearest") != b"nearest":
        return False
    scales = network.values[node.input[2]].array if len(node.input) > 2 and node.input[2] else np.array([])
    step = 0 if attribute(network, "nearest_mode", b"") in (b"floor", b"ceil") else fractions.Fraction(1, 2)
    mode = attribute(network, "coordinate_transformation_mode", b"half_pixel").decode()
    for axis, (length, resized) in enumerate(zip(network.values[node.input[0]].shape, result)):
        scale = fractions.Fraction(float(scales[axis])) if scales.size else fractions.Fraction(resized, length)
        if scale != 1 and any((coordinate(mode, place, length, resized, scale) - step).denominator == 1 for place in range(resized)):
            return True
    return False


# Operators of the last node; what they must be like; why onnxruntime is wrong.
TABLE = [
    ({"Gelu", "HardSwish"}, of("float64"), "it takes constants of doubles in float"),
    ({"InstanceNormalization"}, hardly_varies, "it takes the square of a mean from a mean of squares"),
    ({"Gemm"}, sums_nothing, "beta is left out where there is nothing to sum up"),
    ({"Shrink", "DFT", "STFT"}, of("float64"), "it computes doubles with numbers in float"),
    ({"Shrink"}, is_wider_than_float, "it computes integers in float"),
    ({"ReduceProd"}, of("int32"), "a product that overflows does not wrap"),
    ({"MaxPool", "LpPool", "AveragePool"}, is_dilated_and_auto, "auto_pad of dilated windows: it leaves dilations out"),
    ({"MaxPool", "LpPool", "AveragePool"}, skips_and_is_auto, "auto_pad of windows narrower than strides: it pads with less than nothing"),
    ({"Resize"}, lies_where_nearest_changes, "it rounds coordinates to float, also where the nearest element changes"),
    ({"QuantizeLinear"}, of("float16"), "it does not round the quotient of two half floats to one"),
]

# What Tenon says that it does not take, which is no wrong result: operators, a part of the message, what they must be like.
REFUSED = [
    (SEQUENCES | {"SequenceAt", "SequenceLength", "ConcatFromSequence"}, "the operator is not supported",
     "how long a sequence is, is not known before the run"),
    (None, "is not known before the run", "how long a list is, is not known before the run"),
]
REFUSAL = re.compile(r"node '[^']*' \((\w+) of [^)]*\): (.*)")


def refusal(said):
    """Why a network that has an open extent, or computes one, is not taken; None where this is no such refusal."""
    lines = REFUSAL.findall(said)
    for operators, part, why in REFUSED:
        if lines and all(part in text and (operators is None or operator in operators) for operator, text in lines):
            return f"refused: {why}"
    return None


def find(network, said):
    """Why a disagreement is no defect of Tenon's, of a network of which nothing can be left out; or None."""
    kinds = {kind for kind, _ in said}
    if kinds == {"fails"}:
        return refusal(said[0][1])
    if "reference" in kinds:
        return None
    last = network.nodes[-1].op_type
    return next((f"onnxruntime: {last}: {why}" for operators, holds, why in TABLE if last in operators and holds(network)), None)
