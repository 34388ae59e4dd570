"""What programs carry for the CPU gives the bits of upstream's plain pipeline, floats as well."""
import pytest

from conftest import test_sets

# One of each kind that is quick: convolutions, depthwise ones, recurrence with open extents, attention, integers.
NETWORKS = ["mlperftiny_resnet8/fp32", "mlperftiny_kws_dscnn/fp32", "byte_sb_bidi_lstm", "stories260k_llama/prefill64",
            "mlperftiny_resnet8/qop"]


@pytest.mark.parametrize("network", NETWORKS)
def test_bits_are_those_of_the_reference(tenon, models, network):
    first = test_sets(models / network / "model.onnx")[0]
    check = tenon.report(models / network / "model.onnx", "--target=cpu", "--check=cpu", f"--expect={first}", "--tolerance=0,inf")["checks"]["cpu"]
    assert check["status"] == "bit-exact" and check["elements"] > 0
