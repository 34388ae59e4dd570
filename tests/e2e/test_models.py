"""Every real float network on the CPU gives the outputs that are stored beside it."""
import pytest

from conftest import MODELS, test_sets

# |got - stored| <= ABSOLUTE + RELATIVE * |stored|. The stored outputs are onnxruntime's (or the upstream project's own): another order
# of summation; half precision rounds after every operator; basic_pitch sums 36,000 products of large numbers for an output near 0.
TOLERANCE = {"squeezenet1.1_fp16/fp16/model.onnx": "2e-2,2e-3", "basic_pitch/model.onnx": "1e-3,2e-3"}

# A window of 2x2 over one row: by the standard no window fits, and an average over nothing follows; onnxruntime divides towards zero
# and takes one.
LEFT_OUT = {"ppocr_cls_mobilenetv3/model.onnx": "test_data_set_1"}


def networks():
    return sorted(str(path.relative_to(MODELS)) for path in MODELS.rglob("*.onnx") if path.parent.name not in ("qdq", "qop"))


@pytest.mark.parametrize("network", networks())
def test_network_on_cpu(tenon, network):
    sets = [s for s in test_sets(MODELS / network) if s.name != LEFT_OUT.get(network)]
    assert sets
    report = tenon.report(MODELS / network, "--target=cpu", "--check=none", f"--tolerance={TOLERANCE.get(network, '1e-3,1e-4')}",
                          *[f"--expect={s}" for s in sets])
    assert len(report["checks"]["expected"]) == len(sets)
