#!/usr/bin/env python3
"""Do the tests bite? Faults put in by hand, one after the other, each of which a test must catch.

    ./dev bites [NAME...]

Works on a copy of the tree in build/bites. A fault is one replacement in one file; its checks must pass without and
fail with it. Not part of `./dev test`: each fault costs a build.
"""
import argparse
import json
import pathlib
import subprocess
import sys

from copy_of_tree import CopyOfTree

TREE = CopyOfTree("bites")
COPY, BUILD = TREE.path, TREE.build_path

PYTEST = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
NETWORK = [str(BUILD / "bin/tenon"), "run", "examples/resnet8/resnet8.onnx",
           "--input=input_1_int8=examples/resnet8/pictures/cat.png", "--preprocess=mean=128"]
IMPORTER = PYTEST + ["tests/e2e/test_importer.py", "-k", "tosa_reference and resnet8"]

# name: (what, file, [(text, replacement), ...], check)
BITES = {
    "floor-functional": (
        "floor instead of rounding in the functional simulator", "sim/functional/alu_loop.h",
        [("  int64_t half = int64_t(1) << (shift - 1);\n  return wrap(",
          "  int64_t half = 0;\n  return wrap(")],
        NETWORK + ["--target=functional", "--check=cpu"]),
    "floor-rtl": (
        "floor instead of rounding in the RTL", "hw/rtl/alu_execute.sv",
        [("round_o[l*32] <= near[l*64]", "round_o[l*32] <= 1'b0")], NETWORK),
    "last-bias": (
        "the bias of the dense layer dropped by the importer", "compiler/lib/Frontend/ONNX/MatrixProduct.cpp",
        [("failed(setRealBias(I, N, 2, *C))", "false")], IMPORTER),
    "multiplier-8-bit": (
        "multipliers of 8 bits", "compiler/lib/Frontend/ONNX/Arithmetic.cpp",
        [("std::llrint(std::ldexp(Mantissa, 31));", "std::llrint(std::ldexp(Mantissa, 8)) << 23;")], IMPORTER),
    "pads-exchanged": (
        "begin and end padding exchanged by the importer", "compiler/lib/Frontend/ONNX/Window.cpp",
        [("(*Pads)[D], (*Pads)[D + 2]};", "(*Pads)[D + 2], (*Pads)[D]};")], IMPORTER),
    "pads-exchanged-load": (
        "begin and end padding exchanged in the LOADs", "compiler/lib/Scheduling/Transfers.cpp",
        [("Load.padTop = Box.PadTop, Load.padBottom = Box.PadBottom;",
          "Load.padTop = Box.PadBottom, Load.padBottom = Box.PadTop;")],
        NETWORK + ["--target=functional", "--check=cpu"]),
    "token-removed": (
        "one token removed", "compiler/lib/Scheduling/Tokens.cpp",
        [("for (const Edge &Token : Channels[F][E]) {",
          "for (const Edge &Token : llvm::drop_begin(Channels[F][E], F == 1 && E == 2)) {")], NETWORK),
    "stride-off-by-one": (
        "a DMA stride off by one", "compiler/lib/Scheduling/Transfers.cpp",
        [("Load.yStride = Box.RealRows == 1 ? 0 : YStride;", "Load.yStride = Box.RealRows == 1 ? 0 : YStride + 1;")],
        NETWORK + ["--target=functional", "--check=cpu"]),
    "pipeline-register": (
        "one pipeline register of the dot product removed", "hw/rtl/gemm_dot.sv",
        [("    if (advance_i && valid_i[1]) sums_q <= early_q;\n", ""),
         ("early_q[(n*Out + o)*32 +: 32] <= sum - correction;", "sums_q[(n*Out + o)*32 +: 32] <= sum - correction;"),
         ("logic [N*Out*32-1:0] early_q, sums_q;\n", "logic [N*Out*32-1:0] sums_q;\n")], NETWORK),
    "verifier-lenient": (
        "the verifier takes one instruction too many for ordered", "isa/verifier/launch.cpp",
        [("stream.numbers[other] >= known[size_t(from)]", "stream.numbers[other] > known[size_t(from)]")],
        [str(BUILD / "bin/verifier_test")]),
    "detector-blind": (
        "the race detector forgets readers", "sim/functional/race_detector.cpp",
        [("shadow.readers[other] > known[other]", "false")], [str(BUILD / "bin/trust_test")]),
}
TARGETS = ["tenon", "verifier_test", "trust_test"]


def build():
    return TREE.build("--target", *TARGETS)


def passes(check):
    return subprocess.run(check, cwd=COPY, env=TREE.environment, capture_output=True, text=True, timeout=1200)


def last_line(result):
    lines = [line for line in (result.stderr + result.stdout).splitlines() if line.strip()]
    marked = [line for line in lines if "DIFFERS" in line or line.startswith(("tenon:", "FAILED"))]
    return (marked or lines or ["(nothing said)"])[0].strip()[:150]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *BITES])
    parser.add_argument("--json", metavar="FILE", help="write what was found to FILE")
    options = parser.parse_args()
    names = options.names or list(BITES)
    TREE.write()
    baseline = build()
    if baseline.returncode:
        sys.exit("bites: the tree does not build:\n" + baseline.stdout[-2000:])
    for check in {tuple(BITES[n][3]) for n in names}:
        result = passes(list(check))
        if result.returncode:
            sys.exit(f"bites: {' '.join(check)} fails without any fault: {last_line(result)}")
    survivors = []
    for name in names:
        what, file, edits, check = BITES[name]
        path = COPY / file
        original = changed = path.read_text()
        for text, replacement in edits:
            if changed.count(text) != 1:
                sys.exit(f"bites: {name}: {file} has {changed.count(text)} places like\n{text}")
            changed = changed.replace(text, replacement)
        path.write_text(changed)
        built = build()
        result = passes(check) if built.returncode == 0 else None
        path.write_text(original)
        if result is None:
            sys.exit(f"bites: {name} does not build:\n" + built.stdout[-2000:])
        caught = result.returncode != 0
        survivors += [] if caught else [name]
        print(f"{'caught' if caught else 'SURVIVES':<10}{what}: {last_line(result) if caught else ''}", flush=True)
    build()
    print(f"{len(names) - len(survivors)} caught, {len(survivors)} survived")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"bites": len(names), "bites_survived": survivors}) + "\n")
    sys.exit(3 if survivors else 0)


if __name__ == "__main__":
    main()
