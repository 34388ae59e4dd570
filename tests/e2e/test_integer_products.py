"""Products of bytes on the host: exact for every shape, at every level of the instruction set that this machine has."""
import numpy as np
import pytest

from integer_products import ALL_ON_THE_HOST, products
from seeds import seeds

LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v3-vnni", "x86-64-v4", "x86-64-v4-vnni", "x86-64-v4-amx", "aarch64", "aarch64-dotprod")


def has(tenon, program, arguments):
    """Runs a program, unless the machine is below its level."""
    try:
        tenon("run", program, *arguments)
    except AssertionError as refused:
        if "the program has no host code for this machine" not in str(refused):
            raise
        return False
    return True


@pytest.mark.parametrize("seed", seeds(6, short=2))
def test_sums_are_exact(tenon, tmp_path, seed):
    made = products(seed)
    (tmp_path / "products.mlir").write_text(made.text)
    arguments = ["--target=functional", "--check=none", f"--output-dir={tmp_path}/out"]
    for name, array in made.inputs.items():
        np.save(tmp_path / f"{name}.npy", array)
        arguments.append(f"--input={name}={tmp_path}/{name}.npy")
    seen = []
    for level in LEVELS:
        tenon("compile", tmp_path / "products.mlir", f"--host={level}", ALL_ON_THE_HOST, "-o", tmp_path / "products.tenon")
        if not has(tenon, tmp_path / "products.tenon", arguments):
            continue
        seen.append(level)
        for number, expected in enumerate(made.expected):
            assert np.array_equal(np.load(tmp_path / f"out/output_{number}.npy"), expected), (level, number)
    assert seen
