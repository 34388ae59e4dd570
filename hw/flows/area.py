#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Area on xc7: what Yosys makes of a configuration, module by module.

    hw/flows/area.py [CONFIGURATION] [--top MODULE] [--json FILE] [--limit KEY=NUMBER ...]

CONFIGURATION is what `write_package` takes: a name (default `pynq`) or a file. `synth_xilinx` keeps the hierarchy, so a
module's figures are its own; nothing is optimised across modules, and place and route would find less.

lut   LUT1 to LUT6, inverters, and the LUTs that memories and shift registers occupy
ff    flip-flops outside DSPs and block RAMs
dsp   DSP48E1
ram   RAMB36E1, a RAMB18E1 counts half
limit the most of a key that is allowed; above it the exit status is 1
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEYS = ("lut", "ff", "dsp", "ram")
# Of the whole machine, and upstream VTA's 1x16x16 in the same units.
TARGETS = {"pynq": {"dsp": 220, "ram": 140, "lut": 40_000}}
VTA = {"dsp": 256, "ram": 122, "lut": 18_015}
# LUTs a cell occupies beside LUT1 to LUT6.
OTHER_LUTS = {"INV": 1, "SRL16E": 1, "SRLC32E": 1, "RAM32X1S": 1, "RAM64X1S": 1, "RAM32X1D": 2, "RAM64X1D": 2,
              "RAM128X1S": 2, "RAM128X1D": 4, "RAM256X1S": 4, "RAM32M": 4, "RAM64M": 4}


def area(cells):
    """The four figures of a table from cell type to number."""
    result = dict.fromkeys(KEYS, 0)
    for kind, number in cells.items():
        if re.fullmatch(r"LUT[1-6]", kind):
            result["lut"] += number
        elif kind in OTHER_LUTS:
            result["lut"] += OTHER_LUTS[kind] * number
        elif re.fullmatch(r"FD[CPRS]E(_1)?", kind):
            result["ff"] += number
        elif kind == "DSP48E1":
            result["dsp"] += number
        elif kind in ("RAMB36E1", "RAMB18E1"):
            result["ram"] += number if kind == "RAMB36E1" else number / 2
    return result


def base_name(module):
    """A module's name without the parameters Yosys mangles into it."""
    parts = module.split("\\")
    return parts[1] if parts[0] == "$paramod" else parts[-1]


def synthesise(package, top, log):
    """Cells of each module, by Yosys' name of the module."""
    sources = " ".join(map(str, [package, *sorted((ROOT / "hw/rtl").glob("*.sv"))]))
    statistics = log.with_suffix(".stat")  # as text: what Yosys 0.23 writes with -json is not JSON
    script = (f"read_verilog -sv -DSYNTHESIS {sources}; synth_xilinx -family xc7 -noiopad -noclkbuf -nowidelut -top {top}; "
              f"tee -o {statistics} stat")
    done = subprocess.run(["yosys", "-q", "-l", log, "-p", script], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"area: yosys, see {log}\n{done.stderr[-2000:]}")
    modules, cells = {}, None
    for line in statistics.read_text().splitlines():
        if found := re.fullmatch(r"=== (.*) ===", line):
            cells = modules.setdefault(found[1], {})
        elif (found := re.fullmatch(r"\s+(\S+)\s+(\d+)", line)) and cells is not None:
            cells[found[1]] = int(found[2])
    modules.pop("design hierarchy", None)
    return modules


def table(modules, top):
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
        row = rows.setdefault(base_name(name), {"instances": 0, **dict.fromkeys(KEYS, 0)})
        row["instances"] += count
        for key, number in area(modules[name]).items():
            row[key] += count * number
    return dict(sorted(rows.items(), key=lambda row: -row[1]["lut"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configuration", nargs="?", default="pynq")
    parser.add_argument("--top", default="tenon_top")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--limit", action="append", default=[], metavar="KEY=NUMBER")
    parser.add_argument("--log", type=pathlib.Path, metavar="FILE", help="Yosys' log; default: thrown away")
    parser.add_argument("--write-package", default=ROOT / "build/release/bin/write_package", metavar="PROGRAM")
    options = parser.parse_args()
    limits = {}
    for limit in options.limit:
        found = re.fullmatch(rf"({'|'.join(KEYS)})=(\d+)", limit)
        if not found:
            parser.error(f"--limit: expected one of {', '.join(KEYS)}, = and a number, found '{limit}'")
        limits[found[1]] = int(found[2])

    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "tenon_pkg.sv"
        made = subprocess.run([options.write_package, options.configuration], capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"area: {made.stderr or made.stdout}")
        package.write_text(made.stdout)
        log = (options.log or pathlib.Path(folder) / "yosys.log").resolve()
        rows = table(synthesise(package, options.top, log), options.top)
    total = {key: sum(row[key] for row in rows.values()) for key in KEYS}

    print(f"{options.configuration} {options.top} on xc7, Yosys\n{'module':24}{'number':>7}" + "".join(f"{key:>9}" for key in KEYS))
    for name, row in rows.items():
        print(f"{name:24}{row['instances']:7}" + "".join(f"{row[key]:9g}" for key in KEYS))
    print(f"{'total':31}" + "".join(f"{total[key]:9g}" for key in KEYS))
    targets = TARGETS.get(options.configuration, {}) if options.top == "tenon_top" else {}
    for title, figures in (("target", targets), ("VTA", VTA if targets else {})):
        if figures:
            print(f"{title:31}" + "".join(f"{figures[key]:9g}" if key in figures else " " * 9 for key in KEYS))
    if options.json:
        options.json.write_text(json.dumps({
            "configuration": options.configuration, "top": options.top, "family": "xc7", **total, "targets": targets,
            "met": {key: total[key] <= most for key, most in targets.items()}, "vta": VTA if targets else {},
            "modules": rows, "seconds": round(time.monotonic() - start, 1)}, indent=1) + "\n")
    over = [f"{key}: {total[key]:g}, at most {most}" for key, most in limits.items() if total[key] > most]
    if over:
        sys.exit(f"area: {options.top} is larger than allowed: " + "; ".join(over))


if __name__ == "__main__":
    main()
