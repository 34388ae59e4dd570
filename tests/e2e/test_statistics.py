"""`tenon compile --stats`: the sizes around each pass, as a table and as JSON, against a network counted by hand."""
import json

import onnx
from onnx import TensorProto, helper
import pytest

from conftest import EXAMPLE

MODEL = EXAMPLE / "resnet8.onnx"


@pytest.fixture
def twice(tmp_path):
    """Two nodes that compute the same 1,000 floats, and their sum."""
    nodes = [helper.make_node("Abs", ["x"], ["a"]), helper.make_node("Abs", ["x"], ["b"]),
             helper.make_node("Mul", ["a", "b"], ["y"])]
    border = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1000]) for name in "xy"]
    graph = helper.make_graph(nodes, "twice", border[:1], border[1:])
    path = tmp_path / "twice.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


def rows(facts, stage):
    return [each for each in facts["passes"] if each["stage"] == stage]


def test_sizes_are_those_counted_by_hand(tenon, twice):
    facts = json.loads(tenon("compile", twice, "--stats", "--json=-").stdout)
    assert facts["model"] == str(twice)
    [cse] = [each for each in rows(facts, "graph") if each["before"] != each["after"]]
    assert cse["pass"] == "cse"
    kilobytes = lambda count: {"bytes": count * 4000, "open": 0}
    assert cse["before"] == {"operators": 3, "tensors": kilobytes(3), "peak": kilobytes(4), "constant_bytes": 0}
    assert cse["after"] == {"operators": 2, "tensors": kilobytes(2), "peak": kilobytes(3), "constant_bytes": 0}
    # One loop reads x and writes y.
    last = rows(facts, "host code")[-1]["after"]
    assert last["operators"] == 1 and last["tensors"] == kilobytes(1) and last["peak"] == kilobytes(2)


def test_open_extents_are_counted(tenon, twice):
    model = onnx.load(twice)
    for border in [*model.graph.input, *model.graph.output]:
        border.type.tensor_type.shape.dim[0].dim_param = "length"
    onnx.save(model, twice)
    facts = json.loads(tenon("compile", twice, "--stats", "--json=-").stdout)
    first = rows(facts, "graph")[0]["before"]
    assert first["tensors"] == {"bytes": 0, "open": 3} and first["peak"] == {"bytes": 0, "open": 4}
    assert "0 + 3 open" in tenon("compile", twice, "--stats").stdout


def test_the_table_says_the_same(tenon, twice):
    [line] = [each for each in tenon("compile", twice, "--stats").stdout.splitlines() if each.split()[:2] == ["cse", "3"]]
    assert "constant bytes" in tenon("compile", twice, "--stats").stdout
    assert line.split() == "cse 3 → 2 12,000 → 8,000 16,000 → 12,000 0".split()


def test_each_pass_goes_on_where_the_one_before_stopped(tenon):
    facts = json.loads(tenon("compile", MODEL, "--stats", "--json=-").stdout)
    for stage in ["graph", "host code"]:
        passes = rows(facts, stage)
        assert passes and all(left["after"] == right["before"] for left, right in zip(passes, passes[1:]))


def test_files_and_options(tenon, tmp_path):
    program, facts = tmp_path / "m.tenon", tmp_path / "facts.json"
    text = tenon("compile", MODEL, "-o", program, "--stats", f"--json={facts}").stdout
    assert program.exists() and text.startswith("stage") and json.loads(facts.read_text())["passes"]
    assert "host code" not in tenon("compile", MODEL, "--emit=graph", "--stats").stdout
    refused = lambda *wrong: tenon("compile", MODEL, *wrong, expect=2).stderr
    assert "compile: --stats and -o - both write on stdout; name a file" in refused("--stats", "-o", "-")
    assert "compile: --json is of --stats" in refused("--json=-", "-o", program)
