# Part of Tenon, under the Apache License v2.0.
"""Makes a network small that shows a disagreement."""
import dataclasses

from interpreter import SEQUENCES
from network import names_read


def cuts(network):
    """Smaller networks; a sequence cannot become an input or an output of one."""
    sequences = {name for node in network.nodes if node.op_type in SEQUENCES for name in node.output}
    for smaller in parts(network):
        made = {name for node in smaller.nodes for name in node.output}
        if all(sequences & set(node.input) <= made for node in smaller.nodes) and not sequences & set(smaller.outputs):
            yield smaller


def parts(network):
    """One output, one node, without a node's ancestors, without open extents."""
    if len(network.outputs) > 1:
        for name in network.outputs:
            yield network.part([name])
    for node in network.nodes:
        if node.op_type != "Constant" and len(network.nodes) > 1:
            made = [name for name in node.output if name]
            constants = [n for n in network.nodes if n.op_type == "Constant"]
            yield network.part(made, [*constants, node])
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
