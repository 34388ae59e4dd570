#!/usr/bin/env python3
"""README.md's figures out of cycles.json and bounds.json, which tests/e2e/test_cycles.py holds to be what the RTL takes.

    tests/bench/figures.py [--write]    prints the table, or puts it into README.md
"""
import json
import math
import pathlib
import sys

from workloads import ROOT, workloads

HERE = pathlib.Path(__file__).parent
README = ROOT / "README.md"
BEGIN, END = "<!-- tests/bench/figures.py --write -->\n", "<!-- end -->\n"
LEFT_OUT = {"idle"}  # waits, to measure the simulator


def read(name):
    return json.loads((HERE / f"{name}.json").read_text())


def share(ratio):
    """Rounded down: what does not reach its bound is not at 100 %."""
    return f"{math.floor(1000 * ratio) / 10:.1f} %"


def table():
    cycles, bounds = read("cycles"), read("bounds")
    lines = ["| workload | cycles | bound | of bound | VTA | ours / VTA |", "|---|---:|---:|---:|---:|---:|"]
    for workload in workloads():
        name = workload.name
        if name in LEFT_OUT:
            continue
        title = name.replace("@huge", ", `huge`")
        vta = f"{workload.reference:,.0f} | {cycles[name] / workload.reference:.2f}" if workload.reference else "– | –"
        lines.append(f"| {title} | {cycles[name]:,} | {bounds[name]:,} | {share(bounds[name] / cycles[name])} | {vta} |")
    return "\n".join(lines) + "\n"


def document():
    """README.md with today's table."""
    text = README.read_text()
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END, 1)[1]


def write():
    README.write_text(document())


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    print(table(), end="")
