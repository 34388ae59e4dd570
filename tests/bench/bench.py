#!/usr/bin/env python3
"""Cycles, bounds and simulated speed of the workloads, on the RTL.

    ./dev bench [--json FILE] [NAME...]

Reference: upstream VTA's RTL at the same shape, port and memory, as share of the bound (docs/decisions.md says where
it comes from).
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import onnx

from workloads import CONVOLUTIONS, convolution, convolution_bound, matrix_product

ROOT = pathlib.Path(__file__).resolve().parents[2]
# VTA's share of its bound, layer by layer, and its cycles of the matrix product.
VTA_SHARE = {"C2": .84, "C3": .82, "C4": .36, "C5": .90, "C6": .90, "C7": .46, "C8": .95, "C9": .94, "C10": .60, "C11": .95}
VTA_MATMUL = 95_928


def run(model, threads):
    tenon = os.environ.get("TENON", str(ROOT / "build/release/bin/tenon"))
    out = subprocess.run([tenon, "run", str(model), f"--virtual-threads={threads}", "--check=functional", "--json=-"],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def workloads():
    for name, shape in CONVOLUTIONS.items():
        bound = convolution_bound(*shape)
        yield name, convolution(name, *shape), bound, bound / VTA_SHARE[name] if name in VTA_SHARE else 0
    yield "matmul256", matrix_product(256, 256, 256), 256 ** 3 // 256, VTA_MATMUL


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="workloads (default: all)")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    header = ["name", "cycles", "bound", "of bound", "one context", "VTA", "ratio", "kHz"]
    print(f"{header[0]:<11}" + "".join(f"{h:>13}" for h in header[1:]))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, model, bound, reference in workloads():
            if arguments.names and name not in arguments.names:
                continue
            path = pathlib.Path(folder) / f"{name}.onnx"
            onnx.save(model, path)
            report, single = run(path, 2), run(path, 1)
            assert report["checks"]["functional"]["status"] == "bit-exact", name
            cycles = report["cycles"]
            rows.append({"name": name, "config": report["config"], "cycles": cycles, "bound_cycles": bound,
                         "bound_ratio": bound / cycles, "utilization": report["utilization"], "reference": reference,
                         "reference_ratio": cycles / reference if reference else 0, "sim_khz": report["host"]["sim_khz"],
                         "simulate_s": report["host"]["simulate_ms"] / 1e3, "one_context_cycles": single["cycles"]})
            ratio = f"{cycles / reference:.2f}" if reference else "-"
            print(f"{name:<11}{cycles:>13,.0f}{bound:>13,}{bound / cycles:>12.1%} {single['cycles']:>13,.0f}"
                  f"{reference or 0:>13,.0f}{ratio:>13}{report['host']['sim_khz']:>13,.0f}", flush=True)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({"rows": rows}, indent=1))


if __name__ == "__main__":
    main()
