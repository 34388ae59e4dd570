# Part of Tenon, under the Apache License v2.0.
"""What the examples share for pictures (examples/picture) against Pillow, which shrank the photos that the networks' references saw."""
import subprocess

import numpy as np
from PIL import Image
import pytest

from conftest import ROOT
from seeds import of_commit

PROGRAM = """
#include "picture.h"
// resize IN OUT WIDTH HEIGHT [LEFT TOP RIGHT BOTTOM]
// resize OUT TEXT
int main(int argc, char **argv) {
  if (argc == 3) {
    Picture picture{200, 24, std::vector<uint8_t>(3 * 200 * 24, 255)};
    picture.drawText(0, 0, argv[2], {255, 196, 0}, 2);
    picture.writePng(argv[1]);
    return 0;
  }
  const Picture in = Picture::read(argv[1]);
  const int width = std::stoi(argv[3]), height = std::stoi(argv[4]);
  if (argc == 5)
    in.resized(width, height).writePng(argv[2]);
  else
    in.resized(width, height, {std::stof(argv[5]), std::stof(argv[6]), std::stof(argv[7]), std::stof(argv[8])}).writePng(argv[2]);
}
"""
PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(resize LANGUAGES CXX)
add_subdirectory({ROOT}/examples/picture picture)
add_executable(resize resize.cpp)
target_link_libraries(resize PRIVATE picture)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("picture")
    (folder / "resize.cpp").write_text(PROGRAM)
    (folder / "CMakeLists.txt").write_text(PROJECT)
    for command in (["cmake", "-B", folder / "build", "-S", folder], ["cmake", "--build", folder / "build"]):
        subprocess.run(command, check=True, capture_output=True)
    return folder / "build/resize"


@pytest.fixture
def resize(program, tmp_path):
    def run(pixels, size, region=()):
        Image.fromarray(pixels).save(tmp_path / "in.png")
        subprocess.run([program, "in.png", "out.png", *map(str, (*size, *map(repr, map(float, region))))], check=True, cwd=tmp_path)
        return np.asarray(Image.open(tmp_path / "out.png"))
    return run


def test_pillows_bilinear(resize):
    """Bit for bit: smaller, larger, of one row, of regions whose edges lie between pixels. Pillow resizes the rows of some tall pictures
    first; asked for one axis at a time it has no choice."""
    random = np.random.default_rng(of_commit())
    for case in range(40):
        width, height = (int(each) for each in random.integers(1, 300, 2))
        size = tuple(int(each) for each in random.integers(1, 200, 2))
        pixels = random.integers(0, 256, (height, width, 3), np.uint8)
        left, top, right, bottom = 0, 0, width, height
        if case % 2:
            left, top = random.uniform(0, 0.6, 2) * (width, height)
            right, bottom = (left, top) + random.uniform(0.1, 1, 2) * (width - left, height - top)
            left, top, right, bottom = (float(np.float32(each)) for each in (left, top, right, bottom))  # as Pillow takes them
        picture = Image.fromarray(pixels)
        narrow = picture.resize((size[0], height), Image.BILINEAR, box=(left, 0, right, height))
        want = narrow.resize(size, Image.BILINEAR, box=(0, top, size[0], bottom))
        got = resize(pixels, size, (left, top, right, bottom) if case % 2 else ())
        assert np.array_equal(got, want), (case, width, height, size, left, top, right, bottom)
        at_once = np.asarray(picture.resize(size, Image.BILINEAR, box=(left, top, right, bottom)))
        assert np.abs(got.astype(int) - at_once).max() <= 1, (case, width, height, size)


def test_text_of_any_bytes(program, tmp_path):
    """A name of a file of labels may hold what the font has not, each byte of it."""
    def drawn(text):
        subprocess.run([program, "out.png", text], check=True, cwd=tmp_path)
        return np.asarray(Image.open(tmp_path / "out.png"))
    plain = drawn("K??fer?")
    assert (plain == 24).all(2).any()
    for text in ("Käfer\r", "K\x7f\x01fer\n"):
        assert np.array_equal(drawn(text), plain), text
