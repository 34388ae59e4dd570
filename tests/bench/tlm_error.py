#!/usr/bin/env python3
"""Cycles of the SystemC model beside the RTL's, on every machine that ships and on every board: tlm.json, docs/tlm.md.

    tests/bench/tlm_error.py [--write] [NAME...]    measures; --write: and keeps what was found
    tests/bench/tlm_error.py --document             puts tlm.json into docs/tlm.md

tests/e2e/test_tlm_error.py holds tlm.json to be what both take, tests/repository/test_figures.py docs/tlm.md to be
what stands there. Speeds are printed by ./dev bench.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

from workloads import ROOT, Absent, stored

FILE = pathlib.Path(__file__).parent / "tlm.json"
DOCUMENT = ROOT / "docs/tlm.md"
BEGIN, END = "<!-- tests/bench/tlm_error.py --document -->\n", "<!-- end -->\n"
NETWORKS = ["resnet8", "kws"]
CONFIGURATIONS = ["tiny", "small", "pynq", "wide", "batch4", "huge"]
BANKED = "dram=ddr3-1066"
BOARDS = ["pynq-z1", "pynq-z2", "zcu104", "kv260", "ulx3s-25f", "ulx3s-85f", "tang-nano-20k", "ecp5-evn"]
SDRAM = {"ulx3s-85f": "dram=ulx3s-sdram", "tang-nano-20k": "dram=tang-nano-sdram"}


@dataclasses.dataclass(frozen=True)
class Case:
    network: str
    machine: str
    memory: str  # for people
    options: tuple

    @property
    def name(self):
        return f"{self.network}, {self.machine}, {self.memory}"


def cases():
    for network in NETWORKS:
        for name in CONFIGURATIONS:
            yield Case(network, name, "plain", (f"--config={name}",))
            yield Case(network, name, BANKED, (f"--config={name}", f"--memory={BANKED}"))
        for board in BOARDS:
            yield Case(network, board, "the board's", (f"--board={board}",))
        for board, memory in SDRAM.items():
            yield Case(network, board, memory, (f"--board={board}", f"--memory={memory}"))


def cycles(case, run):
    """`run(arguments)` gives the report of `tenon run`."""
    path = stored(case.network)
    return {target: int(run([path, f"--target={target}", "--check=none", *case.options])["cycles"]) for target in ("rtl", "tlm")}


def error(row):
    """Of the model, a share of the RTL's cycles."""
    return row["tlm"] / row["rtl"] - 1


def kept():
    return json.loads(FILE.read_text())


def table():
    rows = kept()
    lines = ["| network | machine | memory | RTL cycles | TLM cycles | error |", "|---|---|---|---:|---:|---:|"]
    for case in cases():
        row = rows[case.name]
        memory = f"`{case.memory}`" if "=" in case.memory else case.memory
        lines.append(f"| {case.network} | `{case.machine}` | {memory} | {row['rtl']:,} | {row['tlm']:,} | {error(row):+.3%} |")
    errors = [abs(error(row)) for row in rows.values()]
    return "\n".join(lines) + f"\n\nMean error {sum(errors) / len(errors):.3%}, greatest {max(errors):.3%}.\n"


def document():
    """docs/tlm.md with today's table."""
    before, rest = DOCUMENT.read_text().split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END, 1)[1]


def run(arguments):
    tenon = os.environ.get("TENON", str(ROOT / "build/release/bin/tenon"))
    done = subprocess.run([tenon, "run", *map(str, arguments), "--json=-"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tlm_error: tenon run {' '.join(map(str, arguments))}\n{done.stderr}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of names (default: all)")
    parser.add_argument("--write", action="store_true", help="put what is measured into tlm.json and docs/tlm.md")
    parser.add_argument("--document", action="store_true", help="put tlm.json into docs/tlm.md")
    arguments = parser.parse_args()
    rows = kept() if FILE.exists() else {}
    for case in [] if arguments.document else cases():
        if arguments.names and not any(name in case.name for name in arguments.names):
            continue
        try:
            rows[case.name] = cycles(case, run)
        except Absent as reason:
            print(f"{case.name}: ../shared/{reason} is not there")
            continue
        print(f"{case.name:<50}{rows[case.name]['rtl']:>12,}{rows[case.name]['tlm']:>12,}{error(rows[case.name]):>+10.3%}", flush=True)
    if arguments.write:
        FILE.write_text(json.dumps({case.name: rows[case.name] for case in cases() if case.name in rows}, indent=1) + "\n")
    if arguments.write or arguments.document:
        DOCUMENT.write_text(document())


if __name__ == "__main__":
    main()
