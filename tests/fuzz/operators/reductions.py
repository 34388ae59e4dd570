# Part of Tenon, under the Apache License v2.0.
"""Rules of operators that reduce, normalise, order or sum up along axes."""
import numpy as np

REDUCTIONS = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
              "ReduceSumSquare"]


def reduction(g):
    operator = g.choose(REDUCTIONS)
    value = g.find(g.admitted(operator), where=lambda v: 0 not in v.shape)
    if operator == "ReduceLogSum":
        value = g.between(value, 0.3, 5)
    axes = g.some(range(value.rank), 1) if value.rank and g.chance(0.8) else None
    if axes is not None and g.opset >= 11:
        axes = [axis - value.rank if g.chance(0.3) else axis for axis in axes]
    attributes = {"keepdims": g.number(0, 1)} if g.chance(0.7) else {}
    if g.opset >= (13 if operator == "ReduceSum" else 18):
        if axes is None and g.chance(0.3):
            attributes["noop_with_empty_axes"] = 1
        g.emit(operator, [value, *([] if axes is None else [g.integers(axes)])], **attributes)
    else:
        g.emit(operator, [value], **attributes, **({} if axes is None else {"axes": axes}))


def axis_of(g, value):
    return g.number(-value.rank if g.opset >= 11 else 0, value.rank - 1)


def arg_reduction(g):
    operator = g.choose(["ArgMax", "ArgMin"])
    value = g.find(g.admitted(operator), least=1, where=lambda v: 0 not in v.shape)
    last = {"select_last_index": 1} if g.opset >= 12 and g.chance(0.3) else {}
    g.emit(operator, [value], axis=axis_of(g, value), keepdims=g.number(0, 1), **last)


def softmax(g):
    operator = g.choose(["Softmax", "LogSoftmax", "Hardmax"])
    value = g.find(g.admitted(operator), least=2 if g.opset < 13 else 1, where=lambda v: 0 not in v.shape)
    g.emit(operator, [value], **({"axis": axis_of(g, value)} if g.chance(0.8) else {}))


def running_sum(g):
    operator = g.choose(["CumSum", "CumSum", "CumProd"])
    value = g.find(g.admitted(operator), least=1)
    axis = g.add_constant(np.asarray(axis_of(g, value), g.choose([np.int32, np.int64])))
    g.emit(operator, [value, axis], exclusive=g.number(0, 1), reverse=g.number(0, 1))


def top(g):
    value = g.find(g.admitted("TopK"), least=1, where=lambda v: 0 not in v.shape)
    axis = axis_of(g, value)
    count = g.number(1, value.shape[axis])
    if g.opset < 10:
        g.emit("TopK", [value], 2, axis=axis, k=count)
        return
    order = {"largest": g.number(0, 1)} if g.opset >= 11 else {}
    given = np.int64([count])
    g.emit("TopK", [value, g.add_input(given) if g.chance(0.3) and not g.parent else g.add_constant(given)], 2, axis=axis, **order)


def unique(g):
    value = g.find(g.admitted("Unique"), least=1, where=lambda v: 0 not in v.shape)
    axis = {"axis": axis_of(g, value)} if g.chance(0.5) else {}
    g.emit("Unique", [value], g.choose([1, 4]), sorted=1, **axis)


def non_zero(g):
    g.emit("NonZero", [g.find(g.admitted("NonZero"), least=1)])


def determinant(g):
    size = g.number(1, 3)
    g.emit("Det", [g.fresh(g.dtype(g.admitted("Det")), [*g.shape(0, 1), size, size])])


def suppression(g):
    boxes = g.random.uniform(0, 1, [1, 6, 4])
    boxes[..., 2:] += boxes[..., :2]
    given = [g.add_input(boxes.astype(np.float32)), g.fresh(np.float32, [1, g.number(1, 2), 6], 0, 1), g.add_constant(np.int64(g.number(1, 4))),
             g.add_constant(np.float32(0.5)), g.add_constant(np.float32(0.2))]
    g.emit("NonMaxSuppression", given, center_point_box=g.number(0, 1))


RULES = [(reduction, 4), (arg_reduction, 1), (softmax, 2), (running_sum, 1), (top, 1), (unique, 0.5), (non_zero, 0.5), (determinant, 0.3),
         (suppression, 0.3)]
