# Part of Tenon, under the Apache License v2.0.
"""docs/onnx.md is what its generator gives, and names every operator of a case that passes."""
import os

import onnx
import pytest

import cases
import lowering
import onnx_table
import operator_cases
from common import MODELS


@pytest.mark.skipif(not os.path.isdir(MODELS), reason="../shared/models is not there")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the cases' own arithmetic
def test_document_is_current():
    assert onnx_table.DOCUMENT.read_text(encoding="utf-8") == onnx_table.document(), "run tests/conformance/onnx_table.py --write"


REFUSED = {
    ("Relu", 1): "main (float[2] x) => (float[2] y) { y = Relu (x) }",
    ("Concat", 1): "main (float[2] x) => (float[4] y) { y = Concat <axis = 0> (x, x) }",
    ("Max", 1): "main (float[2] x) => (float[2] y) { y = Max (x, x) }",
    ("LpPool", 1): "main (float[1,1,4] x) => (float[1,1,3] y) { y = LpPool <kernel_shape = [2]> (x) }",
    ("Upsample", 1): "main (float[1,1,2,2] x) => (float[1,1,4,4] y) { y = Upsample <height_scale = 2.0, width_scale = 2.0> (x) }",
}


@pytest.mark.parametrize("name, version", REFUSED)
def test_versions_that_are_refused_do_not_stand_in_it(name, version):
    assert "the operator is not supported: it needs a lowering" in lowering.refusal(lowering.model_of(REFUSED[name, version], opset=version))
    row = next(line for line in onnx_table.DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {name} |"))
    assert str(version) not in row.split(" | ")[1].split(", ")


def test_types_that_are_refused_do_not_stand_in_it():
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.COMPLEX64, [2])
    y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.COMPLEX64, [2])
    graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", ["x"], ["y"])], "g", [x], [y])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
    assert "has the element type COMPLEX64, which no program takes" in lowering.refusal(model)
    assert "complex" not in onnx_table.DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operators_of_passing_cases_stand_in_it():
    tables, schemas = (onnx_table.lowered(), onnx_table.defined(), onnx_table.clustered()), onnx_table.schemas()
    missing = cases.missing(operator_cases.NAME)
    names = {node.op_type for case in operator_cases.cases() if not cases.outside(case) and case.name not in missing
             for node in case.model.graph.node if node.domain == ""}
    assert len(names) > 150
    assert not [name for name in names if not onnx_table.place(("", name), schemas[name][-1], tables)]
