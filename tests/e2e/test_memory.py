"""The planned memory of host kernels, of every network there is: at most 1.02 times the lower bound, which is the most that is needed
at one time, and never more than a plan that is greedy by size. What the bound itself is worth is counted by hand on a small network."""
import json

import onnx
from onnx import TensorProto, helper
import pytest

from conftest import MODELS, those_there
from seeds import drawn

NETWORKS = sorted(str(path.relative_to(MODELS)) for path in MODELS.rglob("*.onnx"))


def workspaces(tenon, model):
    return json.loads(tenon("compile", model, "--stats", "--json=-").stdout)["workspaces"]


@pytest.mark.parametrize("network", drawn(those_there(NETWORKS), 6))
def test_a_plan_is_near_the_bound(tenon, models, network):
    for workspace in workspaces(tenon, models / network):
        print(network, workspace)
        assert workspace["bound"] <= workspace["bytes"] <= workspace["by_size"], workspace
        assert workspace["bytes"] <= 1.02 * workspace["bound"], workspace


def matrices(path, names):
    """Products of 64x64 matrices, one after another, so that each is needed for the next one alone."""
    nodes = [helper.make_node("MatMul", [left, left], [right]) for left, right in zip(names, names[1:])]
    border = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [64, 64]) for name in (names[0], names[-1])]
    graph = helper.make_graph(nodes, "matrices", border[:1], border[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def test_the_bound_is_that_counted_by_hand(tenon, tmp_path):
    """Four products, each read by the next: two of them are needed at a time, and the last is the caller's or is copied there."""
    matrices(tmp_path / "m.onnx", "abcde")
    [workspace] = workspaces(tenon, tmp_path / "m.onnx")
    assert workspace["bytes"] == workspace["bound"] == 2 * 64 * 64 * 4
    said = tenon("compile", tmp_path / "m.onnx", "--stats").stdout.splitlines()
    said = said[:said.index("", len(said) - 4)]  # the prediction is behind it
    assert said[-2].split() == "host kernel buffers workspace bytes lower bound greedy by size".split()
    assert said[-1].split() == ["host_0", str(workspace["buffers"]), "32,768", "32,768", "32,768"]
