# Part of Tenon, under the Apache License v2.0.
"""Rules of sequences of tensors: made, changed and read in one step of several nodes, because no input of a graph is one."""
from onnx import helper

from values import Unmet


def node(g, operator, inputs, **attributes):
    """A node and the name of what it gives, not added yet."""
    name = g.name()
    return helper.make_node(operator, inputs, [name], **attributes), name


def made(g):
    """Nodes that make a sequence of equal types, its name, what it reads, and how many tensors it has."""
    value = g.find(g.admitted("SplitToSequence"), least=1, where=lambda v: 0 not in v.shape)
    axis = g.number(0, value.rank - 1)
    if g.chance(0.3):
        others = [v for v in g.visible() if v.dtype == value.dtype and v.rank == value.rank]
        items = [value] + [g.choose(others) for _ in range(g.number(0, 2))]
        one, name = node(g, "SequenceConstruct", [v.name for v in items])
        return [one], name, items, len(items)
    extent = value.shape[axis]
    if g.chance(0.3):
        one, name = node(g, "SplitToSequence", [value.name], axis=axis, keepdims=g.number(0, 1))
        return [one], name, [value], extent
    each = g.number(1, extent)
    split = g.integers(each) if g.chance(0.5) else g.integers([each] * (extent // each) + [extent % each] * (extent % each > 0))
    one, name = node(g, "SplitToSequence", [value.name, split.name], axis=axis)
    return [one], name, [value, split], -(-extent // each)


def sequence(g):
    if g.opset < 11:
        raise Unmet("no sequences")
    nodes, name, read, count = made(g)
    if g.chance(0.4):
        at = g.integers(g.number(-count, count - 1))
        # What is put in is what others of it are made of.
        more, change = ([], -1) if g.chance(0.5) else ([read[0]], 1)
        one, name = node(g, "SequenceInsert" if more else "SequenceErase", [name, *(v.name for v in more), at.name])
        nodes, read, count = [*nodes, one], [*read, at], count + change
    if not count:
        raise Unmet("nothing is left")
    reader = g.choose(["SequenceAt", "ConcatFromSequence", "SequenceLength"])
    if reader == "SequenceAt":
        at = g.integers(g.number(-count, count - 1))
        one, _ = node(g, reader, [name, at.name])
        read.append(at)
    elif reader == "ConcatFromSequence":
        one, _ = node(g, reader, [name], axis=g.number(-1, 0), **({"new_axis": 1} if g.chance(0.4) else {}))
    else:
        one, _ = node(g, reader, [name])
    g.step([*nodes, one], read)


RULES = [(sequence, 1)]
