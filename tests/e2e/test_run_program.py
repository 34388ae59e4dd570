"""tenon-run: a compiled program without the compiler."""
import pathlib
import re
import subprocess

import numpy as np
import pytest

from conftest import EXAMPLE

INPUT = "input_1_int8"


@pytest.fixture(scope="module")
def runner(tenon):
    path = pathlib.Path(tenon.path).with_name("tenon-run")

    def run(*arguments, expect=0):
        result = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, timeout=600)
        assert result.returncode == expect, result.stdout + result.stderr
        return result.stdout + result.stderr
    run.path = path
    return run


@pytest.fixture(scope="module")
def program(tenon, tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "resnet8.tenon"
    tenon("compile", EXAMPLE / "resnet8.onnx", "-o", path)
    return path


@pytest.fixture(scope="module")
def picture(program):
    path = program.with_name("picture.npy")
    np.save(path, np.random.default_rng(16).integers(-128, 128, (1, 3, 32, 32), dtype=np.int8))
    return path


def test_it_gives_what_tenon_gives(tenon, runner, program, picture, tmp_path):
    tenon("run", program, f"--input={INPUT}={picture}", "--target=functional", f"--output-dir={tmp_path}/whole")
    said = runner(program, "--input", f"{INPUT}={picture}", "--output-dir", tmp_path / "small")
    assert re.fullmatch(r"\S+  1x10 \w+  .*/small/output_0\.npy\n", said)
    whole, small = (np.load(tmp_path / folder / "output_0.npy") for folder in ("whole", "small"))
    assert whole.dtype == small.dtype and whole.tobytes() == small.tobytes()


def test_it_names_what_is_wrong(tenon, runner, program, picture, tmp_path):
    assert f"input '{INPUT}' is not given: --input {INPUT}=FILE.npy" in runner(program, expect=1)
    both = ["--input", f"{INPUT}={picture}", "--input", f"other={picture}"]
    assert f"the network has no input 'other'; its inputs: {INPUT}" in runner(program, *both, expect=1)
    assert "there is no device 'rtl'; expected functional, " in runner(program, "--target=rtl", expect=1)
    text = tenon("dis", "--plain", program).stdout
    text = re.sub(r"^(\s*gemm .*) wait\(load\)", r"\1", text, count=1, flags=re.M)
    (tmp_path / "broken.tasm").write_text(text)
    tenon("asm", tmp_path / "broken.tasm", "-o", tmp_path / "broken.tenon")
    given = [tmp_path / "broken.tenon", "--input", f"{INPUT}={picture}"]
    assert "does not verify; --no-verify runs it all the same\nleftover: LOAD" in runner(*given, expect=1)
    assert "has never been loaded" in runner(*given, "--no-verify", expect=1)


def test_it_links_no_compiler(runner):
    libraries = subprocess.run(["ldd", runner.path], capture_output=True, text=True, check=True).stdout
    assert "libprotobuf" in libraries and not re.search("LLVM|MLIR|systemc|onnx", libraries)
