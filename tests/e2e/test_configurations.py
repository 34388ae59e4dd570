"""The other machines run ResNet-8 on RTL, bit-exact."""
import pytest

from conftest import EXAMPLE
from sums import assert_cycles_add_up


@pytest.mark.parametrize("config", ["tiny", "small", "wide", "batch4"])
def test_resnet8(tenon, config):
    report = tenon.report(EXAMPLE / "resnet8.onnx", f"--input=input_1_int8={EXAMPLE}/pictures/cat.png",
                          "--preprocess=mean=128", f"--labels={EXAMPLE}/labels.txt", f"--config={config}",
                          timeout=1500)
    assert report["config"] == config
    assert report["launches"] == 1
    assert report["checks"]["functional"]["status"] == report["checks"]["cpu"]["status"] == "bit-exact"
    assert report["answer"][0]["label"] == "cat"
    assert_cycles_add_up(report)
