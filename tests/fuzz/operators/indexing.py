# Part of Tenon, under the Apache License v2.0.
"""Rules of operators that read or write where other tensors say."""
import numpy as np


def at(g, shape, limits, negative=True, kinds=(np.int64, np.int32)):
    """Indices of a shape, each less than its limit; an input or a constant."""
    indices = g.random.integers(0, np.broadcast_to(limits, shape))
    if negative and g.opset >= 11:
        indices = np.where(g.random.random(shape) < 0.2, indices - limits, indices)
    indices = np.asarray(indices).astype(g.choose(kinds))
    return g.add_constant(indices) if g.parent or g.chance(0.5) else g.add_input(indices)


def full(value):
    return 0 not in value.shape


def gather(g):
    value = g.find(g.admitted("Gather"), least=1, where=full)
    axis = g.number(-value.rank, value.rank - 1)
    g.emit("Gather", [value, at(g, g.shape(0, 2), value.shape[axis])], axis=axis)


def gather_elements(g):
    value = g.find(g.admitted("GatherElements"), least=1, where=full)
    axis = g.number(-value.rank, value.rank - 1)
    shape = [g.number(1, extent) for extent in value.shape]
    g.emit("GatherElements", [value, at(g, shape, value.shape[axis])], axis=axis)


def gather_nd(g):
    value = g.find(g.admitted("GatherND"), least=1, where=full)
    batch = g.number(0, min(1, value.rank - 1)) if g.opset >= 12 else 0
    count = g.number(1, value.rank - batch)
    lead = [*value.shape[:batch], *g.shape(1, 2)]
    indices = at(g, [*lead, count], np.array(value.shape[batch:batch + count]), kinds=[np.int64])
    g.emit("GatherND", [value, indices], **({"batch_dims": batch} if batch else {}))


def combining(g, operator):
    """How what is written at one place is combined, by version."""
    schema = g.schema(operator)
    if "reduction" not in schema.attributes or g.chance(0.5):
        return {}
    return {"reduction": g.choose(["add", "mul"] + (["max", "min"] if g.opset >= 18 else []))}


def scatter_elements(g):
    operator = g.choose(["ScatterElements", "ScatterElements", "Scatter"])
    value = g.find(g.admitted(operator), least=1, where=full)
    axis = g.number(-value.rank if g.opset >= 11 else 0, value.rank - 1)
    how = combining(g, operator)
    shape = [g.number(1, extent) for extent in value.shape]
    # Each place once, where the order of writing would matter.
    order = np.argsort(g.random.random([*shape[:axis % value.rank], value.shape[axis], *shape[axis % value.rank + 1:]]), axis=axis)
    indices = np.take(order, range(shape[axis]), axis=axis).astype(g.choose([np.int64, np.int32]))
    if how and g.chance(0.5):
        indices = np.take(indices, np.zeros(shape[axis], int), axis=axis)
    given = g.add_constant(indices) if g.parent or g.chance(0.5) else g.add_input(indices)
    g.emit(operator, [value, given, g.fresh(value.dtype, shape)], axis=axis, **how)


def scatter_nd(g):
    value = g.find(g.admitted("ScatterND"), least=1, where=full)
    count = g.number(1, value.rank)
    how = combining(g, "ScatterND")
    places = int(np.prod(value.shape[:count]))
    rows = g.random.choice(places, g.number(1, min(places, 5)), replace=bool(how))
    indices = np.stack(np.unravel_index(rows, value.shape[:count]), -1).astype(np.int64)
    given = g.add_constant(indices) if g.parent or g.chance(0.5) else g.add_input(indices)
    g.emit("ScatterND", [value, given, g.fresh(value.dtype, [len(rows), *value.shape[count:]])], **how)


def compress(g):
    value = g.find(g.admitted("Compress"), where=full)
    if value.rank and g.chance(0.6):
        axis = g.number(-value.rank if g.opset >= 11 else 0, value.rank - 1)
        g.emit("Compress", [value, g.fresh(bool, [g.number(1, value.shape[axis])])], axis=axis)
    else:
        g.emit("Compress", [value, g.fresh(bool, [g.number(1, value.array.size)])])


def tensor_scatter(g):
    dtype = g.dtype(g.admitted("TensorScatter"))
    batch, heads, length, size = g.number(1, 2), g.number(1, 2), g.number(3, 6), g.number(1, 3)
    past = g.fresh(dtype, [batch, heads, length, size])
    update = g.fresh(dtype, [batch, heads, g.number(1, 3), size])
    mode = g.choose(["linear", "circular"])
    most = length - update.shape[2] if mode == "linear" else length - 1
    starts = [at(g, [batch], max(1, most), negative=False, kinds=[np.int64])] if g.chance(0.7) else []
    g.emit("TensorScatter", [past, update, *starts], mode=mode, axis=-2)


RULES = [(gather, 3), (gather_elements, 1.5), (gather_nd, 1.5), (scatter_elements, 1.5), (scatter_nd, 1.5), (compress, 0.7), (tensor_scatter, 0.4)]
