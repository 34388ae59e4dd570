#!/usr/bin/env python3
"""Which lines the tests run: a table for each folder and the total, held to goals.

    ./dev coverage [--cpp|--rtl] [--files] [--missed] [--json FILE] [FILTER]

C++ from clang's counters (the `coverage` build, every test or those that FILTER finds), RTL from Verilator's. Files
that excluded.txt names, each with the reason, do not count. Ends with 3 where a total is below its goal, and with 1 where
a test failed: lines that lead to a failure are not tested.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import cpp
import rtl

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXCLUDED = pathlib.Path(__file__).with_name("excluded.txt")
GOALS = {"cpp": 0.90, "rtl": 0.95}
NAMES = {"cpp": "C++", "rtl": "RTL"}
MODULES = {"cpp": cpp, "rtl": rtl}
# Exact cycles and times of networks that other tests run: hours with counters, and no line more.
LEFT_OUT = "e2e_cycles|e2e_performance"


def run_tests(kinds, pattern):
    """Once for all kinds; whether all passed. A test that fails does not end the measurement."""
    environment = dict(os.environ)
    for kind in kinds:
        environment.update(MODULES[kind].prepare())
    if not pattern and len(kinds) == 1:
        pattern = MODULES[kinds[0]].TESTS
    command = ["ctest", "--output-on-failure", "-j", os.environ.get("TENON_JOBS", str(os.cpu_count()))]
    return subprocess.run([*command, *(["-R", pattern] if pattern else ["-E", LEFT_OUT])], cwd=ROOT / "build/coverage",
                          env=environment).returncode == 0


def exclusions():
    """{file, or folder with a '/' behind it: reason}."""
    lines = (line for line in EXCLUDED.read_text().splitlines() if line and not line.startswith("#"))
    return {path.strip(): reason.strip() for path, reason in (line.split("|", 1) for line in lines)}


def is_excluded(path, excluded):
    return any(path == name or name.endswith("/") and path.startswith(name) for name in excluded)


def tally(counts, row=lambda path: path):
    """{row of the file: (points, of them reached)}."""
    rows = {}
    for (path, *_), count in counts.items():
        have = rows.get(row(path), (0, 0))
        rows[row(path)] = (have[0] + 1, have[1] + (count > 0))
    return rows


def folder(path):
    return str(pathlib.PurePath(path).parent)


def ranges(numbers):
    """[1, 2, 3, 7] as 1-3, 7."""
    found = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


def missed(counts):
    """{file: lines that no test runs}."""
    files = {}
    for (path, line), count in counts.items():
        if not count:
            files.setdefault(path, []).append(line)
    return files


def share(count, covered):
    return covered / count if count else 0.0  # nothing counted is no success


def table(title, rows, total, points="lines", reached="run"):
    width = max([len(name) for name in rows] + [len(title)]) + 2
    lines = [f"{title:<{width}}{points:>8}{reached:>8}{'share':>9}"]
    for name, (count, covered) in sorted(rows.items()):
        lines.append(f"{name:<{width}}{count:>8,}{covered:>8,}{share(count, covered):>9.1%}")
    lines.append(f"{'total':<{width}}{total[0]:>8,}{total[1]:>8,}{share(*total):>9.1%}")
    return "\n".join(lines)


def report(kind, options):
    """Prints the tables; returns the figures for --json."""
    excluded = exclusions()
    counts = MODULES[kind].lines()
    counted = {point: count for point, count in counts.items() if not is_excluded(point[0], excluded)}
    row = (lambda path: path) if options.files else folder
    total = (len(counted), sum(count > 0 for count in counted.values()))
    print(table(NAMES[kind], tally(counted, row), total))
    excluded_files = len(tally(counts)) - len(tally(counted))
    print(f"{excluded_files} files excluded (tests/coverage/excluded.txt), goal {GOALS[kind]:.0%}\n")
    if options.missed:
        print("\n".join(f"{path}: {ranges(lines)}" for path, lines in sorted(missed(counted).items())), end="\n\n")
    files = {path: {"lines": count, "run": run} for path, (count, run) in sorted(tally(counts).items())}
    figures = {f"{kind}_line_coverage": share(*total), f"{kind}_files": files}
    if kind == "rtl":
        toggles = rtl.toggles()
        total = (len(toggles), sum(count > 0 for count in toggles.values()))
        print(table("RTL, bits of signals", tally(toggles, row), total, "bits", "toggled"), end="\n\n")
        figures["rtl_toggle_coverage"] = share(*total)
    return figures


def main():
    parser = argparse.ArgumentParser(prog="dev coverage", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", metavar="FILTER", help="a regular expression of test names (default: all)")
    parser.add_argument("--cpp", action="store_true", help="C++ only")
    parser.add_argument("--rtl", action="store_true", help="RTL only")
    parser.add_argument("--files", action="store_true", help="a row for each file, not each folder")
    parser.add_argument("--missed", action="store_true", help="name the lines that no test runs")
    parser.add_argument("--no-run", action="store_true", help="of the tests that ran last")
    parser.add_argument("--json", metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args()
    kinds = [kind for kind in MODULES if getattr(options, kind) or options.cpp == options.rtl]
    passed = options.no_run or run_tests(kinds, options.filter)
    figures = {}
    for kind in kinds:
        figures.update(report(kind, options))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    if not passed:
        print("coverage: tests failed", file=sys.stderr)
        return 1
    return 3 if any(figures.get(f"{kind}_line_coverage", 1) < goal for kind, goal in GOALS.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
