# Part of Tenon, under the Apache License v2.0.
"""Attention and LinearAttention: what the onnx package's cases do not cover."""
import numpy as np
from onnx.reference import ReferenceEvaluator
import pytest

from lowering import check, run
from one_node import feeds, floats, one_node

N = None
MASK = np.random.default_rng(7).integers(0, 2, (3, 8)).astype(bool)


def attention(*inputs, opset=23, **options):
    return one_node("Attention", inputs, opset=opset, **options), inputs


@pytest.mark.parametrize("mode", [0, 3])
@pytest.mark.parametrize("inputs, shapes, options", [
    ([floats(1, 2, 3, 8), floats(1, 2, 5, 8, seed=1), floats(1, 2, 5, 8, seed=2)], {0: [1, 2, "q", 8], 1: [1, 2, "k", 8], 2: [1, 2, "k", 8]}, {}),
    ([floats(1, 3, 16), floats(1, 5, 16, seed=1), floats(1, 5, 16, seed=2)], {0: [1, "q", 16], 1: [1, "k", 16], 2: [1, "k", "d"]},
     {"q_num_heads": 2, "kv_num_heads": 2}),
    ([floats(1, 2, 1, 8), floats(1, 2, 1, 8, seed=1), floats(1, 2, 1, 8, seed=2), N, floats(1, 2, 4, 8, seed=3), floats(1, 2, 4, 8, seed=4)],
     {4: [1, 2, "p", 8], 5: [1, 2, "p", 8]}, {"outputs": 15}),
], ids=["four", "three", "past"])
def test_scores_of_an_open_length(inputs, shapes, options, mode):
    model, inputs = attention(*inputs, shapes=shapes, qk_matmul_output_mode=mode, **{"outputs": 9, **options})
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    check(model, feeds(model, inputs), ReferenceEvaluator(model).run(None, feeds(model, inputs)), rtol=1e-4, atol=1e-5)


def test_scores_of_a_known_past():
    """Which is none of the outputs."""
    inputs = [floats(1, 2, 1, 8), floats(1, 2, 1, 8, seed=1), floats(1, 2, 1, 8, seed=2), N, floats(1, 2, 4, 8, seed=3), floats(1, 2, 4, 8, seed=4)]
    model, inputs = attention(*inputs, outputs=9)
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    check(model, feeds(model, inputs), ReferenceEvaluator(model).run(None, feeds(model, inputs)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(3, 8), (1, 8), (2, 1, 3, 8), (2, 2, 1, 8), (3, 5), (1, 1, 1, 1)])
@pytest.mark.parametrize("is_open", [False, True])
def test_masks_that_fit(shape, is_open):
    mask = floats(*shape, seed=5)
    inputs = [floats(2, 2, 3, 4), floats(2, 2, 8, 4, seed=1), floats(2, 2, 8, 4, seed=2), mask]
    shapes = {3: [f"m{axis}" for axis in range(mask.ndim)]} if is_open else {}
    model, inputs = attention(*inputs, shapes=shapes)
    expected = ReferenceEvaluator(model).run(None, feeds(model, inputs))
    check(model, feeds(model, inputs), expected, rtol=1e-4, atol=1e-5)


QUERY, KEYS = floats(2, 2, 2, 4), floats(2, 2, 8, 4, seed=1)
BROADCAST = "its mask cannot be broadcast to its queries and keys"
LONG = "its mask is longer than its keys"
PADDING = "its nonpad_kv_seqlen has not one number for each element of the batch"
STEPS = "its inputs have different batches, steps or sizes"
LINEAR = {"opset": 27, "q_num_heads": 1, "kv_num_heads": 1, "outputs": 3}
STREAM = [floats(1, 5, 4)] * 3
WRONG = [
    ("Attention", [QUERY, KEYS, KEYS, floats(3, 8)], {"opset": 23}, BROADCAST),
    ("Attention", [QUERY, KEYS, KEYS, floats(3, 8)], {"opset": 23, "shapes": {3: ["r", 8]}}, BROADCAST),
    ("Attention", [QUERY, KEYS, KEYS, floats(3, 1, 2, 8)], {"opset": 23, "shapes": {3: ["b", 1, 2, 8]}}, BROADCAST),
    ("Attention", [QUERY, KEYS, KEYS, floats(2, 9)], {"opset": 23}, LONG),
    ("Attention", [QUERY, KEYS, KEYS, floats(2, 9)], {"opset": 23, "shapes": {3: [2, "k"]}}, LONG),
    ("Attention", [QUERY, KEYS, KEYS, N, N, N, np.int64([3])], {"opset": 24}, PADDING),
    ("Attention", [QUERY, KEYS, KEYS, N, N, N, np.int64([3])], {"opset": 24, "shapes": {6: ["s"]}}, PADDING),
    ("Attention", [QUERY, KEYS, KEYS, N, N, N, np.int64([[3, 3]])], {"opset": 24}, "has 2 dimensions, expected 1"),
    ("Attention", [floats(1, 4, 2, 8), floats(1, 0, 3, 8), floats(1, 0, 3, 8)], {"opset": 23}, "its keys have no heads"),
    ("Attention", [floats(1, 4, 2, 8), floats(1, 0, 3, 8), floats(1, 0, 3, 8)],
     {"opset": 23, "shapes": {1: [1, "h", 3, 8], 2: [1, "h", 3, 8]}}, "its keys have no heads"),
    ("LinearAttention", [*STREAM, N, floats(1, 2, 1)], {**LINEAR, "update_rule": "gated"}, STEPS),
    ("LinearAttention", [*STREAM, N, floats(1, 2, 1)], {**LINEAR, "update_rule": "gated", "shapes": {4: [1, "t", 1]}}, STEPS),
    ("LinearAttention", [*[floats(2, 5, 4)] * 3, N, floats(1, 5, 4)], {**LINEAR, "update_rule": "gated", "shapes": {4: ["b", 5, 4]}}, STEPS),
    ("LinearAttention", [*STREAM, N, N, floats(1, 2, 1)], {**LINEAR, "update_rule": "delta"}, STEPS),
    ("LinearAttention", [*STREAM, N, N, floats(1, 2, 1)], {**LINEAR, "update_rule": "delta", "shapes": {5: [1, "t", 1]}}, STEPS),
    ("LinearAttention", [*STREAM, N, N, floats(1, 5, 3)], {**LINEAR, "update_rule": "delta"}, STEPS),
]


@pytest.mark.parametrize("operator, inputs, options, message", WRONG)
def test_what_does_not_fit_ends_it(operator, inputs, options, message):
    model = one_node(operator, inputs, **options)
    done, _ = run(model, feeds(model, inputs))
    assert done.returncode == 1 and message in done.stderr and "node 'n'" in done.stderr
