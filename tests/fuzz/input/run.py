"""Coverage-guided fuzzing of every parser, under AddressSanitizer and UndefinedBehaviorSanitizer.

Runs the programs of `cmake --build --preset fuzz` (made by `cmake --preset fuzz`) for --minutes each and prints what
came of it. The target `network` then takes --extremes operators of the onnx package of which one thing is at its extreme
(tests/conformance/extremes.py). An input that ends a program is left in --findings; shrunk (`fuzz_TARGET -minimize_crash=1 FILE`) and
repaired, it belongs into kept/TARGET, where the test of ./dev test has it for ever. Ends with 1 where the programs are
not built, with 3 where a parser crashed, hung or broke a promise.
"""
import argparse
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

import operator_seeds

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# Files of the tree that a target begins with, besides seeds/TARGET and kept/TARGET.
SHARED = {
    "assembly": ["tests/programs", "tests/unit/verifier/programs"],
    "board": ["hw/boards"],
    "configuration": ["isa/config"],
    "json": ["tests/fpga/flow/fixtures"],
    "network": ["tests/conformance/graphs"],
    "onnx": ["tests/conformance/graphs"],
    "picture": ["examples/resnet8/pictures"],
    "tensor": ["tests/conformance/graphs"],
    "tosa": ["tests/lit/Transforms", "tests/lit/Frontend"],
}
# Targets that begin with the onnx package's operators, too.
OPERATORS = ["network", "onnx"]
TARGETS = sorted(path.stem for path in (HERE / "targets").glob("*.cpp"))


def corpora(target, folder):
    """The working corpus, which is written, then what is only read."""
    own = folder / target
    own.mkdir(parents=True, exist_ok=True)
    given = [HERE / "seeds" / target, HERE / "kept" / target] + [ROOT / path for path in SHARED.get(target, [])]
    if target in OPERATORS:
        given.append(folder / "operators")
    return [own] + [path for path in given if path.is_dir()]


def run(command):
    """(what it wrote on stderr, seconds of processor time of it and its children, its exit code)"""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    log = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return log, usage.ru_utime + usage.ru_stime, process.returncode


def fuzz(target, options):
    findings = options.findings / target
    findings.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    begin = time.monotonic()
    dictionary = HERE / "dictionaries" / f"{target}.dict"
    command = [options.bin / f"fuzz_{target}", *corpora(target, options.corpus), f"-artifact_prefix={findings}/",
               f"-seed={options.seed % 2**32}", f"-max_total_time={max(1, round(options.minutes * 60))}", f"-timeout={options.timeout}",
               "-rss_limit_mb=4096", "-max_len=65536", "-use_value_profile=1", "-print_final_stats=1",
               "-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1"]
    if dictionary.is_file():
        command.append(f"-dict={dictionary}")
    log, processor, _ = run(command)
    (findings / "log").write_text(log)
    # "#4096: cov: 1021 ft: 4096 corp: 88 exec/s: 2048 oom/timeout/crash: 0/0/0 time: 12s ..."
    progress = re.findall(r"^#(\d+): cov: (\d+)", log, re.MULTILINE)
    new = sorted(set(findings.iterdir()) - before - {findings / "log"})
    if not progress:
        sys.exit(f"fuzz_{target} did not run, see {findings / 'log'}")
    return {"target": target, "executions": int(progress[-1][0]), "edges": int(progress[-1][1]),
            "minutes": round((time.monotonic() - begin) / 60, 1), "processor_minutes": round(processor / 60, 1),
            "crashes": len(new),
            "findings": [str(path) for path in new]}


def take(program, models, folder, findings, options):
    """The findings among `models`, all taken by one process, or by another from where one ended."""
    found, files = [], []
    for model in models:
        content = model.SerializeToString()
        files.append(folder / hashlib.sha256(content).hexdigest()[:16])
        files[-1].write_bytes(content)
    while files:
        log, _, code = run([program, f"-timeout={options.timeout}", "-rss_limit_mb=4096", f"-artifact_prefix={folder}/", *files])
        begun = re.findall(r"^Running: (.*)$", log, re.MULTILINE)
        if not begun:
            sys.exit(f"{program} did not run: {log[-2000:]}")
        if code:
            found.append(findings / f"extreme-{pathlib.Path(begun[-1]).name}")
            found[-1].write_bytes(pathlib.Path(begun[-1]).read_bytes())
        files = files[len(begun):]
    return found


def take_extremes(options, chunk=250):
    """Operators of which one thing is at its extreme: how many, and those that end the program."""
    sys.path.insert(0, str(ROOT / "tests/conformance"))
    import extremes
    findings = options.findings / "network"
    findings.mkdir(parents=True, exist_ok=True)
    drawn, drawing = extremes.draws(extremes.operators(), options.seed or None), threading.Lock()

    def next_chunk(index):
        with tempfile.TemporaryDirectory() as folder:
            with drawing:
                models = [model for _, model in itertools.islice(drawn, min(chunk, options.extremes - index))]
            return take(options.bin / "fuzz_network", models, pathlib.Path(folder), findings, options)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = [path for paths in pool.map(next_chunk, range(0, options.extremes, chunk)) for path in paths]
    return {"extreme_models": options.extremes, "extreme_models_that_break": len(found), "extreme_findings": [str(path) for path in found]}


def table(rows):
    lines = [f"{'target':14} {'executions':>12} {'edges':>8} {'minutes':>8} {'processor':>10} {'crashes':>8}"]
    for row in rows:
        lines.append(f"{row['target']:14} {row['executions']:12,} {row['edges']:8,} {row['minutes']:8.1f} "
                     f"{row['processor_minutes']:10.1f} {row['crashes']:8}")
        lines += [f"  {path}" for path in row["findings"]]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, help="of each target; default: 10")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this one; may be given again")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time; default: 1")
    parser.add_argument("--timeout", type=int, default=25, help="seconds after which an input counts as a hang")
    parser.add_argument("--seed", type=int, default=0, help="of what is tried, in its lower 32 bits; 0: others each time")
    parser.add_argument("--extremes", type=int, default=2000, help="after the target network: operators of which one thing is at its extreme; default: 2000")
    parser.add_argument("--build", action="store_true", help="configure and build the programs first")
    parser.add_argument("--json", help="file for the figures: {fuzz: [{target, minutes, crashes, ...}], extreme_models, extreme_models_that_break, extreme_findings}")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/fuzz/bin", help="folder of the programs")
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT / "build/fuzz/corpus",
                        help="folder of what has been found to reach new code; grows from run to run")
    parser.add_argument("--findings", type=pathlib.Path, default=ROOT / "build/fuzz/findings")
    options = parser.parse_args()
    targets = options.target or TARGETS
    if options.build:
        if not (ROOT / "build/fuzz/build.ninja").is_file():
            subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", "build/fuzz", "-j", str(options.jobs), "--target",
                        *(f"fuzz_{name}" for name in targets)], cwd=ROOT, check=True, stdout=sys.stderr)
    missing = [name for name in targets if not (options.bin / f"fuzz_{name}").is_file()]
    if missing:
        print(f"run.py: {', '.join(missing)} not built: cmake --preset fuzz && cmake --build --preset fuzz", file=sys.stderr)
        return 1
    if set(targets) & set(OPERATORS):
        operator_seeds.write(options.corpus / "operators")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda name: fuzz(name, options), targets))
    print(table(rows))
    figures = {"fuzz": rows}
    if "network" in targets and options.extremes:
        figures |= take_extremes(options)
        print(f"{figures['extreme_models']:,} models with one thing at its extreme, {figures['extreme_models_that_break']} end the program",
              *figures["extreme_findings"], sep="\n  ")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    return 3 if any(row["crashes"] for row in rows) or figures.get("extreme_models_that_break") else 0


if __name__ == "__main__":
    sys.exit(main())
