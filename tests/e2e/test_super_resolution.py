# Part of Tenon, under the Apache License v2.0.
"""examples/super_resolution, built and run as its README says, on the photos of ../shared/models/images. What is expected is the float
network's, by onnxruntime, without tiles."""
import shutil

import numpy as np
import onnx
from onnx import numpy_helper
import onnxruntime
from PIL import Image
import pytest

from conftest import test_sets
from example import Example

NETWORK = "super_resolution_10"
FACTOR, TILE, REACH = 3, 224, 5  # the convolutions reach 2 + 1 + 1 + 1 pixels
PHOTO = "grace_hopper.bmp"  # 512 x 600: tiles in both directions
CALIBRATED = ["fish.png", "hot_dog.jpg", "parrot.jpg", "pets.jpg"]
WEIGHTS = np.array([0.299, 0.587, 0.114])  # Rec. 601


def luma(picture):
    return np.asarray(picture.convert("RGB")).astype(float) @ WEIGHTS


def psnr(got, want):
    return 10 * np.log10(255 ** 2 / np.mean((got - want) ** 2))


def whole(model, plane):
    """The network on all of a plane of 0 to 255 at once. Its size stands in what it reshapes to; outermost pixels go on, so that no zero of
    its padding is seen."""
    model, (height, width) = onnx.load(model), np.array(plane.shape) + 2 * REACH
    shapes = [node.attribute[0].t for node in model.graph.node if node.op_type == "Constant"]
    for shape, to in zip(shapes, ([-1, 1, FACTOR, FACTOR, height, width], [-1, 1, FACTOR * height, FACTOR * width]), strict=True):
        shape.CopyFrom(numpy_helper.from_array(np.array(to, np.int64)))
    for tensor in (model.graph.input[0], model.graph.output[0]):
        for extent in tensor.type.tensor_type.shape.dim[2:]:
            extent.Clear()
    session = onnxruntime.InferenceSession(model.SerializeToString())
    given = np.pad(plane, REACH, "edge").astype(np.float32)[None, None] / 255
    [output] = session.run(None, {session.get_inputs()[0].name: given})
    cut = FACTOR * REACH
    return np.clip(output[0, 0, cut:-cut, cut:-cut].astype(float) * 255, 0, 255)


@pytest.fixture(scope="module")
def enlarge(tenon, models, tmp_path_factory):
    folder = tmp_path_factory.mktemp("super_resolution")
    (folder / "calibration").mkdir()
    for photo in CALIBRATED:
        shutil.copy(models / "images" / photo, folder / "calibration")
    files = {"model.onnx": models / NETWORK / "model.onnx", "photo.jpg": models / "images" / PHOTO, "pictures": folder / "calibration"}
    example = Example("super_resolution", tenon, folder, files)

    def run(network, picture, *device):
        """What it makes of a picture, which has no colour."""
        picture.save(example.folder / "in.png")
        example(network, "in.png", "out.png", *device)
        return Image.open(example.folder / "out.png")
    run.example = example
    return run


def test_float_as_in_one_piece(enlarge, models):
    """Tiles leave no trace: colours are rounded to a step, which moves luma by half of one."""
    large = Image.open(enlarge.example.folder / "float.png")
    photo = Image.open(models / "images" / PHOTO)
    assert large.size == (FACTOR * photo.width, FACTOR * photo.height)
    want, got = whole(models / NETWORK / "model.onnx", luma(photo)), luma(large)
    inside = (np.asarray(large) > 0).all(2) & (np.asarray(large) < 255).all(2)  # where no colour was cut off
    assert inside.mean() > 0.5
    assert np.abs(got - want)[inside].max() <= 0.51


@pytest.mark.parametrize("size", [(1, 1), (3, 500), (208, 209), (224, 224), (416, 417)])
def test_any_size(enlarge, models, size):
    """Of noise in grey, which has no smooth place where a wrong row would be like the right one."""
    pixels = np.random.default_rng(size[0]).integers(60, 190, size[::-1], np.uint8)
    large = enlarge("float.tenon", Image.fromarray(pixels), "cpu")
    assert large.size == (FACTOR * size[0], FACTOR * size[1])
    assert np.abs(luma(large) - whole(models / NETWORK / "model.onnx", pixels.astype(float))).max() <= 0.51


def test_integers_are_near_float(enlarge, models):
    """Of a photo that was not calibrated on. 47 dB, two steps of 255, are far less than what the network itself is off by."""
    photo = Image.open(models / "images" / PHOTO)
    near = psnr(luma(Image.open(enlarge.example.folder / "large.png")), whole(models / NETWORK / "model.onnx", luma(photo)))
    print(f"{near:.1f} dB")
    assert near > 44


@pytest.mark.parametrize("photo", ["bird.bmp", "cat.bmp", "grace_hopper.bmp", "kitten_224.png", "owl.jpg", "sunflower.bmp"])
def test_nearer_to_the_photo_than_interpolation(enlarge, models, photo):
    """Photos at a third of their size, of which none was calibrated on, are made large again."""
    truth = Image.open(models / "images" / photo).convert("RGB")
    truth = truth.crop((0, 0, truth.width // FACTOR * FACTOR, truth.height // FACTOR * FACTOR))
    small = truth.resize((truth.width // FACTOR, truth.height // FACTOR), Image.BICUBIC)
    ours, cubic = (psnr(luma(large), luma(truth)) for large in (enlarge("quantised.tenon", small), small.resize(truth.size, Image.BICUBIC)))
    print(f"{photo}: {ours:.2f} dB, by interpolation {cubic:.2f} dB")
    assert ours > cubic


def test_colours_stay(enlarge, models):
    """Chroma is Pillow's cubic of it, luma the network's; both are rounded, and colours that are none are cut off."""
    photo = Image.open(models / "images" / PHOTO).convert("YCbCr")
    large = Image.open(enlarge.example.folder / "large.png").convert("YCbCr")
    want = photo.resize(large.size, Image.BICUBIC)
    for channel in (1, 2):
        difference = np.abs(np.asarray(large)[:, :, channel].astype(int) - np.asarray(want)[:, :, channel])
        assert np.percentile(difference, 99) <= 3 and difference.mean() < 1


def test_all_on_the_accelerator_with_the_same_bytes_on_rtl(enlarge, tenon, models, tmp_path):
    """A whole tile: the shipped picture, of which the answer is shipped as well."""
    quantised = enlarge.example.folder / "quantised.tenon"
    [given] = test_sets(models / NETWORK / "model.onnx")
    answers = {}
    for target in ("functional", "rtl"):
        report = tenon.report(quantised, f"--target={target}", f"--input={given / 'input_0.pb'}", f"--output-dir={tmp_path / target}")
        [output] = sorted((tmp_path / target).glob("*.npy"))
        answers[target] = np.load(output)
    assert answers["rtl"].tobytes() == answers["functional"].tobytes()
    assert report["launches"] == 1 and report["checks"]["functional"]["status"] == report["checks"]["cpu"]["status"] == "bit-exact"
    assert [layer["op"] for layer in report["layers"] if layer["placed_on"] == "accelerator"] == ["convolution"] * 4
    want = numpy_helper.to_array(onnx.load_tensor(given / "output_0.pb"))
    near = psnr(255 * answers["rtl"], 255 * want)
    print(f"{near:.1f} dB")
    assert near > 44


@pytest.mark.parametrize("change, message", [
    (lambda a: a[:2], "expected NETWORK PICTURE OUT [DEVICE]"),
    (lambda a: [a[0], "README.md", a[2]], "cannot read the picture 'README.md': "),
    (lambda a: [*a[:2], "nowhere/out.png"], "cannot write 'nowhere/out.png'"),
    (lambda a: [*a, "tpu"], "there is no device 'tpu'"),
    (lambda a: ["colour.tenon", *a[1:]], "the network does not turn one plane of float32, 1x1xHxW, into another"),
    (lambda a: ["open.tenon", *a[1:]], "the network's shape must be fixed"),
    (lambda a: ["small.tenon", *a[1:]], "the network's height and width must be more than 16"),
    (lambda a: ["same.tenon", *a[1:], "cpu"], "the network does not make its plane larger by a whole factor")])
def test_errors(enlarge, tenon, models, change, message):
    folder = enlarge.example.folder
    if not (folder / "open.tenon").exists():
        tenon("compile", models / "mlperftiny_resnet8/fp32/model.onnx", "-o", folder / "colour.tenon")
        tenon("compile", models / NETWORK / "model.onnx", "-o", folder / "open.tenon")
        for name, extents, window in (("small", (1, 1, 16, 100), 1), ("same", (1, 1, 20, 20), 2)):
            node = onnx.helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[window, window])
            x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, extents)
            y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
            graph = onnx.helper.make_graph([node], name, [x], [y])
            onnx.save(onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17)]), folder / f"{name}.onnx")
            tenon("compile", folder / f"{name}.onnx", "-o", folder / f"{name}.tenon")
    said = enlarge.example(*change(["quantised.tenon", "photo.jpg", "out.png"]), expect=1).stderr
    assert said.startswith(f"super_resolution: {message}") and said.count("\n") == 1, said
