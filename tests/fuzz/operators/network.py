# Part of Tenon, under the Apache License v2.0.
"""A network with inputs and what it computes of them; grown, written to a folder, cut down to a part."""
import dataclasses
import pathlib

import numpy as np
import onnx
from onnx import helper, numpy_helper

import control_flow
import elementwise
import indexing
import layers
import microsoft
import movement
import quantized
import reductions
import sequences
import signals
from grower import Grower
from interpreter import SEQUENCES, compute
from values import NUDGE, Unmet, Value, around

TABLES = [elementwise, movement, reductions, layers, indexing, quantized, control_flow, sequences, signals, microsoft]
# How often an operator of each comes.
SHARES = [4, 4, 2, 3, 1.5, 1.5, 0.7, 0.4, 0.4, 0.8]
OLDEST, NEWEST = 7, 28


@dataclasses.dataclass
class Network:
    """`values`: of every tensor of the graph, by name; `dims`: names of an input's open extents, None where it is fixed."""
    opset: int
    nodes: list
    inputs: list
    initializers: list
    outputs: list
    values: dict
    dims: dict

    def model(self):
        def info(name, dims):
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(self.values[name].dtype), dims)
        inputs = [info(name, self.dims.get(name) or self.values[name].shape) for name in self.inputs]
        outputs = [info(name, [None] * self.values[name].rank) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "random", inputs, outputs, self.initializers)
        domains = {"": self.opset, **{node.domain: 1 for node in self.nodes if node.domain}}
        return helper.make_model(graph, opset_imports=[helper.make_opsetid(*one) for one in domains.items()], ir_version=10,
                                 producer_name="tenon random_graphs")

    def feeds(self):
        return {name: self.values[name].array for name in self.inputs}

    def expected(self, name):
        return self.values[name].array

    def bound(self, name):
        """How far another implementation may be off; None: not at all."""
        return self.values[name].bound()

    def is_quantized(self):
        return any("uantize" in n.op_type or n.op_type.startswith("QLinear") or n.op_type.endswith("Integer") for n in self.nodes)

    def save(self, folder):
        """In the layout of ONNX's own tests; expected values stay with whoever computes them."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(self.model(), folder / "model.onnx")
        for index, name in enumerate(self.inputs):
            (folder / f"input_{index}.pb").write_bytes(numpy_helper.from_array(self.values[name].array, name).SerializeToString())

    def part(self, outputs, nodes=None):
        """The network of some outputs, and of these nodes alone; what others computed becomes an input."""
        kept, needed = [], set(outputs)
        for node in reversed(self.nodes if nodes is None else nodes):
            if needed.intersection(node.output):
                kept.insert(0, node)
                needed.update(names_read(node))
        made = {name for node in kept for name in node.output}
        weights = [t for t in self.initializers if t.name in needed]
        given = [name for name in needed if name not in made and name in self.values and name not in {t.name for t in weights}]
        return dataclasses.replace(self, nodes=kept, outputs=list(outputs), initializers=weights, inputs=sorted(given))


def names_read(node):
    """Names that a node and its bodies read from outside."""
    names = set(node.input)
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            for inner in attribute.g.node:
                names |= names_read(inner)
            names.update(output.name for output in attribute.g.output)
    return names - {""}


def steps(nodes):
    """The nodes, those together that make and read a sequence."""
    result, sequences = [], set()
    for node in nodes:
        if sequences & set(node.input):
            result[-1].append(node)
        else:
            result.append([node])
        if node.op_type in SEQUENCES:
            sequences.update(node.output)
    return result


def add_computed(values, nodes, opset, random):
    """To the values of a graph by name, those of what its nodes give, step by step. Unmet: the standard does not say what one gives."""
    for step in steps(nodes):
        read = {name: values[name] for node in step for name in sorted(names_read(node)) if name in values}
        values.update({value.name: value for value in compute(step, read, opset, random)})


def load(folder):
    """A network that was saved; every value as the reference interpreter computes it, node by node."""
    folder = pathlib.Path(folder)
    model = onnx.load(folder / "model.onnx")
    random = np.random.default_rng(0)
    values = {t.name: Value(t.name, around(numpy_helper.to_array(t), 0, random), constant=True) for t in model.graph.initializer}
    inputs = [i for i in model.graph.input if i.name not in values]
    for index, given in enumerate(inputs):
        tensor = onnx.TensorProto.FromString((folder / f"input_{index}.pb").read_bytes())
        values[given.name] = Value(given.name, around(numpy_helper.to_array(tensor), NUDGE, random))
    opset = next(one.version for one in model.opset_import if not one.domain)
    add_computed(values, model.graph.node, opset, random)
    dims = {i.name: [d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim] for i in inputs}
    return Network(opset, list(model.graph.node), [i.name for i in inputs], list(model.graph.initializer),
                   [o.name for o in model.graph.output], values, dims)


def open_extents(random, inputs):
    """Of some inputs, a name for some extents; equal names for equal ones only."""
    dims = {}
    for value in inputs:
        if value.open and random.random() < 0.5:
            dims[value.name] = [f"d{extent}{random.choice(['', 'a', 'b'])}" if random.random() < 0.6 else extent for extent in value.shape]
    return dims


def grow(seed, most=12):
    """The network of a seed."""
    random = np.random.default_rng(seed)
    opset = int(random.integers(OLDEST, NEWEST + 1))
    if random.random() < 0.5:
        opset = int(random.integers(13, 24))  # what most files are of
    g = Grower(random, opset)
    g.find([np.dtype(np.float32)], least=2)
    count = int(random.integers(1, most + 1))
    shares = np.array(SHARES) / sum(SHARES)
    grown = tries = 0
    while grown < count and tries < 20 * count:
        tries += 1
        rules, weights = zip(*TABLES[int(random.choice(len(TABLES), p=shares))].RULES)
        grown += g.attempt(rules[int(random.choice(len(rules), p=np.array(weights) / sum(weights)))])
    read = {name for node in g.nodes for name in names_read(node)}
    made = [v for v in g.values if v not in g.inputs]
    outputs = [v.name for v in made if v.name not in read or random.random() < 0.1]
    if not outputs:
        raise Unmet("it computes nothing")
    values = {v.name: v for v in g.values}
    values.update({t.name: Value(t.name, around(numpy_helper.to_array(t), 0, random), constant=True) for t in g.initializers})
    for node in g.nodes:
        if node.op_type == "Constant":
            array = numpy_helper.to_array(node.attribute[0].t)
            values[node.output[0]] = Value(node.output[0], around(array, 0, random), constant=True)
    inputs = [v for v in g.inputs if v.name in read]
    return Network(opset, g.nodes, [v.name for v in inputs], [t for t in g.initializers if t.name in read], outputs, values,
                   open_extents(random, inputs)).part(outputs)
