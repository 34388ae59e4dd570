# Part of Tenon, under the Apache License v2.0.
"""Grows valid ONNX graphs, node by node, beside the values that the graph computes.

After NNSmith (Liu et al., ASPLOS 2023): an operator is a rule with constraints on types and shapes, a graph grows by operators whose
constraints some of its values meet. Where NNSmith searches for inputs of a finished graph, here each node is executed when it is added, on
the inputs and on two sets of inputs beside them: a node that gives no finite number, another integer or another shape, or a float that has
little to do with the one beside it stands at a point where the standard says nothing, and is not added. What jumps where its operand
moves, as a comparison, is tried with operands moved as far as the judge lets another implementation have them.
"""
import numpy as np
import onnx
from onnx import helper, numpy_helper

from interpreter import compute, defined
from values import ANY, BOOL, NUDGE, SMALL, Unmet, Value, around, is_float, type_text

# How often each type is drawn: what networks carry, the others too.
WEIGHTS = {np.dtype(np.float32): 10, np.dtype(np.int64): 4, np.dtype(np.int32): 3, np.dtype(np.float64): 2, np.dtype(np.float16): 2, BOOL: 2}


class Grower:
    """A graph and how it grows. `parent`: of a body, the graph around it, whose
    values it may read."""

    def __init__(self, random, opset, parent=None):
        self.random, self.opset, self.parent = random, opset, parent
        self.values, self.nodes, self.inputs, self.initializers = [], [], [], []
        self.names = parent.names if parent else iter(range(1 << 30))

    # Drawing.
    def chance(self, share):
        return self.random.random() < share

    def choose(self, items):
        if not len(items):
            raise Unmet("nothing to choose from")
        return items[int(self.random.integers(len(items)))]

    def some(self, items, least=0):
        """Some of them, in order."""
        count = int(self.random.integers(least, len(items) + 1))
        return sorted(self.random.choice(len(items), count, replace=False).tolist())

    def number(self, low, high):
        """An integer, `high` included."""
        if low > high:
            raise Unmet("no such number")
        return int(self.random.integers(low, high + 1))

    def dtype(self, among=None):
        among = list(ANY if among is None else among)
        if not among:
            raise Unmet("no type")
        weights = np.array([WEIGHTS.get(t, 1) for t in among], float)
        return among[int(self.random.choice(len(among), p=weights / weights.sum()))]

    def shape(self, least=0, most=4, limit=400):
        shape = [self.choose([1, 2, 3, 4, 5, 7, 8]) for _ in range(self.number(least, most))]
        if shape and self.chance(0.03):
            shape[self.number(0, len(shape) - 1)] = 0
        while np.prod(shape) > limit:
            shape[int(np.argmax(shape))] //= 2
        return shape

    def data(self, dtype, shape, low=-4, high=4):
        if dtype == BOOL:
            return self.random.integers(0, 2, shape).astype(bool)
        if is_float(dtype) or dtype in SMALL[2:]:
            values = self.random.uniform(low, high, shape)
            return np.asarray(np.where(np.abs(values) < 0.02, 0.5, values)).astype(dtype)
        least = max(0, low) if dtype.name.startswith("u") else low
        return np.asarray(self.random.integers(int(np.ceil(least)), int(high) + 1, shape)).astype(dtype)

    # Values.
    def name(self):
        return f"v{next(self.names)}"

    def add_constant(self, array):
        """An initializer, or what a Constant gives."""
        array = np.asarray(array)
        value = Value(self.name(), around(array, 0, self.random), constant=True)
        tensor = numpy_helper.from_array(array, value.name)
        # Constant of opset 7 gives floats alone.
        if self.opset >= 9 and (self.parent or self.chance(0.2)):
            self.nodes.append(helper.make_node("Constant", [], [value.name], value=tensor))
        else:
            self.root().initializers.append(tensor)
        return value

    def add_input(self, array):
        value = Value(self.name(), around(np.asarray(array), NUDGE, self.random))
        self.inputs.append(value)
        self.values.append(value)
        return value

    def fresh(self, dtype, shape, low=-4, high=4):
        """A new value: an input of the graph, or a constant."""
        array = self.data(np.dtype(dtype), shape, low, high)
        if self.parent or self.chance(0.5):
            return self.add_constant(array)
        return self.add_input(array)

    def root(self):
        return self.parent.root() if self.parent else self

    def visible(self):
        return self.values + (self.parent.visible() if self.parent else [])

    def find(self, types=None, least=0, most=6, where=None, fresh=0.1):
        """A value of one of the types, whose rank is in the range; a new one where there is none, and now and then."""
        types = ANY if types is None else types
        fitting = [v for v in self.visible() if v.dtype in types and least <= v.rank <= most and (where is None or where(v))]
        if fitting and not self.chance(fresh):
            # The younger, the likelier: graphs become deep.
            return fitting[-1 - min(int(self.random.exponential(4)), len(fitting) - 1)]
        value = self.fresh(self.dtype(types), self.shape(least, min(most, max(4, least))))
        value.open = not value.constant
        if where is not None and not where(value):
            raise Unmet("no such value")
        return value

    def between(self, value, low, high):
        """`value`, or its elements brought between the bounds."""
        if value.array.size and low <= value.array.min() and value.array.max() <= high:
            return value
        if self.opset < 11:
            return self.emit("Clip", [value], min=float(low), max=float(high))
        return self.emit("Clip", [value, self.add_constant(np.asarray(low, value.dtype)), self.add_constant(np.asarray(high, value.dtype))])

    # Nodes.
    def schema(self, operator):
        try:
            return onnx.defs.get_schema(operator, self.opset, "")
        except onnx.defs.SchemaError as error:
            raise Unmet(f"{operator} is not in opset {self.opset}") from error

    def admitted(self, operator, index=0, among=None):
        """Types of an input."""
        schema = self.schema(operator)
        formal = schema.inputs[min(index, len(schema.inputs) - 1)]
        return [t for t in (ANY if among is None else among) if type_text(t) in formal.types]

    def since(self, operator):
        return self.schema(operator).since_version

    def integers(self, values, dtype=np.int64):
        return self.add_constant(np.asarray(values, dtype))

    def admits(self, operator, inputs):
        schema = self.schema(operator)
        if schema.deprecated:
            raise Unmet("deprecated")
        for index, value in enumerate(inputs):
            formal = schema.inputs[min(index, len(schema.inputs) - 1)]
            if value and type_text(value.dtype) not in formal.types:
                raise Unmet(f"{operator} does not take {value.dtype}")

    def emit(self, operator, inputs, outputs=1, captured=(), domain="", **attributes):
        """Adds a node; its result, or the list of them."""
        if not domain:
            self.admits(operator, inputs)
        node = helper.make_node(operator, [v.name if v else "" for v in inputs], [self.name() for _ in range(outputs)], domain=domain, **attributes)
        results = self.step([node], [*inputs, *captured])
        return results[0] if outputs == 1 else results

    def step(self, nodes, read):
        """Adds nodes; what they give. Between them there may be sequences."""
        read = {v.name: v for v in read if v}
        results = compute(nodes, read, self.opset, self.random)
        defined(nodes, read, results, self.opset, self.random)
        self.nodes += nodes
        self.values += results
        return results

    def attempt(self, rule):
        """Whether the rule found what it needs; else nothing remains of it."""
        state = [len(held) for held in (self.values, self.nodes, self.inputs, self.initializers)]
        try:
            rule(self)
            return True
        except (Unmet, ValueError):  # the latter where numpy should draw from nothing
            for held, count in zip((self.values, self.nodes, self.inputs, self.initializers), state):
                del held[count:]
            return False
