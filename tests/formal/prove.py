#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Proves properties of the RTL: reads hw/formal/properties.toml, prints a table.

    tests/formal/prove.py [PROPERTY...] [--fast] [--jobs N] [--json FILE]

For each property and each of its parameter sets: Yosys reads the files of hw/rtl and the harness of hw/formal; each
`cover` of the harness is reached (so its assumptions leave something to prove); each `assert` holds; and with each
mutant, one replacement in a copy of a file of hw/rtl or of a part of the harness, one of them fails. Methods:

  induction  no failure in the first `depth` steps (ABC's bmc3), and `k` steps without one are followed by another
             (yosys-smtbmc and z3): it holds in every step
  pdr        ABC's pdr finds the inductive invariant itself: it holds in every step; the depth is that of its last frame
  bounded    no failure in the first `depth` steps (bmc3)
  sweep      no failure in the first `depth` steps, from any values of what has no initial one: ABC merges equal signals
             of the steps laid side by side (&fraig). For arithmetic, which it maps to rows of full adders that are alike
             wherever the same is computed (hw/formal/arithmetic.v)

A mutant must fail from reset on, within these steps.

Exit codes: 0 proved, 1 bad input, 3 a property or a mutant failed (or a solver ran out of time), 4 a tool is missing.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
RTL = ROOT / "hw" / "rtl"
FORMAL = ROOT / "hw" / "formal"
TOOLS = ["yosys", "yosys-smtbmc", "yosys-abc", "z3"]
METHODS = ["induction", "pdr", "bounded", "sweep"]


class Failed(Exception):
    """A property does not hold, a cover is not reached, or a solver gave no answer."""


class BadInput(Exception):
    """The table, or what was asked of it, is wrong."""


@dataclasses.dataclass
class Property:
    """One row of the table, with one parameter set of its harness."""
    name: str
    harness: str
    rtl: list
    parts: list
    config: str
    defines: list
    unasked: list
    method: str
    depth: int
    k: int
    cover: int
    mutants: list
    parameters: dict

    @property
    def title(self):
        return " ".join([self.name] + [f"{k}={v}" for k, v in self.parameters.items()])


def read_table(path):
    """The rows of properties.toml, each parameter set one; mutants go with the first set."""
    rows = []
    for entry in tomllib.loads(path.read_text())["property"]:
        sets = entry.pop("parameters", [{}])
        fast, name = entry.pop("fast", False), entry["name"]
        defaults = {"harness": name, "config": "", "rtl": [], "parts": ["tracked"], "defines": [], "unasked": [],
                    "mutants": [],
                    "depth": 0, "k": 0}
        if entry.get("method") not in METHODS:
            raise BadInput(f"{path.name}: {name}: method is {entry.get('method')!r}, expected one of {METHODS}")
        for i, parameters in enumerate(sets):
            try:
                row = Property(**{**defaults, **entry, "parameters": parameters})
            except TypeError as error:
                raise BadInput(f"{path.name}: {name}: {error}") from error
            if row.method == "induction" and row.depth <= row.k:
                raise BadInput(f"{path.name}: {name}: depth is {row.depth}, expected more than k = {row.k}")
            row.mutants = row.mutants if i == 0 else []
            rows.append((row, fast))
    return rows


class Prover:
    """Runs the tools for one row in a folder of its own."""

    def __init__(self, row, folder, arguments):
        self.row, self.folder, self.arguments = row, folder, arguments
        folder.mkdir(parents=True, exist_ok=True)
        # Scripts of Yosys and ABC consist of words: tools get no letter of the paths to the tree and to this folder.
        self.links = {arguments.rtl.resolve(): "rtl", FORMAL: "formal"}
        for path, name in self.links.items():
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(path)

    def word(self, path):
        """A file of the folder, of the RTL or of hw/formal, as the tools' scripts name it."""
        name = self.links.get(path.parent.resolve())
        return f"{name}/{path.name}" if name else path.name

    def run(self, what, command):
        """Output of `command`; ends it, and says what it did, when the limit is over."""
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   start_new_session=True)
        try:
            output = process.communicate(timeout=self.arguments.limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Failed(f"waited {self.arguments.limit} s for {what} ({pathlib.Path(command[0]).name})") from None
        (self.folder / f"{what.replace(' ', '_')}.log").write_text(output)
        return process.returncode, output

    def package(self):
        """The file of package tenon_pkg for the row's configuration, if it has one."""
        if not self.row.config:
            return []
        source = FORMAL / "config" / f"{self.row.config}.textproto"
        code, text = self.run("package", [self.arguments.write_package, str(source)])
        if code:
            raise BadInput(f"{source}: {text.strip()}")
        path = self.folder / "tenon_pkg.sv"
        path.write_text(text)
        return [path]

    def sources(self, mutant):
        """RTL files and parts of the harness, one of them a changed copy if there is a mutant."""
        paths = {name: self.arguments.rtl / f"{name}.sv" for name in self.row.rtl}
        paths.update({name: FORMAL / f"{name}.sv" for name in self.row.parts})
        if mutant:
            name, old, new = mutant
            text = paths[name].read_text()
            if text.count(old) != 1:
                raise BadInput(f"{self.row.name}: {name}.sv has {text.count(old)} times {old!r}, expected once")
            paths[name] = self.folder / f"{name}.sv"
            paths[name].write_text(text.replace(old, new))
        return list(paths.values())

    def elaborate(self, mutant=None):
        """Writes model.smt2 and model.aig."""
        top = f"{self.row.harness}_formal"
        files = self.package() + self.sources(mutant) + [FORMAL / f"{self.row.harness}.sv"]
        defines = "".join(f" -D {d}" for d in self.row.defines)
        sets = "".join(f" -set {k} {v}" for k, v in self.row.parameters.items())
        sweep = self.row.method == "sweep"
        unasked = [f"select -assert-count 1 {name}; chformal -assert -remove {name}" for name in self.row.unasked]
        script = [
            f"read_verilog -sv -formal{defines} {' '.join(map(self.word, files))}",
            f"chparam{sets} {top}" if sets else "",
            f"hierarchy -check -top {top}; {'; '.join(unasked + [''])}setattr -mod -unset keep_hierarchy; proc; chformal -assert -early * {top} %d; memory -nordff -nomap; memory_map; flatten; opt -keepdc",
            "setundef -undriven -anyseq",
            "wreduce -keepdc" if sweep else "",
            "opt -keepdc; dffunmap; opt_clean; write_smt2 -wires model.smt2; design -save model",
            # What is to be reached as what must not be: for ABC, which is quicker at it than yosys-smtbmc.
            "chformal -assert -remove; techmap -map formal/cover.v t:$cover; delete -output; techmap; "
            "opt -keepdc -fast; dffunmap; simplemap; abc -g AND -fast; opt_clean",
            "write_aiger -I -B -zinit -no-startoffset cover.aig; design -load model",
            "chformal -cover -remove; delete -output; simplemap t:$dff; opt_clean",
            # ABC merges the gates of `sweep`: here that would take most of the time.
            "techmap -map formal/arithmetic.v; techmap; aigmap" if sweep else
            "techmap; opt -keepdc -fast; dffunmap; simplemap; abc -g AND -fast; opt_clean",
            "write_aiger -I -B -zinit -no-startoffset -map model.aim model.aig"]
        code, output = self.run("yosys", ["yosys", "-q", "-p", "; ".join(filter(None, script))])
        if code:
            raise BadInput(f"{self.row.title}: {output.strip().splitlines()[-1]}")

    def smtbmc(self, what, *options):
        """Whether yosys-smtbmc ends with PASSED, and what it says."""
        code, output = self.run(what, ["yosys-smtbmc", "--noprogress", "--unroll", "--noincr", "-s", "z3", "--dump-vcd", f"{what}.vcd", *options,
                                       "model.smt2"])
        if "Status:" not in output:
            raise Failed(f"{what}: {output.strip().splitlines()[-1]}")
        return code == 0, output

    def abc(self, what, engine, model="model"):
        code, output = self.run(what, ["yosys-abc", "-c", f"read_aiger {model}.aig; fold; strash; {engine}"])
        # It goes on behind errors, and ends with 0.
        if error := re.search(r"^Error: .*", output, re.M):
            raise Failed(f"{what}: {error[0]}")
        if code:
            raise Failed(f"{what}: {output.strip().splitlines()[-1]}")
        return output

    def covers(self):
        """How many covers there are; all must be reached."""
        count = (self.folder / "model.smt2").read_text().count("; yosys-smt2-cover")
        if not count:
            raise Failed("its harness covers nothing")
        output = self.abc("cover", f"bmc3 -a -F {self.row.cover}", "cover")
        reached = set(re.findall(r"Output +(\d+) +.*was asserted in frame", output))
        if len(reached) != count:
            missed = sorted(set(map(str, range(count))) - reached)
            raise Failed(f"not reached in {self.row.cover} steps: cover {', '.join(missed)} of the model's {count}")
        return count

    def bounded(self):
        """What fails in the first `depth` steps, or None."""
        output = self.abc("base", f"bmc3 -F {self.row.depth}")
        if "was asserted in frame" in output:
            return re.findall(r"Output \d+ .*was asserted in frame \d+", output)[0]
        if f"No output asserted in {self.row.depth} frames" not in output:
            raise Failed(f"base: {output.strip().splitlines()[-1]}")
        return None

    def step(self):
        """What fails after `k` steps without a failure, or None."""
        passed, output = self.smtbmc("step", "-i", "-t", str(self.row.k))
        return None if passed else f"step: {', '.join(re.findall(r'Assert failed in .*?: (.*?) ', output))}"

    def pdr(self):
        """What fails, or None; and the frame of the invariant."""
        output = self.abc("pdr", "pdr")
        if "was asserted in frame" in output:
            return re.findall(r"Output \d+ .*was asserted in frame \d+", output)[0], 0
        if "Property proved" not in output:
            raise Failed(f"pdr: {output.strip().splitlines()[-1]}")
        frames = re.findall(r"Invariant F\[(\d+)\]", output)
        return None, int(frames[0]) if frames else 0

    def sweep(self):
        """What fails in the first `depth` steps, or None: random inputs first, then all of them."""
        output = self.abc("simulate", f"sim3 -F {self.row.depth} -R 20")
        if "was asserted in frame" in output:
            return re.findall(r"Output \d+ .*was asserted in frame \d+", output)[0]
        output = self.abc("sweep", f"frames -i -F {self.row.depth}; &get; &fraig; &put; orpos; iprove")
        if not re.search(r"^(UN)?SATISFIABLE", output, re.M):
            raise Failed(f"sweep: {output.strip().splitlines()[-1]}")
        return None if "UNSATISFIABLE" in output else "sweep: an assertion fails"

    def failure(self):
        """What fails from reset on, or None; and the depth of that."""
        if self.row.method == "pdr":
            return self.pdr()
        return self.sweep() if self.row.method == "sweep" else self.bounded(), self.row.depth

    def prove(self):
        """The row's result, without its mutants."""
        self.elaborate()
        covers = self.covers()
        failure, depth = self.failure()
        if not failure and self.row.method == "induction":
            failure = self.step()
        if failure:
            raise Failed(failure)
        return covers, depth


def prove_row(row, folder, arguments):
    """One line of the figures: a dictionary, with `failure` empty if all is well."""
    start = time.monotonic()
    figures = {"property": row.title, "depth": 0, "induction": row.method in ("induction", "pdr"), "seconds": 0.0,
               "method": row.method, "covers": 0, "mutants": len(row.mutants), "caught": 0, "failure": ""}
    safe = re.sub(r"\W+", "_", row.title)
    try:
        figures["covers"], figures["depth"] = Prover(row, folder / safe, arguments).prove()
        figures["seconds"] = round(time.monotonic() - start, 1)
        for i, mutant in enumerate(row.mutants):
            prover = Prover(row, folder / f"{safe}_mutant{i}", arguments)
            prover.elaborate(mutant)
            if not prover.failure()[0]:
                raise Failed(f"the mutant {mutant[2]!r} for {mutant[1]!r} in {mutant[0]}.sv is not caught")
            figures["caught"] += 1
    except (Failed, BadInput) as error:
        figures["failure"] = str(error)
    figures["seconds"] = figures["seconds"] or round(time.monotonic() - start, 1)
    return figures


def line(figures, width):
    proof = {"induction": "k-induction", "pdr": "pdr", "bounded": "no", "sweep": "sweep"}[figures["method"]]
    caught = f"{figures['caught']} of {figures['mutants']}" if figures["mutants"] else "-"
    return (f"{figures['property']:<{width}}  {figures['depth']:>5}  {proof:<11}  {figures['seconds']:>7.1f}  "
            f"{figures['covers']:>6}  {caught:>7}" + (f"  FAILED: {figures['failure']}" if figures["failure"] else ""))


def arguments_of(command_line):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("properties", nargs="*", metavar="PROPERTY", help="only these rows of the table")
    parser.add_argument("--fast", action="store_true", help="only the rows marked fast: the sample of the test run")
    parser.add_argument("--no-mutants", action="store_true", help="only the proofs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="rows proved at a time (default: processors)")
    parser.add_argument("--limit", type=int, default=900, help="seconds for each run of a tool (default: 900)")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="write the figures there")
    parser.add_argument("--keep", metavar="FOLDER", type=pathlib.Path, help="keep models, logs and traces there")
    parser.add_argument("--rtl", metavar="FOLDER", type=pathlib.Path, default=RTL, help="modules (default: hw/rtl)")
    parser.add_argument("--table", type=pathlib.Path, default=FORMAL / "properties.toml", help=argparse.SUPPRESS)
    parser.add_argument("--write-package", default=str(ROOT / "build/release/bin/write_package"), metavar="PROGRAM",
                        help="prints tenon_pkg of a configuration (default: the one built in build/release)")
    return parser.parse_args(command_line)


def selected(rows, arguments):
    unknown = set(arguments.properties) - {row.name for row, _ in rows}
    if unknown:
        raise BadInput(f"no property {', '.join(sorted(unknown))}; there are {', '.join(dict.fromkeys(r.name for r, _ in rows))}")
    return [dataclasses.replace(row, mutants=[]) if arguments.no_mutants else row for row, fast in rows
            if (fast or not arguments.fast) and (not arguments.properties or row.name in arguments.properties)]


def prove_all(rows, arguments):
    """Prints a line as each row ends; returns the figures in the table's order."""
    width = max(len(row.title) for row in rows)
    print(f"{'property':<{width}}  depth  induction    seconds  covers  mutants", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.keep or pathlib.Path(temporary)).resolve()
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            futures = [pool.submit(prove_row, row, folder, arguments) for row in rows]
            for future in concurrent.futures.as_completed(futures):
                print(line(future.result(), width), flush=True)
    return [future.result() for future in futures]


def main(command_line):
    arguments = arguments_of(command_line)
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        print(f"prove: not installed: {', '.join(missing)} (./dev setup installs them)", file=sys.stderr)
        return 4
    try:
        rows = selected(read_table(arguments.table), arguments)
    except (BadInput, OSError, tomllib.TOMLDecodeError) as error:
        print(f"prove: {error}", file=sys.stderr)
        return 1
    figures = prove_all(rows, arguments)
    if arguments.json:
        temporary = arguments.json.with_name(arguments.json.name + ".new")
        temporary.write_text(json.dumps({"formal": figures}, indent=2) + "\n")
        temporary.replace(arguments.json)
    failed = [f["property"] for f in figures if f["failure"]]
    print(f"{len(figures) - len(failed)} of {len(figures)} proved, {sum(f['caught'] for f in figures)} of "
          f"{sum(f['mutants'] for f in figures)} mutants caught")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
