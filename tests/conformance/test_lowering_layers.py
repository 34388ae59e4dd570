# Part of Tenon, under the Apache License v2.0.
"""Matrix products, convolutions, windows, normalisation, attention and recurrent layers: what the onnx package's cases do not cover."""
import numpy as np
import pytest

from lowering import check, run
from one_node import feeds, floats, integers, one_node

N = None


def case(operator, *inputs, **options):
    return pytest.param(operator, inputs, options, id=f"{operator}-" + "-".join(f"{k}={v}" for k, v in options.items()).replace(" ", ""))


PRODUCTS = [
    case("MatMul", floats(5), floats(5)),
    case("MatMul", floats(5), floats(2, 5, 3)),
    case("MatMul", floats(2, 4, 5), floats(5)),
    case("MatMul", floats(2, 3, 4, 5), floats(5, 6)),
    case("MatMul", floats(2, 1, 4, 5), floats(3, 5, 6)),
    case("MatMul", floats(2, 3, 4, 5), floats(2, 3, 5, 6)),
    case("MatMul", floats(4, 5), floats(7, 5, 6)),
    case("MatMul", integers(3, 4, kind=np.int32), integers(4, 5, kind=np.int32, seed=1), opset=13),
    case("Gemm", floats(5, 4), floats(6, 5), floats(6), transA=1, transB=1, alpha=0.5, beta=-2.0),
    case("Gemm", floats(4, 5), floats(5, 6), floats(4, 1), opset=7),
    case("Gemm", floats(4, 5), floats(6, 5), floats(1), transB=1),
    case("Gemm", floats(4, 5), floats(5, 6), alpha=3.0),
    case("Einsum", floats(2, 3, 4), floats(2, 4, 5), floats(5, 6), equation="bij, bjk, kl -> bil"),
    case("Einsum", floats(4, 4), equation="ii"),
    case("Einsum", floats(4, 3, 4), equation="iji->ji"),
    case("Einsum", floats(4), floats(5), equation="i,j"),
]

CONVOLUTIONS = [
    case("Conv", floats(2, 4, 9), floats(6, 4, 3), floats(6), strides=[2], pads=[1, 2], dilations=[2]),
    case("Conv", floats(2, 4, 9), floats(6, 2, 3), group=2),
    case("Conv", floats(2, 4, 9), floats(4, 1, 3), group=4, pads=[1, 1]),
    case("Conv", floats(1, 4, 9, 8), floats(8, 1, 3, 2), floats(8), group=4, auto_pad="SAME_UPPER", strides=[2, 3]),
    case("Conv", floats(1, 4, 9, 8), floats(6, 2, 3, 2), group=2, auto_pad="SAME_LOWER", opset=7),
    case("Conv", floats(1, 4, 9, 8), floats(4, 1, 3, 3), group=4, pads=[0, 1, 2, 1], strides=[2, 1]),
    case("Conv", floats(1, 4, 5, 6, 7), floats(6, 2, 3, 2, 1), floats(6), group=2, dilations=[1, 2, 1]),
    case("Conv", floats(1, 4, 5, 6, 7), floats(3, 4, 3, 2, 1), strides=[2, 1, 3]),
    case("Conv", floats(1, 3, 5, 6, 7), floats(3, 1, 3, 2, 1), group=3, auto_pad="VALID"),
    case("ConvTranspose", floats(1, 4, 5), floats(4, 3, 3), floats(3), strides=[2], pads=[1, 0], output_padding=[1]),
    case("ConvTranspose", floats(2, 4, 5, 6), floats(4, 3, 3, 2), group=2, strides=[3, 2], dilations=[2, 1]),
    case("ConvTranspose", floats(1, 2, 5, 6), floats(2, 3, 3, 3), strides=[2, 2], pads=[2, 2, 2, 2]),
    case("ConvTranspose", floats(1, 2, 5, 6), floats(2, 3, 2, 2), pads=[2, 2, 2, 2]),
    case("ConvTranspose", floats(1, 2, 3, 4), floats(2, 3, 3, 3), strides=[2, 2], auto_pad="SAME_UPPER"),
    case("ConvTranspose", floats(1, 2, 3, 4, 2), floats(2, 3, 2, 3, 3), strides=[2, 1, 2]),
]

WINDOWS = [
    case("MaxPool", floats(1, 3, 9, 8), kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1, dilations=[2, 1], outputs=3),
    case("MaxPool", floats(2, 3, 9, 8), kernel_shape=[3, 3], pads=[1, 1, 1, 1], outputs=3, storage_order=1),
    case("MaxPool", -1 - abs(floats(2, 3, 9)), kernel_shape=[4], auto_pad="SAME_LOWER", strides=[3], outputs=3),
    case("MaxPool", floats(1, 2, 5, 6, 7), kernel_shape=[2, 3, 2], pads=[0, 1, 1, 1, 1, 0], outputs=3),
    case("MaxPool", integers(1, 2, 7, 7), kernel_shape=[3, 3], pads=[1, 1, 1, 1], opset=12),
    case("MaxPool", floats(1, 2, 7, 7), kernel_shape=[3, 3], opset=7),
    case("AveragePool", floats(1, 2, 7, 8), kernel_shape=[3, 3], pads=[1, 0, 1, 2], strides=[2, 3], ceil_mode=1),
    case("AveragePool", floats(1, 2, 7, 8), kernel_shape=[3, 3], pads=[1, 0, 1, 2], strides=[2, 3], ceil_mode=1, count_include_pad=1),
    case("AveragePool", floats(1, 2, 7, 8), kernel_shape=[3, 2], pads=[1, 0, 1, 1], count_include_pad=1, opset=7),
    case("AveragePool", floats(1, 2, 9), kernel_shape=[3], dilations=[2], pads=[2, 1]),
    case("AveragePool", floats(1, 2, 7, 8, 5), kernel_shape=[3, 2, 2], auto_pad="SAME_UPPER", strides=[2, 2, 2]),
    case("LpPool", floats(1, 2, 7, 8), kernel_shape=[3, 2], pads=[1, 0, 1, 1], p=1),
    case("LpPool", floats(1, 2, 7, 8), kernel_shape=[3, 2], p=2, strides=[2, 1]),
    case("GlobalAveragePool", floats(2, 3, 4, 5)),
    case("GlobalMaxPool", floats(2, 3, 4)),
    case("GlobalLpPool", floats(2, 3, 4, 5), opset=7),
]

NORMALIZATIONS = [
    case("Softmax", floats(2, 3, 4), opset=11, axis=2),
    case("Softmax", 80 * floats(2, 3, 4), axis=-2),
    case("LogSoftmax", floats(2, 3, 4), axis=0),
    case("Hardmax", np.float32([[1, 3, 3], [2, 2, 1]]), axis=1),
    case("LayerNormalization", floats(2, 3, 4), floats(3, 4), floats(4), axis=1, outputs=7, opset=17),
    case("LayerNormalization", floats(2, 3, 4), floats(4), outputs=1, opset=17, epsilon=0.25),
    case("BatchNormalization", floats(2, 3, 4, 5), floats(3), floats(3), floats(3), abs(floats(3)), opset=15),
    case("BatchNormalization", floats(2, 3), floats(3), floats(3), floats(3), abs(floats(3)), opset=9, epsilon=0.01),
    case("InstanceNormalization", floats(2, 3, 4, 5), floats(3), floats(3), opset=7),
    case("GroupNormalization", floats(2, 6, 4), floats(6), floats(6), num_groups=3, opset=21),
    case("GroupNormalization", floats(2, 6, 4), floats(3), floats(3), num_groups=3, opset=18),
    case("LpNormalization", floats(2, 3, 4), axis=1, p=1, opset=7),
    case("MeanVarianceNormalization", floats(2, 3, 4, 5), opset=13),
]


@pytest.mark.parametrize("operator, inputs, options", PRODUCTS + CONVOLUTIONS + WINDOWS + NORMALIZATIONS)
def test_as_onnxruntime(operator, inputs, options):
    model = one_node(operator, inputs, **options)
    check(model, feeds(model, inputs), rtol=1e-4, atol=1e-5)


def test_ellipsis_is_broadcast():
    a, b = floats(2, 1, 3, 4), floats(5, 4, 3)
    check(one_node("Einsum", [a, b], equation="...ij,...jk->...ik"), {"i0": a, "i1": b}, expected=[a @ b], atol=1e-5)


def test_what_has_no_norm_stays_zero():
    x = np.float32([[0, 0], [3, 4]])
    check(one_node("LpNormalization", [x]), {"i0": x}, expected=[np.float32([[0, 0], [0.6, 0.8]])])


REFUSED = [
    ("MatMul", [floats(3, 4), floats(5, 6)], {}, "the extents that its factors are summed over differ: 4 and 5"),
    ("MatMul", [np.float32(3), floats(5, 6)], {}, "a factor is a scalar, which no matrix product has: multiply it by Mul"),
    ("MatMul", [floats(2, 3, 4), floats(3, 4, 5)], {}, "its inputs' extents 2 and 3 cannot be broadcast to one"),
    ("Gemm", [integers(3, 4, kind=np.int32), integers(4, 5, kind=np.int32)], {"alpha": 0.5}, "which is no factor of integers: write an integer"),
    ("Einsum", [floats(3)], {"equation": "i,j"}, "has 2 terms, but the node 1 inputs"),
    ("Einsum", [floats(3)], {"equation": "1"}, "where a letter or one ellipsis is expected"),
    ("Einsum", [floats(3)], {"equation": "i->ii"}, "has a letter twice or one that no term has"),
    ("Einsum", [floats(3)], {"equation": "ij->ij"}, "the term 'ij' does not fit input 0, which has 1 dimensions"),
    ("Conv", [floats(1, 3, 5, 5), floats(4, 2, 3, 3)], {}, "the channels of its input are not those of its weights, times its groups: 3 and 2"),
    ("Conv", [floats(1, 4, 5, 5), floats(3, 2, 3, 3)], {"group": 2}, "the outputs of its weights are no multiple of its groups"),
    ("Conv", [floats(1, 4, 5, 5), floats(3, 4, 3, 3), floats(1, 3)], {}, "its bias has 2 dimensions, expected 1"),
    ("Conv", [floats(1, 4, 5, 5), floats(3, 4, 3, 3), floats(4)], {}, "its bias has not one element for each output channel: 3 and 4"),
    ("Conv", [floats(1, 4, 5, 5), floats(3, 4, 3, 3)], {"strides": [0, 1]}, "strides has to be 2 numbers, none less than 1"),
    ("Conv", [floats(1, 4, 5, 5), floats(3, 4, 3, 3)], {"kernel_shape": [3, 2]}, "kernel_shape is not that of its weights"),
    ("Conv", [floats(1, 4, 5, 5), floats(3, 4, 3, 3)], {"kernel_shape": [3]}, "kernel_shape has to be 2 numbers, none less than 1"),
    ("Conv", [floats(1, 4, 5, 5), floats(3, 4)], {}, "its weights have 2 dimensions; a convolution needs three at least"),
    ("Conv", [floats(1, 4, 5, 5), floats(3, 4, 3, 3)], {"group": 0}, "group is 0, expected 1 or more"),
    ("Conv", [floats(1, 4, 5, 5), floats(3, 4, 3, 3)], {"auto_pad": "SAME"}, "auto_pad is 'SAME', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER"),
    ("ConvTranspose", [floats(1, 4, 5, 5), floats(4, 3, 3, 3)], {"pads": [1]}, "pads, output_padding or output_shape do not have the 2 spatial axes"),
    ("ConvTranspose", [floats(1, 4, 5, 5), floats(4, 3, 3)], {}, "its input has 4 dimensions, its weights 3, and group is 1: expected as many"),
    ("ConvTranspose", [floats(1, 3, 5, 5), floats(3, 4, 3, 3)], {"group": 2}, "the channels of its weights are no multiple of its groups"),
    ("MaxPool", [floats(4, 5)], {"kernel_shape": [2]}, "its input has 2 dimensions; windows need a spatial one behind the first two"),
    ("LpPool", [floats(1, 4, 5)], {"kernel_shape": [2], "p": 0}, "p is 0, expected 1 or more"),
    ("LayerNormalization", [floats(4, 5), floats(5)], {"stash_type": 2}, "stash_type is 2, expected 1 (FLOAT) or 16 (BFLOAT16"),
    ("LpNormalization", [floats(4, 5)], {"p": 3}, "p is 3, expected 1 or 2"),
    ("LRN", [floats(1, 4, 5)], {"size": 0}, "size is 0, expected 1 or more"),
    ("GroupNormalization", [floats(1, 5, 4), floats(5), floats(5)], {"num_groups": 2}, "its channels are no multiple of num_groups"),
    ("GroupNormalization", [floats(1, 5, 4), floats(5), floats(5)], {"num_groups": 0}, "num_groups is 0, expected 1 or more"),
    ("InstanceNormalization", [floats(5), floats(5), floats(5)], {}, "its input has 1 dimensions, expected 2 or more"),
    ("BatchNormalization", [floats(1, 3), *[floats(3)] * 4], {"training_mode": 1, "outputs": 7},
     "it computes statistics as training does; export the model for inference"),
    ("BatchNormalization", [np.float32(1), *[floats(3)] * 4], {}, "its input is a scalar, which has no channels"),
    ("BatchNormalization", [floats(1, 3), *[floats(1, 3)] * 4], {}, "its scale has 2 dimensions, expected 1"),
]


def refusal(model, inputs):
    done, _ = run(model, feeds(model, inputs))
    assert done.returncode
    return done.stderr


def test_open_kernel():
    inputs = [floats(1, 4, 5, 5), floats(3, 4, 3, 3)]
    found = refusal(one_node("Conv", inputs, shapes={1: [3, 4, "k", 3]}), inputs)
    assert "the spatial extents of its weights are known at run time only: fix them in the model" in found


@pytest.mark.parametrize("operator, inputs, options, message", REFUSED, ids=[f"{r[0]}-{r[3][:30]}" for r in REFUSED])
def test_refused(operator, inputs, options, message):
    found = refusal(one_node(operator, inputs, **options), inputs)
    assert message in found and "node 'n'" in found
