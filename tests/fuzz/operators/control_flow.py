# Part of Tenon, under the Apache License v2.0.
"""Rules of If, Loop and Scan, whose bodies are grown like graphs and read values from outside."""
import numpy as np
from onnx import helper

import elementwise
from grower import Grower
from values import BOOL, FLOATS, INTEGERS, Unmet, Value, around

STEPS = [rule for rule, _ in elementwise.RULES]


def value_info(value, shaped=True):
    return helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape if shaped else None)


def kept(g, value, body):
    """A value made of `value`, of its type and shape, by a few steps in the body."""
    for _ in range(g.number(1, 3)):
        body.attempt(body.choose(STEPS))
    same = [v for v in body.values if v.dtype == value.dtype and v.shape == value.shape]
    if not same:
        raise Unmet("nothing of this type")
    result = body.choose(same)
    # Into bounds, however often it goes round.
    if result.dtype in FLOATS and body.admitted("Tanh", 0, [result.dtype]):
        return body.emit("Tanh", [body.emit("Add", [result, value])])
    return body.emit("Identity", [result])


def graph(body, name, inputs, outputs):
    return helper.make_graph(body.nodes, name, [value_info(v) for v in inputs], [value_info(v, shaped=False) for v in outputs],
                             body.initializers)


def captured(body, own):
    """Values from outside that the body reads."""
    names = {name for node in body.nodes for name in node.input}
    return [v for v in body.parent.visible() if v.name in names and v not in own]


def branch(g, dtype, rank):
    body = Grower(g.random, g.opset, parent=g)
    for _ in range(g.number(1, 3)):
        body.attempt(body.choose(STEPS))
    fitting = [v for v in body.visible() if v.dtype == dtype and v.rank == rank]
    result = body.emit("Identity", [body.choose(fitting)])
    return body, result


def conditional(g):
    condition = g.find([BOOL], where=lambda v: v.array.size == 1)
    like = g.find(g.admitted("Identity"), least=1)
    branches = [branch(g, like.dtype, like.rank) for _ in range(2)]
    bodies = [graph(body, name, [], [result]) for (body, result), name in zip(branches, ("then", "else"))]
    outside = [v for body, _ in branches for v in captured(body, [])]
    g.emit("If", [condition], captured=outside, then_branch=bodies[0], else_branch=bodies[1])


def argument(body, array):
    """A value that a body is given; in the body it is known for the first time round."""
    value = Value(body.name(), around(np.asarray(array), 0, body.random))
    body.values.append(value)
    return value


def loop(g):
    state = g.find(FLOATS[:2] + INTEGERS[2:4], least=0, where=lambda v: v.array.size > 0)
    body = Grower(g.random, g.opset, parent=g)
    count, going, inside = argument(body, np.int64(0)), argument(body, np.array(True)), argument(body, state.array)
    after = kept(g, inside, body)
    limit = g.number(1, 5)
    # Without a condition what the body says of it counts for nothing, and the interpreter takes it for false.
    start = g.add_constant(np.array(True))
    if g.opset >= 9 and g.chance(0.5):
        going_on = body.emit("Less", [count, body.add_constant(np.int64(limit))])
    else:
        going_on = body.emit("Identity", [going])
    scanned = [body.emit("Identity", [body.choose([after, *[v for v in body.values if v.rank <= 2]])])] if g.chance(0.6) else []
    given = graph(body, "body", [count, going, inside], [going_on, after, *scanned])
    trips = np.asarray(g.number(0 if not scanned else 1, 4), np.int64)
    trips = g.add_input(trips) if g.chance(0.4) and not g.parent else g.add_constant(trips)
    g.emit("Loop", [trips, start, state], 1 + len(scanned),
           captured=captured(body, []), body=given)


def scan(g):
    if g.opset < 9:
        raise Unmet("another operator")
    row = g.find(FLOATS[:2] + INTEGERS[2:4], least=1, where=lambda v: v.array.size > 0)
    if g.chance(0.3):
        row = g.fresh(row.dtype, [4, 3])
    body = Grower(g.random, g.opset, parent=g)
    first = argument(body, np.zeros(row.shape[1:], row.dtype))
    each = argument(body, row.array[0])
    after = kept(g, first, body)
    outcome = body.emit("Add", [after, each])
    start = g.fresh(row.dtype, row.shape[1:])
    given = graph(body, "body", [first, each], [after, outcome])
    ways = {"scan_input_directions": [1]} if g.chance(0.3) else {}
    g.emit("Scan", [start, row], 2, captured=captured(body, []), num_scan_inputs=1, body=given, **ways)


RULES = [(conditional, 1), (loop, 1), (scan, 0.7)]
