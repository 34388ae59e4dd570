#!/usr/bin/env python3
"""The SystemC model beside the RTL: cycles, error, error by layer, speed, as Markdown for docs/tlm.md.

    tests/bench/tlm_error.py [--memory TEXT]... [--repeat N] [NAME[@CONFIG]...]

Without names: every workload of `./dev bench` that is there, and the small networks on every configuration. Speeds
are those of the launches alone, the best of N runs of each simulator, in turn, since machines are shared.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

from workloads import Absent, Workload, workloads

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATIONS = ["tiny", "small", "wide", "huge", "batch4"]
MEMORIES = ["", "dram=ddr3-1066"]


def run(path, workload, memory, target):
    tenon = os.environ.get("TENON", str(ROOT / "build/release/bin/tenon"))
    command = [tenon, "run", str(path), f"--target={target}", "--check=none", "--json=-"]
    command += [] if path.suffix == ".tasm" else [f"--config={workload.config}"]
    command += workload.options(memory)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def compare(path, workload, memory, repeat):
    """The first report of each simulator, and the launches' seconds."""
    reports, seconds = {}, {"rtl": math.inf, "tlm": math.inf}
    for _ in range(repeat):
        for target in seconds:
            report = run(path, workload, memory, target)
            reports.setdefault(target, report)
            seconds[target] = min(seconds[target], report["host"]["simulate_ms"] / 1e3)
    return reports["rtl"], reports["tlm"], seconds


def layer_error(rtl, tlm):
    """Greatest error of a layer, in percent of the layer: (error, name)."""
    worst = (0.0, "-")
    for a, b in zip(rtl.get("layers", []), tlm.get("layers", [])):
        if float(a.get("cycles", 0)):
            error = 100 * (float(b["cycles"]) - float(a["cycles"])) / float(a["cycles"])
            worst = max(worst, (error, a["name"]), key=lambda pair: abs(pair[0]))
    return worst


def selected(names):
    """(workload, configuration) pairs: all of bench, the small networks everywhere."""
    everything = [w for w in workloads() if w.name != "gemm-resident"]  # no network, and of no layers
    small = [w for w in everything if w.name in ("resnet8", "kws")]
    everything += [Workload(f"{w.name}@{c}", w.make, config=c) for w in small for c in CONFIGURATIONS]
    return [w for w in everything if not names or w.name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="workloads (default: all)")
    parser.add_argument("--memory", action="append", help="option of the memory model; several make several tables")
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    for memory in arguments.memory or MEMORIES:
        print(f"\nMemory: `{memory or 'default'}`\n")
        print("| workload | RTL cycles | TLM cycles | error | worst layer | RTL MHz | TLM MHz | ratio |")
        print("|---|---|---|---|---|---|---|---|")
        errors = []
        for workload in selected(arguments.names):
            try:
                rtl, tlm, seconds = compare(workload.make(), workload, memory, arguments.repeat)
            except (Absent, RuntimeError) as reason:
                missing = f"../shared/{reason} is not there" if isinstance(reason, Absent) else reason
                print(f"{workload.name}: {missing}", file=sys.stderr)
                continue
            a, b = float(rtl["cycles"]), float(tlm["cycles"])
            errors.append(abs(100 * (b - a) / a))
            worst, name = layer_error(rtl, tlm)
            print(f"| {workload.name} | {a:,.0f} | {b:,.0f} | {100 * (b - a) / a:+.3f} % | {worst:+.2f} % ({name}) | "
                  f"{a / seconds['rtl'] / 1e6:.2f} | {b / seconds['tlm'] / 1e6:.1f} | "
                  f"{seconds['rtl'] / seconds['tlm']:.1f} |", flush=True)
        if errors:
            print(f"\nMean error {sum(errors) / len(errors):.3f} %, greatest {max(errors):.3f} %.")


if __name__ == "__main__":
    main()
