#!/usr/bin/env python3
"""Which lines the tests run: a table for each folder and the total, held to goals.

    ./dev coverage [--cpp|--rtl] [--files] [--json FILE] [FILTER]

C++ from clang's counters (the `coverage` build, every test or those that FILTER finds), RTL from Verilator's. Files that
excluded.txt names, each with the reason, do not count. Ends with 3 where a total is below its goal.
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


def run_tests(kinds, pattern):
    """Once for all kinds; a test that fails does not end the measurement."""
    environment = dict(os.environ)
    for kind in kinds:
        environment.update(MODULES[kind].prepare())
    if not pattern and len(kinds) == 1:
        pattern = MODULES[kinds[0]].TESTS
    command = ["ctest", "--output-on-failure", "-j", os.environ.get("TENON_JOBS", str(os.cpu_count()))]
    subprocess.run([*command, *(["-R", pattern] if pattern else [])], cwd=ROOT / "build/coverage", env=environment)


def exclusions():
    """{file, or folder with a '/' behind it: reason}."""
    lines = (line for line in EXCLUDED.read_text().splitlines() if line and not line.startswith("#"))
    return {path.strip(): reason.strip() for path, reason in (line.split("|", 1) for line in lines)}


def is_excluded(path, excluded):
    return any(path == name or name.endswith("/") and path.startswith(name) for name in excluded)


def by_folder(lines):
    folders = {}
    for path, (count, covered) in lines.items():
        folder = str(pathlib.PurePath(path).parent)
        have = folders.get(folder, (0, 0))
        folders[folder] = (have[0] + count, have[1] + covered)
    return folders


def share(count, covered):
    return covered / count if count else 1.0


def table(title, rows, total):
    width = max([len(name) for name in rows] + [len(title)]) + 2
    lines = [f"{title:<{width}}{'lines':>8}{'run':>8}{'share':>9}"]
    for name, (count, covered) in sorted(rows.items()):
        lines.append(f"{name:<{width}}{count:>8,}{covered:>8,}{share(count, covered):>9.1%}")
    lines.append(f"{'total':<{width}}{total[0]:>8,}{total[1]:>8,}{share(*total):>9.1%}")
    return "\n".join(lines)


def report(kind, lines, options):
    """Prints the table; returns the share of all lines that count."""
    excluded = exclusions()
    counted = {path: entry for path, entry in lines.items() if not is_excluded(path, excluded)}
    total = tuple(map(sum, zip(*counted.values()))) if counted else (0, 0)
    print(table(f"{NAMES[kind]}", counted if options.files else by_folder(counted), total))
    print(f"{len(lines) - len(counted)} files excluded (tests/coverage/excluded.txt), goal {GOALS[kind]:.0%}\n")
    return share(*total)


def main():
    parser = argparse.ArgumentParser(prog="dev coverage", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", metavar="FILTER", help="a regular expression of test names (default: all)")
    parser.add_argument("--cpp", action="store_true", help="C++ only")
    parser.add_argument("--rtl", action="store_true", help="RTL only")
    parser.add_argument("--files", action="store_true", help="a row for each file, not each folder")
    parser.add_argument("--no-run", action="store_true", help="of the tests that ran last")
    parser.add_argument("--json", metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args()
    kinds = [kind for kind in MODULES if getattr(options, kind) or options.cpp == options.rtl]
    if not options.no_run:
        run_tests(kinds, options.filter)
    figures = {}
    for kind in kinds:
        lines = MODULES[kind].measure()
        figures[f"{kind}_line_coverage"] = report(kind, lines, options)
        figures[f"{kind}_files"] = {path: {"lines": count, "run": run} for path, (count, run) in sorted(lines.items())}
        figures.update(getattr(MODULES[kind], "more", dict)())
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    return 3 if any(figures.get(f"{kind}_line_coverage", 1) < goal for kind, goal in GOALS.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
