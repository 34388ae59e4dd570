# Part of Tenon, under the Apache License v2.0.
"""What one node gives: by the reference interpreter of the onnx package, corrected, and how far its arithmetic may be off."""
import dataclasses
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator

import rounding
import standard
from values import Unmet, Value, check, is_float, unit

# Sets of operands, each moved within its bound, that must not move what jumps.
SHAKES = 12
# Operators whose results are lists of tensors.
SEQUENCES = {"SplitToSequence", "SequenceConstruct", "SequenceInsert", "SequenceErase"}


def has_shape(shape, of):
    """Whether a shape is what the inferred type says of it."""
    if not of.HasField("shape"):
        return True
    return len(shape) == len(of.shape.dim) and all(d.dim_value == n for d, n in zip(of.shape.dim, shape) if d.HasField("dim_value"))


def typed(result, output):
    """In the type that the standard gives the output; the interpreter computes some floats in another width."""
    if result is None:
        raise Unmet("the interpreter gives nothing")
    if not has_shape(np.shape(result), output.type.tensor_type):
        raise Unmet("the interpreter gives another shape than ONNX's inference")
    # Of some functions nothing is inferred.
    kind = output.type.tensor_type.elem_type
    return np.asarray(result).astype(helper.tensor_dtype_to_np_dtype(kind) if kind else np.asarray(result).dtype, copy=False)


def model_of(nodes, feeds, names, opset):
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for name, a in feeds.items()]
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name=name) for name in names])
    domains = {"": opset, **({node.domain: 1 for node in nodes if node.domain})}
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*one) for one in domains.items()], ir_version=10)


def session(model):
    """onnxruntime's of a model, its graph as it is."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def evaluate(nodes, names, sets, opset):
    """What nodes give of these names, for each set of operands by name."""
    model = model_of(nodes, sets[0], names, opset)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if any(node.domain for node in nodes):  # onnxruntime's own
                run = session(model).run
                return [run(names, {name: np.asarray(a) for name, a in feeds.items()}) for feeds in sets]
            inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph.output
            run = ReferenceEvaluator(model, new_ops=standard.corrections(opset)).run
            return [[typed(result, output) for result, output in zip(run(None, feeds), inferred)] for feeds in sets]
    except Exception as error:  # both raise what they like
        raise Unmet(str(error)) from error


def farther(arrays, by, random):
    """The two sets beside moved away from the first by what the node's own arithmetic may be off."""
    if not all(np.isfinite(a.astype(np.float64)).all() for a in arrays):
        return arrays
    first = arrays[0].astype(np.float64)
    sides = random.choice([-1, 1], first.shape)
    result = [arrays[0]]
    for side, array in zip((1, -1), arrays[1:]):
        moved = array.astype(np.float64) - first
        way = np.where(moved == 0, side * sides, np.sign(moved))
        result.append((first + moved + way * by).astype(array.dtype))
    return result


def outputs_of(nodes):
    """Names of the tensors that a step gives; sequences stay within it."""
    return [name for node in nodes if node.op_type not in SEQUENCES for name in node.output if name]


def own_error(node, read, value, opset):
    """What the arithmetic of a value's node may be off by, element by element."""
    if value.name != node.output[0]:
        return 0
    first = {name: v.array for name, v in read.items()}
    return rounding.error(node, first, value, lambda feeds: evaluate([node], [value.name], [feeds], opset)[0][0])


def compute(nodes, read, opset, random):
    """The values that a step gives: one node, or the nodes that make and read a sequence. `read`: the values it reads by name."""
    names = outputs_of(nodes)
    sets = evaluate(nodes, names, [{name: v.arrays[i] for name, v in read.items()} for i in range(3)], opset)
    moves = all(node.op_type in rounding.EXACT | SEQUENCES for node in nodes)
    is_exact = moves and all(v.exact for v in read.values())
    values = []
    for name, *arrays in zip(names, *sets):
        value = Value(name, arrays, exact=is_exact or not is_float(arrays[0].dtype))
        if any(a.shape != value.shape for a in arrays):
            raise Unmet("the shape depends on rounding")
        if not value.exact and not moves:
            own = own_error(nodes[-1], read, value, opset) / 4 + 2 * unit(value.dtype) * np.abs(value.array.astype(np.float64))
            value = dataclasses.replace(value, arrays=farther(arrays, own, random), own=float(np.max(own, initial=0)))
        values.append(value)
    return values


def well_conditioned(value, read):
    """Whether it is little more uncertain than what it was made of."""
    if not is_float(value.dtype) or not value.most():
        return
    before = [v.moved() / v.most() for v in read if is_float(v.dtype) and v.most()]
    allowed = max([200 * unit(value.dtype), *(8 * each for each in before)]) + value.own / value.most()
    if value.moved() > min(allowed, 0.2 if value.dtype.itemsize == 2 else 1e-3) * value.most():
        raise Unmet("badly conditioned")


def steady(nodes, read, values, opset, random):
    """Whether nothing jumps where operands are moved as far as another implementation may have them."""
    operators = {node.op_type for node in nodes}
    has_body = bool(operators & rounding.BODIES)
    inexact = any(is_float(v.dtype) and not v.exact for v in read.values())
    jumps = operators & rounding.JUMPS or any(not is_float(v.dtype) for v in values)
    if not has_body and not (inexact and jumps):
        return
    sets = [{name: v.shaken(random, has_body) for name, v in read.items()} for _ in range(SHAKES)]
    sets += [{name: v.merged(has_body, offset) for name, v in read.items()} for offset in (0, 0.5)]
    for results in evaluate(nodes, outputs_of(nodes), sets, opset):
        for value, result in zip(values, results):
            shaken = Value(value.name, [value.array, result])
            check(shaken)
            if is_float(value.dtype) and shaken.moved() > 0.05 * value.most() + 8 * value.nearly():
                raise Unmet("a float jumps")


def defined(nodes, read, values, opset, random):
    """Raises Unmet where the standard does not say what the values are, or they stand too near to such a point."""
    for value in values:
        check(value)
        well_conditioned(value, read.values())
    steady(nodes, read, values, opset, random)
