#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Fits the area model to what area_sweep.py has synthesised and prints how far it is off.

    hw/flows/area_fit.py [--write] [--errors]       (needs scipy)

LUTs and flip-flops of each part are a sum of features with coefficients that are not negative (least squares); what a
flat netlist has less than the sum of its parts is one factor a family. The features below say what an engine is made of,
so each is an expression in the numbers of a configuration as isa/tenon.isa has them; the C++ model evaluates the same.
--write makes tools/fpga/area_coefficients.cpp. --errors asks the built `tenon` for every configuration that was
synthesised and compares: what it prints is the model's error as a user meets it, block RAMs and DSPs included.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import area_sweep
import synthesis

OUTPUT = synthesis.ROOT / "tools/fpga/area_coefficients.cpp"
TENON = synthesis.ROOT / "build/release/bin/tenon"
# Lanes of the vector, and how often the ALU passes over it.
VECTOR = "batch*block_out"
# LUT RAMs of 16 entries that a queue of instructions needs.
# 1 where a multiplier does two products at once (gemm_dot.sv).
PACKED = "min(batch*block_in*block_out/65,1)"
QUEUE = "(queue_depth+15)/16"
FEATURES = {
    "control": ["1"],
    "counters": ["min(counters,1)", "counters/2"],
    "token_channels": ["1", "clog2(channel_depth+1)"],
    "fetch": ["1", "bus_bits", "clog2(outstanding_bursts)"],
    "axi_read": ["1", "bus_bits"],
    "axi_write": ["1", "bus_bits", "(outstanding_bursts+15)/16"],
    "load": ["1", "bus_bits", QUEUE, "sram_index_bits"],
    "store": ["1", "bus_bits", f"{VECTOR}", "(outstanding_bursts+15)/16"],
    # Products in hard multipliers and their sums, one or two to a multiplier; the running sums.
    "gemm": ["1", f"{VECTOR}*block_in*(1-{PACKED})", f"{VECTOR}*block_in*{PACKED}", VECTOR],
    # The multiplexers of the write ports and of the read ports.
    "acc": ["1", VECTOR, f"{VECTOR}*acc_banks"],
    # Lanes; those whose multiplier takes its factor in two or four pieces; the choice of a lane's group.
    "alu": ["1", "alu_lanes", "alu_lanes*(min(alu_multiply_cycles-1,1)-alu_multiply_cycles/32)", f"{VECTOR}-alu_lanes"],
    "bridge": ["1", "bus_bits"],
    "tenon_top": ["1", "bus_bits", f"{QUEUE}*instruction_bits", "inp_bytes", VECTOR, "wgt_bytes"],
}
# What the runs' range is stated of.
RANGES = ["batch", "block_in", "block_out", "bus_bits", "alu_lanes", "acc_banks", "queue_depth"]


def evaluate(expression, names):
    text = re.sub(r"/", "//", expression)
    return eval(text, {"min": min, "max": max, "clog2": lambda x: math.ceil(math.log2(x))}, names)  # ours, above


def fit_part(rows, part):
    """Coefficients by feature of (names, figure) pairs; from two runs a line, by the first feature that is not constant."""
    import numpy
    from scipy.optimize import nnls
    features = FEATURES[part][:2] if len(rows) < 3 else FEATURES[part]
    matrix = numpy.array([[evaluate(feature, names) for feature in features] for names, _ in rows], dtype=float)
    figures = numpy.array([figure for _, figure in rows], dtype=float)
    scale = numpy.maximum(matrix.max(axis=0), 1e-9)
    solution, _ = nnls(matrix / scale, figures)
    return dict(zip(features, solution / scale))


def fit(data):
    """(terms, scales): {(family, part, feature): {key: coefficient}}, {family: {key: factor}}."""
    terms, scales = {}, {}
    for family in synthesis.FAMILIES:
        parts = data["parts"].get(family, {})
        fitted = {name: entry for name, entry in data["configurations"].items()
                  if family in entry.get("keys", {}) and not entry["held_out"]}
        if not fitted:
            continue
        memories = {name: estimated(data, name, family)["memories"] for name in fitted}
        for part in (*synthesis.PARTS, synthesis.TOP):
            there = {name: entry for name, entry in fitted.items() if entry["keys"][family][part] in parts}
            for key in ("lut", "ff"):
                # What memories take that are no block RAM is counted by the model itself.
                rows = [(entry["names"], max(0, synthesis.area(family, parts[entry["keys"][family][part]]["cells"])[key]
                                             - sum(memory[key] for memory in memories[name] if memory["part"] == part)))
                        for name, entry in there.items()]
                for feature, value in fit_part(rows, part).items():
                    terms.setdefault((family, part, feature), {})[key] = value
        scales[family] = {"lut": 1.0, "ff": 1.0}
        whole = [(name, entry) for name, entry in data["whole"].get(family, {}).items()
                 if name in fitted and all(key in parts for key in fitted[name]["keys"][family].values())]
        for key in ("lut", "ff"):
            ratios = []
            for name, entry in whole:
                total = sum(synthesis.area(family, parts[k]["cells"])[key] for k in fitted[name]["keys"][family].values())
                ratios.append(synthesis.area(family, entry["cells"])[key] / total)
            if ratios:
                scales[family][key] = sum(ratios) / len(ratios)
        fit_bridge(data, family, terms)
    return terms, scales


def fit_bridge(data, family, terms):
    """A line through the widths of the bus that were synthesised."""
    runs = data["bridge"].get(family, {})
    for key in ("lut", "ff"):
        rows = [({"bus_bits": run["bus_bits"]}, synthesis.area(family, run["cells"])[key]) for run in runs.values()]
        if rows:
            for feature, value in fit_part(rows, "bridge").items():
                terms.setdefault((f"{family}-bridge", "bridge", feature), {})[key] = value


def write(data, terms, scales):
    """The C++ source of the coefficients."""
    lines = ["//===- tools/fpga/area_coefficients.cpp - The fit of the area model -------===//", "//",
             "// Part of Tenon, under the Apache License v2.0.", "//",
             "// Written by hw/flows/area_fit.py out of hw/flows/area_data.json; not edited.", "//",
             "//===----------------------------------------------------------------------===//", "",
             '#include "tools/fpga/area_coefficients.h"', "", "namespace tenon::fpga {", "",
             "const std::vector<AreaTerm> &areaTerms() {", "  static const std::vector<AreaTerm> terms{"]
    for (family, part, feature), value in terms.items():
        if value["lut"] > 1e-9 or value["ff"] > 1e-9:
            lines.append(f'      {{"{family}", "{part}", "{feature}", {value["lut"]:.6g}, {value["ff"]:.6g}}},')
    lines += ["  };", "  return terms;", "}", "", "const std::vector<AreaScale> &areaScales() {",
              "  static const std::vector<AreaScale> scales{"]
    lines += [f'      {{"{family}", {value["lut"]:.6g}, {value["ff"]:.6g}}},' for family, value in scales.items()]
    lines += ["  };", "  return scales;", "}", "", "const std::vector<AreaRange> &areaRanges() {",
              "  static const std::vector<AreaRange> ranges{"]
    for family in scales:
        for feature in RANGES:
            values = [evaluate(feature, entry["names"]) for entry in data["configurations"].values()
                      if family in entry.get("keys", {}) and not entry["held_out"]]
            lines.append(f'      {{"{family}", "{feature}", {min(values)}, {max(values)}}},')
    lines += ["  };", "  return ranges;", "}", "",
              f'std::string areaFittedRtl() {{ return "{data["rtl"]}"; }}', "", "} // namespace tenon::fpga", ""]
    OUTPUT.write_text("\n".join(lines))


def estimated(data, name, family):
    """What `tenon config show --area` says."""
    with tempfile.TemporaryDirectory() as folder:
        argument = pathlib.Path(folder) / "configuration.textproto"
        argument.write_text(data["configurations"][name]["text"])
        done = subprocess.run([TENON, "config", "show", argument, "--area", f"--family={family}", "--json=-"],
                              capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["areas"][0]


def print_errors(data):
    print(f"{'family':8}{'configuration':14}{'':10}" + "".join(f"{key:>8}{'model':>8}{'%':>7}" for key in synthesis.KEYS))
    errors = {}
    for family in synthesis.FAMILIES:
        for name, real in data["synthesised"][family].items():
            group = "held out" if data["configurations"][name]["held_out"] else "fitted"
            model = estimated(data, name, family)["used"]
            off = {key: 100 * (model[key] / real[key] - 1) if real[key] else 100.0 * (model[key] > 0) for key in synthesis.KEYS}
            errors[family, name] = group, off
            print(f"{family:8}{name:14}{group:10}" + "".join(f"{real[key]:8g}{model[key]:8g}{off[key]:7.1f}"
                                                             for key in synthesis.KEYS))
    print(f"\n{'error in %':22}{'':10}" + "".join(f"{key:>16}" for key in synthesis.KEYS))
    for family in synthesis.FAMILIES:
        for group in ("fitted", "held out"):
            found = [off for (f, _), (g, off) in errors.items() if f == family and g == group]
            if found:
                cells = ["{:.1f} mean {:.1f} max".format(sum(abs(off[key]) for off in found) / len(found),
                                                       max(abs(off[key]) for off in found)) for key in synthesis.KEYS]
                print(f"{family:8}{group:10}{len(found):3} runs   " + "".join(f"{cell:>20}" for cell in cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=area_sweep.DATA, metavar="FILE")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--errors", action="store_true")
    options = parser.parse_args()
    data = json.loads(options.data.read_text())
    if options.write:
        write(data, *fit(data))
    if options.errors:
        print_errors(data)
    if not (options.write or options.errors):
        sys.exit("area_fit: --write or --errors")


if __name__ == "__main__":
    main()
