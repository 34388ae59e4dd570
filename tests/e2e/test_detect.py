# Part of Tenon, under the Apache License v2.0.
"""examples/detect, built and run as its README says, on the photos of ../shared/models/images."""
import re

import numpy as np
from PIL import Image
import pytest

from example import Example

NETWORK = "ssd_mobilenetv1_coco_300"
LINE = re.compile(r"(\S.*?) +(\d\.\d+)  rows (\S+) to (\S+), columns (\S+) to (\S+)")


@pytest.fixture(scope="module")
def detect(tenon, models, tmp_path_factory):
    """The example, run on a photo."""
    return Example("detect", tenon, tmp_path_factory.mktemp("detect"),
                   {"model.onnx": models / NETWORK / "qop/model.onnx", "labels.txt": models / NETWORK / "coco_labels.txt",
                    "photo.jpg": models / "images/pets.jpg"})


def objects(text):
    """(class, score, (top, left, bottom, right)) of each line, the best first."""
    return [(name, float(score), np.array([float(top), float(left), float(bottom), float(right)]))
            for name, score, top, bottom, left, right in LINE.findall(text)]


def test_ten_photos(detect, models):
    """The best object of each as TensorFlow Lite's interpreter finds it with post-processing of its own, on photos that Pillow's bilinear
    shrank; the manifest says the same. Scores to the digits printed, or near them where another decoder of JPEG was a little off. Boxes to
    what the interpreter's anchors are rounded to, steps of 0.0065, and the digits."""
    labels = (models / NETWORK / "coco_labels.txt").read_text().splitlines()
    stated = (models / "MANIFEST.md").read_text().split("best detection per photo", 1)[1].split("\n")[0]
    expected = np.load(models / NETWORK / "tflite_ref.npz")
    assert len(expected["photos"]) == 10
    for photo, classes, scores, boxes in zip(expected["photos"], expected["classes"], expected["scores"], expected["boxes"], strict=True):
        name, score, box = objects(detect("detector.tenon", "labels.txt", models / "images" / str(photo), "out.png").stdout)[0]
        assert name == labels[int(classes[0])] and re.search(rf"{photo} {name} {scores[0]:.2f}\b", stated), photo
        print(f"{photo}: score {score} {scores[0]:.4f}, box off by {np.abs(box - boxes[0]).max():.4f}")
        assert abs(score - scores[0]) < (0.03 if photo.endswith(".jpg") else 0.0051), (photo, score, scores[0])
        assert np.abs(box - boxes[0]).max() < 0.0065 + 0.0051, (photo, box, boxes[0])


def test_the_picture_has_boxes(detect, models):
    found = objects(detect.said)
    assert found[0][0] == "dog"
    before, after = (np.asarray(Image.open(path).convert("RGB")).astype(int) for path in (models / "images/pets.jpg", detect.folder / "found.png"))
    assert before.shape == after.shape
    changed = np.abs(before - after).max(2) > 12  # another decoder of JPEG may be a little off
    frame = (after == [255, 196, 0]).all(2)
    (top, bottom), (left, right) = (np.array(before.shape[:2])[:, None] * np.clip(found[0][2].reshape(2, 2).T, 0, 1)).astype(int)
    near = 6  # pixels: two digits of an edge are printed
    for edge in (frame[top - near:top + near, left + near:right - near].any(0), frame[top + near:bottom - near, right - near:right + near].any(1)):
        assert edge.mean() > 0.99, "the frame of the dog"
    assert changed.mean() < 0.2


@pytest.mark.parametrize("change, message", [
    (lambda a: a[:3], "detect: expected NETWORK LABELS PICTURE OUT [DEVICE]"),
    (lambda a: [a[0], a[1], "labels.txt", a[3]], "detect: cannot read the picture 'labels.txt': "),
    (lambda a: [a[0], "photo.jpg", a[2], a[3]], "detect: the network's outputs are not those of 1,917 anchors and of as many classes as labels"),
    (lambda a: [*a[:3], "nowhere/out.png"], "detect: cannot write 'nowhere/out.png'")])
def test_errors(detect, change, message):
    said = detect(*change(["detector.tenon", "labels.txt", "photo.jpg", "out.png"]), expect=1).stderr
    assert said.startswith(message), said
