# Part of Tenon, under the Apache License v2.0.
"""examples/classify, built and run as its README says, on the photos of ../shared/models/images."""
import re

import numpy as np
import onnx
from onnx import numpy_helper
import onnxruntime
from PIL import Image
import pytest

from conftest import EXAMPLE, ROOT
from example import Example

NETWORK = "mobilenetv2_1.0_224_int8"
LINE = re.compile(r"^ *(\d+\.\d) %  (\S.*)$", re.M)


@pytest.fixture(scope="module")
def classify(tenon, models, tmp_path_factory):
    return Example("classify", tenon, tmp_path_factory.mktemp("classify"),
                   {"../resnet8": EXAMPLE, "model.onnx": models / NETWORK / "qdq/model.onnx",
                    "labels.txt": models / NETWORK / "imagenet_labels_1001.txt", "photo.jpg": models / "images/pets.jpg"})


def table(text):
    """[(label, percent)]."""
    return [(label, float(percent)) for percent, label in LINE.findall(text)]


def expected(model, labels, pixels):
    """Of onnxruntime: {label: percent}, and what a step of the scores in front of the softmax changes a percentage by, as a factor. The
    outputs count in 256ths."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(model), options)
    [given] = session.get_inputs()
    signed = given.type == "tensor(int8)"
    planes = np.asarray(pixels).transpose(2, 0, 1)[None]
    [scores] = session.run(None, {given.name: (planes.astype(int) - 128).astype(np.int8) if signed else planes})
    percents = (scores.ravel().astype(int) + 128 * signed) * 100 / 256

    graph = onnx.load(model).graph
    made = {node.output[0]: node for node in graph.node}
    [softmax] = (node for node in graph.node if node.op_type == "Softmax")
    [scale] = (numpy_helper.to_array(each) for each in graph.initializer if each.name == made[softmax.input[0]].input[1])
    return dict(zip(labels.read_text().splitlines(), percents)), float(np.exp(scale))


def compare(said, want, factor):
    """A score here and there is a step or two from onnxruntime's, which computes them in float, and so are those beside it. Then two
    roundings, to 256ths and to the digits printed."""
    percents = [percent for _, percent in said]
    assert len(said) == 5 == len({label for label, _ in said}) and percents == sorted(percents, reverse=True), said
    off, factor = 100 / 256 + 0.051, factor ** 4
    for label, percent in said:
        assert want[label] / factor - off <= percent <= want[label] * factor + off, (label, percent, want[label])
    rest = max(percent for label, percent in want.items() if label not in dict(said))
    assert rest <= percents[-1] * factor + off, "a class is not printed"
    assert want[said[0][0]] == max(want.values()), said


def middle(photo, shorter, side):
    """By Pillow, columns first."""
    half = side / shorter * min(photo.size) / 2
    (left, right), (top, bottom) = ((extent / 2 - half, extent / 2 + half) for extent in photo.size)
    narrow = photo.resize((side, photo.height), Image.BILINEAR, box=(left, 0, right, photo.height))
    return narrow.resize((side, side), Image.BILINEAR, box=(0, top, side, bottom))


def test_ten_photos(classify, models, tmp_path):
    """As onnxruntime on what Pillow makes of a photo; the first of the five is the one that the manifest states."""
    stated = re.search(r"MobileNetV2 qop predictions: (.*)", (models / "MANIFEST.md").read_text())[1]
    photos = sorted((models / "images").iterdir())
    assert len(photos) == 10
    for photo in photos:
        pixels = Image.open(photo).convert("RGB")
        pixels.save(tmp_path / "photo.png")  # another decoder of JPEG moves scores by some steps
        said, decoded = (table(classify("--shorter=256", "mobilenet.tenon", "labels.txt", path).stdout) for path in (photo, tmp_path / "photo.png"))
        compare(decoded, *expected(models / NETWORK / "qdq/model.onnx", models / NETWORK / "imagenet_labels_1001.txt", middle(pixels, 256, 224)))
        assert said[0][0] == decoded[0][0] and f"{photo.name}={said[0][0]}" in stated, photo


@pytest.mark.parametrize("picture", sorted(each.name for each in (EXAMPLE / "pictures").iterdir()))
def test_resnet8(classify, picture):
    """Of its own size, which nothing is done to."""
    path = EXAMPLE / "pictures" / picture
    said = table(classify("resnet8.tenon", "../resnet8/labels.txt", path).stdout)
    assert said[0][0] == path.stem
    compare(said, *expected(EXAMPLE / "resnet8.onnx", EXAMPLE / "labels.txt", Image.open(path).convert("RGB")))


@pytest.mark.parametrize("size", [(40, 32), (31, 77), (500, 33), (2, 3)])
def test_any_shape(classify, tmp_path, size):
    """Without --shorter, as much of the middle as there is."""
    photo = Image.fromarray(np.random.default_rng(size[0]).integers(0, 256, (*size[::-1], 3), np.uint8))
    photo.save(tmp_path / "photo.png")
    said = table(classify("resnet8.tenon", "../resnet8/labels.txt", tmp_path / "photo.png").stdout)
    compare(said, *expected(EXAMPLE / "resnet8.onnx", EXAMPLE / "labels.txt", middle(photo, 32, 32)))


def test_the_readme_says_so(classify):
    quoted = [line[2:].rstrip() for line in (ROOT / "examples/classify/README.md").read_text().splitlines() if line.startswith("> ")]
    said = [line.strip() for line in classify.said.splitlines()]
    assert quoted and all(line in said for line in quoted), classify.said


@pytest.mark.parametrize("change, message", [
    (lambda a: a[:3], "expected [--shorter=N] NETWORK LABELS PICTURE [DEVICE]"),
    (lambda a: ["--shorter=much", *a[1:]], "'--shorter=much' is no number of pixels, as in --shorter=256"),
    (lambda a: ["--shorter=0", *a[1:]], "'--shorter=0' is no number of pixels"),
    (lambda a: ["--shorter=223", *a[1:]], "--shorter=223 leaves less than the 224x224 pixels that the network takes"),
    (lambda a: [*a[:3], "labels.txt"], "cannot read the picture 'labels.txt': "),
    (lambda a: [*a[:2], "../resnet8/labels.txt", a[3]], "the network knows 1001 classes, '../resnet8/labels.txt' names 10"),
    (lambda a: [a[0], "float.tenon", *a[2:]], "the network does not take a picture of bytes, 1x3xHxW, and give bytes"),
    (lambda a: [*a, "tpu"], "there is no device 'tpu'")])
def test_errors(classify, tenon, models, change, message):
    if not (classify.folder / "float.tenon").exists():
        tenon("compile", models / "mlperftiny_resnet8/fp32/model.onnx", "-o", classify.folder / "float.tenon")
    said = classify(*change(["--shorter=256", "mobilenet.tenon", "labels.txt", "photo.jpg"]), expect=1).stderr
    assert said.startswith(f"classify: {message}") and said.count("\n") == 1, said
