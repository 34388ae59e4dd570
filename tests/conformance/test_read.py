# Part of Tenon, under the Apache License v2.0.
"""Reading ONNX files: the text of every model parses back to itself and says what the file says; every problem of a broken
one is reported; large files are mapped."""
import glob
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto as T, helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases
import pytest

from common import HERE, graphs, graph_file
from onnx_facts import difference, model_facts

PROGRAM = os.environ.get("ONNX_ROUND_TRIP", os.path.join(HERE, "..", "..", "build", "release", "bin", "onnx_round_trip"))
MODELS = os.path.join(HERE, "..", "..", "..", "shared", "models")


def round_trip(folder, paths, *options):
    """Runs the program over the files; each has a folder of its number for what it writes."""
    lines = []
    for index, path in enumerate(paths):
        (folder / str(index)).mkdir()
        lines.append(f"{path} {folder / str(index)}\n")
    (folder / "list").write_text("".join(lines))
    return subprocess.run([PROGRAM, str(folder / "list"), *options], capture_output=True, text=True, timeout=600, check=False)


def survive(folder, paths):
    """Each file is read, printed, parsed and printed; what that says is what the file says."""
    done = round_trip(folder, paths)
    assert done.returncode == 0, done.stdout + done.stderr
    for index, path in enumerate(paths):
        written = folder / str(index) / "written.onnx"
        found = difference(model_facts(path, os.path.dirname(path)), model_facts(written, folder))
        assert found is None, f"{path}: {found}"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the cases' own arithmetic
def test_operator_cases(tmp_path):
    """Every case of the onnx package: all operators, element types, bodies, sequences, optionals."""
    paths = []
    for case in collect_testcases(None):
        paths.append(tmp_path / f"{case.name}.onnx")
        paths[-1].write_bytes(case.model.SerializeToString())
    assert len(paths) == 1884
    survive(tmp_path, paths)


def test_graphs(tmp_path):
    survive(tmp_path, [graph_file(name, "model.onnx") for name in graphs()])


def test_models(tmp_path):
    paths = sorted(os.path.abspath(p) for p in glob.glob(os.path.join(MODELS, "**", "*.onnx"), recursive=True))
    if not paths:
        pytest.skip("../shared/models is not there")
    survive(tmp_path, paths)


def model(nodes=(), initializers=(), inputs=("x",), outputs=("y",), opsets=(("", 13),), change=None):
    def info(name):
        return helper.make_tensor_value_info(name, T.FLOAT, [2])
    graph = helper.make_graph(list(nodes), "g", [info(name) for name in inputs], [info(name) for name in outputs],
                              list(initializers))
    built = helper.make_model(graph, opset_imports=[helper.make_opsetid(*each) for each in opsets])
    if change:
        change(built)
    return built


def relu(source="x", result="y", **rest):
    return helper.make_node("Relu", [source], [result], name="n", **rest)


def tensor(**rest):
    """The initializer `w`, changed."""
    made = numpy_helper.from_array(np.float32([1, 2]), "w")
    for field, value in rest.items():
        if isinstance(value, list):
            getattr(made, field)[:] = value
        else:
            setattr(made, field, value)
    return made


def external(location="data", **entries):
    """The initializer `w` of 8 bytes in a file beside the model."""
    made = tensor()
    made.ClearField("raw_data")
    made.data_location = T.EXTERNAL
    for key, value in {"location": location, **entries}.items():
        made.external_data.add(key=key, value=str(value))
    return made


def sparse(dims, indices):
    return helper.make_sparse_tensor(numpy_helper.from_array(np.float32([1, 2]), "w"),
                                     numpy_helper.from_array(np.int64(indices), "i"), dims)


def declared(kind=T.FLOAT, dim=2):
    def change(built):
        built.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", kind, [0]))
        built.graph.input[0].type.tensor_type.shape.dim[0].dim_value = dim
    return change


def attribute(**fields):
    node = relu()
    node.attribute.append(onnx.AttributeProto(**fields))
    return node


REFUSALS = [
    (model([relu("nowhere")]), ["node 'n' (Relu) uses 'nowhere', which is neither an input, an initializer nor the result of a node"]),
    (model([relu("t"), relu("x", "t")]),
     ["node 'n' (Relu) uses 't' before it is computed: the graph has a cycle or is not sorted"]),
    (model([relu(), relu()]), ["node 'n' (Relu) defines 'y' a second time"]),
    (model(), ["output 'y' is computed by no node"]),
    (model([relu()], outputs=()), ["not a complete ONNX model: its graph has no output"]),
    (model([relu()], inputs=("x", "x")), ["input 'x' is defined twice"]),
    (model([relu()], [tensor(), tensor()]), ["initializer 'w' is defined twice"]),
    (model([relu()], opsets=(("", 13), ("", 14))), ["the model imports the opsets 13 and 14 of ai.onnx"]),
    (model([relu()], opsets=(("", 0),)), ["opset 0 of ai.onnx does not exist: 1 is the first"]),
    (model([relu(domain="elsewhere")]), ["node 'n' (Relu): its domain elsewhere is not in the model's opset_import"]),
    (model([relu()], change=declared(dim=-2)), ["'x' has a dimension of -2, expected at least 0, or -1 where it is open"]),
    (model([relu()], change=declared(kind=77)), ["'x' is declared with type 77, which is no element type"]),
    (model([relu()], [tensor(dims=[-1])]), ["tensor 'w': dimensions -1 are negative or too large"]),
    (model([relu()], [tensor(dims=[3])]), ["tensor 'w': dimensions 3 of FLOAT need 12 bytes of data, the file has 8"]),
    (model([relu()], [tensor(data_type=99)]), ["tensor 'w': element type type 99 is not supported"]),
    (model([relu()], [tensor(data_type=T.STRING)]), ["tensor 'w': dimensions 2 need 2 strings, the file has 0"]),
    (model([attribute(name="a")]), ["node 'n' (Relu): attribute 'a' has neither a type nor a value"]),
    (model([attribute(name="", i=1, type=2)]), ["node 'n' (Relu) has an attribute without a name"]),
    (model([relu(a=1)], change=lambda m: m.graph.node[0].attribute.append(helper.make_attribute("a", 2))),
     ["node 'n' (Relu) has two attributes of one name: a"]),
    (model([relu()], change=lambda m: m.graph.sparse_initializer.append(sparse([2], [0, 1, 1]))),
     ["sparse tensor 'w': values of 'tensor<2xf32>' and indices of 'tensor<3xi64>' do not make a tensor of 2"]),
    (model([relu()], [external("/data")]), ["tensor 'w': its location '/data' is not relative to the model"]),
    (model([relu()], [external("../list")]), ["tensor 'w': its file '../list' is outside of the model's folder"]),
    (model([relu()], [external("folder")]), ["tensor 'w': its file 'folder' is not a regular file"]),
    (model([relu()], [external("none")]), ["tensor 'w': its file 'none' cannot be read: No such file or directory"]),
    (model([relu()], [external(length=7)]), ["tensor 'w': its dimensions need 8 bytes, its length is 7"]),
    (model([relu()], [external(offset="x")]), ["tensor 'w': its offset is 'x', expected a number of bytes"]),
    (model([relu()], [external(offset=9)]), ["tensor 'w': 8 bytes at 9 reach beyond the end of 'data', which has 16"]),
    # Everything at once.
    (model([relu("nowhere", "a"), relu("here", "b")], [tensor(dims=[3]), external("none")]),
     ["tensor 'w': dimensions 3", "tensor 'w': its file 'none'", "uses 'nowhere'", "uses 'here'", "output 'y' is computed by no node"]),
]


@pytest.mark.parametrize("built, expected", REFUSALS, ids=lambda value: value[0][:60] if isinstance(value, list) else "")
def test_refusal(tmp_path, built, expected):
    folder = tmp_path / "model"
    (folder / "folder").mkdir(parents=True)
    (folder / "data").write_bytes(np.float32([1, 2, 3, 4]).tobytes())
    (folder / "model.onnx").write_bytes(built.SerializeToString())
    done = round_trip(tmp_path, [folder / "model.onnx"])
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert len(errors) == len(expected), done.stderr
    assert all(text in line for text, line in zip(expected, errors)), done.stderr


def test_training_is_remarked(tmp_path):
    built = model([relu()], change=lambda m: m.training_info.add())
    (tmp_path / "model.onnx").write_bytes(built.SerializeToString())
    done = round_trip(tmp_path, [tmp_path / "model.onnx"])
    assert done.returncode == 0 and "remark: training information and placement on devices are left out" in done.stderr


def everything():
    """A model with what the operator cases lack: a function with attributes, external and sparse data, every element type,
    a graph in a graph, annotations, odd names."""
    built = model([relu("x", "inner value"), relu("inner value", "y")], [external(offset=8), *every_element_type()],
                  opsets=(("", 22), ("local", 1)))
    graph = built.graph
    inner = helper.make_graph([helper.make_node("Add", ["y", "w"], ["deep"])], "inner", [],
                              [helper.make_tensor_value_info("deep", T.FLOAT, ["n", None, 3])])
    outer = helper.make_graph([helper.make_node("If", ["c"], ["shallow"], then_branch=inner, else_branch=inner)], "outer", [],
                              [helper.make_tensor_value_info("shallow", T.FLOAT, ["n", None, 3])])
    graph.initializer.append(numpy_helper.from_array(np.bool_(True), "c"))
    graph.node.append(helper.make_node("If", ["c"], ["z"], then_branch=outer, else_branch=outer))
    graph.node.append(helper.make_node("twice", ["z", ""], ["t", ""], domain="local", slope=0.25, words=["a", b"\xff\"\n"],
                                       many=[numpy_helper.from_array(np.int64([5]), "m")], graphs=[inner, outer]))
    graph.node[-1].metadata_props.add(key="k", value="v")
    graph.value_info.append(helper.make_tensor_value_info("t", T.BFLOAT16, None))
    graph.output.append(helper.make_tensor_sequence_value_info("t", T.FLOAT16, ["batch", 2]))
    graph.sparse_initializer.append(sparse([4], [1, 3]))
    graph.sparse_initializer[0].values.name = "s"
    graph.quantization_annotation.add(tensor_name="x").quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="w")
    graph.doc_string, built.doc_string, built.producer_name = "of the graph", "of the model", "a test"
    built.metadata_props.add(key="a", value="b")
    leaky = helper.make_node("LeakyRelu", ["a"], ["b"])
    leaky.attribute.append(onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT))
    built.functions.append(helper.make_function("local", "twice", ["a", "o"], ["b", "o"], [leaky],
                                                [helper.make_opsetid("", 22)], ["words"], [helper.make_attribute("slope", 0.5)]))
    return built


def every_element_type():
    """A tensor of nine elements for each element type, every bit pattern different, in the typed fields and as bytes."""
    made = []
    for number in sorted(set(T.DataType.values()) - {T.UNDEFINED, T.STRING}):
        name = T.DataType.Name(number).lower()
        if number in (T.FLOAT6E2M3, T.FLOAT6E3M2):
            made.append(T(name=name, data_type=number, dims=[9], int32_data=[1, 62, 3, 44, 5, 26, 7, 38, 9]))
            continue
        kind = helper.tensor_dtype_to_np_dtype(number)
        values = np.arange(9).astype(kind)
        made.append(numpy_helper.from_array(values, name))
        made.append(helper.make_tensor(name + "_fields", number, [3, 3], values))
    made.append(helper.make_tensor("strings", T.STRING, [2], ["a", "\u00e4 \"quoted\""]))
    return made


def test_everything(tmp_path):
    (tmp_path / "data").write_bytes(np.float32([1, 2, 3, 4]).tobytes())
    (tmp_path / "model.onnx").write_bytes(everything().SerializeToString())
    survive(tmp_path, [tmp_path / "model.onnx"])


def test_a_difference_is_found(tmp_path):
    """The comparison notices one changed element, attribute, type and name."""
    (tmp_path / "data").write_bytes(np.float32([1, 2, 3, 4]).tobytes())
    def element(graph):
        held = next(t for t in graph.initializer if t.raw_data)
        held.raw_data = bytes([held.raw_data[0] ^ 1]) + held.raw_data[1:]

    def slope(graph):
        next(a for a in graph.node[3].attribute if a.name == "slope").f = 0.5

    def inner_type(graph):
        graph.node[2].attribute[0].g.output[0].type.tensor_type.elem_type = T.INT8
    facts = []
    for index, change in enumerate([lambda g: None, element, slope, inner_type, lambda g: g.node[1].output.append("more")]):
        changed = everything()
        change(changed.graph)
        (tmp_path / f"{index}.onnx").write_bytes(changed.SerializeToString())
        facts.append(model_facts(tmp_path / f"{index}.onnx", tmp_path))
    assert difference(facts[0], facts[0]) is None
    assert all(difference(facts[0], other) for other in facts[1:])


def test_large_external_data(tmp_path):
    """A model of 3 GB is mapped: it is read in seconds and takes next to no memory."""
    size = 3 << 30
    with open(tmp_path / "data", "wb") as file:
        file.truncate(size)
    made = external(offset=0)
    made.dims[:] = [size // 4]
    (tmp_path / "model.onnx").write_bytes(model([relu()], [made]).SerializeToString())
    (tmp_path / "list").write_text(f"{tmp_path}/model.onnx {tmp_path}\n")
    # A process of its own, so that its peak is no other child's.
    measure = ("import resource, subprocess, sys, time; start = time.time(); subprocess.run(sys.argv[1:], check=True);"
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, time.time() - start)")
    done = subprocess.run([sys.executable, "-c", measure, PROGRAM, str(tmp_path / "list"), "--read"], capture_output=True,
                          text=True, timeout=100, check=True)
    kilobytes, seconds = done.stdout.split()[-2:]
    assert int(kilobytes) < 500 * 1000 and float(seconds) < 5, done.stdout


@pytest.mark.parametrize("text, expected", [
    ("module {}", "no ONNX model: expected a module with the attribute onnx.model, one onnx.graph and functions"),
    ("(" * 200, "brackets nest deeper than 100"),
])
def test_text_that_is_no_model(tmp_path, text, expected):
    (tmp_path / "m.mlir").write_text(text)
    assert expected in round_trip(tmp_path, [tmp_path / "m.mlir"]).stderr
