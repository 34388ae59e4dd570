"""Boards at serial ports: what the command line refuses, and why."""
import os
import pty

import pytest

from conftest import EXAMPLE

MODEL = EXAMPLE / "resnet8.onnx"


@pytest.mark.parametrize("target, says", [
    ("fpga", "is no target"),
    ("fpga:usb:/dev/ttyUSB0", "is no target"),
    ("fpga:serial:", "names no port"),
    ("fpga:serial:@2000000", "names no port"),
    ("fpga:serial:/dev/ttyUSB0@fast", "'fast' is no rate"),
    ("fpga:serial:/dev/ttyUSB0@0", "'0' is no rate"),
    ("fpga:serial:/dev/ttyUSB0@", "'' is no rate"),
])
def test_a_target_that_is_none(tenon, target, says):
    result = tenon("run", MODEL, "--target", target, expect=2)
    assert says in result.stderr and "fpga:serial:" in result.stderr


@pytest.mark.parametrize("options, says", [
    (["--memory", "latency=3"], "has memory of its own"),
    (["--dump-tensors", "x"], "while the network runs"),
    (["--report", "x.html"], "need a target with time"),
    (["--trace", "x.trace"], "need a target with time"),
])
def test_what_hardware_cannot(tenon, tmp_path, options, says):
    result = tenon("run", MODEL, "--target=fpga:serial:/dev/ttyUSB0", *options, expect=2)
    assert says in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_port_that_is_not_there(tenon):
    result = tenon("run", MODEL, "--config=small", "--target=fpga:serial:/dev/ttyTenonNone", expect=4)
    assert "/dev/ttyTenonNone" in result.stderr


def test_a_file_that_is_no_port(tenon, tmp_path):
    file = tmp_path / "ttyUSB0"
    file.write_text("")
    result = tenon("run", MODEL, "--config=small", f"--target=fpga:serial:{file}", expect=4)
    assert "no terminal" in result.stderr


def test_a_port_that_another_process_has(tenon):
    import fcntl
    master, slave = pty.openpty()
    try:
        fcntl.flock(slave, fcntl.LOCK_EX)
        result = tenon("run", MODEL, "--config=small", f"--target=fpga:serial:{os.ttyname(slave)}", expect=4)
        assert "another process" in result.stderr
    finally:
        os.close(slave)
        os.close(master)


def test_help_names_the_target(tenon):
    assert "fpga:serial:PORT[@BAUD]" in tenon("run", "--help").stdout

# Tools that make a script of a simulated board: what $BOARD is.
VERILATOR = """#!/bin/sh
case "$1" in
--version) echo Verilator 5.006 ;;
--getenv) echo / ;;
*) /bin/mkdir -p obj; echo > obj/Vboard.cpp; echo > obj/Vboard_classes.mk ;;
esac
"""
COMPILER = """#!/bin/sh
[ "$1" != --version ] || { echo compiler; exit; }
while [ $# -gt 0 ]; do [ "$1" != -o ] || out=$2; shift; done
printf '%s\\n' '#!/bin/sh' "$BOARD" > "$out"
/bin/chmod +x "$out"
"""


@pytest.mark.parametrize("board, code, says", [
    ("echo nonsense; read line", 70, "the simulated board says 'nonsense'"),
    ("exit 3", 4, "the simulated board has ended"),
])
def test_a_simulated_board_that_is_none(tenon, tmp_path, board, code, says):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (("verilator", VERILATOR), ("clang++-22", COMPILER)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    environment = {**os.environ, "PATH": str(tools), "TENON_CACHE": str(tmp_path / "cache"), "BOARD": board}
    result = tenon("fpga", "simulate", "--board", "ulx3s-85f", expect=code, env=environment)
    assert says in result.stderr
