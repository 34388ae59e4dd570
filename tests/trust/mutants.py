"""Mutants of compiled networks: the static verifier against execution.

`mutants.py` is the seeded sample of ./dev test; `mutants.py --nightly` judges at least 10,000 mutants, each that verifies
under 100 interleavings, a part on the RTL. Prints the figures; ends with 3 where the two disagree.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from skips import skipped  # noqa: E402

BIN = pathlib.Path(os.environ.get("TENON_BIN", ROOT / "build/release/bin"))
EXAMPLE = ROOT / "examples/resnet8/resnet8.onnx"
GRAPHS = ROOT / "tests/conformance/graphs"
MODELS = ROOT.parent / "shared/models"

# Network, configuration. Those of ../shared/models take part where they are there.
NETWORKS = [(EXAMPLE, "pynq"), (EXAMPLE, "tiny"), (EXAMPLE, "batch4")] + [
    (GRAPHS / name / "model.onnx", config) for name, config in [
        ("add_scales_qdq", "pynq"), ("depthwise_multiplier_qdq", "small"), ("max_pool_qdq", "tiny"),
        ("concat_scales_qdq", "pynq"), ("asymmetric_padding_qdq", "wide")]] + [
    (MODELS / "mlperftiny_kws_dscnn/qdq/model.onnx", "pynq"), (MODELS / "resnet56_cifar10/qdq/model.onnx", "pynq"),
    (MODELS / "mobilenetv1_0.25_128/qdq/model.onnx", "pynq")]
# Configurations of random legal programs, dense with hazards; as many random ones stand behind them.
RANDOM = ["pynq", "tiny", "batch4", "wide"]


def random_programs(seed):
    """From a seed on."""
    configurations = [*RANDOM, *range(seed, seed + len(RANDOM))]
    return [f"random:{config}:{seed + place}" for place, config in enumerate(configurations)]


def compiled(folder):
    for model, config in NETWORKS:
        if not model.is_file():
            skipped(__file__, f"../shared/{model.relative_to(MODELS.parent)} is not there")
            continue
        program = folder / f"{model.parent.parent.name}-{model.parent.name}-{config}.tenon"
        subprocess.run([BIN / "tenon", "compile", model, "--config", config, "--no-reference", "-o", program], check=True)
        yield program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nightly", action="store_true", help="900 mutants of each network, 100 interleavings, 30 on the RTL")
    parser.add_argument("--seed", type=int, default=1, help="of the first mutant and the first random program (default: %(default)s)")
    parser.add_argument("--json", help="file for the figures")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the compiled programs, to repeat a mutant")
    options = parser.parse_args()
    size = ["--mutants=900", "--interleavings=100", "--rtl=30"] if options.nightly else \
        ["--mutants=40", "--interleavings=10"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        programs = list(compiled(folder))
        command = [BIN / "tenon-mutants", *programs, *random_programs(options.seed), *size, f"--seed={options.seed}"]
        if options.json:
            command.append(f"--json={options.json}")
        return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
