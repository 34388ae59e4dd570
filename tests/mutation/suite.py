"""The tests of the copy: what `./dev test` runs, as units that each stop at their first failure."""
import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib

from schemata import TREE
from sites import ROOT

# What the copy itself fails, or what does not look at it; without them fewer mutants are caught, never more.
EXCLUDED = {
    r"RtlLint\.|core\.netlist|fpga_area|fpga_cells": "Yosys does not read the switch",
    r"formal_fast": "Yosys does not read the switch: `proof` writes the mutant into a copy of the RTL",
    r"e2e_elsewhere": "Yosys does not read the switch: it proves the RTL in a checkout of its own",
    r"e2e_fpga": "Yosys and the board's netlist",
    r"repository|coverage|nightly|mutation": "rules of the tree and tools of the tests themselves",
    r"vivado_test": "Vivado's stand-in takes the switch's std:: for a module",
    r"e2e_performance": "times, not results",
}
KEPT = pathlib.Path(__file__).with_name("reach.json")
FAST = {"pytest": ["-x"], "lit.main": ["--max-failures=1"]}
MEMORY = 12 << 30  # bytes that a test may have: some mutants never stop asking
OUTPUT = 4 << 30  # of a file; a test of large ones has 3 GiB
GUESS = 60  # seconds that a script may take


@dataclasses.dataclass
class Unit:
    name: str
    command: list
    environment: dict
    folder: str
    limit: float  # seconds after which `./dev test` ends it
    seconds: float  # without a mutant; a guess before it is measured
    measured: bool = False
    reached: frozenset = frozenset()  # numbers of mutants in C++ it executes
    modules: frozenset = frozenset()  # of the RTL that it simulates
    guess: frozenset = None  # modules as an earlier sample had them; it decides the order, not whether
    broken: str = ""  # how it ends without a mutant, where that is not well: it is not asked
    original: list = None  # the command without the mutant, where the switch does not decide

    def reaches(self, number, site):
        """Whether it may: before it is measured, it may."""
        if self.broken:
            return False
        if not self.measured:
            return True
        return pathlib.Path(site.file).stem in self.modules if site.file.endswith(".sv") else number in self.reached

    def patience(self):
        """Seconds after which it hangs: far beyond what it takes, within its own limit."""
        return min(self.limit, 30 + 10 * self.seconds)


def costs():
    """Seconds that each test took when ./dev test last ran it here; nothing where it has not."""
    file = ROOT / "build/release/Testing/Temporary/CTestCostData.txt"
    lines = file.read_text().split("---")[0].splitlines() if file.exists() else []
    return {name: float(seconds) for name, _, seconds in (line.rsplit(" ", 2) for line in lines)}


def listed():
    """ctest's tests, of the tree that is built whole, with the paths of the copy: the same places in it."""
    text = subprocess.run(["ctest", "--show-only=json-v1"], cwd=ROOT / "build/release", check=True, capture_output=True, text=True).stdout
    return json.loads(text.replace(f"{ROOT}/", f"{TREE.path}/").replace(f"{TREE.path}/.venv", f"{ROOT}/.venv"))["tests"]


def units():
    known = costs()
    found, left_out = {}, []
    for test in listed():
        properties = {p["name"]: p["value"] for p in test["properties"]}
        command = test["command"]
        case = next((a.split("=", 1)[1] for a in command if a.startswith("--gtest_filter=")), None)
        program = pathlib.Path(command[0]).name
        name = test["name"] if case is None else f"{program} {case.split('.')[0]}"
        if any(re.search(pattern, name) for pattern in EXCLUDED):
            left_out.append(name)
            continue
        if case is not None:
            command = [command[0], f"--gtest_filter={case.split('.')[0]}.*", "--gtest_fail_fast", "--gtest_brief=1"]
        for word, more in FAST.items():
            command = command + more if any(word in part for part in command[1:3]) else command
        unit = found.setdefault(name, Unit(name, command, {}, properties.get("WORKING_DIRECTORY", str(TREE.build_path)), 0,
                                            GUESS if case is None else 1))
        cost = known.get(test["name"], 0)
        unit.seconds = unit.seconds + cost if case is not None else cost or unit.seconds
        unit.limit = max(unit.limit, properties.get("TIMEOUT", 1500))
        unit.environment.update(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
    return list(found.values()), sorted(set(left_out))


@contextlib.contextmanager
def proof(site, programs=ROOT / "build/release/bin"):
    """What `./dev test` proves of a file of the RTL, with the mutant in it: a unit, or None where that is nothing.
    `programs` are those of a tree without mutants."""
    name = pathlib.Path(site.file).stem
    table = tomllib.loads((ROOT / "hw/formal/properties.toml").read_text())["property"]
    properties = [entry["name"] for entry in table if entry.get("fast") and name in entry["rtl"]]
    if not site.file.endswith(".sv") or not properties:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "hw/rtl", folder, dirs_exist_ok=True)
        source = (ROOT / site.file).read_bytes()
        mutant = f"({site.to})" if site.to else "begin end"
        (pathlib.Path(folder) / f"{name}.sv").write_bytes(source[:site.start] + mutant.encode() + source[site.end:])

        def command(rtl):
            return [sys.executable, str(ROOT / "tests/formal/prove.py"), "--no-mutants", "--jobs=1", "--fast", "--rtl", rtl,
                    "--write-package", str(programs / "write_package"), *properties]
        yield Unit(f"formal_fast {name}", command(folder), {}, str(ROOT), 900, seconds=60, measured=True,
                   modules=frozenset([name]), original=command(str(ROOT / "hw/rtl")))


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))


@contextlib.contextmanager
def locked(name):
    locks = TREE.folder / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    with open(locks / re.sub(r"\W", "_", name), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def alone(unit, what="run"):
    """Two processes do not run the same unit at once: some build in a folder of their own."""
    with locked(f"{what} {unit.name}"):
        yield


def run(unit, patience, **variables):
    """(how it failed or None, seconds, the end of its output)."""
    environment = {**TREE.environment, **unit.environment, **variables}
    with alone(unit), tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(unit.command, cwd=unit.folder, env=environment, stdout=output, stderr=output,
                                   stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=limits)
        try:
            code = process.wait(timeout=patience)
            how = None if code == 0 else "failed" if code > 0 else f"ended by signal {-code}"
        except subprocess.TimeoutExpired:
            how = "hung"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.monotonic() - start
        output.seek(max(0, output.seek(0, os.SEEK_END) - 3000))
        return how, seconds, output.read().decode(errors="replace")


def identity(unit):
    """What changes when the unit does: its program, or the files of its folder."""
    parts = []
    for word in unit.command:
        path = pathlib.Path(word)
        if path.is_relative_to(TREE.build_path) and path.is_file():
            parts.append([word, path.stat().st_mtime_ns])
        elif path.is_relative_to(TREE.path) and path.exists():
            folder = TREE.path / "tests/lit" if path.is_dir() else path.parent
            parts += [[str(p), p.read_text(errors="replace")] for p in sorted(folder.rglob("*.*")) if p.is_file() and "pyc" not in p.name]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Baseline:
    """Each unit without a mutant: it must pass; what it reaches and its time. Measured when first asked for, and again
    when the unit or the sample is another one; several processes share it."""

    def __init__(self, log, numbers):
        self.log, self.folder, self.ready = log, TREE.folder / "baseline", set()
        self.kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        self.folder.mkdir(parents=True, exist_ok=True)
        self.sample = hashlib.sha256(json.dumps(sorted(numbers)).encode()).hexdigest()
        self.units, self.left_out = units()
        for unit in self.units:
            self.take(unit)

    def file(self, unit):
        return self.folder / (re.sub(r"\W", "_", unit.name) + ".json")

    def take(self, unit):
        """Whether it has been measured."""
        file = self.file(unit)
        fields = json.loads(file.read_text()) if file.exists() else self.kept.get(unit.name, {})
        unit.seconds = fields.get("seconds", unit.seconds)  # what it took once is the best guess
        unit.guess = frozenset(fields["modules"]) if "modules" in fields else None
        if fields.get("identity") != [self.sample, identity(unit)]:
            return False
        unit.measured = True
        unit.reached, unit.modules = frozenset(fields["reached"]), frozenset(fields["modules"])
        return True

    def build(self, *targets):
        with locked("build"):
            done = TREE.build(*(["--target", *targets] if targets else []))
        if done.returncode:
            raise RuntimeError("the copy's tests do not build:\n" + (done.stdout + done.stderr)[-4000:])

    def keep(self):
        """Times and modules go into the tree, for the order of the next sample."""
        rows = {**self.kept, **{u.name: {"seconds": round(u.seconds, 1), "modules": sorted(u.modules)} for u in self.units if u.measured}}
        KEPT.write_text("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(rows.items())) + "\n}\n")

    def measure(self, unit):
        """Builds its program, once a campaign, and runs it without a mutant where it has changed since that was done."""
        with alone(unit, "measure"):
            if unit.name in self.ready or unit.original:
                return
            self.ready.add(unit.name)
            if pathlib.Path(unit.command[0]).is_relative_to(TREE.build_path):
                self.build(str(pathlib.Path(unit.command[0]).relative_to(TREE.build_path)))
            unit.measured = self.take(unit)
            if unit.measured:
                return
            how, fields, output = measured(unit)
            if how:  # it may want what only all targets have
                self.build()
                how, fields, output = measured(unit)
            if how:
                unit.broken = how
                self.log(f"{unit.name} {how} without any mutant, and is not asked:\n{output[-1500:]}")
                return
            self.log(f"{unit.name} passes without a mutant, {fields['seconds']:.1f} s")
            new = self.file(unit).with_suffix(f".{os.getpid()}")
            new.write_text(json.dumps({**fields, "identity": [self.sample, identity(unit)]}))
            new.rename(self.file(unit))
            self.take(unit)


def measured(unit):
    with tempfile.TemporaryDirectory() as folder:
        reach, modules = pathlib.Path(folder) / "reach", pathlib.Path(folder) / "modules"
        how, seconds, output = run(unit, unit.limit, TENON_MUTANT_REACH=str(reach), TENON_MUTANT_RTL_REACH=str(modules))
        return how, {"seconds": seconds,
                     "modules": sorted(set(modules.read_text().split())) if modules.exists() else [],
                     "reached": [n for n, byte in enumerate(reach.read_bytes()) if byte] if reach.exists() else []}, output
