# Part of Tenon, under the Apache License v2.0.
"""What an ONNX file says, as plain Python values: two files that say the same are equal, however they store it.

The view is the onnx package's, not ours. Left out is what the compiler does not keep (ReadModel.h): documentation of tensors
and values, denotations, the name of a tensor that is an attribute, the order of attributes.
"""
import onnx
from onnx import AttributeProto as A, numpy_helper


def pairs(entries):
    return [(e.key, e.value) for e in entries]


def bytes_of(tensor, folder):
    if tensor.data_type == onnx.TensorProto.STRING:
        return list(tensor.string_data)
    return numpy_helper.to_array(tensor, base_dir=folder).tobytes()


def tensor_facts(tensor, folder):
    return tensor.data_type, tuple(tensor.dims), bytes_of(tensor, folder)


def sparse_facts(tensor, folder):
    return tuple(tensor.dims), tensor_facts(tensor.values, folder), tensor_facts(tensor.indices, folder)


def shape_facts(held):
    if not held.HasField("shape"):
        return None
    return [d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else d.dim_param or None for d in held.shape.dim]


def type_facts(held):
    kind = held.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type"):
        return kind, getattr(held, kind).elem_type, shape_facts(getattr(held, kind))
    if kind in ("sequence_type", "optional_type"):
        return kind, type_facts(getattr(held, kind).elem_type)
    if kind == "map_type":
        return kind, held.map_type.key_type, type_facts(held.map_type.value_type)
    if kind == "opaque_type":
        return kind, held.opaque_type.domain, held.opaque_type.name
    return None


def attribute_facts(attribute, folder):
    if attribute.ref_attr_name:
        return attribute.type, attribute.ref_attr_name
    value = {
        A.FLOAT: lambda a: a.f.hex() if a.f == a.f else "nan", A.INT: lambda a: a.i, A.STRING: lambda a: a.s,
        A.TENSOR: lambda a: tensor_facts(a.t, folder), A.GRAPH: lambda a: graph_facts(a.g, folder),
        A.SPARSE_TENSOR: lambda a: sparse_facts(a.sparse_tensor, folder), A.TYPE_PROTO: lambda a: type_facts(a.tp),
        A.FLOATS: lambda a: [f.hex() for f in a.floats], A.INTS: lambda a: list(a.ints), A.STRINGS: lambda a: list(a.strings),
        A.TENSORS: lambda a: [tensor_facts(t, folder) for t in a.tensors],
        A.GRAPHS: lambda a: [graph_facts(g, folder) for g in a.graphs],
        A.SPARSE_TENSORS: lambda a: [sparse_facts(t, folder) for t in a.sparse_tensors],
        A.TYPE_PROTOS: lambda a: [type_facts(t) for t in a.type_protos],
    }[attribute.type](attribute)
    return attribute.type, value


def domain(name):
    return "" if name == "ai.onnx" else name


def node_facts(node, index, folder):
    return {"name": node.name or f"{node.op_type}_{index}", "operator": node.op_type, "domain": domain(node.domain),
            "overload": node.overload, "inputs": list(node.input), "outputs": list(node.output), "doc": node.doc_string,
            "metadata": pairs(node.metadata_props),
            "attributes": {a.name: attribute_facts(a, folder) for a in node.attribute}}


def value_types(infos, used):
    """Types of the values that there are; a declaration of none says nothing."""
    return {i.name: type_facts(i.type) for i in infos if i.name in used and type_facts(i.type) is not None}


def body_facts(holder, outputs, folder):
    computed = {name for node in holder.node for name in node.output} - set(outputs)
    return {"nodes": [node_facts(n, i, folder) for i, n in enumerate(holder.node)],
            "types": value_types(holder.value_info, computed)}


def graph_facts(graph, folder):
    """A list of (what, fact) pairs in a fixed order."""
    facts = body_facts(graph, [o.name for o in graph.output], folder)
    facts["name"] = graph.name
    facts["doc"] = graph.doc_string
    facts["metadata"] = pairs(graph.metadata_props)
    facts["inputs"] = [(i.name, type_facts(i.type)) for i in graph.input]
    facts["outputs"] = [(o.name, type_facts(o.type)) for o in graph.output]
    facts["initializers"] = {t.name: tensor_facts(t, folder) for t in graph.initializer}
    facts["sparse initializers"] = {t.values.name: sparse_facts(t, folder) for t in graph.sparse_initializer}
    facts["quantization"] = {q.tensor_name: pairs(q.quant_parameter_tensor_names) for q in graph.quantization_annotation}
    return facts


def opset_facts(imports):
    return {domain(i.domain): i.version for i in imports}


def function_facts(function, folder):
    facts = body_facts(function, (), folder)
    facts.update({"inputs": list(function.input), "outputs": list(function.output), "required": list(function.attribute),
                  "defaults": {a.name: attribute_facts(a, folder) for a in function.attribute_proto},
                  "doc": function.doc_string, "metadata": pairs(function.metadata_props),
                  "opsets": opset_facts(function.opset_import)})
    return facts


def model_facts(path, folder):
    """Of the file `path`, whose external data lies in `folder`."""
    model = onnx.load(str(path), load_external_data=False)
    return {"ir_version": model.ir_version, "producer": (model.producer_name, model.producer_version), "domain": model.domain,
            "version": model.model_version, "doc": model.doc_string, "metadata": pairs(model.metadata_props),
            "opsets": opset_facts(model.opset_import), "graph": graph_facts(model.graph, str(folder)),
            "functions": {(f.domain, f.name, f.overload): function_facts(f, str(folder)) for f in model.functions}}


def difference(left, right, path="model"):
    """Where two sets of facts differ, in words; none where they are equal."""
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        found = (difference(left[key], right[key], f"{path}.{key}") for key in left)
        return next((each for each in found if each), None)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)) and len(left) == len(right):
        found = (difference(a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(left, right)))
        return next((each for each in found if each), None)
    return None if left == right else f"{path}: {str(left)[:200]} became {str(right)[:200]}"
