"""Ended from outside, by Ctrl-C or SIGTERM: at once, with the tools under way, and nothing half-written."""
import os
import pathlib
import signal
import subprocess
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import pytest

from conftest import EXAMPLE, ROOT

MODEL = EXAMPLE / "resnet8.onnx"
OLD = b"what was there before\n"
SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
SOON = 10  # seconds: no work is waited for, but a machine may be busy


def as_a_terminal_would():
    """Leaves SIGINT alone: what a shell starts in the background ignores it, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(tenon, *arguments, **options):
    return subprocess.Popen([tenon.path, *map(str, arguments)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            preexec_fn=as_a_terminal_would, **options)


def interrupt(process, number):
    """Whether the signal ended it; else it was done before."""
    process.send_signal(number)
    process.communicate(timeout=SOON)
    assert process.returncode in (0, -number)
    return process.returncode != 0


def ends_whole(tenon, tmp_path, number, output, *arguments, delays=(0.02, 0.1, 0.3, 0.6)):
    """Whenever it is ended, `output` is what it was or the whole new one, and nothing is beside it.

    A process that has written it, but not left yet, is ended by the signal, too."""
    folder = tmp_path / "out"
    folder.mkdir()
    tenon(*arguments, "-o", folder / output)
    whole = (folder / output).read_bytes()
    kept = False
    for delay in delays:
        (folder / output).write_bytes(OLD)
        process = start(tenon, *arguments, "-o", folder / output)
        time.sleep(delay)
        ended = interrupt(process, number)
        found = (folder / output).read_bytes()
        assert found == whole or ended and found == OLD
        assert os.listdir(folder) == [output]
        kept = kept or found == OLD
    assert kept


@SIGNALS
def test_compile(tenon, tmp_path, number):
    ends_whole(tenon, tmp_path, number, "p.tenon", "compile", MODEL, "--records=none")


@SIGNALS
def test_quantize(tenon, tmp_path, number):
    random = np.random.default_rng(0)
    weights = [numpy_helper.from_array(random.normal(size=(8, 8, 3, 3)).astype(np.float32) * 0.2, f"w{i}") for i in range(4)]
    nodes = [helper.make_node("Conv", [f"x{i}", f"w{i}"], [f"x{i + 1}"], f"conv{i}", pads=[1, 1, 1, 1]) for i in range(4)]
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8, 32, 32]) for name in ("x0", "x4")]
    graph = helper.make_graph(nodes, "g", tensors[:1], tensors[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "model.onnx")
    np.savez(tmp_path / "data.npz", x0=random.normal(size=(50, 8, 32, 32)).astype(np.float32))
    ends_whole(tenon, tmp_path, number, "q.onnx", "quantize", tmp_path / "model.onnx", "--calibration", tmp_path / "data.npz",
               "--records=none")


@SIGNALS
def test_run_on_rtl(tenon, tmp_path, number):
    """The simulator stands already, or is built by the first run."""
    arguments = ["run", MODEL, "--target=rtl", "--check=none", f"--output-dir={tmp_path / 'out'}"]
    tenon(*arguments, timeout=1800)
    whole = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    for delay in (0.1, 0.3, 0.6, 1):
        for path in (tmp_path / "out").iterdir():
            path.write_bytes(OLD)
        process = start(tenon, *arguments)
        time.sleep(delay)
        interrupt(process, number)
        found = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
        assert found.keys() == whole.keys() and all(content in (OLD, whole[name]) for name, content in found.items())


# Starts a helper, as Verilator's script does, and waits for it.
VERILATOR = """#!/bin/sh
case "$1" in
--version) echo Verilator 5.006 ;;
--getenv) echo / ;;
*) /bin/sleep 300 & echo $! > "$HELPER.new"; /bin/mv "$HELPER.new" "$HELPER"; wait ;;
esac
"""


def is_alive(pid):
    """Whether it runs; one that nobody waits for has ended, too."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


@pytest.fixture
def endless(tmp_path):
    """The environment in which a simulator is built and never done, and the file that then names the tool's helper."""
    tools, helper_file = tmp_path / "tools", tmp_path / "helper"
    tools.mkdir()
    for name, text in (("verilator", VERILATOR), ("clang++-22", "#!/bin/sh\necho compiler\n")):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    yield {**os.environ, "PATH": str(tools), "TENON_CACHE": str(tmp_path / "cache"), "HELPER": str(helper_file)}, helper_file
    if helper_file.exists() and is_alive(int(helper_file.read_text())):
        os.kill(int(helper_file.read_text()), signal.SIGKILL)


@SIGNALS
def test_a_simulator_is_being_built(tenon, endless, number):
    """The tool's own helpers end as well."""
    environment, helper_file = endless
    process = start(tenon, "run", MODEL, "--target=rtl", env=environment)
    assert until(helper_file.exists, 60)
    pid = int(helper_file.read_text())
    assert is_alive(pid) and interrupt(process, number)
    assert until(lambda: not is_alive(pid), SOON)


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_a_shell_says(tenon, endless, number, code):
    environment, helper_file = endless
    script = '"$0" run "$1" --target=rtl; echo $?'
    shell = subprocess.Popen(["/bin/sh", "-c", script, tenon.path, MODEL], cwd=ROOT, env=environment, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, preexec_fn=as_a_terminal_would)
    assert until(helper_file.exists, 60)
    child = pathlib.Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text()
    os.kill(int(child), number)
    assert shell.communicate(timeout=SOON)[0].strip() == str(code)
