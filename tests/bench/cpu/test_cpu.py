"""What `./dev bench --cpu` makes of figures, and how it holds outputs against the stored ones."""
import os
import pathlib
import select
import shutil
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import cpu
import goals
import networks
import page
import runs


def row(network, who, ms, threads=1, kind="float", right=True, **more):
    return {"network": network, "kind": kind, "who": who, "threads": threads, "median_ms": ms, "right": right, "error": 0.0, **more}


def ours(network, ms, **more):
    return row(network, goals.OURS, ms, **{"load_ms": 2.0, "read_ms": 1.0, "first_ms": 1.2 * ms, "host": "x86-64-v4-vnni", **more})


FLOATS = [ours("a/fp32", 2), row("a/fp32", "x", 4), row("a/fp32", "y", 1, right=False), ours("b", 8), row("b", "x", 4)]
INT8 = [ours("a/qdq", 1, kind="int8"), row("a/qdq", "x", 4, kind="int8"), ours("a/qop", 3, kind="int8"),
        {"network": "a/qop", "kind": "int8", "who": "x", "threads": 1, "failed": "crashed"}]


def found(rows):
    return {goal.name: goal for goal in goals.goals_of(rows)}


def test_ratios_are_of_the_fastest_peer_that_is_right():
    rows = goals.Rows(FLOATS)
    assert rows.ratios(1, "float") == {"a/fp32": 0.5, "b": 2.0}
    assert found(FLOATS)["of the best peer, float, 1 thread"].value == pytest.approx(1)
    worst = found(FLOATS)["of the best peer, worst, 1 thread"]
    assert (worst.value, worst.where, worst.met) == (2, "b", False)


def test_a_peer_takes_a_quantised_network_in_the_form_that_it_is_fastest_at():
    assert goals.Rows(FLOATS + INT8).ratios(1, "int8") == {"a/qdq": 0.25, "a/qop": 0.75}


def test_quantised_networks_are_held_to_their_float_form():
    worst = found(FLOATS + INT8)["int8 of float, worst, 1 thread"]
    assert (worst.value, worst.where, worst.met) == (1.5, "a/qop", False)


@pytest.mark.parametrize("wrong", [dict(right=False), dict(failed="crashed")])
def test_networks_that_are_not_computed_right_are_counted(wrong):
    rows = [*FLOATS[1:], {**FLOATS[0], **wrong}]
    goal = found(rows)["networks not computed right"]
    assert (goal.value, goal.met, goal.where) == (1, False, "a/fp32")
    assert ("a/fp32" in goals.Rows(rows).ratios(1, "float")) == ("failed" not in wrong)


def test_threads_have_to_help_what_takes_long():
    goal = found([*FLOATS, ours("b", 4, threads=2), ours("a/fp32", 2, threads=2)])["two threads, over 5 ms"]
    assert (goal.value, goal.where, goal.met) == (2, "b", True)


def test_loading_and_the_first_run():
    both = found([ours("a", 2, load_ms=40.0, read_ms=5.0, first_ms=4)])
    assert (both["loading less reading the file, ms"].value, both["loading less reading the file, ms"].met) == (35, False)
    assert (both["first run of the median"].value, both["first run of the median"].met) == (2, False)


@pytest.mark.parametrize("host, limit", [("x86-64-v4-vnni", 1), ("x86-64-v4-amx", 1.7)])
def test_products_are_speeds_beside_onnxruntime_and_the_peak(host, limit):
    peaks = {"float_operations_per_s": 2e11, "byte_operations_per_s": 1e12}
    rows = [ours("product s8 x s8", 4, kind="int8", operations=2e9, peaks=peaks, host=host),
            row("product s8 x s8", "onnxruntime", 90, kind="int8"), row("product u8 x s8", "onnxruntime", 8, kind="int8")]
    of_peer, of_peak = found(rows)["product s8 x s8, of u8 x s8 of onnxruntime"], found(rows)["product s8 x s8, of this machine's peak"]
    assert (of_peer.value, of_peer.limit) == (2, limit)
    assert of_peak.value == pytest.approx(0.5)


def test_what_is_printed_and_kept_says_the_same():
    figures = {"date": "2026-01-01", "commit": "0", "rows": FLOATS + INT8,
               "machine": {"processor": "P", "features": ["avx2"], "processors": 2}}
    assert page.cells(goals.Rows(FLOATS), "a/fp32", 1, ["x", "y"]) == ["a/fp32", "1", "2.000", "4.000", "1.000 wrong", "0.50"]
    assert "| a/fp32 | 1 | 2.000 | 4.000 | 1.000 wrong | 0.50 |" in page.document(figures)
    assert "x, a/qop, --threads 1: crashed" in cpu.said(figures)
    assert "y, a/fp32, --threads 1: wrong, by 0 of" in cpu.said(figures)
    assert cpu.summary(FLOATS)["rows"][0] == {"model": "a/fp32", "threads": 1, "median_ms": 2, "best_peer": "x", "peer_ms": 4, "ratio": 0.5}
    assert cpu.summary(FLOATS)["geomean_ratio_int8"] is None


def test_the_page_has_the_figures_that_are_kept():
    text = page.PAGE.read_text()
    assert text == page.page(page.read()) if page.FIGURES.exists() else page.BEGIN + page.END in text


@pytest.mark.parametrize("name", networks.PRODUCTS)
def test_products_are_what_they_say(name, tmp_path):
    network = networks.product(name, tmp_path, size=8)
    (a,), (y,) = (networks.tensors(network.data[0], kind) for kind in ("input", "output"))
    b = numpy_helper.to_array(onnx.load(network.model).graph.initializer[0])
    wide = np.float64 if network.kind == "float" else np.int64
    assert np.allclose(y, np.einsum("mk,kn->mn", a.astype(wide), b.astype(wide)), rtol=1e-5)
    assert network.operations == 2 * 8 ** 3


def stored(folder, weights=None, extents=(1, "N")):
    """y = x + x, or x * weights, of an open extent, with a set of three numbers and one of four."""
    info = helper.make_tensor_value_info
    node = helper.make_node("Add", ["x", "x"], ["y"]) if weights is None else helper.make_node("Mul", ["x", "w"], ["y"])
    graph = helper.make_graph([node], "g", [info("x", TensorProto.FLOAT, extents)], [info("y", TensorProto.FLOAT, extents)],
                              [] if weights is None else [weights])
    folder.mkdir(parents=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), folder / "model.onnx")
    for number, count in enumerate((3, 4)):
        x = np.arange(1, count + 1, dtype=np.float32)[None]
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        (data / "input_0.pb").write_bytes(numpy_helper.from_array(x).SerializeToString())
        (data / "output_0.pb").write_bytes(numpy_helper.from_array(2 * x).SerializeToString())


def test_open_extents_are_those_of_the_first_set(tmp_path):
    stored(tmp_path / "models/a/b")
    network, = networks.stored(tmp_path / "models", tmp_path / "work")
    shape = onnx.load(network.model).graph.input[0].type.tensor_type.shape
    assert (network.name, [d.dim_value for d in shape.dim], len(network.data)) == ("a/b", [1, 3], 1)


@pytest.mark.parametrize("op, weights, kind", [("Mul", np.ones(1, np.float16), "half"), ("MatMulInteger", np.ones(1, np.int8), "int8"),
                                               ("QLinearConv", np.ones(1, np.int8), "int8"), ("Mul", np.ones(1, np.float32), "float")])
def test_kinds(op, weights, kind):
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"])], "g", [], [], [numpy_helper.from_array(weights, "w")])
    assert networks.kind_of(helper.make_model(graph)) == kind


@pytest.fixture
def peer_here(monkeypatch):
    """onnxruntime of the tests' own environment."""
    monkeypatch.setattr(runs, "PYTHON", pathlib.Path(sys.executable))


@pytest.mark.parametrize("who", [goals.OURS, "onnxruntime"])
def test_a_network_is_run_and_judged(who, tmp_path, peer_here):
    stored(tmp_path / "models/a")
    network, = networks.stored(tmp_path / "models", tmp_path / "work")
    result = runs.row(who, network, threads=1, seconds=0.01, rounds=1)
    assert result["right"] and result["error"] == 0 and result["p10_ms"] <= result["median_ms"] <= result["p90_ms"]


def test_wrong_outputs_are_not_right(tmp_path, peer_here):
    stored(tmp_path / "models/a", numpy_helper.from_array(np.array([2, 2, 2.1], np.float32), "w"), extents=(1, 3))
    network, = networks.stored(tmp_path / "models", tmp_path / "work")
    shutil.rmtree(network.folder / "test_data_set_1")  # of four numbers
    result = runs.row("onnxruntime", network, threads=1, seconds=0.01, rounds=1)
    assert not result["right"] and result["error"] == pytest.approx(0.3 / 6, rel=1e-3)


def test_what_fails_is_said(tmp_path, peer_here):
    stored(tmp_path / "models/a", extents=(1, 3))
    network, = networks.stored(tmp_path / "models", tmp_path / "work")
    (network.folder / "model.onnx").write_bytes(b"nothing")
    for who in (goals.OURS, "onnxruntime"):
        assert runs.row(who, network, threads=1, seconds=0.01, rounds=1)["failed"]


def test_a_peer_that_takes_too_long_is_ended_with_what_it_runs(tmp_path, monkeypatch):
    stored(tmp_path / "models/a", extents=(1, 3))
    network, = networks.stored(tmp_path / "models", tmp_path / "work")
    # Who of them still runs holds the pipe: its end is seen when the last one has gone.
    pipe = tmp_path / "held"
    os.mkfifo(pipe)
    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\nexec 3>'{pipe}'\necho begun >&3\nsleep 600 &\nwait\n")
    slow.chmod(0o755)
    monkeypatch.setattr(runs, "PYTHON", slow)
    monkeypatch.setattr(runs, "PATIENCE", 2)
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as held:
        assert runs.row("onnxruntime", network, threads=1, seconds=0.01, rounds=1)["failed"] == "no result within 2 s"
        assert held.read(len("begun\n")) == b"begun\n"
        assert select.select([held], [], [], 60)[0], "what it runs goes on"
        assert held.read(1) == b""


@pytest.mark.parametrize("got, want, error", [
    (np.uint8([250]), np.int8([-6]), 0), (np.int8([1, -4]), np.int8([1, -2]), 1), (np.float32([np.nan]), np.float32([1]), np.inf)])
def test_differences(got, want, error):
    assert runs.off(got, want) == error
