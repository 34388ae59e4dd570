"""RTL line and toggle coverage: the tests that simulate RTL, with models that count, and the sum of what they counted.

In the `coverage` build, and in every model that a test or `tenon` builds while TENON_RTL_COVERAGE is set, Verilator
adds counters; what they counted lies in that folder when the tests end (sim/rtl/coverage_counts.h).
"""
import collections
import pathlib
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/coverage"
COUNTS = BUILD / "counts"
FOLDERS = ("rtl", "bridge", "boards/icebreaker")  # of hw
# Those with a model of the RTL; not the netlists, whose lines are Yosys'.
TESTS = (r"^core\.[^n]|^rtl_memory|[Bb]ridge|Spi|BlockMemory|[Rr]tl[^L]|^differential|SerialBoard|programs"
         r"|e2e_(configurations|networks|report|split)")
POINT = re.compile(r"^C '(.*)' (\d+)$", re.M)


def prepare():
    """What the tests' environment has for it."""
    shutil.rmtree(COUNTS, ignore_errors=True)
    COUNTS.mkdir(parents=True)
    return {"TENON_RTL_COVERAGE": str(COUNTS)}


def source(file):
    """Where in the tree a model's file lies: models name it by its absolute path, or below hw."""
    for folder in FOLDERS:
        if ("/" + file).endswith(f"/{folder}/{pathlib.PurePath(file).name}"):
            path = pathlib.Path("hw", folder, pathlib.PurePath(file).name)
            return str(path) if (ROOT / path).exists() else None
    return None


def points():
    """[(page, file of the tree, line, lines of its block, signal, count)] of every file of counts."""
    for file in COUNTS.glob("*.dat"):
        for attributes, count in POINT.findall(file.read_text(errors="replace")):
            fields = dict(part.split("\2", 1) for part in attributes.split("\1") if "\2" in part)
            if path := source(fields.get("f", "")):
                page, line = fields["page"].split("/")[0], int(fields["l"])
                yield page, path, line, fields.get("S", ""), fields.get("o", ""), int(count)


def numbers(text, line):
    """The lines of a block: "3-5,9", or where it begins."""
    for part in text.split(",") if text else [str(line)]:
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def sums():
    """What lines and signals counted: {(file, line): count}, {(file, line, signal): count}."""
    lines, toggles = collections.Counter(), collections.Counter()
    for page, source, line, block, signal, count in points():
        if page == "v_toggle":
            toggles[source, line, signal] += count
        else:
            for number in numbers(block, line):
                lines[source, number] += count
    return lines, toggles


def lines():
    return sums()[0]


def toggles():
    """Of each bit both edges, or one point where Verilator has one."""
    return sums()[1]
