"""What `cmake --install` leaves: the C API as another language sees it. The examples are built against it by tests of their own."""
import ctypes
import os
import re
import subprocess
import time

import pytest

from c_api import INT8, INVALID, NOT_FOUND, OUT_OF_RANGE, TOO_SMALL, Api, Array, Info, array
from conftest import EXAMPLE, ROOT


@pytest.fixture(scope="module")
def installed(tenon, tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    build = os.path.dirname(os.path.dirname(tenon.path))
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, capture_output=True)
    return prefix


@pytest.fixture(scope="module")
def library(installed):
    (path,) = installed.glob("lib*/**/libtenon.so")
    return path


@pytest.fixture(scope="module")
def resnet8(tenon, tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "resnet8.tenon"
    tenon("compile", EXAMPLE / "resnet8.onnx", "--config", "pynq", "-o", path)
    return path


def test_pkg_config_finds_the_library(installed, tmp_path):
    (folder,) = installed.glob("lib*/**/pkgconfig")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "tenon"], check=True, capture_output=True, text=True,
                           env={**os.environ, "PKG_CONFIG_PATH": str(folder)}).stdout.split()
    source = tmp_path / "version.c"
    source.write_text("#include <tenon/tenon.h>\n#include <stdio.h>\n"
                      "int main(void) { return puts(tenon_version()) < 0 || tenon_api_version() != TENON_API_VERSION; }\n")
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", source, "-o", tmp_path / "version", *flags], check=True)
    (libraries,) = [flag[2:] for flag in flags if flag.startswith("-L")]
    said = subprocess.run([tmp_path / "version"], check=True, capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": libraries}).stdout
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", said)


def test_the_library_is_small_and_alone(library):
    assert os.path.getsize(library) <= 10e6
    needs = subprocess.run(["ldd", library], check=True, capture_output=True, text=True).stdout
    assert not re.search(r"LLVM|MLIR|systemc|verilat|onnx|not found", needs), needs
    exported = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1].split("@")[0] for line in exported.splitlines()} - {"TENON_1"}
    assert names and all(name.startswith("tenon_") for name in names), names
    header = (ROOT / "runtime/tenon.h").read_text()
    assert names == set(re.findall(r"^TENON_API [^;(]*?(tenon_\w+)\(", header, re.M))


def test_the_library_starts_at_once(library):
    """Loading it and asking its version: the best of twenty processes, for others use the machine as well."""
    code = ("import ctypes, time\nbegin = time.perf_counter()\n"
            f"ctypes.CDLL({str(library)!r}).tenon_api_version()\nprint(time.perf_counter() - begin)")
    took = min(float(subprocess.run(["python3", "-S", "-c", code], check=True, capture_output=True, text=True).stdout)
               for _ in range(20))
    print(f"libtenon starts in {took * 1e3:.1f} ms")
    assert took <= 0.020


@pytest.fixture(scope="module")
def api(library):
    return Api(library)


@pytest.fixture()
def session(api, resnet8):
    session = api.session(resnet8)
    yield session
    api.library.tenon_session_release(session)


def test_a_program_describes_its_border(api, resnet8):
    program, info = ctypes.c_void_p(), Info()
    api("program_load", str(resnet8).encode(), ctypes.byref(program))
    assert api.library.tenon_program_input_count(program) == 1
    assert api.library.tenon_program_output_count(program) == 1
    api("program_input", program, ctypes.c_size_t(0), ctypes.byref(info))
    assert (info.name, info.type, info.shape[:info.rank]) == (b"input_1_int8", INT8, [1, 3, 32, 32])
    assert info.symbols[:info.rank] == [b""] * 4
    assert (info.scale, info.zero_point) == (1, -128)
    api("program_output", program, ctypes.c_size_t(0), ctypes.byref(info))
    assert info.shape[:info.rank] == [1, 10]
    assert (info.scale, info.zero_point) == (1 / 256, -128)
    said = api("program_output", program, ctypes.c_size_t(1), ctypes.byref(info), expect=OUT_OF_RANGE)
    assert said == "the program has 1 outputs, expected an index below that, found 1"
    api.library.tenon_program_release(program)


def test_a_session_runs_as_tenon_does(api, session, tenon, resnet8, tmp_path):
    import numpy

    def want(pixels):
        """Of a fresh session."""
        numpy.save(tmp_path / "input.npy", pixels)
        tenon("run", resnet8, "--target=functional", "--input", tmp_path / "input.npy", "--output-dir", tmp_path)
        return numpy.load(tmp_path / "output_0.npy").tobytes()

    pictures = [numpy.random.default_rng(seed).integers(-128, 128, (1, 3, 32, 32), numpy.int8) for seed in range(4)]
    wants = [want(pixels) for pixels in pictures]
    assert len(set(wants)) > 1
    taken, one = ctypes.create_string_buffer(10), ctypes.c_size_t(1)
    outputs = (Array * 1)(array(taken, 1, 10))
    for picture in [0, 1, 0, 2, 3, 3, 1]:
        pixels = pictures[picture]
        inputs = (Array * 1)(Array(pixels.ctypes.data, pixels.nbytes, INT8, 4, (ctypes.c_int64 * 4)(*pixels.shape)))
        ctypes.memset(taken, 0x55, 10)
        api("session_run", session, inputs, one, outputs, one)
        assert taken.raw == wants[picture]
    shape, rank = (ctypes.c_int64 * 2)(), ctypes.c_size_t()
    ask = ("session_output_shape", session, inputs, one, ctypes.c_size_t(0), shape)
    api(*ask, ctypes.c_size_t(2), ctypes.byref(rank))
    assert shape[:] == [1, 10]
    said = api(*ask, ctypes.c_size_t(1), ctypes.byref(rank), expect=TOO_SMALL)
    assert said == "the shape has 2 extents, there is room for 1" and rank.value == 2
    said = api("session_output_shape", session, inputs, one, one, shape, one, ctypes.byref(rank), expect=OUT_OF_RANGE)
    assert said == "the program has 1 outputs, expected an index below that, found 1"


def test_later_runs_cost_little_over_the_launch(api, session, tenon, resnet8):
    """At most a millisecond: nothing is loaded, allocated or written again. Best of thirty, less the launch alone."""
    launch = min(tenon.report(resnet8, "--target=functional", "--check=none")["host"]["simulate_ms"] for _ in range(5))
    data, out = ctypes.create_string_buffer(3072), ctypes.create_string_buffer(10)
    given, taken = (Array * 1)(array(data, 1, 3, 32, 32, size=3072)), (Array * 1)(array(out, 1, 10, size=10))
    one, times = ctypes.c_size_t(1), []
    for _ in range(31):
        begin = time.perf_counter()
        api("session_run", session, given, one, taken, one)
        times.append((time.perf_counter() - begin) * 1e3)
    print(f"a later run takes {min(times[1:]):.3f} ms, its launch {launch:.3f} ms")
    assert min(times[1:]) - launch <= 1


def test_errors_say_what_is_wrong(api, session, resnet8, tmp_path):
    one, handle = ctypes.c_size_t(1), ctypes.c_void_p()
    assert "missing.tenon" in api("program_load", str(tmp_path / "missing.tenon").encode(), ctypes.byref(handle),
                                  expect=NOT_FOUND)
    said = api("program_load_memory", b"no program", ctypes.c_size_t(10), ctypes.byref(handle), expect=INVALID)
    assert said.startswith("'memory'") or "memory" in said
    said = api("program_load", None, ctypes.byref(handle), expect=INVALID)
    assert said == "expected a path, found a null pointer"
    program = ctypes.c_void_p()
    content = resnet8.read_bytes()
    api("program_load_memory", content, ctypes.c_size_t(len(content)), ctypes.byref(program))
    said = api("session_create", program, b"tpu", ctypes.byref(handle), expect=NOT_FOUND)
    assert said.startswith("there is no device 'tpu'; expected functional, ")
    api.library.tenon_program_release(program)
    data, out = ctypes.create_string_buffer(3072), ctypes.create_string_buffer(10)
    good, room = (Array * 1)(array(data, 1, 3, 32, 32, size=3072)), (Array * 1)(array(out, 1, 10, size=9))
    said = api("session_run", session, good, one, room, one, expect=TOO_SMALL)
    assert said == "output 0 has 9 bytes, its type and shape need 10"
    said = api("session_run", session, None, one, room, one, expect=INVALID)
    assert said == "expected arrays, found a null pointer"
