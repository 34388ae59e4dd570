# Part of Tenon, under the Apache License v2.0.
"""Grows valid ONNX graphs, node by node, beside the values that the graph computes.

After NNSmith (Liu et al., ASPLOS 2023): an operator is a rule with constraints on types and shapes, a graph grows by operators whose
constraints some of its values meet. Where NNSmith searches for inputs of a finished graph, here each node is executed when it is added, on
the inputs and on two sets of inputs beside them: a node that gives no finite number, another integer or another shape, or a float that has
little to do with the one beside it stands at a point where the standard says nothing, and is not added.
"""
import dataclasses
import warnings

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto as T, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

FLOATS = [np.dtype(t) for t in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)]
SIGNED = [np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64)]
UNSIGNED = [np.dtype(t) for t in (np.uint8, np.uint16, np.uint32, np.uint64)]
INTEGERS = SIGNED + UNSIGNED
BOOL = np.dtype(bool)
SMALL = [np.dtype(t) for t in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)]
ANY = FLOATS + INTEGERS + [BOOL]
# How often each is drawn: what networks carry, the others too.
WEIGHTS = {np.dtype(np.float32): 10, np.dtype(np.int64): 4, np.dtype(np.int32): 3, np.dtype(np.float64): 2, np.dtype(np.float16): 2, BOOL: 2}

MOST_ELEMENTS = 2048
LARGEST = {np.dtype(np.float16): 1e2, np.dtype(ml_dtypes.bfloat16): 1e3}
# Operators whose results are rounded nowhere: elements that are moved.
EXACT = {"Identity", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Concat", "Split", "Slice", "Expand", "Tile", "Pad", "Gather",
         "GatherElements", "GatherND", "Where", "DepthToSpace", "SpaceToDepth", "Trilu", "ReverseSequence", "Compress", "MaxPool", "Max",
         "Min", "Relu", "Neg", "Abs", "Clip", "TopK", "ReduceMax", "ReduceMin", "GlobalMaxPool", "Hardmax", "OneHot", "EyeLike",
         "ConstantOfShape", "Unique", "TensorScatter", "CenterCropPad", "Sign", "Floor", "Ceil", "Round"}


class Unmet(Exception):
    """A constraint that the graph's values do not meet."""


def type_text(dtype):
    """As the schemas have it: tensor(float)."""
    return f"tensor({T.DataType.Name(helper.np_dtype_to_tensor_dtype(dtype)).lower()})"


def is_float(dtype):
    return dtype in FLOATS


def unit(dtype):
    return float(ml_dtypes.finfo(dtype).eps)


@dataclasses.dataclass
class Value:
    """A tensor of the graph: `arrays` is what it holds, then what it holds for the two sets of inputs beside."""
    name: str
    arrays: list
    constant: bool = False
    open: bool = False  # an input whose extents may be open in the model

    @property
    def array(self):
        return self.arrays[0]

    @property
    def dtype(self):
        return self.array.dtype

    @property
    def shape(self):
        return self.array.shape

    @property
    def rank(self):
        return self.array.ndim


def around(array, by, random):
    """`array` and one on each side of it, as far away as `by` says in units of its type."""
    if not is_float(array.dtype):
        return [array] * 3
    step = random.choice([-1, 1], array.shape) * by * unit(array.dtype)
    wide = array.astype(np.float64)
    return [array] + [(wide * (1 + side * step)).astype(array.dtype) for side in (1, -1)]


def has_shape(shape, of):
    """Whether a shape is what the inferred type says of it."""
    if not of.HasField("shape"):
        return True
    return len(shape) == len(of.shape.dim) and all(d.dim_value == n for d, n in zip(of.shape.dim, shape) if d.HasField("dim_value"))


def evaluate(node, feeds, opset):
    """What the reference interpreter gives for one node, in the types that the standard gives its outputs."""
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for name, a in feeds.items()]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
    model = helper.make_model(helper.make_graph([node], "g", inputs, outputs), opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    try:
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            results = ReferenceEvaluator(model).run(None, feeds)
    except Exception as error:  # the interpreter raises what numpy raises
        raise Unmet(str(error)) from error
    typed = []
    for result, output in zip(results, inferred.graph.output):
        if result is None:
            raise Unmet("the interpreter gives nothing")
        # The interpreter computes some floats in another width; of some functions nothing is inferred.
        kind = output.type.tensor_type.elem_type
        if not has_shape(np.shape(result), output.type.tensor_type):
            raise Unmet("the interpreter gives another shape than ONNX's inference")
        typed.append(np.asarray(result).astype(helper.tensor_dtype_to_np_dtype(kind) if kind else np.asarray(result).dtype, copy=False))
    return typed


def check_value(arrays):
    """Whether the standard says what these are."""
    array = arrays[0]
    if array.size > MOST_ELEMENTS:
        raise Unmet("too many elements")
    if any(a.shape != array.shape for a in arrays):
        raise Unmet("the shape depends on rounding")
    if not is_float(array.dtype):
        if any((a != array).any() for a in arrays):
            raise Unmet("an integer depends on rounding")
        return
    wide = [a.astype(np.float64) for a in arrays]
    if not all(np.isfinite(a).all() for a in wide):
        raise Unmet("not a number")
    most = np.abs(wide[0]).max(initial=0)
    if most > LARGEST.get(array.dtype, 1e5) or 0 < most < 1e-3:
        raise Unmet("far from 1")
    if max(np.abs(a - wide[0]).max(initial=0) for a in wide[1:]) > 200 * unit(array.dtype) * most:
        raise Unmet("badly conditioned")


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
        value = Value(self.name(), around(np.asarray(array), 16, self.random))
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

    def emit(self, operator, inputs, outputs=1, captured=(), **attributes):
        """Adds a node; its result, or the list of them."""
        schema = self.schema(operator)
        if schema.deprecated:
            raise Unmet("deprecated")
        for index, value in enumerate(inputs):
            formal = schema.inputs[min(index, len(schema.inputs) - 1)]
            if value and type_text(value.dtype) not in formal.types:
                raise Unmet(f"{operator} does not take {value.dtype}")
        node = helper.make_node(operator, [v.name if v else "" for v in inputs], [self.name() for _ in range(outputs)], **attributes)
        read = {v.name: v for v in [*inputs, *captured] if v}
        sets = [evaluate(node, {name: v.arrays[i] for name, v in read.items()}, self.opset) for i in range(3)]
        results = []
        for name, *arrays in zip(node.output, *sets):
            check_value(arrays)
            if is_float(arrays[0].dtype) and operator not in EXACT:
                by = around(np.ones(arrays[0].shape, arrays[0].dtype), 2, self.random)
                arrays = [arrays[0]] + [(a.astype(np.float64) * b.astype(np.float64)).astype(a.dtype) for a, b in zip(arrays[1:], by[1:])]
            results.append(Value(name, arrays))
        self.nodes.append(node)
        self.values += results
        return results[0] if outputs == 1 else results

    def attempt(self, rule):
        """Whether the rule found what it needs; else nothing remains of it."""
        state = [len(held) for held in (self.values, self.nodes, self.inputs, self.initializers)]
        try:
            rule(self)
            return True
        except Unmet:
            for held, count in zip((self.values, self.nodes, self.inputs, self.initializers), state):
                del held[count:]
            return False
