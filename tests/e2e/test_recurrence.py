"""One program, compiled once, run by one session of libtenon many times: an LSTM at many lengths, a decoder with its cache. What is
expected is onnxruntime's."""
import json
import pathlib

import numpy
import onnxruntime
import pytest

from c_api import Api
from conftest import EXAMPLE
from example import Example

TOKENS, POSITIONS = 200, 128


def reference(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(model), options)


def build(tenon):
    return pathlib.Path(tenon.path).parents[1]


def test_a_recurrent_network_at_twenty_lengths(tenon, models, tmp_path):
    """From 1 to 500 bytes, longer and shorter ones in turn."""
    model, program = models / "byte_sb_bidi_lstm/model.onnx", tmp_path / "lstm.tenon"
    tenon("compile", model, "-o", program)
    api, want = Api(build(tenon) / "runtime/libtenon.so"), reference(model)
    session = api.session(program)
    lengths = [1, 500, 2, 3, 457, 5, 8, 389, 13, 21, 34, 301, 55, 89, 100, 233, 128, 129, 144, 499]
    random = numpy.random.default_rng(17)
    for batch, length in [*((1, length) for length in lengths), (3, 40)]:
        text = random.integers(0, 256, (batch, length), numpy.uint8)
        output = numpy.full((batch, length, 2), numpy.nan, numpy.float32)
        api.run(session, [text], [output])
        [expected] = want.run(None, {"input": text})
        # Sums in another order, through 500 steps of tanh and sigmoid that damp what differs.
        numpy.testing.assert_allclose(output, expected, rtol=1e-4, atol=2e-5, err_msg=f"length {length}")
    api.library.tenon_session_release(session)


def piece(vocabulary, token):
    text = vocabulary[token]
    return bytes.fromhex(text[3:5]) if text.startswith("<0x") else text.encode()


def told(model, vocabulary):
    """The story by onnxruntime, by the protocol of examples/story: when no position is left, the last half of the positions' tokens is
    run again from the first. Also the least distance of a token's score from the next best one's."""
    session = reference(model)
    names = [each.name for each in session.get_inputs()]
    caches = [numpy.zeros(each.shape, numpy.float32) for each in session.get_inputs()[2:]]
    story, position, margin = [1], 0, numpy.inf
    while len(story) <= TOKENS:
        again = story[-1:]
        if position == POSITIONS:
            again, position = story[-POSITIONS // 2:], 0
        for token in again:
            given = [numpy.array([[token]]), numpy.array([position]), *caches]
            scores, *caches = session.run(None, dict(zip(names, given)))
            position += 1
        order = numpy.sort(scores.ravel())
        margin = min(margin, order[-1] - order[-2])
        story.append(int(scores.argmax()))
    return b"".join(piece(vocabulary, token) for token in story[1:]).decode(), margin


def test_a_story_is_told(tenon, models, tmp_path):
    """200 tokens by examples/story, built and run as its README says, one program without recompilation."""
    llama = models / "stories260k_llama"
    vocabulary = json.loads((llama / "vocab.json").read_text())
    want, margin = told(llama / "decode128/model.onnx", vocabulary)
    assert want.startswith(" Once upon a time, there was a little girl named Lily. ")
    assert margin > 1e-3, "two tokens are so near each other that rounding chooses"
    pieces = tmp_path / "pieces.txt"
    pieces.write_text("".join(text.replace("\n", "") + "\n" for text in vocabulary))
    story = Example("story", tenon, tmp_path, {"model.onnx": llama / "decode128/model.onnx", "pieces.txt": pieces})
    assert story.said.endswith(want + "\n"), story.said
    assert story("story.tenon", expect=1).stderr == "story: expected NETWORK PIECES [TOKENS]\n"
    tenon("compile", EXAMPLE / "resnet8.onnx", "-o", story.folder / "resnet8.tenon")
    assert story("resnet8.tenon", "pieces.txt", expect=1).stderr == (
        "story: the network does not take a token, its position and caches, and give scores and caches\n")
