"""Faults of the system under the verbs of tenon: nothing half-written, one clear message, the documented exit code, no hang.

Each case runs a verb while one thing fails: the N-th allocation, open, read, write, sync, rename, mkdir or start of a
thread (shim.cpp), a disk that is full after N bytes, a directory that cannot be written, a memory limit, `kill -9` after
a random time. In front of each run the output holds an older file; afterwards it must be that file or the whole new one.
Prints the figures; ends with 3 where a run did something else.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRAPH = ROOT / "tests/conformance/graphs/max_pool_qop/model.onnx"
TEXT = ROOT / "tests/programs/max_pool.tasm"
KINDS = ["alloc", "open", "read", "write", "sync", "rename", "mkdir", "thread"]
OLD = b"what was there before\n"
LIMIT = 120  # seconds a run may take


class Verb:
    """A command line, in which OUT is the folder of its outputs, and the outputs. The first of them there before."""

    def __init__(self, name, *arguments, outputs):
        self.name, self.arguments, self.outputs = name, [str(a) for a in arguments], outputs


def verbs(work):
    program = work / "good.tenon"
    return [
        Verb("asm", "asm", TEXT, "-o", "OUT/p.tenon", outputs=["p.tenon"]),
        Verb("dis", "dis", program, "-o", "OUT/p.tasm", outputs=["p.tasm"]),
        Verb("verify", "verify", program, "--json", "OUT/v.json", outputs=["v.json"]),
        Verb("compile", "compile", GRAPH, "--config=tiny", "-o", "OUT/p.tenon", outputs=["p.tenon"]),
        Verb("run", "run", program, "--target=functional", "--check=functional", "--output-dir=OUT/a",
             outputs=["a/output_0.npy", "a/output_0.pb"]),
        Verb("report", "report", work / "good.trace", "-o", "OUT/r.html", "--perfetto=OUT/r.pftrace",
             outputs=["r.html", "r.pftrace"]),
    ]


class Bench:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.tenon = options.bin / "tenon"
        self.random = random.Random(options.seed)
        self.tried, self.bad = collections.Counter(), []
        self.environment = {**os.environ, "TENON_CACHE": str(work / "cache")}
        subprocess.run([self.tenon, "compile", GRAPH, "--config=tiny", "-o", work / "good.tenon"], check=True)
        subprocess.run([self.tenon, "run", work / "good.tenon", "--target=tlm", "--trace", work / "good.trace"], check=True,
                       capture_output=True, env=self.environment)
        self.verbs = verbs(work)
        self.good, self.counts, self.seconds = {}, {}, {}
        for verb in self.verbs:
            counts, begin = work / "counts", time.monotonic()
            result = self.execute(verb, {"TENON_FAULT_COUNT": str(counts)})
            self.seconds[verb.name] = time.monotonic() - begin
            assert result.returncode == 0, (verb.name, result.stderr)
            self.good[verb.name] = self.outputs(verb)
            self.counts[verb.name] = {kind: int(n) for kind, n in (line.split() for line in counts.read_text().splitlines())}

    def folder(self):
        return self.work / "out"

    def outputs(self, verb):
        return {name: self.strip((self.folder() / name).read_bytes()) for name in verb.outputs
                if (self.folder() / name).is_file()}

    @staticmethod
    def strip(content):
        """Without the times that a verb writes down."""
        return b"".join(line for line in content.splitlines(True) if b"seconds" not in line)

    def whole(self, verb, name, content):
        return content == self.good[verb.name][name]

    def at_rename(self, verb, left):
        """Whether it is an output, whole, that has a name and is not yet at its place.

        No file system call gives a file without a name the place of another: it has a name of its own in between."""
        output = re.fullmatch(r"(.+)\.\d+\.new", left)
        return bool(output) and output[1] in self.good[verb.name] and \
            self.whole(verb, output[1], self.strip((self.folder() / left).read_bytes()))

    def execute(self, verb, environment, prepare=None, kill=None, keep=False):
        """Runs the verb with fresh outputs; `kill` seconds later it is killed."""
        if not keep:
            subprocess.run(["rm", "-rf", self.folder()], check=True)
            for name in verb.outputs[:1]:
                (self.folder() / name).parent.mkdir(parents=True)
                (self.folder() / name).write_bytes(OLD)
        command = [self.tenon] + [a.replace("OUT", str(self.folder())) for a in verb.arguments]
        preload = {"LD_PRELOAD": str(self.options.shim)} if environment else {}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                                   env={**self.environment, **environment, **preload}, preexec_fn=prepare)
        try:
            error = process.communicate(timeout=kill if kill is not None else LIMIT)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            error = process.communicate()[1]
            return subprocess.CompletedProcess(command, "killed" if kill is not None else "hangs", "", error)
        return subprocess.CompletedProcess(command, process.returncode, "", error)

    def judge(self, verb, kind, case, result, codes=(0, 1)):
        """Files whole or old, no file that is no output; a code with its message."""
        self.tried[kind] += 1
        wrong = []
        if result.returncode not in (*codes, "killed") or (result.returncode == "killed" and kind != "kill"):
            wrong.append(f"ends with {result.returncode}")
        messages = [line for line in result.stderr.splitlines() if line.startswith("tenon: ")]
        if result.returncode in (1, 4) and (len(messages) != 1 or not result.stderr.startswith("tenon: ")):
            wrong.append(f"{len(messages)} messages")
        found = self.outputs(verb)
        for name, content in found.items():
            if not self.whole(verb, name, content) and content != OLD:
                wrong.append(f"{name} is half-written: {len(content)} of {len(self.good[verb.name][name])} bytes")
        # What a run may not do to the file that was there: lose it. No such file is in a directory that takes none.
        if kind != "directory" and verb.outputs[0] not in found:
            wrong.append(f"{verb.outputs[0]} is lost")
        if result.returncode == 0 and not all(self.whole(verb, name, found.get(name, b"")) for name in verb.outputs):
            wrong.append("ends with 0 without its outputs")
        there = {str(p.relative_to(self.folder())) for p in self.folder().rglob("*") if p.is_file()}
        left = {name for name in there - set(verb.outputs) if result.returncode != "killed" or not self.at_rename(verb, name)}
        if left:
            wrong.append(f"leaves {sorted(left)}")
        if wrong:
            self.bad.append(f"{verb.name}, {kind}:{case}: {'; '.join(wrong)}: {result.stderr.strip()[-300:]}")
            print(self.bad[-1], file=sys.stderr, flush=True)

    def fault(self, verb, kind, case):
        self.judge(verb, kind, case, self.execute(verb, {"TENON_FAULT": f"{kind}:{case}"}))

    def memory(self, verb, megabytes):
        limit = megabytes << 20
        result = self.execute(verb, {}, prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        # The loader's own end, and that of LLVM's initialisers, which run before `main` can install a handler.
        early = (127, *([-signal.SIGABRT] if result.stderr.endswith("\nBuffer allocation failed\n") else []))
        self.judge(verb, "memory", megabytes, result, codes=(0, 1, *early))

    def killed(self, verb, seconds):
        self.judge(verb, "kill", f"{seconds:.3f} s", self.execute(verb, {}, kill=seconds))

    def directory(self, verb):
        """A directory that takes no files: as root, one of a file system that cannot be written."""
        for name in ["/proc", "/proc/self/nowhere"]:
            arguments = [a.replace("OUT", name) for a in verb.arguments]
            result = subprocess.run([self.tenon, *arguments], capture_output=True, text=True, timeout=LIMIT, env=self.environment)
            subprocess.run(["rm", "-rf", self.folder()], check=True)
            self.judge(verb, "directory", name, result, codes=(1,))

    def numbers(self, count, most):
        """All of them where there are few, else the first and some of the others."""
        if count <= most:
            return list(range(1, count + 1))
        return sorted(set(range(1, most // 2 + 1)) | set(self.random.sample(range(1, count + 1), most - most // 2)))

    def cases(self, most):
        """Calls that try one case each."""
        for verb in self.verbs:
            counts, size = self.counts[verb.name], max(map(len, self.good[verb.name].values()))
            for kind in KINDS:
                for number in self.numbers(counts[kind], most if kind == "alloc" else max(most, 8)):
                    yield lambda v=verb, k=kind, n=number: self.fault(v, k, n)
            for number in self.numbers(counts["alloc"], max(2, most // 2)):
                yield lambda v=verb, n=number: self.fault(v, "alloc", f"{n}+")
            for number in sorted({0, 1, size // 2, size - 1}):
                yield lambda v=verb, n=number: self.fault(v, "space", n)
            for _ in range(max(2, most // 2)):
                yield lambda v=verb: self.killed(v, self.random.uniform(0, 1.2 * self.seconds[v.name]))
            for megabytes in self.random.sample(range(120, 900), max(2, most // 4)):
                yield lambda v=verb, m=megabytes: self.memory(v, m)
            yield lambda v=verb: self.directory(v)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", action="store_true", help="a few cases of each kind, as in ./dev test")
    parser.add_argument("--most", type=int, default=200, help="cases of one kind and verb; default: 200")
    parser.add_argument("--minutes", type=float, default=20, help="to end after, whatever is left; default: 20")
    parser.add_argument("--verb", action="append", help="only this one; may be given again")
    parser.add_argument("--seed", type=int, default=1, help="of what fails when, and of the order (default: %(default)s)")
    parser.add_argument("--json", help="file for the figures: {faults: [{kind, tried, failures}]}")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of tenon")
    parser.add_argument("--shim", type=pathlib.Path, default=ROOT / "build/release/tests/faults/libtenon_faults.so")
    options = parser.parse_args()
    for file in [options.bin / "tenon", options.shim]:
        if not file.is_file():
            print(f"faults.py: {file} is not built", file=sys.stderr)
            return 1
    end = time.monotonic() + 60 * options.minutes
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, pathlib.Path(folder))
        bench.verbs = [verb for verb in bench.verbs if not options.verb or verb.name in options.verb]
        cases = list(bench.cases(3 if options.sample else options.most))
        bench.random.shuffle(cases)
        for case in cases:
            if time.monotonic() > end:
                break
            case()
    rows = [{"kind": kind, "tried": bench.tried[kind], "failures": sum(f", {kind}:" in line for line in bench.bad)}
            for kind in sorted(bench.tried)]
    print(f"{'fault':10} {'tried':>6} {'failures':>9}")
    for row in rows:
        print(f"{row['kind']:10} {row['tried']:6} {row['failures']:9}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"faults": rows, "failed": bench.bad}, indent=1) + "\n")
    return 3 if bench.bad else 0


if __name__ == "__main__":
    sys.exit(main())
