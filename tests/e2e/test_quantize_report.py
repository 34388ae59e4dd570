"""`tenon quantize --report` and `--sensitivity`: the page (in headless Chromium) and what each layer loses."""
import numpy as np
import pytest

import browser
from test_quantize import CIFAR, NETWORKS, conv, data, model, quantize, samples, weights  # noqa: F401


@pytest.fixture(scope="module")
def report(tenon, models, tmp_path_factory):
    """Of resnet8, with its page."""
    folder, network = tmp_path_factory.mktemp("report"), NETWORKS["resnet8"]
    facts = quantize(tenon, models / network.path, models / CIFAR, folder / "q.onnx", network.preprocess, "--sensitivity=8",
                     f"--evaluate={models / CIFAR}", f"--report={folder}/q.html")
    return facts, folder / "q.html"


def test_every_layer_is_measured(report):
    facts, _ = report
    assert facts["sensitivity_samples"] == 8
    rounding = {t["layer"] or t["name"] for t in facts["tensors"]}
    assert {s["layer"] for s in facts["sensitivity"]} == rounding
    everything = facts["sensitivity_all"]["sqnr_db"]
    for layer in facts["sensitivity"]:
        assert float(layer["alone_db"]) > everything and 0 <= layer["alone_same"] <= 8 and 0 <= layer["without_same"] <= 8
    # One layer's noise is a part of all: errors that are independent add up.
    whole = 10 ** (-everything / 10)
    parts = sum(10 ** (-float(layer["alone_db"]) / 10) for layer in facts["sensitivity"])
    assert 0.3 < parts / whole < 3


def test_the_layer_with_the_coarsest_weights_costs_most(tenon, data, tmp_path):  # noqa: F811
    """A scale for all weights of a layer, one of which is a hundred times the others: that layer is named."""
    w = [weights(name) for name in "uvw"]
    values = np.frombuffer(w[1].raw_data, np.float32).reshape(4, 4, 3, 3).copy()
    values[0, 0, 0, 0] *= 400
    w[1].raw_data = values.tobytes()
    path = model(tmp_path, [conv("x", "a", "u"), conv("a", "b", "v"), conv("b", "y", "w")], w)
    facts = quantize(tenon, path, data, tmp_path / "q.onnx", "--sensitivity=4", "--per-tensor")
    worst = max(facts["sensitivity"], key=lambda layer: layer["without_db"])
    assert worst["layer"] == "b" == min(facts["sensitivity"], key=lambda layer: layer["alone_db"])["layer"]
    text = tenon("quantize", path, f"--calibration={data}", "-o", tmp_path / "q.onnx", "--sensitivity=4", "--per-tensor").stdout
    line, = [line for line in text.splitlines() if "costs most" in line]
    assert line.endswith(" b") and " dB without, " in line and " dB alone " in line


def test_histograms_count_everything(report, models):
    facts, _ = report
    values, _ = samples(models, NETWORKS["resnet8"])
    tensor, = [t for t in facts["tensors"] if t["name"] == "input_1"]
    parts = len(tensor["histogram"])
    expected, _ = np.histogram(values[values != 0], bins=parts, range=(values.min(), values.max()))
    assert sum(tensor["histogram"]) == expected.sum()
    # The fine bins lie across the borders of the drawn ones.
    assert np.abs(np.cumsum(tensor["histogram"]) - np.cumsum(expected)).max() < 0.03 * expected.sum()


def test_the_page(report):
    facts, path = report
    with browser.Page(path) as page:
        page.wait("document.documentElement?.dataset.ready || document.documentElement?.dataset.problem")
        assert page.evaluate("document.documentElement.dataset.problem ?? ''") == ""
        rows = page.evaluate("[...document.querySelectorAll('#tensors tbody tr')].map((row) => row.cells[0].textContent)")
        assert sorted(rows) == sorted(t["name"] for t in facts["tensors"])
        assert rows[0] == min(facts["tensors"], key=lambda t: float(t["sqnr_db"]))["name"]
        bars = page.evaluate("document.querySelectorAll('#tensors tbody tr')[0].querySelectorAll('.count, .cut').length")
        worst = min(facts["tensors"], key=lambda t: float(t["sqnr_db"]))
        assert bars == sum(count > 0 for count in worst["histogram"])
        assert page.evaluate("document.querySelector('[data-key=quantized_top1]').textContent") == \
            f"{facts['accuracy']['quantized_top1']:.1f} %"
        assert page.evaluate("document.querySelectorAll('#sensitivity tbody tr').length") == len(facts["sensitivity"])
        assert page.evaluate("document.querySelectorAll('#steps tbody tr').length") == len(facts["steps"])
        assert page.problems == [] and page.requests == [f"file://{path}"]
