# Part of Tenon, under the Apache License v2.0.
"""examples/regions, built and run as its README says. What is expected is made of the last feature map, by onnxruntime from the whole
network, and of the classifier's weights, by numpy."""
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import onnxruntime
from PIL import Image
import pytest

from conftest import ROOT
from example import Example
from layers import macs

NETWORK = "mobilenetv2_1.0_224_int8"
HEIGHT, WIDTH, STRIDE = 480, 640, 32  # of --shape in the README
COLORS = np.array([[230, 159, 0], [86, 180, 233], [0, 158, 115], [204, 121, 167]])
LINE = re.compile(r"^ *(\d+) of (\d+) positions  (\S.*)$", re.M)


@pytest.fixture(scope="module")
def regions(tenon, models, tmp_path_factory):
    return Example("regions", tenon, tmp_path_factory.mktemp("regions"),
                   {"model.onnx": models / NETWORK / "qdq/model.onnx", "labels.txt": models / NETWORK / "imagenet_labels_1001.txt",
                    "photo.bmp": models / "images/cat.bmp"})


@pytest.fixture(scope="module")
def labels(models):
    return [line.split(",")[0] for line in (models / NETWORK / "imagenet_labels_1001.txt").read_text().splitlines()]


class Reference:
    """Scores of each class at each position: the classifier's weights times what its mean is taken of."""

    def __init__(self, path):
        model = onnx.load(path)
        graph, made = model.graph, {node.output[0]: node for node in model.graph.node}
        constant = {each.name: numpy_helper.to_array(each) for each in graph.initializer}

        def real(name):
            value, scale, *zero = (constant[each] for each in made[name].input)
            return (value.astype(float) - (zero[0].astype(float) if zero else 0)) * scale
        [mean] = (node for node in graph.node if node.op_type == "AveragePool")
        self.classifier = [node for node in graph.node if node.op_type == "Conv"][-1]
        self.weights, self.bias = real(self.classifier.input[1])[:, :, 0, 0], real(self.classifier.input[2])
        [quantise] = (node for node in graph.node if self.classifier.output[0] in node.input)
        self.scale, self.zero = (constant[name] for name in quantise.input[1:])
        for extent in graph.input[0].type.tensor_type.shape.dim[2:]:
            extent.dim_param = "any"
        nodes = list(graph.node)[:list(graph.node).index(mean)]
        output = helper.make_tensor_value_info(mean.input[0], TensorProto.FLOAT, None)
        cut = helper.make_model(helper.make_graph(nodes, "features", graph.input, [output], graph.initializer), ir_version=model.ir_version,
                                opset_imports=model.opset_import)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.session = onnxruntime.InferenceSession(cut.SerializeToString(), options)

    def __call__(self, pixels):
        """HxWx3 to classes x rows x columns, in steps of the network's scores."""
        [features] = self.session.run(None, {"input": pixels.transpose(2, 0, 1)[None]})
        scores = np.einsum("kc,chw->khw", self.weights, features[0]) + self.bias[:, None, None]
        return np.clip(np.rint(scores / self.scale) + self.zero, 0, 255)


@pytest.fixture(scope="module")
def reference(models):
    return Reference(models / NETWORK / "qdq/model.onnx")


def shrunk(photo):
    """By Pillow, columns first."""
    return np.asarray(photo.resize((WIDTH, photo.height), Image.BILINEAR).resize((WIDTH, HEIGHT), Image.BILINEAR))


def scores(tenon, network, pixels, folder):
    """Of `tenon run`, and its report."""
    np.save(folder / "input.npy", pixels.transpose(2, 0, 1)[None])
    report = tenon.report(network, "--target=functional", f"--input={folder / 'input.npy'}", f"--output-dir={folder}")
    return np.load(folder / "output_0.npy")[0].astype(int), report


def likely(scores, scale):
    """The class with half of the probability, -1 where there is none; and that share."""
    shares = np.exp(scale * (scores - scores.max(0)))
    shares /= shares.sum(0)
    return np.where(shares.max(0) >= 0.5, scores.argmax(0), -1), shares.max(0)


def test_scores_of_each_position(regions, tenon, models, reference, tmp_path):
    """A score is a step or two of 256 off, as 53 layers of integers round where onnxruntime's float does not."""
    photo = Image.open(models / "images/cat.bmp").convert("RGB")
    got, report = scores(tenon, regions.folder / "dense.tenon", shrunk(photo), tmp_path)
    want = reference(shrunk(photo))
    assert got.shape == want.shape == (1001, HEIGHT // STRIDE, WIDTH // STRIDE)
    off = np.abs(got - want)
    print(f"off by {off.mean():.3f} steps, 99 of 100 by at most {np.percentile(off, 99)}, by at most {off.max()}; "
          f"spread {want.std():.1f}")
    assert off.mean() < 2 and np.percentile(off, 99) <= 8 and want.std() > 15
    seen, expected = (likely(each, reference.scale)[0] for each in (got, want))
    assert (seen == expected).mean() > 0.9 and (expected >= 0).mean() > 0.1
    dense = onnx.load(regions.folder / "dense.onnx")
    for extent, size in zip(dense.graph.input[0].type.tensor_type.shape.dim[2:], (HEIGHT, WIDTH)):
        extent.dim_value = size
    assert report["launches"] == 1 and report["macs"] == macs(dense)


def test_the_mean_is_the_classifiers(regions, models, reference):
    """At the size that the classifier was trained for."""
    photo = np.asarray(Image.open(models / "images/kitten_224.png").convert("RGB"))
    model = onnx.load(models / NETWORK / "qdq/model.onnx")
    [quantise] = (node for node in model.graph.node if reference.classifier.output[0] in node.input)
    model.graph.output.append(helper.make_tensor_value_info(quantise.output[0], TensorProto.UINT8, None))
    whole, dense = (onnxruntime.InferenceSession(each) for each in (model.SerializeToString(), str(regions.folder / "dense.onnx")))
    _, want = whole.run(None, {"input": photo.transpose(2, 0, 1)[None]})
    [got] = dense.run(None, {"input": photo.transpose(2, 0, 1)[None]})
    assert got.shape == (1, 1001, 7, 7) and got.dtype == np.uint8
    # Scores that a byte has no room for stay behind: few, of the classes that are seen most.
    clipped = ((got == 0) | (got == 255)).any((2, 3))
    assert clipped.mean() < 0.2
    assert np.abs(got.mean((2, 3)) - want[:, :, 0, 0])[~clipped].max() < 1.5


@pytest.mark.parametrize("photo", ["sunflower.bmp", "grace_hopper.bmp"])
def test_the_picture(regions, tenon, models, labels, reference, tmp_path, photo):
    """Every pixel: half of a class's colour where the map has the class, the photo elsewhere, below it the colours, in the order of the
    lines that are printed."""
    before = Image.open(models / "images" / photo).convert("RGB")
    said = [(int(count), int(cells), label) for count, cells, label in
            LINE.findall(regions("dense.tenon", "labels.txt", models / "images" / photo, "out.png").stdout)]
    given, _ = scores(tenon, regions.folder / "dense.tenon", shrunk(before), tmp_path)
    seen, shares = likely(given, reference.scale)
    assert np.abs(shares - 0.5).min() > 1e-9, "a rounding decides"
    classes, counts = np.unique(seen[seen >= 0], return_counts=True)
    order = np.argsort(-counts, kind="stable")[:len(COLORS)]
    assert said == [(counts[i], seen.size, labels[classes[i]]) for i in order] and len(said) >= 3

    before, after = np.asarray(before).astype(int), np.asarray(Image.open(regions.folder / "out.png")).astype(int)
    height, width = before.shape[:2]
    rows = np.searchsorted(height * np.arange(1, seen.shape[0] + 1) // seen.shape[0], np.arange(height), side="right")
    columns = np.searchsorted(width * np.arange(1, seen.shape[1] + 1) // seen.shape[1], np.arange(width), side="right")
    want = before.copy()
    for color, i in zip(COLORS, order):
        there = (seen == classes[i])[rows][:, columns]
        want[there] = (before + color + 1)[there] // 2
    # Halves are rounded away from zero.
    assert np.array_equal(after[:height], want)
    legend = after[height:, 0]
    assert legend.reshape(len(said), -1, 3).tolist() == [[color.tolist()] * (len(legend) // len(said)) for color in COLORS[:len(said)]]
    assert (after[height:, 1:200] == [24, 24, 24]).all(2).reshape(len(said), -1).any(1).all(), "no text"


def test_the_readme_says_so(regions):
    [quoted] = (line[2:].strip() for line in (ROOT / "examples/regions/README.md").read_text().splitlines() if line.startswith("> "))
    assert regions.said.splitlines()[-4].strip() == quoted, regions.said


@pytest.mark.parametrize("change, message", [
    (lambda a: a[:3], "expected NETWORK LABELS PICTURE OUT [DEVICE]"),
    (lambda a: [*a[:2], "labels.txt", a[3]], "cannot read the picture 'labels.txt': "),
    (lambda a: [*a[:3], "nowhere/out.png"], "cannot write 'nowhere/out.png'"),
    (lambda a: [*a, "tpu"], "there is no device 'tpu'"),
    (lambda a: [a[0], "few.txt", *a[2:]], "the network knows 1001 classes, the labels are 2"),
    (lambda a: ["open.tenon", *a[1:]], "the network's shape must be fixed: by --shape of tenon compile, as in --shape input=1,3,480,640"),
    (lambda a: ["whole.tenon", *a[1:]], "the network does not take a picture of bytes, 1x3xHxW, and give bytes of each position")])
def test_errors(regions, tenon, change, message):
    folder = regions.folder
    if not (folder / "open.tenon").exists():
        (folder / "few.txt").write_text("one\ntwo\n")
        tenon("compile", folder / "dense.onnx", "-o", folder / "open.tenon")
        tenon("compile", folder / "model.onnx", "-o", folder / "whole.tenon")
    said = regions(*change(["dense.tenon", "labels.txt", "photo.bmp", "out.png"]), expect=1).stderr
    assert said.startswith(f"regions: {message}") and said.count("\n") == 1, said


@pytest.mark.parametrize("network, message", [
    ("stories260k_llama/prefill64", "it has no mean over positions (AveragePool, GlobalAveragePool)"),
    ("mlperftiny_resnet8/qdq", "is not one convolution to scores"),
    ("nothing", "No such file or directory")])
def test_no_classifier(regions, models, tmp_path, network, message):
    done = subprocess.run([sys.executable, regions.folder / "dense.py", models / network / "model.onnx", tmp_path / "out.onnx"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not (tmp_path / "out.onnx").exists()
