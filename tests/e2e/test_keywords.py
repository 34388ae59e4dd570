# Part of Tenon, under the Apache License v2.0.
"""examples/keywords, built and run as its README says, on sounds that are made here."""
import re
import subprocess
import wave

import numpy as np
import onnx
from onnx import numpy_helper
import pytest

from conftest import test_sets
from example import Example

NETWORK = "mlperftiny_kws_dscnn"
RATE, FRAMES, LENGTH, STRIDE, BANDS = 16000, 49, 480, 320, 40
WORDS = ["down", "go", "left", "no", "off", "on", "right", "stop", "up", "yes"]
HEARD = re.compile(r"^ *(\d+\.\d) s  (\w+) +(\d\.\d\d)$", re.M)


def mel(hertz):
    return 1127 * np.log(1 + np.asarray(hertz) / 700)


POINTS = mel(np.arange(257) * RATE / 512)  # of a transform of 512 points
EDGES = np.linspace(mel(20), mel(4000), BANDS + 2)
TRIANGLES = np.stack([np.interp(POINTS, EDGES[b:b + 3], [0, 1, 0], 0, 0) for b in range(BANDS)])
# tf.signal's: the cosine transform's sum over b of 2 x cos(pi k (2 b + 1) / 80), over the square root of 80.
COSINES = 2 * np.cos(np.pi * np.arange(BANDS)[:, None] * (2 * np.arange(BANDS) + 1) / 80) / np.sqrt(80)


def features(samples):
    """49 x 10, of numpy's transform, frames and windows."""
    samples = samples / (samples.max() or 1)
    samples = np.pad(samples, (0, max(RATE - len(samples), 0)))
    frames = np.lib.stride_tricks.sliding_window_view(samples[:RATE], LENGTH)[::STRIDE]
    window = np.hanning(LENGTH + 1)[:-1]
    return np.log(np.abs(np.fft.rfft(frames * window, 512)) @ TRIANGLES.T + 1e-6) @ COSINES[:10].T


def write(path, samples, rate=RATE, channels=1):
    """As 16-bit WAV by Python's own writer; what is in the file, from -1 to 1."""
    values = np.rint(np.asarray(samples) * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", ""))
        file.writeframes(values.tobytes())
    return values / 32768


def whisper(coefficients, seed):
    """A second of noise with the spectrum, frame by frame, that these coefficients of a recording tell of."""
    magnitudes = np.log(TRIANGLES.sum(1))
    random, sound = np.random.default_rng(seed), np.zeros(RATE)
    for frame, row in enumerate(coefficients @ COSINES[:10]):
        amplitudes = np.exp(np.interp(POINTS, EDGES[1:-1], row - magnitudes))
        amplitudes[POINTS > EDGES[-1]] = 0
        noise = np.fft.irfft(amplitudes * np.exp(2j * np.pi * random.random(257)), 512)[:LENGTH]
        sound[frame * STRIDE:frame * STRIDE + LENGTH] += noise * np.hanning(LENGTH)
    return sound / np.abs(sound).max()


def spoken(word, folder):
    """A second with the word in its middle, by espeak-ng, behind soft noise as any recording has."""
    subprocess.run(["espeak-ng", "-v", "en-us+f3", "-s", "150", "-w", folder / "spoken.wav", word], check=True)
    with wave.open(str(folder / "spoken.wav"), "rb") as file:
        rate, given = file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768
    count = len(given) * RATE // rate
    samples = np.fft.irfft(np.fft.rfft(given)[:count // 2 + 1], count) * count / len(given)
    assert rate > RATE > count
    before = (RATE - count) // 2
    samples = np.pad(samples, (before, RATE - count - before))
    return np.clip(samples + np.random.default_rng(7).normal(0, 0.001, RATE), -1, 1)


SECOND = np.arange(RATE) / RATE
SOUNDS = {
    "noise": np.random.default_rng(1).uniform(-0.9, 0.7, RATE),
    "rising": 0.5 * np.sin(2 * np.pi * (50 + 3500 * SECOND) * SECOND),
    "chord": 0.2 * sum(np.sin(2 * np.pi * f * SECOND) for f in (110, 997, 3100)),
    "short": np.random.default_rng(2).normal(0, 0.1, 5001),
    "one sample": [0.5],
    "below zero": -np.abs(np.random.default_rng(3).normal(0.2, 0.05, RATE)),
    "silence": np.zeros(RATE),
}


@pytest.fixture(scope="module")
def keywords(tenon, models, tmp_path_factory):
    folder = tmp_path_factory.mktemp("keywords")
    write(folder / "word.wav", SOUNDS["rising"])
    return Example("keywords", tenon, folder, {"model.onnx": models / NETWORK / "qdq/model.onnx", "word.wav": folder / "word.wav"})


@pytest.fixture(scope="module")
def hear(keywords, tmp_path_factory):
    """[(begin, word, score)] of samples."""
    path = tmp_path_factory.mktemp("sounds") / "sound.wav"

    def run(samples, network="keywords.tenon", *device):
        write(path, samples)
        return [(float(begin), word, float(score)) for begin, word, score in HEARD.findall(keywords(network, "labels.txt", path, *device).stdout)]
    return run


@pytest.mark.parametrize("sound", SOUNDS)
def test_features(keywords, tmp_path, sound):
    """Both computations are in double; nine digits are printed."""
    want = features(write(tmp_path / "sound.wav", SOUNDS[sound]))
    said = keywords("--features", tmp_path / "sound.wav").stdout
    got = np.array([line.split() for line in said.splitlines()], float)
    assert got.shape == (FRAMES, 10)
    np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-6)


def test_the_scale_is_the_networks(models):
    """Silence is the least that the benchmark's quantised network was calibrated to hear: this holds the constants of the formula here,
    the scale of the logarithm and what keeps it from zero, by what the network's authors computed."""
    graph = onnx.load(models / NETWORK / "qdq/model.onnx").graph
    node = next(node for node in graph.node if graph.input[0].name in node.input)
    scale, zero = (numpy_helper.to_array(next(i for i in graph.initializer if i.name == name)) for name in node.input[1:])
    assert abs(features(np.zeros(RATE))[0, 0] / scale + zero - -128) < 1


def recordings(models, form="fp32"):
    """(coefficients, word) of the benchmark's own, and what onnxruntime gives for them."""
    def tensor(path):
        return numpy_helper.to_array(onnx.load_tensor(path))
    labels = [*WORDS, "silence", "unknown"]
    return [(tensor(s / "input_0.pb")[0, 0], labels[tensor(s / "output_0.pb").argmax()]) for s in test_sets(models / NETWORK / form / "model.onnx")]


def test_whispered_recordings(hear, models):
    given = recordings(models)
    assert len({word for _, word in given}) == 5
    for seed, (coefficients, word) in enumerate(given):
        [(begin, heard, score)] = hear(whisper(coefficients, seed))
        assert (begin, heard) == (0, word) and score > 0.5, (word, heard, score)


def test_float_on_the_cpu(keywords, hear, models, tenon):
    tenon("compile", models / NETWORK / "fp32/model.onnx", "-o", keywords.folder / "float.tenon")
    (coefficients, word), *_ = recordings(models)
    [(_, heard, score)] = hear(whisper(coefficients, 0), "float.tenon", "cpu")
    assert heard == word and score > 0.5


def test_synthesised_speech(hear, tmp_path):
    """The network learned from people: a synthesiser's words may be two short of all ten."""
    heard = [hear(spoken(word, tmp_path))[0][1] for word in WORDS]
    right = sum(a == b for a, b in zip(heard, WORDS))
    print(f"{right} of 10 words: {heard}")
    assert right >= 8, heard


def test_a_long_sound(hear, models):
    """A second is heard each half second, to the sound's end."""
    (first, one), (second, two), *_ = recordings(models)
    sound = np.concatenate([whisper(first, 0), whisper(second, 1), np.zeros(100)])
    heard = hear(sound)
    assert [begin for begin, *_ in heard] == [0, 0.5, 1, 1.5]
    assert (heard[0][1], heard[2][1]) == (one, two)


def refusals(folder, models):
    """(arguments, what is said)."""
    write(folder / "good.wav", SOUNDS["noise"])
    write(folder / "stereo.wav", np.zeros(200), channels=2)
    write(folder / "fast.wav", np.zeros(200), rate=44100)
    write(folder / "empty.wav", [])
    (folder / "text.wav").write_text("no sound\n")
    good = (folder / "good.wav").read_bytes()
    (folder / "nan.wav").write_bytes(good[:16] + b"\x10\0\0\0" + b"\3\0\1\0" + (16000).to_bytes(4, "little") + (64000).to_bytes(4, "little")
                                     + b"\4\0\x20\0data\4\0\0\0" + np.float32("nan").tobytes())
    (folder / "nine.txt").write_text("word\n" * 9)
    net = ["keywords.tenon", "labels.txt"]
    return [([*net], "expected NETWORK LABELS SOUND [DEVICE] or --features SOUND"),
            ([*net, folder / "missing.wav"], f"cannot read the sound '{folder}/missing.wav': System error : No such file or directory."),
            ([*net, folder / "text.wav"], f"cannot read the sound '{folder}/text.wav': "),
            ([*net, folder / "stereo.wav"], f"the sound '{folder}/stereo.wav' has 2 channel(s) at 16000 Hz, expected one at 16000 Hz"),
            ([*net, folder / "fast.wav"], f"the sound '{folder}/fast.wav' has 1 channel(s) at 44100 Hz, expected one at 16000 Hz"),
            ([*net, folder / "empty.wav"], f"the sound '{folder}/empty.wav' has no samples"),
            ([*net, folder / "nan.wav"], f"the sound '{folder}/nan.wav' has samples that are no numbers"),
            ([*net, folder / "good.wav", "tpu"], "there is no device 'tpu'"),
            (["missing.tenon", "labels.txt", folder / "good.wav"], "missing.tenon: cannot be opened: No such file or directory"),
            (["keywords.tenon", folder / "nine.txt", folder / "good.wav"], "the network's output is not a score for each of 9 labels"),
            (["resnet8.tenon", "labels.txt", folder / "good.wav"], "the network does not take 49 frames of 10 coefficients, 1x1x49x10")]


def test_errors(keywords, tenon, models, tmp_path):
    tenon("compile", models / "mlperftiny_resnet8/qdq/model.onnx", "-o", keywords.folder / "resnet8.tenon")
    for arguments, message in refusals(tmp_path, models):
        result = keywords(*arguments, expect=1)
        assert result.stderr.startswith(f"keywords: {message}"), result.stderr
        assert result.stderr.count("\n") == 1 and not result.stdout
