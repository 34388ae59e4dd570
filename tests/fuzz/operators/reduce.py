# Part of Tenon, under the Apache License v2.0.
"""Makes a network small that shows a disagreement."""
import dataclasses

import numpy as np
import onnx
from onnx import numpy_helper

import rounding
from interpreter import SEQUENCES
from network import add_computed, names_read
from values import NUDGE, Unmet, Value, around


def cuts(network):
    """Smaller networks; a sequence cannot become an input or an output of one."""
    sequences = {name for node in network.nodes if node.op_type in SEQUENCES for name in node.output}
    for smaller in parts(network):
        made = {name for node in smaller.nodes for name in node.output}
        if all(sequences & set(node.input) <= made for node in smaller.nodes) and not sequences & set(smaller.outputs):
            yield smaller


def constants(network):
    return [node for node in network.nodes if node.op_type == "Constant"]


def bodies(node):
    return [attribute.g for attribute in node.attribute if attribute.type == onnx.AttributeProto.GRAPH]


def arguments(network, node):
    """What the bodies of If, Loop or Scan are given the first time round, in the order of their inputs."""
    given = [network.values[name].array if name else None for name in node.input]
    if node.op_type == "If":
        return []
    if node.op_type == "Loop":
        return [np.int64(0), np.array(True), *given[2:]]
    # The interpreter scans along the first axis alone.
    rows = rounding.attributes(node)["num_scan_inputs"]
    return given[:-rows] + [array[0] for array in given[-rows:]]


def body_alone(network, node, body):
    """The network that a body is the first time round, or None where the standard does not say what it computes, or it computes nothing."""
    random = np.random.default_rng(0)
    values = dict(network.values)
    values.update({i.name: Value(i.name, around(np.asarray(array), NUDGE, random)) for i, array in zip(body.input, arguments(network, node))})
    values.update({t.name: Value(t.name, around(numpy_helper.to_array(t), 0, random), constant=True) for t in body.initializer})
    try:
        add_computed(values, body.node, network.opset, random)
    except Unmet:
        return None
    made = {name for inner in body.node for name in inner.output}
    outputs = [output.name for output in body.output if output.name in made]
    whole = dataclasses.replace(network, nodes=[*constants(network), *body.node], initializers=[*network.initializers, *body.initializer],
                                values=values)
    return whole.part(outputs) if outputs else None


def parts(network):
    """One output, one node, a node's body, without a node's ancestors, without open extents."""
    if len(network.outputs) > 1:
        for name in network.outputs:
            yield network.part([name])
    for node in network.nodes:
        if node.op_type != "Constant" and len(network.nodes) > 1:
            made = [name for name in node.output if name]
            yield network.part(made, [*constants(network), node])
        yield from filter(None, (body_alone(network, node, body) for body in bodies(node)))
    for index, node in enumerate(network.nodes):
        # What it gives becomes an input.
        if node.op_type != "Constant" and not set(node.output) & set(network.outputs):
            yield network.part(network.outputs, network.nodes[:index] + network.nodes[index + 1:])
    if any(network.dims.get(name) for name in network.inputs):
        yield dataclasses.replace(network, dims={})


def reduced(network, still_fails, most=60):
    """The smallest that still fails; `most` bounds the trials."""
    trials, progress = 0, True
    while progress:
        progress = False
        for smaller in cuts(network):
            if trials == most:
                return network
            trials += 1
            if still_fails(smaller):
                network, progress = smaller, True
                break
    return network


def describe(network):
    """Operators of what remains."""
    return " ".join(f"{node.op_type}({', '.join(sorted(str(network.values[n].dtype) for n in names_read(node) if n in network.values))})"
                    for node in network.nodes if node.op_type != "Constant") + f" opset {network.opset}"
