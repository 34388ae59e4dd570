# Part of Tenon, under the Apache License v2.0.
"""Networks of which one thing is at its extreme: an attribute, an extent, a type, a constant, or who is connected to whom."""
import collections
import random
import warnings

import numpy as np
from onnx import AttributeProto as A, ModelProto, TensorProto as T, TypeProto, helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases

INTEGERS = [-2**63, -2**62, -1, 0, 1, 2, 7, 2**15, 2**31, 2**32, 2**62, 2**63 - 1]
FLOATS = [float("inf"), float("nan"), -1, 0, 3e38, 1e-45]
TEXTS = [b"", b"x", b"\xff" * 5, b"..." * 20]
EXTENTS = [0, 1, 2, 5, 2**31 - 1, 2**31, 2**62, 2**63 - 1]
TYPES = [T.UNDEFINED, T.FLOAT, T.UINT8, T.INT32, T.INT64, T.STRING, T.BOOL, T.DOUBLE, T.COMPLEX64, T.BFLOAT16, T.FLOAT8E4M3FN, T.INT4]
MANY = 100  # more than any list of attributes or operands has
MOST_CONSTANT = 64  # elements of an input that can stand in the file instead

Change = collections.namedtuple("Change", "what change")  # of a copy of the model


def operators():
    """The cases of the onnx package, those too that Tenon does not take."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [case for case in collect_testcases(None) if case.model]


def copied(model):
    copy = ModelProto()
    copy.CopyFrom(model)
    return copy


def form(model, change):
    """A copy with the change. Shapes that the file declares of its outputs are left out: they are no longer true."""
    copy = copied(model)
    for value in copy.graph.output:
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.ClearField("shape")
    change(copy)
    return copy


def with_constants(case):
    """The network of a case of the onnx package with its small inputs of integers as constants; None where it has none."""
    model = copied(case.model)
    given = zip(case.model.graph.input, case.data_sets[0][0] if case.data_sets else [])
    small = {value.name: array for value, array in given
             if isinstance(array, np.ndarray) and array.dtype.kind in "iub" and array.size <= MOST_CONSTANT}
    for value in [value for value in model.graph.input if value.name in small]:
        model.graph.initializer.append(numpy_helper.from_array(small[value.name], value.name))
        model.graph.input.remove(value)
    return model if small else None


def nodes(graph):
    """Also those of bodies."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == A.GRAPH:
                yield from nodes(attribute.g)


def replaced(repeated, values):
    del repeated[:]
    repeated.extend(values)


def of_attribute(attribute):
    """Changes of an attribute of this kind."""
    if attribute.type == A.INT:
        for value in INTEGERS:
            yield f"= {value}", lambda a, value=value: setattr(a, "i", value)
    elif attribute.type == A.FLOAT:
        for value in FLOATS:
            yield f"= {value}", lambda a, value=value: setattr(a, "f", value)
    elif attribute.type == A.STRING:
        for value in TEXTS:
            yield f"= {value}", lambda a, value=value: setattr(a, "s", value)
    elif attribute.type in (A.INTS, A.FLOATS, A.STRINGS):
        name, values = {A.INTS: ("ints", INTEGERS), A.FLOATS: ("floats", FLOATS), A.STRINGS: ("strings", TEXTS)}[attribute.type]
        count = len(getattr(attribute, name))
        for value in values:
            for place in sorted({0, count - 1} & set(range(count))):
                yield f"[{place}] = {value}", lambda a, place=place, value=value: getattr(a, name).__setitem__(place, value)
            for times in (count, count + 1, MANY):
                yield f"= {times} times {value}", lambda a, times=times, value=value: replaced(getattr(a, name), [value] * times)
        for rest in {0, max(count - 1, 0)}:
            yield f"cut to {rest}", lambda a, rest=rest: replaced(getattr(a, name), getattr(a, name)[:rest])
    elif attribute.type == A.GRAPH:
        yield "without inputs", lambda a: replaced(a.g.input, [])
        yield "with an input more", lambda a: setattr(a.g.input.add(), "name", "extra")
        yield "without its last output", lambda a: replaced(a.g.output, a.g.output[:-1])
        yield "with its outputs twice", lambda a: replaced(a.g.output, [*a.g.output, *a.g.output])
        yield "without its last node", lambda a: replaced(a.g.node, a.g.node[:-1])


def of_nodes(model):
    for index, node in enumerate(nodes(model.graph)):
        def at(copy, index=index):
            return list(nodes(copy.graph))[index]
        for place, attribute in enumerate(node.attribute):
            name = f"{node.op_type}'s {attribute.name}"
            for what, change in of_attribute(attribute):
                yield f"{name} {what}", lambda m, at=at, place=place, change=change: change(at(m).attribute[place])
            yield f"{name} left out", lambda m, at=at, place=place: at(m).attribute.pop(place)
        for place, operand in enumerate(node.input):
            yield f"{operand} left out", lambda m, at=at, place=place: at(m).input.__setitem__(place, "")
            yield f"{operand} is {node.input[0]}", lambda m, at=at, place=place: at(m).input.__setitem__(place, at(m).input[0])
        for times in (1, MANY):
            if node.input:
                yield f"{times} inputs more", lambda m, at=at, times=times: at(m).input.extend([at(m).input[0]] * times)
            yield f"{times} outputs more", lambda m, at=at, times=times: at(m).output.extend(f"more{i}" for i in range(times))
        if node.input:
            yield f"without {node.input[-1]}", lambda m, at=at: at(m).input.pop()
        if len(node.output) > 1:
            for place, result in enumerate(node.output):
                yield f"without {result}", lambda m, at=at, place=place: at(m).output.__setitem__(place, "")


def set_extents(value, extents):
    value.CopyFrom(helper.make_tensor_value_info(value.name, value.type.tensor_type.elem_type, extents))


def set_type(value, **types):
    value.type.CopyFrom(TypeProto(**types))


def of_inputs(model):
    for index, value in enumerate(model.graph.input):
        if not value.type.HasField("tensor_type"):
            continue
        extents = [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
        rank, kind = len(extents), value.type.tensor_type.elem_type
        shapes = [[*extents[:axis], extent, *extents[axis + 1:]] for axis in range(rank) for extent in [*EXTENTS, "q"]]
        shapes += [(extents + [2] * MANY)[:other] for other in sorted({0, 1, 2, 3, rank - 1, rank + 1, rank + 3, MANY} - {-1, rank})]
        for shape in [None, *shapes]:
            yield f"{value.name} of {shape}", lambda m, index=index, shape=shape: set_extents(m.graph.input[index], shape)
        for other in TYPES:
            if other != kind:
                yield (f"{value.name} of type {other}",
                       lambda m, index=index, other=other: setattr(m.graph.input[index].type.tensor_type, "elem_type", other))
        yield f"{value.name} of no type", lambda m, index=index: set_type(m.graph.input[index])
        yield (f"{value.name} as a sequence",
               lambda m, index=index, of=value.type: set_type(m.graph.input[index], sequence_type=TypeProto.Sequence(elem_type=of)))
        yield (f"{value.name} optional",
               lambda m, index=index, of=value.type: set_type(m.graph.input[index], optional_type=TypeProto.Optional(elem_type=of)))


def of_constants(model):
    for index, tensor in enumerate(model.graph.initializer):
        array = numpy_helper.to_array(tensor)
        others = []
        if array.dtype.kind in "iu" and array.size:
            limits = np.iinfo(array.dtype)
            for place in {0, array.size - 1}:
                for value in INTEGERS:
                    other = array.copy()
                    other.flat[place] = min(max(value, limits.min), limits.max)
                    others.append((f"[{place}] = {value}", other))
        flat = array.reshape(-1)
        if array.ndim <= 1:
            others += [("empty", flat[:0]), ("cut", flat[:-1]), ("twice", np.tile(flat, 2)), ("many times", np.tile(flat, MANY)),
                       ("as a row", flat[None]), *([("as a number", flat[0])] if flat.size else [])]
        for what, other in others:
            yield (f"{tensor.name} {what}", lambda m, index=index, other=other, name=tensor.name:
                   m.graph.initializer[index].CopyFrom(numpy_helper.from_array(np.asarray(other), name)))


def changes(model):
    return [Change(what, change) for of in (of_nodes, of_inputs, of_constants) for what, change in of(model)]


def draws(cases, seed):
    """Pairs of what it is and the network, without end: any case, one of the changes that there are of it."""
    draw, known = random.Random(seed), {}
    while True:
        index = draw.randrange(len(cases))
        if index not in known:
            models = [model for model in (cases[index].model, with_constants(cases[index])) if model is not None]
            known[index] = [(model, change) for model in models for change in changes(model)]
        model, change = draw.choice(known[index])
        yield f"{cases[index].name}, {change.what}", form(model, change.change)
