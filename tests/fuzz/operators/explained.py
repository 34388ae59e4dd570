# Part of Tenon, under the Apache License v2.0.
"""Where the oracles differ from each other or from the standard, and who is right: by the operators of the smallest graph."""
import onnx


def kinds_of(network, index=0):
    """The element types of the last node's inputs."""
    return [str(network.values[name].dtype) for name in network.nodes[-1].input if name in network.values]


def before(version):
    return lambda network: network.opset < version


def attribute(network, name, default=None):
    """Of the last node."""
    return next((onnx.helper.get_attribute_value(a) for a in network.nodes[-1].attribute if a.name == name), default)


def has_odd_windows(network):
    return (attribute(network, "auto_pad") in (b"SAME_UPPER", b"SAME_LOWER") or attribute(network, "ceil_mode") == 1
            or max(attribute(network, "dilations") or [1]) > 1)


def gives_indices(network):
    return network.outputs == list(network.nodes[-1].output[1:])


def of(*names):
    return lambda network: kinds_of(network)[0] in names


def always(_):
    return True


# Operators of the last node; what they must be like; which comparisons fail then although Tenon is right; why.
TABLE = [
    ({"Softmax", "LogSoftmax", "Hardmax"}, before(13), {"reference", "oracles"},
     "before opset 13 all axes from the given one on are one: the interpreter has the newest meaning alone"),
    ({"GroupNormalization", "LayerNormalization"}, of("float64"), {"reference", "onnxruntime", "oracles"},
     "stash_type, 1 by default, has the statistics of doubles computed in float: the oracles compute them in double"),
    ({"BatchNormalization"}, before(14), {"reference", "oracles"}, "the interpreter normalises as in training"),
    ({"LRN"}, always, {"reference", "oracles"}, "the interpreter takes the batch for the channels"),
    ({"LpNormalization"}, always, {"reference", "oracles"}, "the interpreter adds elements instead of their magnitudes, and takes axis 0 for the last"),
    ({"Gelu"}, of("float64"), {"reference", "onnxruntime", "oracles"},
     "doubles: the oracles take constants and erf of the function's body in float"),
    ({"HardSwish"}, of("float64"), {"reference", "onnxruntime", "oracles"}, "doubles: the interpreter's sixth is a float"),
    ({"Erf"}, of("float64"), {"reference", "oracles"}, "the interpreter computes doubles in float"),
    ({"MaxPool"}, gives_indices, {"reference", "oracles"},
     "the interpreter counts the index of the greatest from the beginning of each channel"),
    ({"MaxPool", "LpPool", "AveragePool"}, has_odd_windows, {"reference", "oracles"},
     "the interpreter places windows wrongly where they are dilated, padded by auto_pad or counted up"),
    ({"MaxPool", "LpPool", "AveragePool"}, has_odd_windows, {"reference", "onnxruntime", "oracles"},
     "auto_pad of dilated windows: onnxruntime leaves dilations out, the interpreter places windows wrongly"),
    ({"Resize"}, lambda network: attribute(network, "coordinate_transformation_mode") in (b"align_corners", b"pytorch_half_pixel"),
     {"reference", "oracles"}, "the interpreter does not round a length down that a scale makes fractional"),
    ({"ConvTranspose"}, lambda network: attribute(network, "group", 1) > 1 and len(network.nodes[-1].input) > 2, {"reference", "oracles"},
     "the interpreter adds the bias of groups to others' channels"),
    ({"InstanceNormalization"}, always, {"onnxruntime", "oracles"}, "onnxruntime loses digits where the variance is small"),
    ({"QuantizeLinear"}, of("float16"), {"onnxruntime", "oracles"}, "onnxruntime does not round the quotient of two half floats to one"),
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
    if kinds == {"fails"}:
        return next((f"refused: {part}: {network.nodes[-1].op_type}" for part in REFUSED if part in said[0][1]), None)
    last = network.nodes[-1].op_type
    return next((f"{last}: {why}" for operators, holds, excused, why in TABLE
                 if last in operators and kinds <= excused and holds(network)), None)
