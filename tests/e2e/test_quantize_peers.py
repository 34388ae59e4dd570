"""`tenon quantize --method=best` beside onnxruntime's quantiser with the best of its settings, on the same samples; both are measured
on samples that neither has seen."""
import numpy as np
from onnx import load_tensor, numpy_helper
from PIL import Image
import pytest

from onnxruntime_quantizer import by_onnxruntime
from seeds import drawn
from test_quantize import LABELLED, NETWORKS, Network, answers, quantize, runtime, samples
from test_quantize_breakers import SHIPPED, compare_shipped

KEYWORDS = Network("mlperftiny_kws_dscnn/fp32/model.onnx", "mlperftiny_kws_dscnn/fp32", (0,))


def photos(models, network, size):
    """Of `size` pixels a side, as pictures: item, row, column, color."""
    return np.stack([np.asarray(Image.open(path).convert("RGB").resize((size, size), Image.BILINEAR))
                     for path in sorted((models / network.data).iterdir())])


def views(models, network, size):
    """Four corners and the middle, seven eighths a side, as they are and mirrored."""
    whole = photos(models, network, size * 8 // 7)
    rest = whole.shape[1] - size
    crops = [whole[:, y:y + size, x:x + size] for y, x in ((0, 0), (0, rest), (rest, 0), (rest, rest), (rest // 2, rest // 2))]
    return np.concatenate([view for crop in crops for view in (crop, crop[:, :, ::-1])])


def preprocessed(network, pixels):
    values = pixels.transpose(0, 3, 1, 2).astype(np.float32)[:, ::-1 if network.bgr else 1]
    mean, std = (np.float32(v).reshape(1, -1, 1, 1) for v in (network.mean, network.std))
    return ((values - mean) / std).astype(np.float32)


def labelled(models, network):
    values, _ = samples(models, network)
    return values[:32], values[32:]


def pictures(models, network):
    size = runtime(models / network.path).get_inputs()[0].shape[2]
    return preprocessed(network, photos(models, network, size)), preprocessed(network, views(models, network, size))


def keywords(models, network):
    """Five words; the same up to four frames earlier or later."""
    words = np.concatenate([numpy_helper.to_array(load_tensor(path / "input_0.pb"))
                            for path in sorted((models / network.data).glob("test_data_set_*"))])
    return words, np.concatenate([np.roll(words, shift, axis=2) for shift in range(-4, 5) if shift])


SETS = ({name: (NETWORKS[name], labelled) for name in LABELLED} | {"kws": (KEYWORDS, keywords)} |
        {name: (NETWORKS[name], pictures) for name in NETWORKS if name not in LABELLED})


def decibels(real, got):
    """The mean of the items' signal to noise ratios, each at most 60 dB: in one ratio of all items the few that no network is sure of
    are most of the noise."""
    signal, noise = (real ** 2).sum(1), ((real - got) ** 2).sum(1)
    return (10 * np.log10(signal / np.maximum(noise, signal / 1e6))).mean()


def compare_set(tenon, models, tmp_path, name):
    """Answers that are the float network's: no fewer on what calibrated, and elsewhere no fewer than chance explains, which is twice
    the root of the answers that only one of both has (McNemar's test); and no more noise but for half a decibel."""
    network, read = SETS[name]
    path = models / network.path
    few, unseen = read(models, network)
    np.savez(tmp_path / "few.npz", x=few)
    real, known = answers(path, unseen), answers(path, few).argmax(1)

    def measured(file):
        got = answers(file, unseen)
        return (answers(file, few).argmax(1) == known).sum(), got.argmax(1) == real.argmax(1), decibels(real, got)
    quantize(tenon, path, tmp_path / "few.npz", tmp_path / "ours.onnx", "--method=best")
    kept, same, noise = measured(tmp_path / "ours.onnx")
    print(f"{name}: ours {kept} of {len(few)}, {same.sum()} of {len(unseen)}, {noise:.2f} dB")
    for method in ("MinMax", "Percentile", "Entropy"):
        by_onnxruntime(path, few, tmp_path / "theirs.onnx", method)
        their_kept, their_same, their_noise = measured(tmp_path / "theirs.onnx")
        print(f"  {method}: {their_kept} of {len(few)}, {their_same.sum()} of {len(unseen)}, {their_noise:.2f} dB")
        assert kept >= their_kept
        lost, won = (their_same & ~same).sum(), (same & ~their_same).sum()
        assert lost - won <= 2 * np.sqrt(lost + won)
        assert noise >= their_noise - 0.5


@pytest.mark.parametrize("name", drawn([*SETS, *SHIPPED], 1))
def test_beside_onnxruntimes(tenon, models, tmp_path, name):
    (compare_set if name in SETS else compare_shipped)(tenon, models, tmp_path, name)
