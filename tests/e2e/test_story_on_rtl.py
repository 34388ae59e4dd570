# Part of Tenon, under the Apache License v2.0.
"""examples/story on simulated RTL, as its README says. The story is expected from the quantised network on the CPU and from onnxruntime,
operations from the float network's shapes."""
import importlib.util
import json
import math
import re

import numpy as np
import onnx
from onnx import numpy_helper
import onnxruntime
import pytest

from conftest import ROOT
from example import Example

TOKENS, POSITIONS = 20, 128


def session(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(model), options)


@pytest.fixture(scope="module")
def network(models):
    return models / "stories260k_llama/decode128/model.onnx"


@pytest.fixture(scope="module")
def vocabulary(models):
    return json.loads((models / "stories260k_llama/vocab.json").read_text())


@pytest.fixture(scope="module")
def story(tenon, network, vocabulary, tmp_path_factory):
    folder = tmp_path_factory.mktemp("story")
    (folder / "pieces.txt").write_text("".join(text.replace("\n", "") + "\n" for text in vocabulary))
    files = {"model.onnx": network, "pieces.txt": folder / "pieces.txt"}
    return Example("story", tenon, folder, files, heading="On simulated RTL", script="on_rtl.py")


@pytest.fixture(scope="module")
def told(story):
    """What the network was given at each step on RTL: what it made of the steps before."""
    return np.load(story.folder / "told.npz")


def greedy(model, tokens):
    """By onnxruntime."""
    decoder, story, margins = session(model), [1], []
    names = [each.name for each in decoder.get_inputs()]
    caches = [np.zeros(each.shape, np.float32) for each in decoder.get_inputs()[2:]]
    for position in range(tokens):
        scores, *caches = decoder.run(None, dict(zip(names, [np.array([story[-1:]]), np.array([position]), *caches])))
        order = np.sort(scores.ravel())
        margins.append(order[-1] - order[-2])
        story.append(int(scores.argmax()))
    return story[1:], margins


def test_the_story_of_the_quantised_network_on_the_cpu(story, told):
    """Each step's tokens and caches, all bits of them; the last token by its text, its scores below."""
    said = story("quantised.onnx", "pieces.txt", "--target=cpu", f"--tokens={TOKENS}", "--save=cpu.npz").stdout
    text, *rest = said.splitlines()
    assert len(rest) == 1 and rest[0].startswith(f"{TOKENS} runs in "), "a CPU has no cycles"
    assert f"\n{text}\n31 launches a token; " in story.said
    cpu = np.load(story.folder / "cpu.npz")
    assert set(cpu.files) == set(told.files) and len(cpu.files) == 12
    for name in cpu.files:
        assert len(told[name]) == TOKENS and told[name].tobytes() == cpu[name].tobytes(), name


def test_every_step_is_bit_exact(story):
    """The last command's report, which would have ended with 3."""
    assert f"{TOKENS} from told.npz · {TOKENS} compared" in story.said
    for execution in ("functional", "cpu"):
        assert f"bit-exact with {execution} (" in story.said


def test_the_story_of_float_and_of_onnxruntime(story, network, vocabulary, told):
    """Ranges of eight bits do not change the first tokens: no two were near each other."""
    tokens, margins = greedy(story.folder / "quantised.onnx", TOKENS)
    assert min(margins) > 0.5, "two tokens are so near each other that rounding chooses"
    assert tokens[:-1] == told["token"].ravel().tolist()[1:]
    assert "\n" + "".join(vocabulary[token] for token in tokens) + "\n" in story.said
    wanted, _ = greedy(network, POSITIONS)
    assert tokens == wanted[:TOKENS]
    assert np.load(story.folder / "calibration.npz")["token"].ravel().tolist() == [1, *wanted[:-1]]
    same = int(re.search(rf"same answer +(\d+) of {POSITIONS} ", story.said)[1])
    print(f"{same} of {POSITIONS} answers are float's")
    assert same >= 115


def test_where_the_stories_part(story, network, vocabulary):
    """At the 21st token, where float has two that are nearer each other than a step of the integers."""
    step = np.load(story.folder / "calibration.npz")
    scores = np.sort(session(network).run(None, {name: step[name][TOKENS] for name in step.files})[0].ravel())
    model = onnx.load(story.folder / "quantised.onnx")
    [last] = (node for node in model.graph.node if "logits" in node.output)
    [scale] = (numpy_helper.to_array(each) for each in model.graph.initializer if each.name == last.input[1])
    assert scores[-1] - scores[-2] < scale < scores[-1] - scores[-3]
    text = story("quantised.onnx", "pieces.txt", "--target=functional", f"--tokens={TOKENS + 1}").stdout.splitlines()[0]
    assert text.endswith((" play with", " play ")) and vocabulary[step["token"][TOKENS + 1].item()] == " "


def test_figures(story, tenon, network):
    """Against each step's cycles as `tenon run` reports them, and the products of the float network."""
    report = tenon.report(story.folder / "quantised.onnx", "--target=rtl", "--check=none", f"--inputs={story.folder / 'told.npz'}")
    cycles = sum(run["cycles"] for run in report["inputs"]["results"])
    assert len(report["inputs"]["results"]) == TOKENS and cycles > 0
    assert f"\n{TOKENS} tokens in {cycles:,} cycles: {1e6 * TOKENS / cycles:.2f} tokens per million cycles\n" in story.said

    graph = onnx.shape_inference.infer_shapes(onnx.load(network)).graph
    shapes = {each.name: [d.dim_value for d in each.type.tensor_type.shape.dim] for each in [*graph.value_info, *graph.output]}
    shapes.update((each.name, list(each.dims)) for each in graph.initializer)
    products = [node for node in graph.node if node.op_type == "MatMul"]
    macs = sum(math.prod(shapes[node.output[0]]) * shapes[node.input[1]][-2] for node in products)
    assert f"; {TOKENS * macs:,} of {TOKENS * macs:,} multiply-accumulates (100.00%) on the accelerator\n" in story.said

    quoted = [line[2:].rstrip() for line in (ROOT / "examples/story/README.md").read_text().splitlines() if line.startswith("> ")]
    assert len(quoted) == 3 and all(line in story.said for line in quoted), "the README says otherwise"

    ran = [layer for layer in report["layers"] if layer["placed_on"] == "accelerator"]
    assert len(ran) == len(products) == 46
    assert all(layer["bound_cycles"] == layer["read_cycles"] > layer["compute_cycles"] for layer in ran)
    blocks = 5
    assert report["launches"] == 6 * blocks + 1
    assert f"\n{report['launches']} launches a token; " in story.said


def test_half_is_heard_again(tmp_path, capsysbinary):
    """Behind the last of eight positions, four tokens are run again."""
    spec = importlib.util.spec_from_file_location("on_rtl", ROOT / "examples/story/on_rtl.py")
    on_rtl = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(on_rtl)
    heard = []

    class Decoder:
        positions = 8

        def next(self, token, position):
            heard.append((token, position))
            return token + 1  # whoever heard another token says another one

    pieces = ["<0x41>", "<s>", "<0xC3>", "<0xA9>", " \u2028", "<0x0A>", *"abcdefghi"]
    (tmp_path / "pieces.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    on_rtl.tell(Decoder(), on_rtl.read_pieces(tmp_path / "pieces.txt"), 13)
    assert heard == [(token, token - 1) for token in range(1, 9)] + [(6, 0), (7, 1), (8, 2), (9, 3), (10, 4), (11, 5), (12, 6), (13, 7)]
    assert capsysbinary.readouterr().out == "é \u2028\nabcdefghi\n".encode()


@pytest.mark.parametrize("change, code, message", [
    (lambda a: a[:1], 2, "the following arguments are required: pieces"),
    (lambda a: [*a, "--tokens=0"], 2, "--tokens must be 1 or more"),
    (lambda a: [*a, "--save=nowhere/told.npz"], 1, "on_rtl: [Errno 2] No such file or directory: 'nowhere/"),
    (lambda a: [a[0], "nothing.txt"], 1, "on_rtl: [Errno 2] No such file or directory: 'nothing.txt'"),
    (lambda a: [a[0], "few.txt"], 1, "on_rtl: 'few.txt' has 2 lines; the network chooses among 512 pieces"),
    (lambda a: ["nothing.onnx", a[1]], 1, "tenon: "),
    (lambda a: ["other.onnx", a[1]], 1, "on_rtl: 'other.onnx' does not take a token, its position and caches, and give scores and caches"),
    (lambda a: [*a, "--target=abacus"], 2, "'abacus' is no target; expected rtl, ")])
def test_errors(story, models, change, code, message):
    (story.folder / "few.txt").write_text("one\ntwo\n")
    onnx.save(onnx.load(models / "stories260k_llama/prefill64/model.onnx"), story.folder / "other.onnx")
    before = set(story.folder.iterdir())
    result = story(*change(["quantised.onnx", "pieces.txt"]), expect=code)
    assert message in result.stderr and not result.stdout, result.stderr
    assert set(story.folder.iterdir()) == before


def test_no_tenon(story, tmp_path):
    said = story("quantised.onnx", "pieces.txt", expect=4, PATH=str(tmp_path)).stderr
    assert said == "on_rtl: cannot run 'tenon' (No such file or directory): put the installation's bin into PATH\n"
