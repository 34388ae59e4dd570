# Part of Tenon, under the Apache License v2.0.
"""Matrix products, convolutions, windows, normalisation, attention and recurrent layers: what the onnx package's cases do not cover."""
import pathlib
import sys

import ml_dtypes
import numpy as np
import pytest

from lowering import check, model_of, run
from one_node import feeds, floats, integers, one_node

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from seeds import drawn  # noqa: E402

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
    case("ConvTranspose", floats(1, 2, 3, 4), floats(2, 3, 3, 3), strides=[2, 2], auto_pad="SAME_UPPER", opset=10),
    case("ConvTranspose", floats(1, 2, 3, 4), floats(2, 3, 3, 3), strides=[2, 2], output_shape=[6, 8], opset=10),
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


LENGTHS = np.int32([4, 2, 3])


def recurrent(operator, gates, *states, directions=1, hidden=5, opset=14, lengths=None, bias=True, **options):
    """A layer of 4 steps, a batch of 3, inputs of 2."""
    rows = gates * hidden
    inputs = [floats(4, 3, 2), floats(directions, rows, 2, seed=1), floats(directions, rows, hidden, seed=2),
              floats(directions, 2 * rows, seed=3) if bias else None, lengths, *states]
    return case(operator, *inputs, opset=opset, hidden_size=hidden, **options)


def state(directions=1, seed=4):
    return floats(directions, 3, 5, seed=seed)


BOTH = ["Sigmoid", "Softsign", "Tanh"] * 2
RECURRENT = [
    recurrent("RNN", 1, outputs=3),
    recurrent("RNN", 1, state(), outputs=3, direction="reverse", lengths=LENGTHS, activations=["Relu"], clip=1.5),
    recurrent("RNN", 1, state(2), directions=2, outputs=2, direction="bidirectional", activations=["Elu", "LeakyRelu"],
              activation_alpha=[0.5, 0.25], opset=7),
    recurrent("GRU", 3, outputs=3, linear_before_reset=1),
    recurrent("GRU", 3, state(), outputs=3, linear_before_reset=0, lengths=LENGTHS),
    recurrent("GRU", 3, state(2), directions=2, outputs=3, direction="bidirectional", linear_before_reset=1, lengths=LENGTHS,
              activations=["HardSigmoid", "ScaledTanh", "Sigmoid", "Softplus"], activation_alpha=[0.25, 0.75], activation_beta=[0.5, 1.5]),
    recurrent("GRU", 3, outputs=2, bias=False, opset=7, clip=0.5),
    recurrent("LSTM", 4, outputs=7),
    recurrent("LSTM", 4, state(), state(seed=5), floats(1, 15, seed=6), outputs=7, direction="reverse", lengths=LENGTHS),
    recurrent("LSTM", 4, state(2), state(2, seed=5), directions=2, outputs=7, direction="bidirectional", activations=BOTH),
    recurrent("LSTM", 4, outputs=5, bias=False, input_forget=1, opset=7),
    recurrent("LSTM", 4, outputs=6, clip=0.25),
    recurrent("LSTM", 4, outputs=2, lengths=LENGTHS),
]

SCALE, TWO_SCALES = np.float32(0.03), np.float32([0.02, 0.05])
QUANTIZED = [
    case("MatMulInteger", integers(3, 4), integers(4, 2), np.int8(3), np.int8([-2, 5]), opset=10),
    # onnxruntime adds two products in 16 bits where a processor has no better instruction: 2 * 255 * 64 fit.
    case("MatMulInteger", integers(2, 3, 4, kind=np.uint8), integers(4, 2) // 2, np.uint8(130), opset=10),
    case("ConvInteger", integers(1, 2, 5, 5, kind=np.uint8), integers(3, 2, 3, 3, kind=np.uint8), np.uint8(120), np.uint8(7), opset=10,
         pads=[1, 1, 1, 1]),
    case("QLinearMatMul", integers(3, 4), SCALE, np.int8(3), integers(4, 2, seed=1), TWO_SCALES, np.int8([1, -1]), np.float32(0.4), np.int8(9),
         opset=10),
    case("QLinearConv", integers(1, 4, 5, 5), SCALE, np.int8(-3), integers(2, 2, 3, 3, seed=1), TWO_SCALES, np.int8([0, 0]), np.float32(0.5),
         np.int8(4), integers(2, kind=np.int32), opset=10, group=2, pads=[1, 0, 1, 2]),
    case("QLinearConv", integers(1, 4, 7), SCALE, np.int8(-3), integers(4, 1, 3, seed=1), SCALE, np.int8(0), np.float32(0.1), np.int8(4),
         opset=10, group=4, strides=[2]),
]


SIGNALS = [
    case("DFT", floats(2, 9, 1), opset=17, onesided=1),
    case("DFT", floats(2, 9, 3, 2), np.int64(12), opset=17, axis=1, inverse=1),
    case("STFT", floats(2, 40, 1), np.int64(7), floats(16), np.int64(16), opset=17),
    case("HannWindow", np.int64(10), opset=17, periodic=0),
    case("BlackmanWindow", np.int64(9), opset=17),
    case("NegativeLogLikelihoodLoss", floats(3, 5, 2), np.int64([[0, 4], [2, 2], [1, 3]]), abs(floats(5)), opset=13, ignore_index=2),
    case("SoftmaxCrossEntropyLoss", floats(3, 5), np.int64([0, 4, -1]), opset=13, ignore_index=-1, outputs=3),
    case("SoftmaxCrossEntropyLoss", floats(3, 5), np.int64([0, 4, 1]), opset=12, reduction="none"),
    case("DeformConv", floats(1, 4, 6, 5), floats(2, 2, 3, 2), floats(1, 12 * 2, 6, 5, seed=1), floats(2), floats(1, 12, 6, 5, seed=2), opset=19,
         group=2, offset_group=2, pads=[2, 1, 2, 1], dilations=[2, 2]),
]


LAYERS = PRODUCTS + CONVOLUTIONS + WINDOWS + NORMALIZATIONS + RECURRENT + QUANTIZED + SIGNALS


@pytest.mark.parametrize("operator, inputs, options", drawn(LAYERS, len(LAYERS) // 2))
def test_as_onnxruntime(operator, inputs, options):
    model = one_node(operator, inputs, **options)
    check(model, feeds(model, inputs), rtol=1e-4, atol=1e-5)


def opened(x, letter):
    return [f"{letter}{axis}" for axis in range(x.ndim)]


@pytest.mark.parametrize("operator, inputs, options", drawn(LAYERS, len(LAYERS) // 2))
def test_with_open_extents(operator, inputs, options):
    """Every extent of the first input is known at run time only, and of both factors."""
    shapes = {0: opened(inputs[0], "a")}
    if operator in ("MatMul", "Gemm", "Einsum", "MatMulInteger") and len(inputs) > 1:
        shapes[1] = opened(inputs[1], "b")
    for shape, x in zip(shapes.values(), inputs):
        if x.dtype.kind in "iu" and shape:
            shape[0] = x.shape[0]  # the batch of a quantised network is fixed
    model = one_node(operator, inputs, shapes=shapes, **options)
    check(model, feeds(model, inputs), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("operator, inputs, options", RECURRENT)
def test_recurrent_with_nothing_known(operator, inputs, options):
    shapes = {index: [f"{letter}{axis}" for axis in range(x.ndim)] for index, (letter, x) in enumerate(zip("abcdefgh", inputs)) if x is not None}
    model = one_node(operator, inputs, shapes=shapes, **options)
    check(model, feeds(model, inputs), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("batch, length", [(1, 7), (3, 1), (2, 12)])
def test_one_model_several_shapes(batch, length):
    """Products, normalisation and a recurrent layer of any batch and length."""
    w, r, b = floats(1, 20, 4, seed=1), floats(1, 20, 5, seed=2), floats(1, 40, seed=3)
    text = """main (float[S,B,4] x) => (float[S,1,B,5] y, float[B,S,S] p) {
      norm = LayerNormalization <axis = -1> (x, scale)
      y, h, c = LSTM <hidden_size = 5> (norm, w, r, b)
      rows = Transpose <perm = [1, 0, 2]> (norm)
      columns = Transpose <perm = [1, 2, 0]> (norm)
      products = MatMul (rows, columns)
      p = Softmax <axis = -1> (products)
    }"""
    check(model_of(text, constants={"w": w, "r": r, "b": b, "scale": floats(4)}), {"x": floats(length, batch, 4)}, rtol=1e-4, atol=1e-5)


EMPTY = [
    case("MatMul", floats(0, 5), floats(5, 6)),
    case("MatMul", floats(2, 0), floats(0, 3)),
    case("MatMul", floats(0, 3, 4), floats(0, 4, 5)),
    case("Conv", floats(0, 3, 8, 8), floats(4, 3, 3, 3)),
    case("Softmax", floats(2, 0, 3), axis=1, opset=13),
    case("LayerNormalization", floats(0, 4), floats(4), opset=17),
    case("MaxPool", floats(0, 2, 6, 6), kernel_shape=[2, 2]),
]


@pytest.mark.parametrize("operator, inputs, options", EMPTY)
def test_without_elements(operator, inputs, options):
    model = one_node(operator, inputs, **options)
    check(model, feeds(model, inputs))


@pytest.mark.parametrize("outputs", [1, 3])
def test_nan_is_the_largest_of_a_window(outputs):
    """The first of them."""
    x = np.float32([[[1, np.nan, 2, np.nan, np.nan, 3, 4, -np.inf]]])
    expected = [np.float32([[[np.nan, np.nan, np.nan, 4]]]), np.int64([[[1, 3, 4, 6]]])]
    model = one_node("MaxPool", [x], kernel_shape=[2], strides=[2], outputs=outputs)
    check(model, {"i0": x}, expected[:1 if outputs == 1 else 2])


def test_bent_window_beside_infinity():
    """A window that lies on elements has no share of the others."""
    x, w = np.float32([[[[np.inf, 2], [3, 4]]]]), np.float32([[[[1]]]])
    offsets = np.zeros((1, 2, 4, 4), np.float32)
    expected = np.zeros((1, 1, 4, 4), np.float32)
    expected[..., 1:3, 1:3] = x
    check(one_node("DeformConv", [x, w, offsets], pads=[1, 1, 1, 1]), {"i0": x, "i1": w, "i2": offsets}, [expected])


@pytest.mark.parametrize("first, second, equation", [
    ((1, 2, 3), (5, 3, 4), "...ij,...jk->...ik"), ((5, 2, 3), (1, 3, 4), "...ij,...jk->...ik"), ((1, 2, 3), (5, 3, 4), "bij,bjk->bik")])
@pytest.mark.parametrize("is_open", [False, True])
def test_one_is_broadcast_whichever_term_has_it(first, second, equation, is_open):
    a, b = floats(*first), floats(*second, seed=1)
    shapes = {index: ["n", *shape[1:]] for index, shape in enumerate((first, second)) if shape[0] != 1}
    model = one_node("Einsum", [a, b], equation=equation, shapes=shapes if is_open else {})
    model.graph.output[0].type.tensor_type.ClearField("shape")
    check(model, {"i0": a, "i1": b}, [np.einsum(equation, a, b)], rtol=1e-4, atol=1e-5)


def test_ellipsis_is_broadcast():
    a, b = floats(2, 1, 3, 4), floats(5, 4, 3)
    check(one_node("Einsum", [a, b], equation="...ij,...jk->...ik"), {"i0": a, "i1": b}, expected=[a @ b], atol=1e-5)


def test_what_has_no_norm_stays_zero():
    x = np.float32([[0, 0], [3, 4]])
    check(one_node("LpNormalization", [x]), {"i0": x}, expected=[np.float32([[0, 0], [0.6, 0.8]])])


OF_STATE = "an initial state does not fit its direction, the batch and the hidden size"
OF_BIAS = "its bias does not fit its direction, its gates and the hidden size"
OF_CHANNELS = "its scale or bias has not one for each channel"


def long_short(directions=1, bias=N, state=N, cell=N, peepholes=N):
    """What an LSTM of 4 steps, a batch of 3, inputs of 2 and 5 hidden elements is given."""
    return [floats(4, 3, 2), floats(directions, 20, 2), floats(directions, 20, 5), bias, N, state, cell, peepholes]


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
    ("Conv", [floats(1, 4, 5, 5), floats(3, 4, 3, 3), floats(1, 3)], {}, "has 2 dimensions, expected 1"),
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
    ("LRN", [floats(1, 4, 5)], {"size": 0}, "size is 0, expected 1 to 32767"),
    ("GroupNormalization", [floats(1, 5, 4), floats(5), floats(5)], {"num_groups": 2}, "its channels are no multiple of num_groups"),
    ("GroupNormalization", [floats(1, 5, 4), floats(5), floats(5)], {"num_groups": 0}, "num_groups is 0, expected 1 or more"),
    ("GroupNormalization", [floats(1, 4, 2), floats(4), floats(3)], {"num_groups": 2}, OF_CHANNELS + ": 3 and 4"),
    ("GroupNormalization", [floats(1, 4, 2), floats(2), floats(4)], {"num_groups": 2, "shapes": {1: ["K"]}}, OF_CHANNELS),
    ("GroupNormalization", [floats(1, 4, 2), floats(5), floats(5)], {"num_groups": 2, "shapes": {0: ["N", "C", "L"], 1: ["K"], 2: ["K"]}}, OF_CHANNELS),
    ("GroupNormalization", [floats(1, 4, 2), floats(2), floats(1)], {"num_groups": 2, "opset": 18, "shapes": {2: ["K"]}},
     "its scale or bias has not one for each group"),
    ("InstanceNormalization", [floats(5), floats(5), floats(5)], {}, "its input has 1 dimensions, expected 2 or more"),
    ("InstanceNormalization", [floats(1, 4, 2), floats(4), floats(1)], {"shapes": {2: ["K"]}}, OF_CHANNELS),
    ("InstanceNormalization", [floats(1, 1, 2), floats(4), floats(4)], {"shapes": {0: ["N", "C", "L"]}}, OF_CHANNELS),
    ("BatchNormalization", [floats(1, 3), *[floats(3)] * 4], {"outputs": 7},
     "it gives statistics, as training does, but is not in training_mode"),
    ("BatchNormalization", [np.float32(1), *[floats(3)] * 4], {}, "its input is a scalar, which has no channels"),
    ("BatchNormalization", [floats(1, 3), *[floats(1, 3)] * 4], {}, "has 2 dimensions, expected 1"),
    ("RNN", [floats(4, 3, 2), floats(1, 5, 2), floats(1, 5, 5)], {"hidden_size": 5, "direction": "both"},
     "direction is 'both', expected forward, reverse or bidirectional"),
    ("RNN", [floats(4, 3, 2), floats(1, 5, 2), floats(1, 5, 5)], {"hidden_size": 5, "activations": ["Sine"]},
     "the activation 'Sine' is none that ONNX knows"),
    ("RNN", [floats(4, 3, 2), floats(2, 5, 2), floats(2, 5, 5)], {"hidden_size": 5, "direction": "bidirectional", "activations": ["Tanh"]},
     "activations names 1 functions, but the node needs 2"),
    ("RNN", [floats(4, 3, 2), floats(1, 5, 2), floats(5, 5)], {"hidden_size": 5}, "has 2 dimensions, expected 3"),
    ("RNN", [floats(4, 3, 2), floats(1, 5, 2), floats(1, 5, 4)], {"hidden_size": 5},
     "the shapes of its weights do not fit its direction, its gates and the hidden size"),
    ("RNN", [floats(4, 3, 2), floats(1, 5, 2), floats(1, 5, 5), N, np.int32([4, 4])], {"hidden_size": 5},
     "its sequence_lens has not one number for each sequence of the batch"),
    ("LSTM", long_short(state=floats(1, 1, 5)), {"hidden_size": 5, "shapes": {0: [4, "N", 2], 5: [1, "M", 5]}}, OF_STATE),
    ("LSTM", long_short(state=floats(1, 9, 5)), {"hidden_size": 5, "shapes": {0: [4, "N", 2], 5: [1, "M", 5]}}, OF_STATE),
    ("LSTM", long_short(state=floats(1, 3, 4)), {"hidden_size": 5, "shapes": {5: [1, 3, "K"]}}, OF_STATE),
    ("LSTM", long_short(cell=floats(1, 3, 4)), {"hidden_size": 5, "shapes": {6: [1, 3, "K"]}}, OF_STATE),
    ("LSTM", long_short(cell=floats(1, 3, 4)), {"hidden_size": 5}, OF_STATE + ": 4 and 5"),
    ("LSTM", long_short(state=floats(3, 1, 5)), {"hidden_size": 5, "layout": 1}, OF_STATE + ": 3 and 4"),
    ("LSTM", long_short(2, state=floats(1, 3, 5)), {"hidden_size": 5, "direction": "bidirectional"}, OF_STATE + ": 1 and 2"),
    ("LSTM", long_short(2, state=floats(1, 3, 5)), {"hidden_size": 5, "direction": "bidirectional", "shapes": {5: ["D", 3, 5]}}, OF_STATE),
    ("LSTM", long_short(peepholes=floats(1, 10)), {"hidden_size": 5, "shapes": {7: [1, "K"]}}, "its peepholes do not fit its direction and the hidden size"),
    ("LSTM", long_short(bias=floats(1, 29)), {"hidden_size": 5}, OF_BIAS + ": 29 and 40"),
    ("LSTM", long_short(bias=floats(1, 29)), {"hidden_size": 5, "shapes": {3: [1, "K"]}}, OF_BIAS),
    ("GRU", [floats(4, 3, 2), floats(1, 15, 2), floats(1, 15, 5), N, N, floats(1, 2, 5)], {"hidden_size": 5, "shapes": {5: [1, "M", 5]}}, OF_STATE),
    ("GRU", [floats(4, 3, 2), floats(1, 15, 2), floats(1, 15, 5), floats(1, 15)], {"hidden_size": 5, "shapes": {3: [1, "K"]}}, OF_BIAS),
    ("RNN", [floats(4, 3, 2), floats(1, 5, 2), floats(1, 5, 5), N, N, floats(1, 2, 5)], {"hidden_size": 5, "shapes": {5: [1, "M", 5]}}, OF_STATE),
    ("RotaryEmbedding", [floats(1, 2, 4, 4), floats(4, 2), floats(4, 2), np.int64([[0, 1, 4, 2]])], {"opset": 23},
     "a position is outside of the caches of cosines and sines"),
    ("NegativeLogLikelihoodLoss", [floats(3, 5), np.int64([1, 5, 3])], {}, "a target is no class of its input"),
    ("DFT", [floats(2, 9, 1)], {"opset": 17, "axis": 2}, "its axis is the last one, which holds real and imaginary parts"),
    ("STFT", [floats(2, 9), np.int64(1)], {"opset": 17}, "has 2 dimensions, expected 3"),
    ("DFT", [floats(2, 9, 1), np.int64([9, 9])], {"opset": 17}, "its input 1 holds 2 numbers, expected 1"),
    ("HannWindow", [np.int64(5)], {"opset": 17, "output_datatype": 8}, "output_datatype is 8, which is no type of numbers"),
    ("NegativeLogLikelihoodLoss", [floats(3, 5), np.int64([[1], [2], [3]])], {}, "dimensions, expected one less than its input, which has 2"),
    ("NegativeLogLikelihoodLoss", [floats(3, 5), np.int64([1, 2, 3]), floats(4)], {}, "it has not one weight for each class: 4 and 5"),
    ("NegativeLogLikelihoodLoss", [floats(3, 5), np.int64([1, 2])], {}, "its targets have another shape than its input: 3 and 2"),
    ("NegativeLogLikelihoodLoss", [floats(3, 5), np.int64([1, 2, 3])], {"reduction": "max"}, "reduction is 'max', expected none, sum or mean"),
    ("DeformConv", [floats(1, 4, 6, 5), floats(2, 4, 3, 2), floats(1, 12, 4, 5)], {}, "its offsets or mask do not fit its windows"),
    ("DeformConv", [floats(1, 3, 6, 5), floats(2, 3, 3, 2), floats(1, 24, 4, 4)], {"offset_group": 2}, "its channels are no multiple of offset_group"),
    ("CausalConvWithState", [floats(1, 2, 6), floats(2, 1, 3)], {"opset": 27, "activation": "relu", "outputs": 3},
     "activation is 'relu', expected none, silu or swish"),
    ("CausalConvWithState", [floats(1, 2, 6), floats(2, 1, 3), N, floats(1, 2)], {"opset": 27, "outputs": 3}, "its past_state has 2 dimensions, expected 3"),
    ("CausalConvWithState", [floats(1, 4, 6), floats(4, 1, 3), floats(3)], {"opset": 27, "outputs": 3},
     "its bias has not one element for each output channel: 4 and 3"),
    ("CausalConvWithState", [floats(1, 4, 6), floats(4, 1, 3), floats(1)], {"opset": 27, "outputs": 3, "constants": {1}, "shapes": {2: ["c"]}},
     "its bias has not one element for each output channel"),
    ("CausalConvWithState", [floats(1, 4, 6), floats(4, 1, 3), floats(1, 4)], {"opset": 27, "outputs": 3}, "has 2 dimensions, expected 1"),
    ("QLinearConv", [integers(1, 4, 5), SCALE, np.int8(0), integers(4, 4, 3), SCALE, np.int8(0), SCALE, np.int8(0), integers(1, 4, kind=np.int32)],
     {"opset": 10}, "has 2 dimensions, expected 1"),
    ("DeformConv", [floats(*[1] * 9), floats(*[1] * 9), floats(1, 7, *[1] * 7)], {}, "its windows have 7 spatial axes, expected at most 6"),
    ("LinearAttention", [floats(1, 2, 8)] * 3, {"opset": 27, "q_num_heads": 2, "kv_num_heads": 2, "update_rule": "none", "outputs": 3},
     "update_rule is 'none', expected linear, gated, delta or gated_delta"),
    ("LinearAttention", [floats(1, 2, 8)] * 3, {"opset": 27, "q_num_heads": 2, "kv_num_heads": 2, "update_rule": "delta", "outputs": 3},
     "does not fit its inputs: decay belongs to gated rules, beta to delta rules"),
    ("LinearAttention", [floats(1, 2, 8)] * 3, {"opset": 27, "q_num_heads": 3, "kv_num_heads": 2, "update_rule": "linear", "outputs": 3},
     "q_num_heads is 3 and kv_num_heads 2: expected a multiple of it"),
    ("LinearAttention", [floats(1, 2, 8)] * 3 + [floats(1, 2)], {"opset": 27, "q_num_heads": 2, "kv_num_heads": 2, "update_rule": "linear", "outputs": 3},
     "its past_state has 2 dimensions, expected 4"),
    ("QLinearMatMul", [integers(3, 4), SCALE, np.int8(3), integers(4, 2), SCALE, np.int8(1), SCALE, np.zeros((), ml_dtypes.float8_e4m3fn)],
     {"opset": 21}, "its output is not of integers of 8 bits: no other type is supported"),
    ("QLinearMatMul", [np.ones((3, 4), ml_dtypes.float8_e4m3fn), SCALE, np.zeros((), ml_dtypes.float8_e4m3fn), integers(4, 2), SCALE, np.int8(1), SCALE, np.int8(0)],
     {"opset": 21}, "input 0 is not of integers of 8 bits: no other type is supported"),
    ("MatMulInteger", [floats(3, 4), integers(4, 2)], {}, "input 0 ('i0') is tensor(float), expected tensor(int8) or tensor(uint8)"),
    ("MatMulInteger", [integers(3, 4), integers(4, 2), np.uint8(3)], {}, "its inputs are of two element types, INT8 and UINT8, expected one"),
    ("Attention", [floats(1, 4, 8)] * 3, {"opset": 23}, "an input of 3 dimensions needs the count of its heads (q_num_heads and kv_num_heads"),
    ("Attention", [floats(1, 4, 8)] * 3, {"opset": 23, "q_num_heads": 3, "kv_num_heads": 3}, "the last extent of an input is no multiple of its"),
    ("Attention", [floats(1, 4, 8, 2), floats(1, 3, 8, 2), floats(1, 3, 8, 2)], {"opset": 23}, "the heads of its queries are no multiple of those of"),
    ("Attention", [floats(1, 4, 8, 2), floats(2, 4, 8, 2), floats(2, 4, 8, 2)], {"opset": 23}, "its queries and keys are of two batches"),
    ("Attention", [floats(1, 4, 8, 2), floats(1, 4, 8, 3), floats(1, 4, 8, 3)], {"opset": 23}, "its queries and keys are of two sizes"),
    ("Attention", [floats(1, 4, 8, 2), floats(1, 4, 8, 2), floats(1, 4, 7, 2)], {"opset": 23}, "its keys and values have two shapes"),
    ("Attention", [floats(1, 4, 8, 2)] * 3 + [N, floats(1, 3, 2, 2), floats(1, 4, 2, 2)], {"opset": 23, "outputs": 7},
     "the keys or values of the past have another shape than those that follow"),
    ("Attention", [floats(1, 4, 8, 2)] * 3, {"opset": 23, "qk_matmul_output_mode": 4}, "qk_matmul_output_mode is 4, expected 0 to 3"),
    ("Attention", [floats(1, 4, 8, 2)] * 3 + [np.float32(0)], {"opset": 23}, "its mask has 0 dimensions, expected 1 to 4"),
    ("RotaryEmbedding", [floats(1, 4, 8), floats(1, 4, 2), floats(1, 4, 2)], {"opset": 23}, "an input of 3 dimensions needs num_heads"),
    ("RotaryEmbedding", [floats(1, 4, 8), floats(1, 4, 2), floats(1, 4, 2)], {"opset": 23, "num_heads": 3}, "no multiple of num_heads"),
    ("RotaryEmbedding", [floats(1, 2, 4, 8), floats(1, 4, 3), floats(1, 4, 4)], {"opset": 23}, "the caches of cosines and sines do not fit its input"),
    ("RotaryEmbedding", [floats(1, 2, 4, 4), floats(1, 4, 4), floats(1, 4, 4)], {"opset": 23, "rotary_embedding_dim": 8}, "it rotates more than a head has"),
    ("RotaryEmbedding", [floats(1, 2, 4, 4), floats(4, 2), floats(4, 2), np.int64([0])], {"opset": 23}, "its position_ids have 1 dimensions, expected 2"),
]


def refusal(model, inputs):
    done, _ = run(model, feeds(model, inputs))
    assert done.returncode
    return done.stderr


def test_open_kernel():
    inputs = [floats(1, 4, 5, 5), floats(3, 4, 3, 3)]
    found = refusal(one_node("Conv", inputs, shapes={1: [3, 4, "k", 3]}), inputs)
    assert "the spatial extents of its weights are known at run time only: fix them in the model" in found
    inputs = [floats(1, 2, 6), floats(2, 1, 3)]
    found = refusal(one_node("CausalConvWithState", inputs, shapes={1: ["c", 1, 3]}, opset=27, outputs=3), inputs)
    assert "its channels are known at run time only: fix them in the model" in found


@pytest.mark.parametrize("operator, inputs, options, message", REFUSED, ids=[f"{r[0]}-{r[3][:30]}" for r in REFUSED])
def test_refused(operator, inputs, options, message):
    found = refusal(one_node(operator, inputs, **options), inputs)
    assert message in found and "node 'n'" in found
