#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Area: what Yosys makes of a configuration, part by part, and of each memory.

    hw/flows/area.py [CONFIGURATION] [--family F] [--flat | --memories | --top MODULE] [--json FILE] [--limit KEY=NUMBER ...]

CONFIGURATION is what `write_package` takes: a name (default `pynq`) or a file. On xc7 (the default family, Yosys 0.23)
the hierarchy is kept, so a module's figures are its own; nothing is optimised across modules, and place and route would
find less. On the others (Yosys 0.70) the engines are kept apart from each other, and --flat says what a board's build
has. --memories says which memories became block RAM, RAM made of LUTs, or registers (one run as far as that).

lut   xc7: LUT1 to LUT6, inverters, and the LUTs that memories and shift registers occupy; ecp5: LUT4s, carries (two) and
      RAMs (six); gowin: LUTs, ALUs and RAMs (four); ice40: SB_LUT4
ff    flip-flops outside DSPs and block RAMs
dsp   DSP48E1, MULT18X18D, MULT9X9, SB_MAC16
ram   RAMB36E1 (a RAMB18E1 counts half), DP16KD, BSRAM, SB_RAM40
limit the most of a key that is allowed; above it the exit status is 1
"""
import argparse
import collections
import json
import pathlib
import re
import sys
import tempfile
import time

import synthesis
from synthesis import KEYS

# Of the whole machine, and upstream VTA's 1x16x16 in the same units.
TARGETS = {"pynq": {"dsp": 220, "ram": 140, "lut": 40_000}}
VTA = {"dsp": 256, "ram": 122, "lut": 18_015}


def table(family, modules, top):
    """Instances and own area of each module under `top`, summed by base name."""
    instances, rows = collections.Counter(), {}

    def visit(name):
        instances[name] += 1
        for kind, number in modules[name].items():
            if kind in modules:
                for _ in range(number):
                    visit(kind)

    visit(top)
    for name, count in instances.items():
        row = rows.setdefault(synthesis.base_name(name), {"instances": 0, **dict.fromkeys(KEYS, 0)})
        row["instances"] += count
        for key, number in synthesis.area(family, modules[name]).items():
            row[key] += count * number
    return dict(sorted(rows.items(), key=lambda row: -row[1]["lut"]))


def print_memories(rows):
    """One line for all memories that differ in an index only."""
    groups = {}
    for path, entries, bits, kind, cells in rows:
        key = re.sub(r"\[\d+\]", "[*]", path), entries, bits, kind
        count, total = groups.get(key, (0, 0))
        groups[key] = count + 1, total + cells
    print(f"{'memory':58}{'number':>7}{'entries':>9}{'bits':>6}  {'kind':12}{'cells':>6}")
    for (path, entries, bits, kind), (count, cells) in groups.items():
        print(f"{path:58}{count:7}{entries:9}{bits:6}  {kind:12}{cells:6}")
    return [{"memory": path, "number": count, "entries": entries, "bits": bits, "kind": kind, "cells": cells}
            for (path, entries, bits, kind), (count, cells) in groups.items()]


def print_area(options, rows, total, targets):
    print(f"{options.configuration} {options.top} on {options.family}, Yosys")
    print(f"{'module':24}{'number':>7}" + "".join(f"{key:>9}" for key in KEYS))
    for name, row in rows.items():
        print(f"{name:24}{row['instances']:7}" + "".join(f"{row[key]:9g}" for key in KEYS))
    print(f"{'total':31}" + "".join(f"{total[key]:9g}" for key in KEYS))
    for title, figures in (("target", targets), ("VTA", VTA if targets else {})):
        if figures:
            print(f"{title:31}" + "".join(f"{figures[key]:9g}" if key in figures else " " * 9 for key in KEYS))


def parse_limits(parser, options):
    limits = {}
    for limit in options.limit:
        found = re.fullmatch(rf"({'|'.join(KEYS)})=(\d+)", limit)
        if not found:
            parser.error(f"--limit: expected one of {', '.join(KEYS)}, = and a number, found '{limit}'")
        limits[found[1]] = int(found[2])
    return limits


def run(options):
    """Rows of the table that is asked for. In build/, because YoWASP's tools have another /tmp."""
    build = synthesis.ROOT / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build) as name:
        folder = pathlib.Path(name)
        package = folder / "tenon_pkg.sv"
        synthesis.write_package(options.write_package, options.configuration, package)
        if options.memories:
            return synthesis.infer_memories(options.family, package, folder, options.top)
        try:
            parts = []
            if synthesis.FAMILIES[options.family].flat and options.top == synthesis.TOP and not options.flat:
                parts = list(synthesis.key_of_parts(options.family, package, folder)[1].values())[:-1]
            modules = synthesis.synthesise(options.family, package, folder, options.top, parts)
        finally:
            if options.log and (folder / "yosys.log").exists():
                options.log.write_text((folder / "yosys.log").read_text())
        return table(options.family, modules, options.top)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configuration", nargs="?", default="pynq")
    parser.add_argument("--family", default="xc7", choices=synthesis.FAMILIES)
    parser.add_argument("--top", default=synthesis.TOP)
    parser.add_argument("--flat", action="store_true")
    parser.add_argument("--memories", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--limit", action="append", default=[], metavar="KEY=NUMBER")
    parser.add_argument("--log", type=pathlib.Path, metavar="FILE", help="Yosys' log; default: thrown away")
    parser.add_argument("--write-package", default=synthesis.ROOT / "build/release/bin/write_package", metavar="PROGRAM")
    options = parser.parse_args()
    limits = parse_limits(parser, options)

    start = time.monotonic()
    try:
        rows = run(options)
    except synthesis.Failed as error:
        sys.exit(f"area: {error}")
    if options.memories:
        memories = print_memories(rows)
        if options.json:
            options.json.write_text(json.dumps(memories, indent=1) + "\n")
        return
    total = {key: sum(row[key] for row in rows.values()) for key in KEYS}
    targets = TARGETS.get(options.configuration, {}) if (options.top, options.family) == (synthesis.TOP, "xc7") else {}
    print_area(options, rows, total, targets)
    if options.json:
        options.json.write_text(json.dumps({
            "configuration": options.configuration, "top": options.top, "family": options.family, **total, "targets": targets,
            "met": {key: total[key] <= most for key, most in targets.items()}, "vta": VTA if targets else {},
            "modules": rows, "seconds": round(time.monotonic() - start, 1)}, indent=1) + "\n")
    over = [f"{key}: {total[key]:g}, at most {most}" for key, most in limits.items() if total[key] > most]
    if over:
        sys.exit(f"area: {options.top} is larger than allowed: " + "; ".join(over))


if __name__ == "__main__":
    main()
