# Part of Tenon, under the Apache License v2.0.
"""What hinders the importer to form an integer cluster, or to import at all: the smallest graph that leads to it, and what it says.

Each graph has the input `x`, INT8 of 1x4x3x3, dequantised to `dx`; what a case says replaces a part of it.
"""
import subprocess

import numpy as np
import onnx
from onnx import TensorProto as T, helper, numpy_helper
import pytest

from common import tenon_opt

CONSTANTS = {
    "s": np.float32(0.5), "z": np.int8(0), "u": np.uint8(0), "two_scales": np.float32([0.5, 0.25]), "none": np.float32([]),
    "tiny_scale": np.float32(1e-30), "w": np.arange(8, dtype=np.int8).reshape(2, 4, 1, 1),
    "w3": np.arange(24, dtype=np.int8).reshape(2, 3, 2, 2), "wide": np.arange(8, dtype=np.int16).reshape(2, 4, 1, 1),
    "four_scales": np.float32([0.5, 0.25, 1, 2]), "zeros4": np.int8([0, 0, 0, 0]), "zeros2": np.int8([0, 1]), "flat": np.arange(8, dtype=np.int8).reshape(2, 4),
    "column": np.float32([1, 2, 3]).reshape(1, 1, 1, 3), "five": np.float32([1, 2, 3, 4, 5]), "one": np.float32(1), "rows": np.float32([1, 2, 3]).reshape(3, 1),
    "huge": np.float32(1e30), "nothing": np.float32(0),
    "nan": np.float32(np.nan), "list": np.int64([1, 2]), "square": np.int64([[1, 36]]), "bad_shape": np.int64([5, 7]),
    "floats": np.float32([1, 2]), "minus": np.int64([-1]), "at": np.int64([0]), "end": np.int64([1]),
    "twice": np.float32([1, 1, 2, 2]), "more": np.float32([1, 1, 1.5, 2]), "tall": np.float32([1, 1, 1026, 1]), "w4": np.arange(32, dtype=np.int8).reshape(4, 2, 2, 2),
    "words": np.int32([3, 4]), "huge_bias": np.float32([1e30, 1]), "long": np.int64([2**31, 2**31]),
}
DEQUANTIZE = ("DequantizeLinear", "x s z", "dx")
WEIGHTS = ("DequantizeLinear", "w s z", "dw")
CONV = ("Conv", "dx dw", "c")
QUANTIZE = ("QuantizeLinear", "r s z", "y")


def tensor_info(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def node(operator, inputs, output, attributes=None):
    return helper.make_node(operator, ["" if i == "-" else i for i in inputs.split()], output.split(), **attributes or {},
                            name="n_" + output.split()[0] if output else "n")


def model(*nodes, opset=13, x=(T.INT8, [1, 4, 3, 3]), y=(T.INT8, None), start=(DEQUANTIZE,), change=None):
    nodes = [node(*each) for each in (*start, *nodes)]
    used = {name for each in nodes for name in each.input}
    graph = helper.make_graph(nodes, "g", [tensor_info("x", *x)], [tensor_info("y", *y)],
                              [numpy_helper.from_array(np.asarray(CONSTANTS[n]), n) for n in sorted(used & set(CONSTANTS))])
    built = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    if change:
        change(built.graph)
    return built


def through(*nodes, **options):
    """The last node's result `r`, quantised."""
    return model(*nodes, QUANTIZE, **options)


def conv(**attributes):
    return through(WEIGHTS, ("Conv", "dx dw", "r", attributes))


def transposed(**attributes):
    return through(("DequantizeLinear", "w4 s z", "dw"), ("ConvTranspose", "dx dw", "r", attributes))


def pool(operator="MaxPool", **attributes):
    return through((operator, "dx", "r", {"kernel_shape": [2, 2], **attributes}))


def add_sparse(graph):
    values = numpy_helper.from_array(np.float32([1]), "sparse")
    graph.sparse_initializer.append(helper.make_sparse_tensor(values, numpy_helper.from_array(np.int64([0])), [4]))


def constant_node(**fields):
    """A Constant whose tensor has these fields."""
    value = onnx.TensorProto(**{"data_type": T.FLOAT, "dims": [1], "float_data": [1], **fields})
    return model(("Constant", "", "k", {"value": value}), ("Mul", "dx k", "r"), QUANTIZE)


def add_again(graph):
    graph.initializer.append(graph.initializer[0])


IDENTITY = ("Identity", "x", "y")
CASES = [
    # The file.
    (model(("Add", "dx sparse", "r"), QUANTIZE, change=add_sparse),
     "the sparse initializer 'sparse' is not supported: store its elements, zeros included"),
    (through(("Relu", "dx", "r"), change=add_again), "initializer 's' is defined twice"),
    (model(IDENTITY, change=lambda g: g.input.append(g.input[0])), "input 'x' is defined twice"),
    (model(IDENTITY, change=lambda g: g.input[0].type.CopyFrom(helper.make_sequence_type_proto(g.input[0].type))),
     "'x' is not a tensor, but every input and output must be"),
    (model(IDENTITY, change=lambda g: g.ClearField("output")), "not a complete ONNX model: its graph has no output"),
    (model(("Relu", "dx", "dx"), IDENTITY), "defines 'dx' a second time"),
    (model(("Relu", "dx", "r")), "output 'y' is computed by no node"),
    (through(("MaxPool", "dx", "r index", {"kernel_shape": [2, 2]})),
     "its output 'index' beyond the first is not supported"),
    (model(("Relu", "dx", ""), IDENTITY), "it has 0 outputs, expected 1"),
    # The border.
    (model(IDENTITY, x=(T.INT8, None)),
     "input 'x' has no shape: give it one (--shape), or store one in the model, with names for what is open"),
    (model(IDENTITY, x=(T.INT8, [1, 2**40, 4, 4])), "input 'x' of 1x1099511627776x4x4 is too large"),
    (model(("Identity", "x", "y"), start=(), x=(T.STRING, [1, 4, 3, 3]), y=(T.STRING, None)),
     "input 'x' has the element type STRING, which no program takes"),
    (model(IDENTITY, y=(T.UINT8, None)), "output 'y' is declared UINT8, but its value is INT8"),
    # Constants.
    (constant_node(segment=onnx.TensorProto.Segment(begin=0, end=1)), "tensor '': segmented tensors are not supported"),
    (constant_node(dims=[-1]), "tensor '': dimensions -1 are negative or too large"),
    (through(("Mul", "dx k", "r"), start=(DEQUANTIZE, ("Constant", "", "k"))), "the operator is not supported: it needs a lowering"),
    # Operands.
    (model(("QLinearConv", "dx s z w s z s z", "y")), "is a dequantised tensor, expected a quantised activation"),
    (model(("GlobalAveragePool", "x", "y")), "input 0 ('x') is an INT8 tensor, expected a float activation"),
    (model(("GlobalAveragePool", "x", "y")),
     "input 0 ('x') is tensor(int8), expected tensor(double) or tensor(float) or tensor(float16)"),
    (through(("DequantizeLinear", "x none z", "r")), "the scale 'none' has no value"),
    (model(("Identity", "x", "i"), ("Reshape", "dx i", "r"), QUANTIZE),
     "is an INT8 tensor, expected a constant (initializer or Constant node)"),
    (through(("Mul", "dx list", "r")), "why the node is in no integer cluster either: input 1 ('list') is INT64, expected FLOAT"),
    (through(("Mul", "dx none", "r")), "its inputs' extents 3 and 0 cannot be broadcast to one"),
    (model(("QuantizeLinear", "dx two_scales z", "y")),
     "has 2 values; an activation has one scale (scales for channels are supported for weights only)"),
    (through(("Clip", "dx - five_tenths", "t"), ("GlobalAveragePool", "t", "r"),
             change=lambda g: g.initializer.append(numpy_helper.from_array(np.float32(0.3), "five_tenths"))),
     "is clamped to a bound that its quantised type does not have: put QuantizeLinear and DequantizeLinear after the Clip"),
    (through(("DequantizeLinear", "w two_scales zeros2", "many", {"axis": 0}), ("Concat", "dx many", "r", {"axis": 1})),
     "is a constant of INT8 with 2 scales, expected 8 bits and one scale"),
    (through(("Pad", "dx long4", "r"), opset=11, change=lambda g: g.initializer.append(
        numpy_helper.from_array(np.int64([0, 0, 2**20, 2**20, 0, 0, 2**20, 2**20]), "long4"))), "is too large"),
    (through(("Pad", "dx long4", "r"), opset=11, change=lambda g: g.initializer.append(
        numpy_helper.from_array(np.int64([0, 0, 2**31, 2**31, 0, 0, 0, 0]), "long4"))), "a pad of axis 2 is larger than 1048576"),
    # Attributes and windows.
    (conv(group=1.5), "attribute 'group' is of type FLOAT, expected INT"),
    (conv(strides=[1, 1, 1]), "attribute 'strides' has 3 values, expected 2, one for each axis"),
    (conv(pads=[1, 1]), "attribute 'pads' has 2 values, expected 4, a begin and an end for each axis"),
    (conv(strides=[0, 1]), "attribute 'strides' has the value 0, expected 1 to 1048576"),
    (conv(kernel_shape=[3, 3]), "kernel_shape is 3x3, but the weights have 1x1"),
    (conv(auto_pad="SAME"), "auto_pad is 'SAME', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER"),
    (pool(dilations=[2, 1]), "dilations 2x1 are not supported: TOSA's pooling has none"),
    (pool(pads=[2, 0, 0, 0]), "a pad of 2 makes windows of 2 that cover padding only"),
    (through(("AveragePool", "dx", "r", {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1,
                                         "count_include_pad": 1})),
     "ceil_mode with count_include_pad is not supported where the last windows reach beyond the padding"),
    (through(("Reshape", "dx flat_shape", "t"), ("MaxPool", "t", "r", {"kernel_shape": [2, 2]}),
             change=lambda g: g.initializer.append(numpy_helper.from_array(np.int64([1, 36]), "flat_shape"))),
     "the input is of 1x36, expected four dimensions (two-dimensional pooling) or three (one-dimensional)"),
    (through(("Flatten", "dx", "t"), ("GlobalAveragePool", "t", "r")), "the input is of 1x36, expected four dimensions, or three"),
    # Convolution and matrix product.
    (through(("Flatten", "dx", "t"), WEIGHTS, ("Conv", "t dw", "r")),
     "and the weights of 2x4x1x1, expected four dimensions each (two-dimensional convolution) or three (one-dimensional): no form "
     "sums over the depth of a third"),
    (through(("DequantizeLinear", "w3 s z", "dw"), ("Conv", "dx dw", "r")),
     "weights of 2x3x2x2 and group 1 do not fit an input of 1x4x3x3"),
    (through(("Conv", "dx dx", "r")), "the weights 'dx' are computed: a product of two activations is not supported"),
    (through(("MaxPool", "dx", "t", {"kernel_shape": [3, 3]}), ("MatMul", "dx t", "r")),
     "a product of activations of 1x4x3x3 and 1x4x1x1: supported are matrices with the same leading dimensions, or one right matrix for "
     "all"),
    (through(("Flatten", "dx", "t"), ("Gemm", "t t floats", "r", {"transB": 1})),
     "a product of two activations with a bias is not supported"),
    (through(("Conv", "dx column", "r")), "the weights 'column' are not a dequantised constant: quantise the model first"),
    (through(("DequantizeLinear", "wide s", "dw"), ("Conv", "dx dw", "r")),
     "the weights 'dw' are INT16, expected INT8 or UINT8"),
    (through(("DequantizeLinear", "w four_scales zeros4", "dw", {"axis": 1}), ("Conv", "dx dw", "r")),
     "the weights 'dw' have scales along axis 1, expected the output channels (axis 0)"),
    (model(("QLinearConv", "x s z w four_scales zeros4 s z", "y")),
     "have 4 scales, expected one, or one for each output channel (axis 0)"),
    (through(WEIGHTS, ("Conv", "dx dw five", "r")), "the bias 'five' has 5 values for 2 output channels"),
    (through(WEIGHTS, ("Conv", "dx dw huge_bias", "r")), "steps of the accumulator, which has 32 bits"),
    (model(("QLinearConv", "x s z w s z s z floats", "y")), "input 8 ('floats') is tensor(float), expected tensor(int32)"),
    (model(("QLinearConv", "x s z w s z s z floats", "y")), "the bias 'floats' is FLOAT, expected INT32"),
    (through(("Mul", "dx list", "r")), "its inputs are of two element types, FLOAT and INT64, expected one"),
    (through(("Gemm", "dx dx", "r")), "its inputs have 4 and 4 dimensions, expected two matrices"),
    (model(("QLinearConv", "x s u w s z s z", "y")), "the input's zero point has another type than the input"),
    (model(("QLinearConv", "x s z w two_scales zeros2 s z", "y")), "have zero points that differ between channels"),
    (model(("QLinearConv", "x s z w s u s z", "y")), "the zero point 'u' has 1 values of UINT8, expected INT8"),
    (through(("Flatten", "dx", "t"), ("DequantizeLinear", "flat s z", "dw"), ("Gemm", "t dw", "r")),
     "a matrix of 2x4 does not fit an input of 1x36"),
    (through(("Flatten", "dx", "t"), ("DequantizeLinear", "flat s z", "dw"), ("Gemm", "t dw", "r", {"transA": 1})),
     ": supported are transA 0, a positive alpha and beta 1"),
    (through(("Reshape", "dx halves", "t"), ("DequantizeLinear", "w18 s z", "dw"), ("Gemm", "t dw pair", "r"),
             change=lambda g: g.initializer.extend(numpy_helper.from_array(value, name) for name, value in [
                 ("halves", np.int64([2, 18])), ("w18", np.ones((18, 2), np.int8)), ("pair", np.float32([[1], [2]]))])),
     "the bias 'pair' is of 2x1: a layer adds one value, or one an output channel"),
    # Elementwise.
    (through(WEIGHTS, CONV, ("Add", "c column", "r")),
     "a constant of 1x1x1x3 can be added only to the result of a convolution or matrix product, one value an output channel"),
    (through(("MaxPool", "dx", "t", {"kernel_shape": [2, 2]}), ("Add", "dx t", "r")),
     "its inputs' extents 3 and 2 cannot be broadcast to one"),
    (through(("Add", "dx rows", "r")),
     "a constant of 3x1 for a tensor of 1x4x3x3: a layer takes one value, or one a channel (the last axis, or an image's second)"),
    (through(("Mul", "dx signs", "t"), ("Add", "t one", "r"), change=lambda g: g.initializer.append(
        numpy_helper.from_array(np.float32([1, -1, 2, 3]).reshape(4, 1, 1), "signs"))),
     "its input was multiplied by factors that are not all positive or all negative: put QuantizeLinear and DequantizeLinear between the "
     "two operators"),
    (through(("Sub", "dx huge", "r")), "steps of what it is added to, which has 32 bits"),
    (through(WEIGHTS, CONV, ("Mul", "c column", "r")),
     "a factor of 1x1x1x3 can scale the result of a convolution or matrix product only by positive numbers, one or one an output channel"),
    (model(("Flatten", "x", "t"), ("MatMulInteger", "t m", "i"), ("Mul", "i s", "r"), QUANTIZE,
           change=lambda g: g.initializer.append(numpy_helper.from_array(np.ones((36, 2), np.int8), "m"))),
     "a factor scales integers only where they have been dequantised or are a layer's sums"),
    (through(("Div", "dx nothing", "r")), "the factor 'nothing' is not finite"),
    (through(("Div", "dx dx", "r")), "its divisor is computed: a quantised tensor is divided by constants only"),
    (through(("HardSigmoid", "dx", "r"), x=(T.INT8, [])), "its input is a scalar, expected a tensor with channels"),
    (through(("HardSigmoid", "dx", "r", {"alpha": -1.0})), "alpha is -1.000000e+00, expected a positive number"),
    (through(("ReduceMean", "dx", "r", {"axes": [1]})),
     "it reduces 1 axes of 1x4x3x3: a layer reduces two axes of four, or one of three"),
    (model(("Cast", "dx", "y", {"to": T.INT32}), y=(T.INT32, None)), "a cast to INT32 is not supported, only to FLOAT"),
    (model(("Flatten", "x", "t"), ("MatMulInteger", "t m", "i"), ("Clip", "i", "r"), QUANTIZE,
           change=lambda g: g.initializer.append(numpy_helper.from_array(np.ones((36, 2), np.int8), "m"))),
     "input 0 ('i') is an INT32 tensor"),
    (model(("Flatten", "x", "t"), ("MatMulInteger", "t m", "r"), QUANTIZE,
           change=lambda g: g.initializer.append(numpy_helper.from_array(np.ones((36, 2), np.int8), "m"))),
     "input 0 ('r') is an INT32 tensor: cast and scale it first"),
    (through(("Clip", "dx nan", "r")), "a bound is not a number"),
    (through(("Clip", "dx two_scales", "r")), "the bound 'two_scales' has 2 values, expected one"),
    (model(("MaxPool", "x", "t", {"kernel_shape": [1, 1]}), ("Max", "x t", "y")),
     "its inputs 0 and 1 are both computed: only bounds that are constants clamp a quantised tensor"),
    (model(("Max", "z z", "y")), "all its inputs are constants"),
    (model(("Min", "x thick", "y"), change=lambda g: g.initializer.append(numpy_helper.from_array(np.ones((1,) * 5, np.int8), "thick"))),
     "a bound with 5 dimensions gives the tensor more of them"),
    (model(("Max", "x u", "y")), "its inputs are of two element types, INT8 and UINT8, expected one"),
    # Movement and selection.
    (through(("Reshape", "dx bad_shape", "r")), "an input of 1x4x3x3 cannot become 5x7"),
    (through(("Reshape", "dx square", "r")), "the shape 'square' is INT64 of 1x2, expected a list of INT64"),
    (through(WEIGHTS, CONV, ("Flatten", "c", "r")),
     "is the float result of an operator: put QuantizeLinear and DequantizeLinear before this one"),
    (through(("Flatten", "dx", "r", {"axis": 5})), "axis 5 is outside of a tensor of 1x4x3x3"),
    (through(("Concat", "dx dx", "r", {"axis": 4})), "axis 4 is outside of a tensor with 4 dimensions"),
    (through(("Squeeze", "dx end", "r")), "axis 1 of 1x4x3x3 has more than one element"),
    (through(("Squeeze", "dx floats", "r")), "the axes 'floats' are FLOAT, expected INT64"),
    (through(("Transpose", "dx", "r", {"perm": [0, 1, 1, 2]})), "perm is not a permutation of 4 axes"),
    (through(("MaxPool", "dx", "t", {"kernel_shape": [2, 2]}), ("Concat", "dx t", "r", {"axis": 1})),
     "its inputs of 1x4x3x3 and 1x4x2x2 differ in more than axis 1"),
    (through(("Concat", "", "r", {"axis": 1})), "it has 0 inputs, expected 1 or more"),
    (through(("Slice", "dx square end", "r")), "input 1 ('square') is INT64 of 1x2, expected a list of INT64"),
    (through(("Slice", "dx at end end at", "r")), "the step of axis 1 is 0, expected another number"),
    (through(("Pad", "dx list", "r", {"mode": "edge"})),
     "mode 'edge' is not supported, only 'constant'"),
    # Upsampling.
    (through(("DepthToSpace", "dx", "r", {"blocksize": 3})), "4 channels are no blocks of 3x3"),
    (through(("DepthToSpace", "dx", "r", {"blocksize": 0})), "blocksize is 0, expected 1 to 32768"),
    (through(("DepthToSpace", "dx", "r", {"blocksize": 2, "mode": "RCD"})), "mode is 'RCD', expected DCR or CRD"),
    (through(("Flatten", "dx", "t"), ("DepthToSpace", "t", "r", {"blocksize": 2})), "its input of 1x36 is no image of 8-bit integers"),
    (through(("Resize", "dx - twice", "r", {"mode": "cubic"})),
     "mode 'cubic' has taps that are negative, or beyond neighbours; integers are resized to nearest and linear ones only"),
    (through(("Resize", "dx - twice", "r", {"mode": "linear", "coordinate_transformation_mode": "tf_half_pixel_for_nn"})),
     "with 'tf_half_pixel_for_nn' its pixels do not lie at whole parts of those of its input"),
    (through(("Resize", "dx - tall", "r", {"mode": "linear"})), "it divides a pixel into 2052 parts, expected at most 2048"),
    (through(("Resize", "dx - twice", "r", {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "ceil"})),
     "with 'asymmetric' and 'ceil' it does not repeat each pixel as often"),
    (through(("Resize", "dx - more", "r")), "its factors are no whole numbers known in advance, of rows and columns alone"),
    (through(WEIGHTS, ("ConvTranspose", "dx dw", "r")), "the input is of 1x4x3x3, the weights of 2x4x1x1 in 1 groups"),
    (transposed(strides=[0, 1]), "strides, dilations or kernel_shape do not fit weights with windows of 2x2"),
    (transposed(pads=[1, 1]), "pads, output_padding or output_shape do not have the 2 spatial axes of its input"),
    (transposed(strides=[9, 9], pads=[8] * 4), "its result has 4 elements along axis 2 and 8 cut off before them, expected one a phase, 9 to 1048576"),
    # Quantisation.
    (model(("QuantizeLinear", "dx s z", "y", {"block_size": 2}), opset=21),
     "block_size is 2: the accelerator has one scale for a tensor or for each output channel, none for groups of inputs"),
    (model(("DequantizeLinear", "x half z", "y"), start=(), opset=19, y=(T.FLOAT16, None),
           change=lambda g: g.initializer.append(numpy_helper.from_array(np.float16(0.5), "half"))),
     "the scale 'half' is FLOAT16, expected FLOAT"),
    (through(("DequantizeLinear", "x s z", "r", {"output_dtype": T.FLOAT16}), opset=23),
     "output_dtype is FLOAT16, expected FLOAT"),
    (model(("QuantizeLinear", "dx s", "y", {"output_dtype": T.INT16}), opset=21, y=(T.INT16, None)),
     "output_dtype is INT16, expected INT8 or UINT8"),
    (model(("QuantizeLinear", "dx s z", "y", {"output_dtype": T.UINT8}), opset=21),
     "output_dtype is UINT8, but the zero point has another type"),
    (through(("DequantizeLinear", "one s", "f"), ("Add", "dx f", "r")),
     "input 0 ('one') is FLOAT, expected an integer type"),
    (model(("QuantizeLinear", "dx tiny_scale z", "y")), "the ratio of input to output scale is"),
    (model(("Add", "dx dx", "r"), ("QuantizeLinear", "r tiny_scale z", "y")),
     "expected positive numbers between 2^-41 and 2^19"),
    (model(("AveragePool", "dx", "r", {"kernel_shape": [2, 2], "pads": [1, 1, 0, 0]}), ("QuantizeLinear", "r one z", "y")),
     "and that does not count the padding has no integer form yet: give input and output the same scale"),
    (through(("GlobalAveragePool", "dx", "r"), x=(T.INT8, [1, 1, 4096, 4096])),
     "the sum of a window of 4096x4096 is up to 16777216 times 128, which does not fit 32 bits"),
]


@pytest.mark.parametrize("built, expected", CASES, ids=lambda value: value[:60] if isinstance(value, str) else "")
def test_refusal(tmp_path, built, expected):
    path = tmp_path / "model.onnx"
    path.write_bytes(built.SerializeToString())
    done = subprocess.run([tenon_opt(), str(path)], capture_output=True, text=True, timeout=60, check=False)
    # What hinders a cluster is an error where nothing else lowers the node, else @main's attribute tenon.reasons.
    reasons = done.stdout.replace("\\22", '"').replace("\\0A", "\n")
    assert done.stderr.count("error:") == done.returncode, done.stderr
    assert expected in (done.stderr if done.returncode else reasons), done.stderr + reasons
