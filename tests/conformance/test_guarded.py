# Part of Tenon, under the Apache License v2.0.
"""Kernels of operators with open dimensions touch nothing beside their tensors: all memory lies against pages that nobody may touch."""
import collections
import os
import pathlib
import random
import subprocess
import sys

import numpy as np
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from seeds import of_commit

import cases
from common import HERE

PROGRAM = os.environ.get("GUARDED_CALL", os.path.join(HERE, "..", "..", "build", "release", "bin", "guarded_call"))
LEAST = 100  # that run with open dimensions


def opened(model):
    """The same with a name for every extent of its inputs, and outputs that only the run tells."""
    copy = type(model)()
    copy.CopyFrom(model)
    for value in copy.graph.input:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"{value.name}_{axis}"
    for value in copy.graph.output:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"{value.name}_{axis}"
    return copy


def chosen():
    """A case of each operator; others for each commit."""
    seen = set()
    with np.errstate(all="ignore"):
        collected = collect_testcases(None)
    random.Random(of_commit()).shuffle(collected)
    for case in collected:
        operators = tuple(node.op_type for node in case.model.graph.node)
        # Definitions of operators, expanded, are many nodes.
        if len(operators) == 1 and operators not in seen and not cases.outside(case) and case.data_sets:
            seen.add(operators)
            yield case


def proto(value, name):
    return value if isinstance(value, TensorProto) else numpy_helper.from_array(np.asarray(value), name)


def resized(array, draw):
    """With another extent along one axis."""
    axis = draw.randrange(array.ndim)
    extent = draw.choice([0, 1, array.shape[axis] + 1, 3 * array.shape[axis]])
    return np.resize(array, (*array.shape[:axis], extent, *array.shape[axis + 1:]))


def run(folder, cases_and_inputs):
    """{name: what the program says of its network with these inputs}"""
    lines = []
    for number, (case, inputs) in enumerate(cases_and_inputs):
        at = folder / str(number)
        at.mkdir()
        (at / "model.onnx").write_bytes(opened(case.model).SerializeToString())
        for index, value in enumerate(inputs):
            (at / f"{index}.pb").write_bytes(proto(value, "x").SerializeToString())
        lines.append(" ".join(str(at / name) for name in ["model.onnx", *(f"{index}.pb" for index in range(len(inputs)))]))
    (folder / "list").write_text("\n".join(lines) + "\n")
    done = subprocess.run([PROGRAM, folder / "list"], capture_output=True, text=True, timeout=1500, check=False)
    said = [line for line in done.stdout.splitlines() if line in ("same", "differs") or line.startswith("refused: ")]
    names = [case.name for case, _ in cases_and_inputs]
    assert done.returncode == 0, (names[len(said)], lines[len(said)], done.stderr[-1000:])
    assert len(said) == len(names)
    return dict(zip(names, said))


def test_operators_touch_nothing_else(tmp_path):
    results = run(tmp_path, [(case, case.data_sets[0][0]) for case in chosen()])
    assert not [name for name, result in results.items() if result == "differs"]
    # What needs a fixed extent is refused; most operators take any.
    assert list(results.values()).count("same") >= LEAST, collections.Counter(result for result in results.values() if result != "same")


def test_inputs_that_do_not_fit(tmp_path):
    """One input has another extent than the case has: its result or its message is the same whatever lies beside the tensors."""
    draw, changed = random.Random(of_commit()), []
    for case in chosen():
        inputs = list(case.data_sets[0][0])
        places = [place for place, value in enumerate(inputs) if isinstance(value, np.ndarray) and value.ndim]
        if places:
            place = draw.choice(places)
            inputs[place] = resized(inputs[place], draw)
            changed.append((case, inputs))
    results = run(tmp_path, changed)
    assert not [name for name, result in results.items() if result == "differs"]
    assert list(results.values()).count("same") >= LEAST
