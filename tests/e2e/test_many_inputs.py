"""`tenon run --inputs`: many inputs through one loaded program, their accuracy, and what fails among them."""
import re
import shutil

import numpy as np
import pytest

from conftest import EXAMPLE, ROOT
from test_hostile_input import changed, replaced

PICTURES = EXAMPLE / "pictures"
LABELS = EXAMPLE / "labels.txt"
CLASSES = LABELS.read_text().split()


@pytest.fixture(scope="module")
def resnet(tenon, tmp_path_factory):
    """The example network, compiled: INT8 of 1x3x32x32."""
    path = tmp_path_factory.mktemp("resnet") / "p.tenon"
    tenon("compile", EXAMPLE / "resnet8.onnx", "-o", path)
    return path


def savez(path, **arrays):
    np.savez(path, **arrays)
    return path


def many(tenon, program, source, *options, target="functional", expect=0):
    """The report's `inputs`, and the whole report."""
    report = tenon.report(program, f"--target={target}", "--preprocess=mean=128", f"--inputs={source}", *options,
                          expect=expect)
    return report["inputs"], report


@pytest.fixture(scope="module")
def cifar(models):
    """What the manifest says of the int8 network, and the data."""
    text = (models / "MANIFEST.md").read_text()
    right = re.search(r"top-1 on 100 CIFAR-10 test images \(data_cifar10\): fp32 \d+, int8 (\d+)", text)
    return int(right[1]), models / "mlperftiny_resnet8/qdq/model.onnx", models / "data_cifar10/cifar10_100.npz"


def test_accuracy_of_an_array(tenon, cifar):
    """Converters and simulators round alike but for ties of the softmax: one picture more or less."""
    right, model, data = cifar
    inputs, report = many(tenon, model, data)
    assert (inputs["count"], inputs["labelled"], inputs["failed"], inputs["batch"]) == (100, 100, 0, 1)
    assert abs(inputs["top1"] - right) <= 1 and inputs["top1"] <= inputs["topk"]
    truth = np.load(data)["y"]
    assert [r["label"] for r in inputs["results"]] == truth.tolist()
    assert sum(r["answer"] == y for r, y in zip(inputs["results"], truth)) == inputs["top1"]
    latency = inputs["latency_ms"]
    assert 0 < latency["min"] <= latency["median"] <= latency["p99"] <= latency["max"]
    assert not report["answer"]


def test_each_answer_is_that_of_a_run_alone(tenon, cifar, tmp_path):
    _, model, data = cifar
    arrays = np.load(data)
    program = tmp_path / "p.tenon"
    tenon("compile", model, "-o", program)
    np.savez(tmp_path / "five.npz", x=arrays["x"][:5])
    inputs, _ = many(tenon, program, tmp_path / "five.npz")
    for i, result in enumerate(inputs["results"]):
        np.save(tmp_path / "x.npy", (arrays["x"][i:i + 1].astype(np.int16) - 128).astype(np.int8))
        alone = tenon.report(program, "--target=functional", f"--input={tmp_path}/x.npy")
        assert result["answer"] == alone["answer"][0]["index"]


def test_every_input_is_compared_on_rtl(tenon, resnet, cifar, tmp_path):
    arrays = np.load(cifar[2])
    np.savez_compressed(tmp_path / "three.npz", x=arrays["x"][:3], labels=arrays["y"][:3].astype(np.int32))
    inputs, report = many(tenon, resnet, tmp_path / "three.npz", target="rtl")
    assert (inputs["compared"], inputs["labelled"], inputs["failed"]) == (3, 3, 0)
    assert report["checks"]["functional"]["status"] == report["checks"]["cpu"]["status"] == "bit-exact"
    assert all(r["cycles"] > 0 for r in inputs["results"])


@pytest.fixture
def folder(tmp_path):
    """The example's pictures, each in the folder of its class."""
    for picture in PICTURES.glob("*.png"):
        (tmp_path / "in" / picture.stem).mkdir(parents=True)
        shutil.copy(picture, tmp_path / "in" / picture.stem / "1.png")
    return tmp_path / "in"


def test_class_folders(tenon, resnet, folder):
    (folder / "notes.txt").write_text("no input")
    (folder / ".hidden").write_text("no input")
    inputs, report = many(tenon, resnet, folder, f"--labels={LABELS}")
    assert [r["name"] for r in inputs["results"]] == sorted(f"{p.stem}/1.png" for p in PICTURES.glob("*.png"))
    assert [r["label"] for r in inputs["results"]] == [CLASSES.index(r["name"].split("/")[0]) for r in inputs["results"]]
    assert inputs["top1"] == inputs["count"] == 5
    assert any("left out 1 file in the folder" in note and "notes.txt" in note for note in report["notes"])


def test_a_broken_picture_is_counted(tenon, resnet, folder):
    (folder / "cat/0.png").write_bytes(b"no picture")
    (folder / "cat/2.png").write_bytes(b"no picture either")
    inputs, _ = many(tenon, resnet, folder, f"--labels={LABELS}", expect=1)
    assert (inputs["count"], inputs["failed"], inputs["top1"]) == (7, 2, 5)
    assert inputs["first_failure"]["name"] == "cat/0.png" and "is not a picture" in inputs["first_failure"]["failure"]
    text = tenon("run", resnet, "--target=functional", "--preprocess=mean=128", f"--labels={LABELS}",
                 f"--inputs={folder}", expect=1)
    assert re.search(r"FAILED +2 of 7, first cat/0.png: .*is not a picture", text.stdout)
    assert "top-1 5 of 5 (100.0 %)" in text.stdout
    assert not text.stderr, "progress is for terminals"


def test_differing_inputs_go_on(tenon, tmp_path):
    """A reference that pools another window agrees where a picture has one value, and on no other."""
    network = ROOT / "tests/fuzz/input/seeds/tosa/max_pool.mlir"
    tenon("compile", network, "-o", tmp_path / "right.tenon")
    other = replaced(tenon, tmp_path, tmp_path / "right.tenon", changed(
        "kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 0>", "kernel = array<i64: 2, 2>, pad = array<i64: 1, 0, 0, 0>"))
    x = np.random.default_rng(2).integers(-128, 128, (4, 20, 9, 8)).astype(np.int8)
    x[0], x[2] = 7, -5
    path = savez(tmp_path / "x.npz", x=x)
    inputs, report = many(tenon, other, path, "--check=cpu", expect=3)
    assert [bool(r["failure"]) for r in inputs["results"]] == [False, True, False, True]
    assert (inputs["failed"], inputs["compared"], inputs["first_failure"]["name"]) == (2, 4, "1")
    assert re.fullmatch(r"differs from cpu in \d+ values, first in maxpool_0 at \d+: got -?\d+, want -?\d+",
                        inputs["first_failure"]["failure"])
    assert report["checks"]["cpu"]["status"] == "differs"
    assert "FAILED" in tenon("run", other, "--target=functional", "--check=cpu", f"--inputs={path}", expect=3).stdout


def test_an_error_of_the_target_ends_the_run(tenon, resnet, folder):
    weights = re.search(r'^\.segment "weights of conv2d_0" @(0x\w+)', tenon("dis", resnet).stdout, re.M)[1]
    text = tenon("run", resnet, f"--target=rtl:fault={weights}", "--preprocess=mean=128", f"--labels={LABELS}",
                 f"--inputs={folder}", expect=4).stderr
    assert text.startswith("tenon: input airplane/1.png: rtl: LOAD"), text


def test_a_file_of_classes(tenon, resnet, folder, tmp_path):
    for text, right in [("".join(f"{p.stem}/1.png,{p.stem}\n" for p in PICTURES.glob("*.png")), 5),
                        ("cat/1.png 0\nnobody.png 3\n", 0),
                        ("".join(f"{c}\n" for c in sorted(p.stem for p in PICTURES.glob("*.png"))), 5)]:
        (tmp_path / "truth").write_text(text)
        inputs, _ = many(tenon, resnet, folder, f"--labels={LABELS}", f"--expect-labels={tmp_path}/truth")
        assert inputs["top1"] == right
    assert inputs["labelled"] == 5


def test_batches(tenon, cifar, tmp_path):
    """Three inputs through a network of two: the fourth place is filled, and the answers are those of single runs."""
    net = tmp_path / "two.mlir"
    net.write_text("""func.func @main(%a: tensor<2x4x4x4xi8> {tenon.name = "a"}) -> tensor<2x4x4x4xi8> {
        return %a : tensor<2x4x4x4xi8> }""")
    x = np.random.default_rng(5).integers(-128, 128, (3, 4, 4, 4)).astype(np.int8)
    np.savez(tmp_path / "x.npz", a=x, other=x)
    report = tenon.report(net, "--target=functional", f"--inputs={tmp_path}/x.npz")
    inputs = report["inputs"]
    assert (inputs["batch"], inputs["runs"], inputs["padding"], inputs["count"]) == (2, 2, 1, 3)
    assert [r["answer"] for r in inputs["results"]] == [int(np.argmax(row)) for row in x]
    assert any("left out the array 'other'" in note for note in report["notes"])
    assert "the last input is repeated 1 times to fill a run" in tenon(
        "run", net, "--target=functional", f"--inputs={tmp_path}/x.npz").stdout


PIXELS = np.zeros((2, 3, 32, 32), np.uint8)


@pytest.mark.parametrize("arrays, options, expected", [
    ({"x": PIXELS[:, :, :30]}, ["--preprocess=mean=128"], "1x3x32x32"),
    ({"x": PIXELS}, [], "; --preprocess makes values of pixels in uint8"),
    ({"x": PIXELS[:0]}, [], "there is no input in it"),
    ({"u": PIXELS, "v": PIXELS}, [], "no array for input 'input_1_int8'; there are [u, v]"),
    ({"x": np.int8(3)}, [], "; expected as many inputs along the first axis of every array"),
    ({"x": PIXELS, "y": np.zeros(3, np.int64)}, [], "; expected an integer for each of 2 inputs"),
    ({"x": PIXELS, "labels": np.array([1, -1])}, [], "true class 1 is -1, which is no class's number"),
])
def test_wrong_arrays(tenon, resnet, tmp_path, arrays, options, expected):
    path = savez(tmp_path / "x.npz", **arrays)
    text = tenon("run", resnet, "--target=functional", f"--inputs={path}", *options, expect=1).stderr
    assert text.startswith("tenon: ") and expected in text, text


def test_truncated_archive(tenon, resnet, tmp_path):
    content = savez(tmp_path / "x.npz", x=PIXELS).read_bytes()
    (tmp_path / "x.npz").write_bytes(content[:len(content) // 2])
    text = tenon("run", resnet, "--target=functional", f"--inputs={tmp_path}/x.npz", expect=1).stderr
    assert "x.npz' cannot be read as .npz: " in text


def test_wrong_sources(tenon, resnet, folder, tmp_path):
    def refused(*options, code=1):
        return tenon("run", resnet, "--target=functional", *options, expect=code).stderr
    assert "expected a directory or a file that ends in .npz" in refused(f"--inputs={LABELS}")
    (tmp_path / "empty").mkdir()
    assert "there is no input in it" in refused(f"--inputs={tmp_path}/empty")
    assert "a folder of inputs is a class, but its name is neither a class's number" in refused(f"--inputs={folder}")
    inputs = [f"--inputs={folder}", f"--labels={LABELS}", f"--expect-labels={tmp_path}/truth"]
    (tmp_path / "truth").write_text("nobody.png 3\n")
    assert "' names an input; the first is 'airplane/1.png'" in refused(*inputs)
    (tmp_path / "truth").write_text("1\n2\n")
    assert "has 2 classes for 5 inputs" in refused(*inputs)
    (tmp_path / "truth").write_text("cow\n")
    assert "line 1: 'cow' is no class: expected its number, or its name" in refused(*inputs)
    assert "--inputs is instead of --input and --expect; give one of them" in refused(
        f"--inputs={folder}", f"--input={PICTURES}/cat.png", code=2)
    assert "--expect-labels is of the inputs of --inputs, which is not given" in refused(
        f"--expect-labels={LABELS}", code=2)


def test_two_inputs(tenon, tmp_path):
    two = tmp_path / "two.mlir"
    two.write_text("""func.func @main(%a: tensor<1x4x4x4xi8> {tenon.name = "a"}, %b: tensor<1x4x4x4xi8> {tenon.name = "b"})
        -> (tensor<1x4x4x4xi8>, tensor<1x4x4x4xi8>) { return %a, %b : tensor<1x4x4x4xi8>, tensor<1x4x4x4xi8> }""")
    x = np.arange(128, dtype=np.int8).reshape(2, 4, 4, 4)
    path = savez(tmp_path / "x.npz", b=x, a=x[:, ::-1])
    inputs = tenon.report(two, "--target=functional", f"--inputs={path}")["inputs"]
    assert [r["answer"] for r in inputs["results"]] == [int(np.argmax(row)) for row in x[:, ::-1]]
    savez(path, b=x[:1], a=x)
    assert "the array for input 'b' is 1x4x4x4; expected as many inputs along the first axis of every array" in tenon(
        "run", two, "--target=functional", f"--inputs={path}", expect=1).stderr
    (tmp_path / "d").mkdir()
    assert "--inputs with a directory is for networks of one input, this one has 2; use .npz" in tenon(
        "run", two, "--target=functional", f"--inputs={tmp_path}/d", expect=1).stderr
