# Part of Tenon, under the Apache License v2.0.
"""Networks that mean harm: each with what Tenon has to say of it, or None where it gives a result."""
import numpy as np
import onnx
from onnx import TensorProto as T, helper, numpy_helper

HUGE = 2**62


def info(name, shape=(2, 3), kind=T.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs=("x",), outputs=("y",), constants=None, opset=21, functions=()):
    """`inputs` and `outputs` are names of 2x3 floats, or value infos."""
    def infos(values):
        return [info(v) if isinstance(v, str) else v for v in values]
    initializers = [numpy_helper.from_array(np.asarray(array), name) for name, array in (constants or {}).items()]
    graph = helper.make_graph(list(nodes), "g", infos(inputs), infos(outputs), initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10, functions=list(functions))


def node(operator, inputs, outputs="y", **attributes):
    """Inputs and outputs are written with blanks between; '-' is one left out."""
    return helper.make_node(operator, ["" if i == "-" else i for i in inputs.split()], outputs.split(), **attributes)


def floats(name="y", rank=None):
    """An output of unknown extents."""
    return info(name, None if rank is None else [None] * rank)


def one(operator, inputs="x", outputs="y", constants=None, given=("x",), results=None, opset=21, **attributes):
    return model([node(operator, inputs, outputs, **attributes)], given, results or [floats("y")], constants, opset)


def body(nodes, inputs, outputs):
    return helper.make_graph(list(nodes), "body", inputs, outputs)


def endless(operator_count=HUGE, keeps=True):
    """A Loop that goes round until somebody stops it."""
    scalar = (info("i", [], T.INT64), info("c", [], T.BOOL), info("s"))
    inside = body([node("Identity", "c", "d"), node("Add", "s s", "t"), *([node("Identity", "t", "u")] if keeps else [])], scalar,
                  [info("d", [], T.BOOL), info("t"), *([info("u")] if keeps else [])])
    return model([node("Loop", "m c x", "y z" if keeps else "y", body=inside)], outputs=("y",),
                 constants={"m": np.int64(operator_count), "c": np.array(True)})


def nested(depth):
    """An If in an If in an If."""
    inner = body([node("Identity", "x", "b0")], [], [floats("b0")])
    for level in range(1, depth):
        inner = body([node("If", "c", f"b{level}", then_branch=inner, else_branch=inner if level < 3 else
                           body([node("Identity", "x", f"e{level}")], [], [floats(f"e{level}")]))], [], [floats(f"b{level}")])
    return model([node("If", "c", "y", then_branch=inner, else_branch=body([node("Relu", "x", "e")], [], [floats("e")]))],
                 ["x", info("c", [], T.BOOL)], [floats("y")])


def lying_initializer():
    """It promises 2^40 elements and holds two."""
    built = one("Add", "x w")
    built.graph.initializer.append(T(name="w", data_type=T.FLOAT, dims=[1 << 20, 1 << 20], raw_data=b"\0" * 8))
    return built


def external(location, offset="0", length=None, dims=(2, 3)):
    built = one("Add", "x w")
    tensor = T(name="w", data_type=T.FLOAT, dims=dims, data_location=T.EXTERNAL)
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        if value is not None:
            tensor.external_data.add(key=key, value=value)
    built.graph.initializer.append(tensor)
    return built


def bomb(levels, fan):
    """Functions that call the next one several times: fan^levels nodes."""
    functions = []
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("bomb", 1)]
    for level in range(levels):
        calls = [helper.make_node(f"F{level + 1}" if level + 1 < levels else "Relu", ["a" if i == 0 else f"t{i}"], [f"t{i + 1}"],
                                  domain="bomb" if level + 1 < levels else "") for i in range(fan)]
        functions.append(helper.make_function("bomb", f"F{level}", ["a"], [f"t{fan}"], calls, opsets))
    built = model([helper.make_node("F0", ["x"], ["y"], domain="bomb")], functions=functions)
    built.opset_import.append(helper.make_opsetid("bomb", 1))
    return built


def itself():
    """A function that calls itself."""
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("bomb", 1)]
    own = helper.make_function("bomb", "F", ["a"], ["b"], [helper.make_node("F", ["a"], ["b"], domain="bomb")], opsets)
    built = model([helper.make_node("F", ["x"], ["y"], domain="bomb")], functions=[own])
    built.opset_import.append(helper.make_opsetid("bomb", 1))
    return built


def doubled(levels):
    """x + x, and so on: every value is twice the size of the one before."""
    nodes = [node("Concat", f"v{i} v{i}" if i else "x x", f"v{i + 1}", axis=0) for i in range(levels)]
    return model(nodes, outputs=[floats(f"v{levels}")])


def chain(count):
    nodes = [node("Relu", f"v{i}" if i else "x", f"v{i + 1}") for i in range(count)]
    return model(nodes, outputs=[f"v{count}"])


def layers(count):
    """About `count` nodes: convolutional and attention-like blocks with weights of their own, as in a network."""
    random = np.random.default_rng(count)
    channels, size = 8, 8
    nodes, constants = [], {}

    def constant(*shape):
        name = f"c{len(constants)}"
        constants[name] = (random.standard_normal(shape) / np.sqrt(max(1, np.prod(shape[1:])))).astype(np.float32)
        return name

    def add(operator, *inputs, **attributes):
        nodes.append(node(operator, " ".join(inputs), f"v{len(nodes)}", **attributes))
        return nodes[-1].output[0]

    constants["rows"], constants["image"] = np.array([1, channels, size * size]), np.array([1, channels, size, size])
    value = "x"
    while len(nodes) < count:
        shortcut = value
        value = add("Conv", value, constant(channels, channels, 3, 3), constant(channels), pads=[1] * 4)
        value = add("Relu", value)
        value = add("Conv", value, constant(channels, 1, 3, 3), group=channels, pads=[1] * 4)
        value = add("Mul", value, add("Sigmoid", value))
        value = add("Add", value, shortcut)
        rows = add("Transpose", add("Reshape", value, "rows"), perm=[0, 2, 1])
        rows = add("LayerNormalization", rows, constant(channels), constant(channels))
        rows = add("Add", add("MatMul", rows, constant(channels, channels)), constant(channels))
        rows = add("Transpose", add("Softmax", rows, axis=-1), perm=[0, 2, 1])
        value = add("Add", value, add("Reshape", rows, "image"))
    shape = (1, channels, size, size)
    return model(nodes, [info("x", shape)], [info(value, shape)], constants)


def renamed(change):
    """A network of two nodes, changed."""
    built = model([node("Relu", "x", "a"), node("Neg", "a", "y")])
    change(built.graph)
    return built
