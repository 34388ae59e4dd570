# Part of Tenon, under the Apache License v2.0.
"""Models of one node, and values for them."""
import numpy as np
import onnx
from onnx import helper, numpy_helper


def one_node(operator, inputs, outputs=1, opset=22, shapes=None, constants=(), domain="", **attributes):
    """A model of one node on the arrays `inputs` (None: left out); `shapes` says otherwise of some by index; those of `constants` are in the
    file."""
    names = ["" if x is None else f"i{index}" for index, x in enumerate(inputs)]
    results = [f"o{index}" if outputs & 1 << index else "" for index in range(outputs.bit_length())]
    node = helper.make_node(operator, names, results, name="n", domain=domain, **attributes)
    graph_inputs, initializers = [], []
    for index, (name, x) in enumerate(zip(names, inputs)):
        if not name:
            continue
        if index in constants:
            initializers.append(numpy_helper.from_array(x, name))
        else:
            shape = (shapes or {}).get(index, x.shape)
            graph_inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), shape))
    graph = helper.make_graph([node], "g", graph_inputs, [onnx.ValueInfoProto(name=name) for name in results if name], initializers)
    built = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    try:
        # Types of outputs; what a test has wrong on purpose has none.
        inferred = onnx.shape_inference.infer_shapes(built, data_prop=True)
        known = all(o.type.HasField("tensor_type") for o in inferred.graph.output)
        built = inferred if known else built
    except onnx.shape_inference.InferenceError:
        pass
    for output in built.graph.output:
        if not output.type.HasField("tensor_type"):
            output.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(inputs[0].dtype)
    return built


def feeds(model, inputs):
    """The arrays by the names of the model's inputs."""
    return {i.name: inputs[int(i.name[1:])] for i in model.graph.input}


def floats(*shape, seed=0, kind=np.float32):
    return np.random.default_rng(seed).uniform(-2, 2, shape).astype(kind)


def integers(*shape, kind=np.int8, seed=0):
    info = np.iinfo(kind)
    return np.random.default_rng(seed).integers(max(info.min, -1000), min(info.max, 1000), shape, endpoint=True).astype(kind)
