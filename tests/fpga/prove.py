#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""The FPGA flow proved without a board: a bitstream for every open board, its netlist running a real network.

    ./dev fpga [BOARD ...] [--model MODEL] [--json FILE] [--output DIR]

For each board of the open flow that can be placed: `tenon fpga build --check`, that is synthesis, place and route,
bitstream, then the post-synthesis netlist under Verilator behind a pseudo-terminal, driven by the serial driver. The
network is MODEL where its DRAM image fits the board's memory, else the longest tail of it that fits: the part behind
one of its int8 tensors. A board whose synthesis does not fit is a row that says by how much.

Exit status 3 unless every placed board meets its clock and its netlist leaves the functional simulator's memory in
as many cycles as the RTL.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import onnx
import onnx.utils

ROOT = pathlib.Path(__file__).resolve().parents[2]
TENON = ROOT / "build/release/bin/tenon"
MODEL = ROOT.parent / "shared/models/mlperftiny_kws_dscnn/qdq/model.onnx"
KEYS = ("lut", "ff", "dsp", "ram")
HELD, MISSED = 0, 3  # exit codes of tenon: done, a check failed


def tenon(*arguments, allow=(HELD,)):
    done = subprocess.run([TENON, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    if done.returncode not in allow:
        sys.exit(f"fpga: tenon {' '.join(map(str, arguments))} ended with {done.returncode}")
    return done.stdout


def dram_bytes(model, configuration, folder):
    """Size of the DRAM image of `model`, None where it is not whole on the accelerator."""
    program = folder / "size.tenon"
    done = subprocess.run([TENON, "compile", model, "-o", program, "--config", configuration, "--require=accelerator"],
                          capture_output=True, text=True)
    if done.returncode:
        return None
    return int(re.search(r"^\.dram (\d+)$", tenon("dis", program), re.M)[1])


def tails(model, folder):
    """`model`, then its ever shorter tails: each from one QuantizeLinear's output to the last one before softmax."""
    yield model, "whole"
    whole = onnx.shape_inference.infer_shapes(onnx.load(model))
    cuts = [node.output[0] for node in whole.graph.node if node.op_type == "QuantizeLinear"]
    outputs = {output.name for output in whole.graph.output}
    last = [cut for cut in cuts if cut not in outputs][-1]
    for cut in cuts[:cuts.index(last)]:
        path = folder / f"from_{cut}.onnx"
        onnx.save(onnx.utils.Extractor(whole).extract_model([cut], [last]), path)
        yield path, f"from {cut}"


def fitting(model, board, folder):
    """The longest part of `model` that the board's memory holds, and its name."""
    for path, name in tails(model, folder):
        size = dram_bytes(path, board["configuration"], folder)
        if size is not None and size <= board["memory_bytes"]:
            return path, f"{name}, {size:,} bytes"
    return None, f"no part of it fits {board['memory_bytes']:,} bytes"


def share(used, available):
    return f"{used:,.0f}/{available:,.0f}" if available else f"{used:,.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("boards", nargs="*", metavar="BOARD", help="default: every board of the open flow")
    parser.add_argument("--model", type=pathlib.Path, default=MODEL)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "out/fpga")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    if not options.model.exists():
        sys.exit(f"fpga: {options.model} is not there; --model takes another int8 network")

    listed = {board["board"]: board for board in json.loads(tenon("fpga", "list", "--json", "-"))["boards"]}
    unknown = [name for name in options.boards if name not in listed]
    if unknown:
        sys.exit(f"fpga: no board '{unknown[0]}'; there are {', '.join(listed)}")
    chosen = options.boards or [name for name, board in listed.items() if board["flow"] == "open"]

    rows, held = [], True
    for name in chosen:
        board, folder, start = listed[name], options.output / name, time.monotonic()
        folder.mkdir(parents=True, exist_ok=True)
        arguments = ["fpga", "build", "--board", name, "-o", folder, "--json", folder / "summary.json"]
        program, part = fitting(options.model, board, folder)
        if program:
            arguments += ["--check", program]
        tenon(*arguments, allow=(HELD, MISSED))
        row = json.loads((folder / "summary.json").read_text())
        check = row.get("netlist_check") or {}
        row["part_of_network"] = part
        row["seconds_all"] = round(time.monotonic() - start, 1)
        if row.get("fits", True):
            row["held"] = bool(row["timing_met"] and check.get("status") == "bit-exact"
                               and check["cycles"] == check["rtl_cycles"])
            held = held and row["held"]
        rows.append(row)

    print(f"{'board':16}{'config':8}{'LUT':>15}{'FF':>15}{'DSP':>9}{'RAM':>9}{'MHz':>8}{'asked':>7}  {'netlist against functional, cycles':40}")
    for row in rows:
        check = row.get("netlist_check") or {}
        verdict = (f"{check['status']}, {check['cycles']:,} (RTL {check['rtl_cycles']:,}), {row['part_of_network']}"
                   if check.get("status", "skipped") != "skipped" else row.get("reason") or row["part_of_network"])
        print(f"{row['board']:16}{row['configuration']:8}{share(row['lut'], row['available']['lut']):>15}"
              f"{share(row['ff'], row['available']['ff']):>15}{share(row['dsp'], row['available']['dsp']):>9}"
              f"{share(row['ram'], row['available']['ram']):>9}{row.get('fmax_mhz') or 0:8.1f}"
              f"{row.get('target_mhz') or 0:7.0f}  {verdict}")
    if options.json:
        partial = options.json.with_name(options.json.name + ".part")
        partial.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
        os.replace(partial, options.json)
    sys.exit(HELD if held else MISSED)


if __name__ == "__main__":
    main()
