# Part of Tenon, under the Apache License v2.0.
"""docs/onnx.md is what its generator gives, and names every operator of a case that passes."""
import os

import pytest

import cases
import onnx_table
import operator_cases
from common import MODELS


@pytest.mark.skipif(not os.path.isdir(MODELS), reason="../shared/models is not there")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the cases' own arithmetic
def test_document_is_current():
    assert onnx_table.DOCUMENT.read_text(encoding="utf-8") == onnx_table.document(), "run tests/conformance/onnx_table.py --write"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operators_of_passing_cases_stand_in_it():
    tables, schemas = (onnx_table.lowered(), onnx_table.defined(), onnx_table.clustered()), onnx_table.schemas()
    missing = cases.missing(operator_cases.NAME)
    names = {node.op_type for case in operator_cases.cases() if not cases.outside(case) and case.name not in missing
             for node in case.model.graph.node if node.domain == ""}
    assert len(names) > 150
    assert not [name for name in names if not onnx_table.place(("", name), schemas[name][-1], tables)]
