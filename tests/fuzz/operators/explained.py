# Part of Tenon, under the Apache License v2.0.
"""Where onnxruntime differs from the standard, by the operator of the smallest graph; and what Tenon refuses.

A difference between Tenon and the interpreter (which standard.py corrects) has no excuse: these are of onnxruntime alone.
"""
import rounding


def kind_of(network):
    """The element type of the last node's first input."""
    return str(network.values[network.nodes[-1].input[0]].dtype)


def of(name):
    return lambda network: kind_of(network) == name


def attribute(network, name, default=None):
    """Of the last node."""
    return rounding.attributes(network.nodes[-1]).get(name, default)


def is_dilated_and_auto(network):
    return attribute(network, "auto_pad") in (b"SAME_UPPER", b"SAME_LOWER") and max(attribute(network, "dilations") or [1]) > 1


# Operators of the last node; what they must be like; why onnxruntime is wrong.
TABLE = [
    ({"Gelu", "HardSwish"}, of("float64"), "it takes constants of doubles in float"),
    ({"MaxPool", "LpPool", "AveragePool"}, is_dilated_and_auto, "auto_pad of dilated windows: it leaves dilations out"),
    ({"QuantizeLinear"}, of("float16"), "it does not round the quotient of two half floats to one"),
]

# What Tenon says that it does not take, which is no wrong result; by a part of the message.
REFUSED = [
    "the operator is not supported",
    "is not known before the run",
    "known at run time only",
]


def find(network, said):
    """Why a disagreement is no defect of Tenon's, of a network of which nothing can be left out; or None."""
    kinds = {kind for kind, _ in said}
    last = network.nodes[-1].op_type
    if kinds == {"fails"}:
        return next((f"refused: {part}: {last}" for part in REFUSED if part in said[0][1]), None)
    if "reference" in kinds:
        return None
    return next((f"onnxruntime: {last}: {why}" for operators, holds, why in TABLE if last in operators and holds(network)), None)
