# Part of Tenon, under the Apache License v2.0.
"""What the arithmetic of one node may be off by, whatever the order of its additions.

A sum of n terms, added in any order with a unit roundoff of eps / 2, is within (n - 1) * eps / 2 * sum(|x|) of the exact one (Higham,
Accuracy and Stability of Numerical Algorithms, 2nd edition, section 4.2), and two such sums are within twice that of each other; where the
terms are products, one more roundoff: n * eps * sum(|x * y|). Of terms of one sign that is n * eps of the result.
"""
import math

import numpy as np
import onnx
from onnx import helper

from values import NUDGE, is_float, unit

# Operators whose results are rounded nowhere: elements that are moved.
EXACT = {"Identity", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Concat", "Split", "Slice", "Expand", "Tile", "Pad", "Gather",
         "GatherElements", "GatherND", "Where", "DepthToSpace", "SpaceToDepth", "Trilu", "ReverseSequence", "Compress", "MaxPool", "Max",
         "Min", "Relu", "Neg", "Abs", "Clip", "TopK", "ReduceMax", "ReduceMin", "GlobalMaxPool", "Hardmax", "OneHot", "EyeLike",
         "ConstantOfShape", "ConcatFromSequence", "SequenceAt", "Unique", "TensorScatter", "CenterCropPad", "Sign", "Floor", "Ceil", "Round"}
# Of floats, too, the next element may be far away where an operand moves by its last bit.
JUMPS = {"Floor", "Ceil", "Round", "Sign", "Mod", "Hardmax", "Shrink", "ThresholdedRelu", "GridSample", "Unique", "TopK"}
BODIES = {"If", "Loop", "Scan"}


def attributes(node):
    return {a.name: helper.get_attribute_value(a) for a in node.attribute if a.type != onnx.AttributeProto.GRAPH}


def by_reduction(read, given, result):
    return read[0].size / max(1, result.size)


def by_window(read, given, result):
    return math.prod(given["kernel_shape"])


def by_summed_labels(read, given, result):
    """How many products one element adds up."""
    before, arrow, kept = given["equation"].decode().replace(" ", "").partition("->")
    if not arrow:
        kept = [label for label in before if before.count(label) == 1]
    extents = {}
    for labels, array in zip(before.split(","), read):
        left, _, right = labels.partition("...")
        for label, extent in [*zip(left, array.shape), *zip(reversed(right), reversed(array.shape))]:
            extents[label] = max(extent, extents.get(label, 1))
    return math.prod(extent for label, extent in extents.items() if label not in kept)


def by_axis(read, given, result):
    return read[0].shape[int(read[1])]


def of_axis(name, default):
    """The extent of the axis that an attribute gives; before opset 13 what follows it counts, too."""
    return lambda read, given, result: math.prod(read[0].shape[given.get(name, default):])


def of_image(read, given, result):
    return read[0].size / math.prod(read[0].shape[:2])


# How many terms an element is the sum of; by what the error is taken times: the operator of the magnitudes, the result, or 1.
LINEAR = {"ReduceSum": by_reduction, "ReduceMean": by_reduction, "CumSum": by_axis, "AveragePool": by_window, "GlobalAveragePool": by_reduction,
          "MatMul": lambda read, *_: read[0].shape[-1],
          "Einsum": by_summed_labels,
          "Gemm": lambda read, given, _: read[0].shape[0 if given.get("transA", 0) else 1] + 1,
          "Conv": lambda read, *_: math.prod(read[1].shape[1:]) + 1,
          # x / 2 + x / 2 * erf, of which little is left where x is far below 0; onnxruntime has a logistic function that is like that, too.
          **dict.fromkeys(["Gelu", "BiasGelu", "FastGelu", "QuickGelu", "Swish"], lambda *_: 3),
          "ConvTranspose": lambda read, given, _: read[1].shape[0] // given.get("group", 1) * math.prod(read[1].shape[2:]) + 1}
ONE_SIGN = {"ReduceL1": by_reduction, "ReduceL2": by_reduction, "ReduceSumSquare": by_reduction, "ReduceProd": by_reduction, "CumProd": by_axis,
            "GlobalLpPool": by_reduction, "LpPool": by_window, "Softmax": of_axis("axis", 1), "LpNormalization": of_axis("axis", -1)}
# Logarithms of such; cosines that add up to what may be 0; 1/2 and what may be nearly -1/2.
ABSOLUTE = {"Sigmoid": lambda *_: 1, "ReduceLogSum": by_reduction, "ReduceLogSumExp": by_reduction, "LogSoftmax": of_axis("axis", 1),
            **dict.fromkeys(["HannWindow", "HammingWindow", "BlackmanWindow"], lambda *_: 3)}
# Sums of terms of both signs of which an element may be small beside the others: by the greatest.
SPREAD = {"DFT": lambda read, *_: max(read[0].shape), "STFT": lambda read, *_: max(read[0].shape),
          **dict.fromkeys(["Resize", "Upsample", "GridSample", "Attention", "RotaryEmbedding", "LSTM", "GRU", "RNN", "Det", "Col2Im",
                           "FusedMatMul", "FusedGemm", "FusedConv", "MatMulNBits"], lambda *_: NUDGE)}
# Sums that elements are moved and divided by: what a nudge of the elements does, as many times as there are terms.
STATISTICS = {"InstanceNormalization": of_image, "LayerNormalization": of_axis("axis", -1), "RMSNormalization": of_axis("axis", -1),
              "GroupNormalization": lambda read, given, _: read[0][0].size / given["num_groups"],
              "MeanVarianceNormalization": lambda read, given, _: math.prod(read[0].shape[axis] for axis in given.get("axes", [0, 2, 3]))}
# Of these the standard has the statistics computed in float, of doubles, too (stash_type).
STASHED = {"LayerNormalization", "RMSNormalization", "GroupNormalization"}


def of_magnitudes(read, evaluate):
    wide = {name: np.abs(a.astype(np.float64)) if is_float(a.dtype) else a for name, a in read.items()}
    return evaluate(wide).astype(np.float64)


def of_statistics(node, read, value, terms, evaluate):
    """What the sets beside move counts, and what a nudge of each element does: of constants among them they move none."""
    eps, nudge = unit(np.dtype(np.float32) if node.op_type in STASHED else value.dtype), NUDGE * unit(value.dtype)
    signs = np.random.default_rng(value.array.size)
    beside = evaluate({name: (a.astype(np.float64) * (1 + nudge * signs.choice([-1, 1], a.shape))).astype(a.dtype) if is_float(a.dtype) else a
                       for name, a in read.items()})
    moved = np.abs(beside.astype(np.float64) - value.array.astype(np.float64)).max(initial=0)
    return (terms + NUDGE) * eps * (max(value.moved(), moved) / nudge + value.most())


def error(node, read, value, evaluate):
    """Of each element of a node's first result, absolute. `read`: arrays by name; `evaluate(arrays)`: that result of others."""
    if not value.array.size:
        return 0
    arrays, given, eps = [read[name] for name in node.input if name], attributes(node), unit(value.dtype)
    for table, by in ((LINEAR, lambda: of_magnitudes(read, evaluate)), (ONE_SIGN, lambda: np.abs(value.array.astype(np.float64))),
                      (ABSOLUTE, lambda: 1.0), (SPREAD, value.most)):
        if node.op_type in table:
            return table[node.op_type](arrays, given, value.array) * eps * by()
    if node.op_type in STATISTICS:
        return of_statistics(node, read, value, STATISTICS[node.op_type](arrays, given, value.array), evaluate)
    return 0
