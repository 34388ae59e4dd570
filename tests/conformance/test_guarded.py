# Part of Tenon, under the Apache License v2.0.
"""Kernels of operators with open dimensions touch nothing beside their tensors: all memory lies against pages that nobody may touch."""
import collections
import os
import subprocess

import numpy as np
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases

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
    seen = set()
    with np.errstate(all="ignore"):
        collected = collect_testcases(None)
    for case in collected:
        operators = tuple(node.op_type for node in case.model.graph.node)
        # Definitions of operators, expanded, are many nodes.
        if len(operators) == 1 and operators not in seen and not cases.outside(case) and case.data_sets:
            seen.add(operators)
            yield case


def proto(value, name):
    return value if isinstance(value, TensorProto) else numpy_helper.from_array(np.asarray(value), name)


def test_operators_touch_nothing_else(tmp_path):
    lines, names = [], []
    for number, case in enumerate(chosen()):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "model.onnx").write_bytes(opened(case.model).SerializeToString())
        files = []
        for index, value in enumerate(case.data_sets[0][0]):
            files.append(str(folder / f"{index}.pb"))
            (folder / f"{index}.pb").write_bytes(proto(value, "x").SerializeToString())
        lines.append(" ".join([str(folder / "model.onnx"), *files]))
        names.append(case.name)
    (tmp_path / "list").write_text("\n".join(lines) + "\n")
    done = subprocess.run([PROGRAM, tmp_path / "list"], capture_output=True, text=True, timeout=1500, check=False)
    said = done.stdout.splitlines()
    assert done.returncode == 0, (names[len(said)], lines[len(said)], done.stderr[-1000:])
    results = dict(zip(names, said))
    assert len(results) == len(names)
    assert not [name for name, result in results.items() if result == "differs"]
    # What needs a fixed extent is refused; most operators take any.
    assert list(results.values()).count("same") >= LEAST, collections.Counter(result for result in results.values() if result != "same")
