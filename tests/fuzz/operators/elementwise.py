# Part of Tenon, under the Apache License v2.0.
"""Rules of operators on elements: functions of one, of two that are broadcast, of many; comparisons, casts."""
import numpy as np
from onnx import helper

from values import ANY, BOOL, FLOATS, INTEGERS, SMALL, UNSIGNED, Unmet, is_float

# Where a function is steep or not defined its argument is kept away.
DOMAINS = {"Log": (0.1, 20), "Sqrt": (0.05, 20), "Acos": (-0.9, 0.9), "Asin": (-0.9, 0.9), "Atanh": (-0.9, 0.9), "Acosh": (1.2, 10),
           "Reciprocal": (0.2, 10), "Exp": (-6, 4), "Sinh": (-4, 4), "Cosh": (-4, 4), "Tan": (-1.2, 1.2), "Sin": (-8, 8), "Cos": (-8, 8)}
FUNCTIONS = ["Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "HardSwish",
             "Identity", "IsInf", "IsNaN", "Log", "Mish", "Neg", "Not", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sinh",
             "Softplus", "Softsign", "Sqrt", "Tan", "Tanh"]
PARAMETERS = {"Celu": {"alpha": (0.3, 2)}, "Elu": {"alpha": (0.3, 2)}, "HardSigmoid": {"alpha": (0.1, 0.5), "beta": (0.2, 0.7)},
              "LeakyRelu": {"alpha": (0.01, 0.5)}, "Selu": {"alpha": (1, 2), "gamma": (0.5, 2)}, "Shrink": {"lambd": (0.3, 1), "bias": (0, 0.5)},
              "ThresholdedRelu": {"alpha": (0.3, 2)}, "Swish": {"alpha": (0.5, 2)}}


def function(g):
    operator = g.choose(FUNCTIONS)
    # Erf of integers is admitted by some versions, and defined by none.
    value = g.find(g.admitted(operator, 0, FLOATS if operator == "Erf" else ANY))
    if operator in DOMAINS:
        value = g.between(value, *DOMAINS[operator])
    g.emit(operator, [value])


def activation(g):
    operator = g.choose(list(PARAMETERS))
    chosen = {name: float(np.float32(g.random.uniform(*bounds))) for name, bounds in PARAMETERS[operator].items() if g.chance(0.7)}
    g.emit(operator, [g.find(g.admitted(operator))], **chosen)


def gelu(g):
    g.emit("Gelu", [g.find(g.admitted("Gelu"))], approximate=g.choose(["none", "tanh"]))


def beside(g, value, types=None, low=-4, high=4):
    """A value that is broadcast with `value`."""
    def fits(other):
        return all(a == b or 1 in (a, b) for a, b in zip(other.shape[::-1], value.shape[::-1]))
    types = [value.dtype] if types is None else types
    known = [v for v in g.visible() if v.dtype in types and fits(v) and v is not value]
    if known and g.chance(0.7):
        return g.choose(known)
    shape = [1 if g.chance(0.3) else extent for extent in value.shape][g.number(0, value.rank):]
    return g.fresh(g.dtype(types), shape, low, high)


BINARY = ["Add", "Sub", "Mul", "And", "Or", "Xor", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "BitwiseAnd", "BitwiseOr",
          "BitwiseXor", "PRelu"]


def binary(g):
    operator = g.choose(BINARY)
    first = g.find(g.admitted(operator))
    second = beside(g, first)
    if operator == "PRelu":  # its slope goes one way only
        if np.broadcast_shapes(first.shape, second.shape) != first.shape:
            raise Unmet("slope")
    elif g.chance(0.5):
        first, second = second, first
    g.emit(operator, [first, second])


def away_from_zero(g, value):
    """A divisor made of a value. What a body computes has other numbers the next time."""
    if (value.constant or not g.parent) and value.array.size and np.abs(value.array.astype(np.float64)).min() > 0.2:
        return value
    if is_float(value.dtype):
        return g.emit("Add", [g.emit("Abs", [value]), g.add_constant(np.asarray(0.5, value.dtype))])
    return g.fresh(value.dtype, value.shape, 1, 6)


def division(g):
    operator = g.choose(["Div", "Mod"])
    first = g.find(g.admitted(operator))
    second = away_from_zero(g, beside(g, first))
    attributes = {}
    if operator == "Mod":
        attributes["fmod"] = 1 if is_float(first.dtype) else g.number(0, 1)
    g.emit(operator, [first, second], **attributes)


def power(g):
    first = g.find(g.admitted("Pow"))
    if is_float(first.dtype) and g.chance(0.5):
        g.emit("Pow", [g.between(first, 0.3, 4), beside(g, first, low=-2, high=2)])
        return
    exponents = [t for t in g.admitted("Pow", 1) if g.since("Pow") >= 12 or t == first.dtype]
    exponent = g.dtype([t for t in exponents if t not in UNSIGNED] or exponents)
    g.emit("Pow", [g.between(first, -4, 4) if g.opset >= 12 or is_float(first.dtype) else first,
                   g.add_constant(np.asarray(g.number(0, 3), exponent))])


def shift(g):
    first = g.find(g.admitted("BitShift"))
    g.emit("BitShift", [first, g.fresh(first.dtype, first.shape[g.number(0, first.rank):], 0, 7)], direction=g.choose(["LEFT", "RIGHT"]))


def many(g):
    operator = g.choose(["Max", "Min", "Sum", "Mean"])
    values = [g.find(g.admitted(operator))]
    for _ in range(g.number(0, 3)):
        values.append(beside(g, values[0]))
    g.emit(operator, values)


def where(g):
    first = g.find(g.admitted("Where", 1))
    condition = beside(g, first, [BOOL])
    g.emit("Where", [condition, first, beside(g, first)])


def clip(g):
    value = g.find(g.admitted("Clip"))
    low, high = sorted(g.data(value.dtype, [2], -3, 3).tolist())
    if g.opset < 11:
        g.emit("Clip", [value], min=float(low), max=float(high))
        return
    bounds = [g.add_constant(np.asarray(b, value.dtype)) if g.chance(0.8) else None for b in (low, high)]
    while bounds and bounds[-1] is None:
        bounds.pop()
    g.emit("Clip", [value, *bounds])


def kinds(g):
    return ANY + (SMALL if g.opset >= 21 else [])


def cast(g):
    value = g.find(g.admitted("Cast", 0, kinds(g)))
    to = g.dtype(g.admitted("Cast", 0, kinds(g)))
    if is_float(value.dtype) and to not in FLOATS + [BOOL]:
        value = g.between(value, 0 if to in UNSIGNED or to.name.startswith("uint") else -7, 7)
    g.emit("Cast", [value], to=helper.np_dtype_to_tensor_dtype(to))


def cast_like(g):
    value, like = g.find(g.admitted("CastLike")), g.find(g.admitted("CastLike", 1))
    if is_float(value.dtype) and like.dtype in INTEGERS:
        value = g.between(value, 0 if like.dtype in UNSIGNED else -100, 100)
    g.emit("CastLike", [value, like])


RULES = [(function, 6), (activation, 2), (gelu, 0.5), (binary, 5), (division, 1.5), (power, 1), (shift, 0.5), (many, 1.5), (where, 1),
         (clip, 1), (cast, 2), (cast_like, 0.5)]
