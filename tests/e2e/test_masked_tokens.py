"""ALBERT in 8 bits: one step somewhere becomes a different logit some layers on, onnxruntime's own optimisations among what does it.

So it is judged by what it is for, the token behind a mask.
"""
import re

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper


@pytest.fixture(scope="module")
def tokens(models):
    return np.load(models / "albert_rxnmapper" / "masked_tokens.npz")


@pytest.mark.parametrize("form", ["qop", "qdq"])
def test_masked_tokens(tenon, models, tokens, tmp_path, form):
    text = (models / "MANIFEST.md").read_text()
    right = int(re.search(rf"one token masked each .*?top-1: .*?{form} (\d+)", text)[1])
    model = onnx.load(models / "albert_rxnmapper" / form / "model.onnx")
    # The logits of the masked position are the answer.
    model.graph.input.append(helper.make_tensor_value_info("position", TensorProto.INT64, [1]))
    model.graph.node.append(helper.make_node("Gather", ["logits", "position"], ["row"], name="row", axis=1))
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("row", TensorProto.FLOAT, [1, 1, 591]))
    onnx.save(model, tmp_path / "model.onnx")
    np.savez(tmp_path / "tokens.npz", input_ids=tokens["input_ids"].astype(np.int64), attention_mask=tokens["attention_mask"].astype(np.int64),
             position=tokens["masked_position"].astype(np.int64), labels=tokens["label"])
    report = tenon.report(tmp_path / "model.onnx", "--target=cpu", "--check=none", f"--inputs={tmp_path}/tokens.npz", timeout=1800)
    inputs = report["inputs"]
    assert (inputs["count"], inputs["labelled"], inputs["failed"]) == (84, 84, 0)
    assert abs(inputs["top1"] - right) <= 2
