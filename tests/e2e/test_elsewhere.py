# Part of Tenon, under the Apache License v2.0.
"""Where a tool must work as well as in its author's checkout: folders with any letters, another user, files that cannot be
written, a processor with less."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import pytest

from conftest import EXAMPLE, ROOT
from seeds import drawn

NOBODY = 65534


@pytest.fixture
def open_folder():
    """A folder that everybody can enter; those of pytest are their owner's alone."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


def outputs(folder):
    return [np.load(path).tobytes() for path in sorted(folder.glob("output_*.npy"))]


def test_any_letters(tenon, tmp_path):
    """Spaces, quotes and other alphabets in every path: model, program, cache, in which a simulator is built, and reports."""
    folder = tmp_path / "Größe 1, 'Жук' $HOME 犬"
    folder.mkdir()
    model, program = folder / "ein Netz.onnx", folder / "ein Netz.tenon"
    shutil.copy(EXAMPLE / "resnet8.onnx", model)
    environment = {**os.environ, "TENON_CACHE": str(folder / "der Cache"), "XDG_STATE_HOME": str(folder / "der Zustand")}
    tenon("compile", model, "-o", program, "--config=tiny", env=environment)
    tenon("verify", program, env=environment)
    results = {}
    for target in ("rtl", "tlm", "functional"):
        tenon("run", program, f"--target={target}", f"--output-dir={folder / target}", f"--json={folder / target}.json",
              *([] if target == "functional" else [f"--report={folder / target}.html"]), env=environment)
        results[target] = outputs(folder / target)
    assert results["rtl"] and results["rtl"] == results["tlm"] == results["functional"]
    assert list((folder / "der Cache").rglob("simulator.so"))
    assert (folder / "rtl.html").stat().st_size > 1000


def test_any_letters_of_the_checkout(tenon, tmp_path):
    """What proves and simulates the RTL: scripts of Yosys, ABC and make are made of words."""
    checkout = tmp_path / "mein Klon, größer"
    for folder in ("hw", "sim/rtl", "tests/formal", "tests/rtl"):
        shutil.copytree(ROOT / folder, checkout / folder)
    write_package = pathlib.Path(tenon.path).with_name("write_package")
    for command in ([sys.executable, checkout / "tests/formal/prove.py", "fifo", "--jobs=1", "--write-package", write_package],
                    [checkout / "tests/rtl/core_run.sh", write_package, "tiny", checkout / "build it", "2"]):
        done = subprocess.run([*map(str, command)], cwd=tmp_path, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_another_user_and_nothing_to_write_to(tenon, open_folder):
    """The program lies where only root writes, and so does the network; caches and results are the user's. What another user has
    cached is not used."""
    if os.geteuid():
        pytest.skip("only root can be another user")
    installed, home = open_folder / "installed", open_folder / "home"
    for folder in (installed, home):
        folder.mkdir(mode=0o755)
    os.chown(home, NOBODY, NOBODY)
    shutil.copy(tenon.path, installed / "tenon")
    shutil.copy(EXAMPLE / "resnet8.onnx", installed)
    (installed / "tenon").chmod(0o755)
    (installed / "resnet8.onnx").chmod(0o444)

    def run(cache, *arguments):
        return subprocess.run(
            ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", installed / "tenon", *map(str, arguments)],
            cwd=installed, capture_output=True, text=True, timeout=600, env={"PATH": os.environ["PATH"], "HOME": str(home), "TENON_CACHE": str(cache)})

    done = run(home / "cache", "run", "resnet8.onnx", "--target=rtl", "--config=tiny", f"--output-dir={home}/rtl")
    assert done.returncode == 0, done.stderr
    assert {path.owner() for path in (home / "cache").rglob("*")} == {"nobody"}
    assert not [path for path in installed.iterdir() if path.name not in ("tenon", "resnet8.onnx")]
    # Root's cache: nothing of it is taken, and the run says what to do.
    foreign = open_folder / "foreign"
    shutil.copytree(home / "cache", foreign)
    subprocess.run(["chown", "-R", "root:root", foreign], check=True)
    done = run(foreign, "run", "resnet8.onnx", "--target=rtl", "--config=tiny")
    assert done.returncode != 0 and str(foreign) in done.stderr and "TENON_CACHE" in done.stderr, done.stderr
    # Results that cannot be written.
    done = run(home / "cache", "run", "resnet8.onnx", "--target=functional", f"--output-dir={installed}/results")
    assert done.returncode == 1 and str(installed) in done.stderr, done.stderr


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ, reason="a sanitizer does not run emulated")
@pytest.mark.parametrize("processor", drawn(["Haswell", "Nehalem"], 1))
def test_processors_with_less(tenon, tmp_path, processor):
    """Haswell has AVX2 and no AVX-512, Nehalem neither: emulated, so that it does not depend on this machine."""
    def run(name, *before):
        done = subprocess.run([*before, tenon.path, "run", EXAMPLE / "resnet8.onnx", "--target=functional", "--check=cpu", "--seed=5",
                               f"--output-dir={tmp_path / name}"], cwd=ROOT, capture_output=True, text=True, timeout=900,
                              env={**os.environ, "TENON_CACHE": str(tmp_path / "cache" / name)})
        assert done.returncode == 0, done.stderr
        return outputs(tmp_path / name)
    assert run("here") == run(processor, "qemu-x86_64", "-cpu", processor)
