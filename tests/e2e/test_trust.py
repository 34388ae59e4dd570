"""Programs and caches of others: host code that the user has not compiled, simulators that somebody may have changed."""
import ctypes
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

from c_api import INVALID, OK, Api
from conftest import EXAMPLE, ROOT

GRAPH = ROOT / "tests/conformance/graphs/add_scales_qdq/model.onnx"
INPUT = "input_1_int8"
UNTRUSTED = 12


def of(home):
    """The environment of a user whose state lies there."""
    return {**os.environ, "XDG_STATE_HOME": str(home)}


@pytest.fixture(scope="module")
def author(tmp_path_factory):
    return tmp_path_factory.mktemp("author")


@pytest.fixture(scope="module")
def program(tenon, author):
    """Softmax is host code."""
    path = author / "resnet8.tenon"
    tenon("compile", EXAMPLE / "resnet8.onnx", "-o", path, env=of(author))
    return path


def test_host_code_is_its_authors(tenon, program, author, tmp_path):
    run = ["run", program, "--target=functional"]
    tenon(*run, f"--output-dir={tmp_path}/own", env=of(author))
    said = tenon(*run, f"--output-dir={tmp_path}/none", env=of(tmp_path / "other"), expect=3).stderr
    assert said.startswith("tenon: the program carries host code, which is native code, and it is not known that you compiled it: "
                           f"you have no key of your own ('{tmp_path}/other/tenon/host-code.key'"), said
    assert "run it with --trust-host-code" in said and not list((tmp_path / "none").glob("*"))
    tenon("compile", EXAMPLE / "resnet8.onnx", "-o", tmp_path / "mine.tenon", env=of(tmp_path / "other"))
    assert "its digest is of another key than '" in tenon(*run, env=of(tmp_path / "other"), expect=3).stderr
    tenon(*run, "--trust-host-code", f"--output-dir={tmp_path}/trusted", env=of(tmp_path / "other"))
    # The report says that nobody looked at it, and why it ran.
    def said(*options, env):
        return tenon.report(program, "--target=functional", "--check=none", *options, env=of(env))["checks"]["host_code"]
    for code, why in ((said(env=author), "own digest"), (said("--trust-host-code", env=tmp_path / "other"), "trusted")):
        assert code["why"] == why and code["executables"] >= 1 and code["bytes"] > 0
    own, trusted = (np.load(tmp_path / folder / "output_0.npy") for folder in ("own", "trusted"))
    assert own.tobytes() == trusted.tobytes()
    # Nothing of its host code runs here: the network that it carries is compiled anew.
    tenon("run", program, "--target=cpu", env=of(tmp_path / "other"))
    tenon("bench", program, "--runs=1", "--seconds=0", "--warm-up=0", env=of(tmp_path / "other"))
    tenon("verify", program, env=of(tmp_path / "other"))


def test_refused_before_anything_is_mapped(tenon, program, tmp_path):
    """The anonymous file that host code is mapped from is never made: a library before libc's says so."""
    source, library = tmp_path / "watch.c", tmp_path / "watch.so"
    source.write_text('#include <unistd.h>\nint memfd_create(const char *n, unsigned f) { write(2, "MAPPED", 6); _exit(99); }\n')
    subprocess.run(["cc", "-shared", "-fPIC", "-w", source, "-o", library], check=True)
    watched = {**of(tmp_path / "other"), "LD_PRELOAD": str(library)}
    run = ["run", program, "--target=functional"]
    assert "MAPPED" not in tenon(*run, env=watched, expect=3).stderr
    assert "MAPPED" in tenon(*run, "--trust-host-code", env=watched, expect=99).stderr


def test_what_a_digest_covers(tenon, program, author, tmp_path):
    text = tenon("dis", "--plain", program).stdout

    def changed(pattern, replacement):
        result, count = re.subn(pattern, replacement, text, count=1, flags=re.M)
        assert count, pattern
        (tmp_path / "p.tasm").write_text(result)
        tenon("asm", tmp_path / "p.tasm", "-o", tmp_path / "p.tenon")
        return tmp_path / "p.tenon"

    def run(path, code):
        return tenon("run", path, "--target=functional", env=of(author), expect=code).stderr

    run(changed(r"\Z", ""), 0)
    run(changed(r'^  producer: .*', '  producer: "another"'), 0)
    assert "it has no digest of a user" in run(changed(r"^  host_code_digest: .*\n", ""), 3)
    assert "or the program was changed" in run(changed(r'(host_kernel \{\n(?:.*\n)*?\s+name: )"[^"]*"', r'\1"x"'), 3)
    assert "or the program was changed" in run(changed(r'^(  buffers \{\n    name: )"[^"]*"', r'\1"x"'), 3)


def test_without_host_code_nothing_is_asked(tenon, tmp_path):
    tenon("compile", GRAPH, "-o", tmp_path / "p.tenon", env=of("/proc/nowhere"))
    tenon("run", tmp_path / "p.tenon", "--target=functional", env=of("/proc/nowhere"))


def test_a_key_needs_a_place(tenon, tmp_path):
    compile_it = ["compile", EXAMPLE / "resnet8.onnx", "-o", tmp_path / "p.tenon"]
    assert ("the user's key '/proc/nowhere/tenon/host-code.key' cannot be made: No such file or directory "
            "(XDG_STATE_HOME chooses another place)") in tenon(*compile_it, env=of("/proc/nowhere"), expect=4).stderr
    homeless = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_STATE_HOME")}
    assert "neither XDG_STATE_HOME nor HOME is set" in tenon(*compile_it, env=homeless, expect=4).stderr
    assert not (tmp_path / "p.tenon").exists()


def test_the_runner_asks_as_well(tenon, program, author, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((1, 3, 32, 32), np.int8))
    run = [pathlib.Path(tenon.path).with_name("tenon-run"), program, "--input", f"{INPUT}={tmp_path}/x.npy"]
    for options, home, code in (([], author, 0), ([], tmp_path, 3), (["--trust-host-code"], tmp_path, 0)):
        assert subprocess.run([*run, *options], env=of(home), capture_output=True).returncode == code


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="Python does not load a library with a sanitizer")
def test_the_library_asks_as_well(tenon, program, author, tmp_path, monkeypatch):
    class Options(ctypes.Structure):
        _fields_ = [("size", ctypes.c_size_t), ("trust_host_code", ctypes.c_int)]
    api = Api(pathlib.Path(tenon.path).parents[1] / "runtime/libtenon.so")
    path, loaded = str(program).encode(), ctypes.c_void_p()
    monkeypatch.setenv("XDG_STATE_HOME", str(author))
    api("program_load", path, ctypes.byref(loaded), expect=OK)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert "trust_host_code in tenon.h" in api("program_load", path, ctypes.byref(loaded), expect=UNTRUSTED)
    trusting, unknown = Options(ctypes.sizeof(Options), 1), Options(3, 1)
    api("program_load_with", path, ctypes.byref(trusting), ctypes.byref(loaded), expect=OK)
    assert "expected options of 16 bytes or more, found 3" in api("program_load_with", path, ctypes.byref(unknown),
                                                                  ctypes.byref(loaded), expect=INVALID)


def test_simulators_are_what_was_built(tenon, tmp_path):
    """Damaged ones are built again, with a line that says why; a cache that others may write in is not used."""
    environment = {**os.environ, "TENON_CACHE": str(tmp_path / "cache")}
    run = ["run", GRAPH, "--config=tiny", "--target=rtl", "--check=functional"]
    tenon(*run, env=environment)
    (simulator,) = (tmp_path / "cache/rtl").glob("*/simulator.so")
    whole = simulator.read_bytes()
    middle = len(whole) // 2
    for damaged in (whole[:middle], whole[:middle] + bytes([whole[middle] ^ 16]) + whole[middle + 1:], b""):
        simulator.write_bytes(damaged)
        said = tenon(*run, env=environment).stderr
        assert f"tenon: cache: '{simulator}' is damaged; it is made anew\n" in said
        assert "it is made anew" not in tenon(*run, env=environment).stderr
    (tmp_path / "cache").chmod(0o777)
    said = tenon(*run, env=environment, expect=4).stderr
    assert f"cache: cannot use {tmp_path}/cache: '{tmp_path}/cache' belongs to user {os.getuid()} and has mode 0777" in said
    assert said.splitlines()[-1].endswith("(TENON_CACHE chooses another place)")
