# Part of Tenon, under the Apache License v2.0.
"""The layers of a quantised network one by one: each between quantised tensors, all in one model, and what they are in exact arithmetic."""
import lzma

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun
import onnxruntime

from conftest import MODELS

# The name of what a layer makes; the tensor's own name is of an input, which the layers behind read.
MADE = "made: "


def quantised_networks():
    """Folders of MODELS that hold a network in 8 bits, stored packed or not."""
    return sorted({str(path.parent.relative_to(MODELS)) for path in MODELS.glob("*/q*/model.onnx*")})


def load_network(network):
    path = MODELS / network / "model.onnx"
    if path.is_file():
        return onnx.load(path)
    with lzma.open(f"{path}.xz") as f:
        return onnx.load_model_from_string(f.read())


def quantised(graph):
    """Quantised tensors in graph order."""
    return [node.output[0] for node in graph.node if node.op_type == "QuantizeLinear" or node.op_type.startswith("QLinear")]


def with_unsigned_weights(model):
    """The same network with convolutions and products of unsigned bytes alone: a processor without VNNI adds two products of a
    signed and an unsigned byte in 16 bits, and onnxruntime lets it saturate them."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    constants = {value.name: value for value in result.graph.initializer}

    def kind(node, position):
        value = constants.get(node.input[position])
        return None if value is None else value.data_type

    for node in result.graph.node:
        if node.op_type not in ("QLinearConv", "QLinearMatMul") or kind(node, 2) != TensorProto.UINT8:
            continue
        for position in (3, 5):  # the weights, their zero points
            if kind(node, position) != TensorProto.INT8:
                break
            value = constants[node.input[position]]
            array = numpy_helper.to_array(value)
            name = f"{value.name}, unsigned"
            if name not in constants:
                constants[name] = numpy_helper.from_array((array.astype(np.int16) + 128).astype(np.uint8), name)
                result.graph.initializer.append(constants[name])
            node.input[position] = name
    return result


def onnxruntime_tensors(model, feeds):
    """Outputs and quantised tensors by name, with optimisations off."""
    extended = with_unsigned_weights(model)
    outputs = {output.name for output in extended.graph.output}
    extended.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in quantised(model.graph) if name not in outputs)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(extended.SerializeToString(), options)
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, feeds)))


def cut(model):
    """The model with each quantised tensor as an input for who reads it, and as an output of who makes it."""
    result = onnx.shape_inference.infer_shapes(model)
    graph = result.graph
    types = {value.name: value for value in [*graph.value_info, *graph.output]}
    names = set(quantised(graph))
    for node in graph.node:
        node.output[:] = [MADE + name if name in names else name for name in node.output]
    floats = [output for output in graph.output if output.name not in names]
    del graph.output[:]
    for name in quantised(model.graph):
        graph.input.append(types[name])
        graph.output.add().CopyFrom(types[name])
        graph.output[-1].name = MADE + name
    graph.output.extend(floats)
    del graph.value_info[:]
    return result


def macs(model):
    """Multiplications of convolutions and matrix products, from their shapes."""
    graph = onnx.shape_inference.infer_shapes(model).graph
    shapes = {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
              for value in [*graph.value_info, *graph.input, *graph.output]}
    shapes.update((tensor.name, list(tensor.dims)) for tensor in graph.initializer)
    total = 0
    for node in graph.node:
        if node.op_type in ("Conv", "QLinearConv"):
            weights = shapes[node.input[3 if node.op_type == "QLinearConv" else 1]]
            total += np.prod(weights) * np.prod(shapes[node.output[0]][2:])
        elif node.op_type in ("Gemm", "MatMul", "MatMulInteger", "QLinearMatMul"):
            assert not any(attribute.name == "transA" and attribute.i for attribute in node.attribute)
            total += np.prod(shapes[node.output[0]]) * shapes[node.input[0]][-1]
    return int(total)


# Exact arithmetic: onnx's reference implementation in float64, with QuantizeLinear and its like not rounded. What it lacks, or takes
# minutes for, is here.

def along(values, axis, rank):
    """One value, or one an index of `axis`, to be broadcast."""
    return values.reshape([-1 if i == axis % rank else 1 for i in range(rank)]) if np.size(values) > 1 else np.reshape(values, ())


def reals(integers, scale, zero_point, axis):
    rank = integers.ndim
    return (integers.astype(np.float64) - along(zero_point, axis, rank)) * along(scale, axis, rank).astype(np.float64)


def taps(image, window, strides, dilations, pads, outside):
    """For each element of the window, what it reads at every position."""
    image = np.pad(image, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=outside)
    counts = [(image.shape[2 + i] - dilations[i] * (window[i] - 1) - 1) // strides[i] + 1 for i in range(2)]
    for y, x in np.ndindex(*window):
        rows, columns = (slice(at * dilations[i], at * dilations[i] + (counts[i] - 1) * strides[i] + 1, strides[i])
                         for i, at in enumerate((y, x)))
        yield y, x, image[:, :, rows, columns]


def convolution(image, weights, group, window):
    outputs, depth = weights.shape[:2]
    total = 0
    for y, x, part in taps(image, weights.shape[2:], *window, 0):
        columns = part.reshape(part.shape[0], group, depth, -1)
        total = total + weights[:, :, y, x].reshape(group, outputs // group, depth) @ columns
    return total.reshape(image.shape[0], outputs, *part.shape[2:])


def window_of(auto_pad, strides, dilations, pads):
    assert auto_pad in (None, "NOTSET"), auto_pad
    return strides or [1, 1], dilations or [1, 1], pads or [0] * 4


class Exact(OpRun):
    op_domain = ""


class DequantizeLinear(Exact):
    def _run(self, x, scale, zero_point=0, axis=1, **_):
        return (reals(x, scale, zero_point, axis),)


class QuantizeLinear(Exact):
    def _run(self, x, scale, zero_point=0, axis=1, **_):
        return (x / along(scale, axis, x.ndim).astype(np.float64) + along(zero_point, axis, x.ndim),)


class Conv(Exact):
    def _run(self, x, w, b=0, auto_pad=None, dilations=None, group=None, kernel_shape=None, pads=None, strides=None):
        return (convolution(x, w, group or 1, window_of(auto_pad, strides, dilations, pads)) + along(b, 1, 4),)


class QLinearConv(Exact):
    def _run(self, x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, b=0,
             auto_pad=None, dilations=None, group=None, kernel_shape=None, pads=None, strides=None):
        sums = convolution(reals(x, 1, x_zero, 0), reals(w, 1, w_zero, 0), group or 1, window_of(auto_pad, strides, dilations, pads))
        return ((sums + along(b, 1, 4)) * along(w_scale, 1, 4).astype(np.float64) * float(x_scale) / float(y_scale) + int(y_zero),)


class QLinearMatMul(Exact):
    def _run(self, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
        return (reals(a, a_scale, a_zero, -1) @ reals(b, b_scale, b_zero, -1) / float(y_scale) + int(y_zero),)


class MatMulInteger(Exact):
    def _run(self, a, b, a_zero=0, b_zero=0):
        return (((a.astype(np.int64) - a_zero) @ (b.astype(np.int64) - b_zero)).astype(np.int32),)


class MaxPool(Exact):
    def _run(self, x, auto_pad=None, ceil_mode=None, dilations=None, kernel_shape=None, pads=None, storage_order=None, strides=None):
        assert not ceil_mode
        least = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
        return (np.max([part for _, _, part in taps(x, kernel_shape, *window_of(auto_pad, strides, dilations, pads), least)], axis=0),)


class Cast(Exact):
    def _run(self, x, to=None, **_):
        return (x.astype(np.float64 if to == TensorProto.FLOAT else helper.tensor_dtype_to_np_dtype(to)),)


def widened(array):
    return array.astype(np.float64) if array.dtype == np.float32 else array


def in_float64(model):
    result = onnx.ModelProto()
    result.CopyFrom(model)
    values = [attribute.t for node in result.graph.node for attribute in node.attribute if attribute.type == onnx.AttributeProto.TENSOR]
    for tensor in [*result.graph.initializer, *values]:
        tensor.CopyFrom(numpy_helper.from_array(widened(numpy_helper.to_array(tensor)), tensor.name))
    return result


def exact_values(layers, feeds):
    """Outputs of a cut model by name, in float64; quantised ones are not rounded, nor kept within their type."""
    evaluator = ReferenceEvaluator(in_float64(layers), new_ops=Exact.__subclasses__())
    values = evaluator.run(None, {name: widened(value) for name, value in feeds.items()})
    return dict(zip([output.name for output in layers.graph.output], values))
