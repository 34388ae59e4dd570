"""What the CPU computes has the same bits in any number of threads."""
import json

import numpy
import pytest

from conftest import test_sets

# Products and convolutions of floats and bytes, depthwise ones, recurrence, attention with open extents.
NETWORKS = ["mlperftiny_resnet8/fp32", "mobilenetv2_1.0_224_int8/qdq", "mobilenetv2_1.0_224_int8/fp32", "byte_sb_bidi_lstm",
            "stories260k_llama/prefill64", "albert_rxnmapper/fp32"]


@pytest.mark.parametrize("network", NETWORKS)
def test_bits_are_those_of_one_thread(tenon, models, tmp_path, network):
    model = models / network / "model.onnx"
    first = test_sets(model)[0]

    def outputs(threads):
        folder = tmp_path / str(threads)
        tenon("run", model, "--target=cpu", "--check=none", f"--expect={first}", "--tolerance=0,inf", f"--threads={threads}",
              f"--output-dir={folder}")
        return [numpy.load(path).tobytes() for path in sorted(folder.glob("*.npy"))]

    alone = outputs(1)
    assert alone
    for threads in (2, 3, 7):
        assert outputs(threads) == alone, threads


def test_bits_are_those_of_threads_that_move(tenon, models, tmp_path):
    model = models / NETWORKS[0] / "model.onnx"
    for name, options in ("moving", []), ("pinned", ["--pin"]):
        tenon("run", model, "--target=cpu", "--check=none", "--threads=3", f"--output-dir={tmp_path / name}", *options)
    assert (tmp_path / "moving/output_0.npy").read_bytes() == (tmp_path / "pinned/output_0.npy").read_bytes()


def test_bench_says_how_many_there_are(tenon, models):
    model = models / "mlperftiny_resnet8/fp32/model.onnx"
    assert json.loads(tenon("bench", model, "--threads=3", "--runs=1", "--seconds=0", "--json=-").stdout)["threads"] == 3


def test_no_threads_are_refused(tenon, models):
    result = tenon("bench", models / "mlperftiny_resnet8/fp32/model.onnx", "--threads=0", expect=2)
    assert "--threads" in result.stderr
