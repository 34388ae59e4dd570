"""Bad input: one clear message, the documented exit code, nothing half-written, no crash."""
import os
import pathlib
import random
import shutil
import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import pytest

from conftest import EXAMPLE, ROOT

MODEL = EXAMPLE / "resnet8.onnx"


def message(result):
    """The one message on stderr."""
    lines = [line for line in result.stderr.splitlines() if line]
    assert lines and lines[0].startswith("tenon: "), result.stderr
    return result.stderr


def test_missing_file(tenon):
    assert "nowhere.onnx" in message(tenon("run", "nowhere.onnx", expect=1))


def test_unknown_option(tenon):
    assert "--nonsense" in tenon("run", MODEL, "--nonsense", expect=2).stderr
    memory = tenon("run", MODEL, "--memory=dram=sdram", expect=2).stderr
    assert 'memory option: unknown dram "sdram"; expected ddr3-1066' in memory
    assert 'memory option: unknown key "speed"' in tenon("run", MODEL, "--memory=speed=1", expect=2).stderr


@pytest.mark.parametrize("options, says", [
    (["--tolerance=0"], "--tolerance is of --expect, which is not given"),
    (["--target=cpu", "--require=accelerator"], "with --target=cpu nothing runs on one"),
    (["--trace=-"], "'-' is stdout; name one"),
    (["--report=-"], "'-' is stdout; name one"),
])
def test_options_that_contradict_each_other(tenon, options, says):
    assert says in message(tenon("run", MODEL, *options, expect=2))


@pytest.mark.parametrize("option", ["--require=accelerator", "--place=x:cpu", "--shape=x=1", "--virtual-threads=1", "--host-speed=1,1"])
def test_a_compiled_program_is_not_compiled_again(tenon, tmp_path, option):
    tenon("compile", MODEL, "-o", tmp_path / "p.tenon")
    said = message(tenon("run", tmp_path / "p.tenon", "--target=functional", option, expect=2))
    assert f"{option.partition('=')[0]} is for compiling, and {tmp_path}/p.tenon is compiled" in said


def test_bench_takes_its_inputs_from_one_place(tenon, tmp_path):
    assert "give one of them" in message(tenon("bench", MODEL, "--input=x=x.npy", f"--expect={tmp_path}", expect=2))
    assert "--expect: At Most 1" in tenon("bench", MODEL, f"--expect={tmp_path}", f"--expect={tmp_path}", expect=2).stderr


def test_a_program_on_stdout(tenon, tmp_path):
    """The same bytes as in a file, and no file of that name."""
    tenon("compile", MODEL, "-o", tmp_path / "p.tenon")
    for verb in (["compile", MODEL], ["asm", tmp_path / "p.tasm"]):
        tenon("dis", tmp_path / "p.tenon", "-o", tmp_path / "p.tasm")
        with open(tmp_path / "out.tenon", "wb") as out:
            subprocess.run([os.path.abspath(tenon.path), *verb, "-o", "-"], stdout=out, stderr=subprocess.PIPE, check=True,
                           cwd=tmp_path, timeout=300)
        tenon("verify", tmp_path / "out.tenon")
        assert sorted(os.listdir(tmp_path)) == ["out.tenon", "p.tasm", "p.tenon"]


def test_names_that_are_not_utf8(tenon, tmp_path):
    """A file's may be; the program is read again. A tensor's is none of ONNX."""
    path = tmp_path / os.fsdecode(b"caf\xe9.onnx")
    shutil.copy(MODEL, path)
    tenon("compile", path, "-o", tmp_path / "p.tenon")
    tenon("run", tmp_path / "p.tenon", "--target=functional")
    tenon("run", path, "--target=tlm", "--check=none", f"--trace={tmp_path}/p.trace")
    tenon("report", tmp_path / "p.trace")
    model = onnx.load(MODEL)
    bad = tmp_path / "bad.onnx"
    name = model.graph.input[0].name
    bad.write_bytes(model.SerializeToString().replace(name.encode(), b"\xe9" * len(name)))
    assert "is not UTF-8, as text of ONNX is" in message(tenon("compile", bad, "-o", tmp_path / "bad.tenon", expect=1))
    assert not (tmp_path / "bad.tenon").exists()


@pytest.mark.parametrize("length", [0, 1, 17, 1000, 50_000, 90_000])
def test_truncated_onnx(tenon, tmp_path, length):
    path = tmp_path / "cut.onnx"
    path.write_bytes(MODEL.read_bytes()[:length])
    message(tenon("compile", path, "-o", tmp_path / "p.tenon", expect=1))
    assert os.listdir(tmp_path) == ["cut.onnx"]


def test_random_bytes(tenon, tmp_path):
    path = tmp_path / "random.onnx"
    for seed in range(5):
        path.write_bytes(random.Random(seed).randbytes(4096))
        message(tenon("compile", path, "-o", tmp_path / "p.tenon", expect=1))


def test_truncated_and_flipped_program(tenon, tmp_path):
    program = tmp_path / "p.tenon"
    tenon("compile", MODEL, "-o", program)
    whole = program.read_bytes()
    bad = tmp_path / "bad.tenon"
    for length in [0, 3, 100, len(whole) // 2, len(whole) - 1]:
        bad.write_bytes(whole[:length])
        message(tenon("run", bad, "--target=functional", expect=1))


def unsupported_model(tmp_path):
    x = helper.make_tensor_value_info("x", TensorProto.INT8, [1, 4])
    y = helper.make_tensor_value_info("y", TensorProto.INT8, [1, 4])
    node = helper.make_node("Strange", ["x"], ["y"], name="strange_node", domain="com.example")
    model = helper.make_model(helper.make_graph([node], "g", [x], [y]), opset_imports=[helper.make_opsetid("", 14), helper.make_opsetid("com.example", 3)])
    path = tmp_path / "unsupported.onnx"
    onnx.save(model, path)
    return path


def test_unsupported_operator(tenon, tmp_path):
    text = message(tenon("compile", unsupported_model(tmp_path), "-o", tmp_path / "p.tenon", expect=1))
    for part in ["strange_node", "Strange", "opset 3", "com.example"]:
        assert part in text, text


def test_wrong_input_shape_and_type(tenon, tmp_path):
    np.save(tmp_path / "shape.npy", np.zeros((1, 3, 16, 16), np.int8))
    assert "1x3x32x32" in message(tenon("run", MODEL, "--target=functional", f"--input=input_1_int8={tmp_path}/shape.npy",
                                        expect=1))
    np.save(tmp_path / "type.npy", np.zeros((1, 3, 32, 32), np.float32))
    assert "int8" in message(tenon("run", MODEL, "--target=functional", f"--input=input_1_int8={tmp_path}/type.npy",
                                   expect=1))


def test_wrong_input_name(tenon, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((1, 3, 32, 32), np.int8))
    assert "input_1_int8" in message(tenon("run", MODEL, "--target=functional", f"--input=nobody={tmp_path}/x.npy",
                                           expect=1))


def test_program_of_another_configuration(tenon, tmp_path):
    program = tmp_path / "p.tenon"
    tenon("compile", MODEL, "-o", program, "--config=tiny")
    text = message(tenon("run", program, "--config=pynq", "--target=functional", expect=1))
    assert "tiny" in text and "pynq" in text


def test_configuration_that_does_not_fit(tenon, tmp_path):
    shipped = (ROOT / "isa/config/pynq.textproto").read_text()
    path = tmp_path / "big.textproto"
    path.write_text(shipped.replace("acc_entries: 2048", "acc_entries: 65536"))
    text = message(tenon("config", "check", path, expect=1))
    assert "bits" in text
    message(tenon("compile", MODEL, f"--config={path}", "-o", tmp_path / "p.tenon", expect=1))
    path.write_text(shipped + "\nnonsense: 3\n")
    assert "big.textproto:" in message(tenon("config", "check", path, expect=1))


def test_unknown_configuration(tenon):
    assert "nowhere" in message(tenon("run", MODEL, "--config=nowhere", expect=1))


def test_output_directory_that_cannot_be_written(tenon, tmp_path):
    (tmp_path / "file").write_text("")
    message(tenon("run", MODEL, "--target=functional", f"--output-dir={tmp_path}/file/out", expect=1))
    message(tenon("compile", MODEL, "-o", "/proc/nowhere/p.tenon", expect=1))


def test_full_disk(tenon, tmp_path):
    """A size limit on files stands for the full disk; nothing half-written stays."""
    target = tmp_path / "p.tenon"
    limited = subprocess.run(["bash", "-c", f'trap "" XFSZ; ulimit -f 8; exec "$0" compile "{MODEL}" -o "{target}"',
                              tenon.path], capture_output=True, text=True, cwd=ROOT, timeout=600)
    assert limited.returncode == 1, limited.stderr
    message(limited)
    assert os.listdir(tmp_path) == []
    full = pathlib.Path("/dev/full")
    if full.exists():
        with full.open("w") as out:
            result = subprocess.run([tenon.path, "config", "list"], stdout=out, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        assert result.returncode == 1 and result.stderr.startswith("tenon: cannot write to stdout: ")


def test_no_room_for_a_simulator(tenon, tmp_path):
    """A size limit on files stands for the full disk; the tools meet it, and nothing but the lock stays."""
    environment = {**os.environ, "TENON_CACHE": str(tmp_path)}
    limited = subprocess.run(["bash", "-c", f'ulimit -f 64; exec "$0" run "{MODEL}" --config=tiny --target=rtl --records=none', tenon.path],
                             capture_output=True, text=True, cwd=ROOT, timeout=600, env=environment)
    assert limited.returncode == 4, limited.stderr
    assert "disk or memory is lacking (File too large): " in message(limited)
    assert [path.suffix for path in (tmp_path / "rtl").iterdir()] == [".lock"]


def test_missing_verilator(tenon, tmp_path):
    environment = {**os.environ, "PATH": str(tmp_path), "TENON_CACHE": str(tmp_path / "cache")}
    text = message(tenon("run", MODEL, "--target=rtl", expect=4, env=environment))
    assert "verilator" in text and ". Install it with: apt-get install " in text
    nowhere = {**os.environ, "TENON_CACHE": "/proc/nowhere"}
    assert "(TENON_CACHE chooses another place)" in message(tenon("run", MODEL, "--target=rtl", expect=4, env=nowhere))
    none = {name: value for name, value in os.environ.items() if name not in ("TENON_CACHE", "XDG_CACHE_HOME", "HOME")}
    assert "cache: none of TENON_CACHE, XDG_CACHE_HOME and HOME is set" in message(
        tenon("run", MODEL, "--target=rtl", expect=4, env=none))


def test_require_accelerator_refuses_the_softmax(tenon, tmp_path):
    text = message(tenon("compile", MODEL, "--require=accelerator", "-o", tmp_path / "p.tenon", expect=1))
    assert "softmax" in text.lower()
    assert os.listdir(tmp_path) == []


def test_damaged_picture(tenon, tmp_path):
    path = tmp_path / "x.png"
    path.write_bytes((EXAMPLE / "pictures/cat.png").read_bytes()[:100])
    assert "x.png" in message(tenon("run", MODEL, "--target=functional", f"--input=input_1_int8={path}", expect=1))


def test_damaged_tensor(tenon, tmp_path):
    tensor = numpy_helper.from_array(np.zeros((1, 3, 32, 32), np.int8)).SerializeToString()
    path = tmp_path / "x.pb"
    path.write_bytes(tensor[:-7])
    assert "x.pb" in message(tenon("run", MODEL, "--target=functional", f"--input=input_1_int8={path}", expect=1))
