"""The long sets of `./dev nightly` and the goals that their figures are held to.

A part is a command that prints its figures, writes them with --json (keys of `./dev nightly --json`) and ends with 0,
or with 3 where a check of its own failed. One that is seeded takes --seed.
"""
import dataclasses
import operator
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build/release/bin"
CORES = 2
HOURS = 4  # for all parts on so many cores, with the compiler's cache warm
# A part is ended behind so many times its share of them: a slow machine gets to the end, what hangs does not take the night.
PATIENCE = 3

# What parts test, by paths of the tree.
# Of the simulators not what draws pages and writes reports of their runs.
SIMULATORS = tuple(str(path.relative_to(ROOT)) for path in sorted((ROOT / "sim").iterdir()) if path.name not in ("board", "report", "trace"))
# Of the specification and its programs not what describes the host that a program's own code is for: no launch reads it.
INSTRUCTIONS = tuple(str(path.relative_to(ROOT)) for path in sorted((ROOT / "isa").iterdir()) if not path.name.startswith(("host_", "elf_")))
MACHINE = (*INSTRUCTIONS, *SIMULATORS, "sim/trace/launch_trace.h", "hw/rtl")
COMPILER = ("isa", "compiler", "runtime")
RANDOM_PROGRAMS = ("tests/differential",)
WHOLE = "tests/nightly/whole_tests.py"
ARM = ("tests/e2e/test_cross.py",)
NETWORKS = ("tests/e2e/test_cycles.py", "tests/e2e/test_places.py")
# Whose cases `./dev test` draws from.
SEEDS = "tests/seeds.py"
DRAWN = tuple(file for path in sorted((ROOT / "tests").glob("*/test_*.py")) if (file := str(path.relative_to(ROOT))) not in NETWORKS
              and re.search(r"^from seeds import .*\b(LONG|drawn|seeds)\b", path.read_text(), re.MULTILINE))
WORKLOADS = tuple(f"tests/bench/{file}" for file in ("workloads.py", "cycles.json", "bounds.json", "gemm_resident.tasm", "idle.tasm"))
MODELS = tuple(f"tests/conformance/{file}.py" for file in ("cases", "extremes", "hostile"))  # that fuzzing begins with
CODE = ("isa", "sim", "hw", "compiler", "runtime", "tools", "cmake", "CMakeLists.txt", "CMakePresets.json")


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    what: str
    source: str  # in the tree: a Python script, or what `program` is made from
    tests: tuple = ()  # paths: its figures are of the tree as long as these are what they were
    full: tuple = ()  # options of the long form; {minutes} is --minutes
    quick: tuple = ()  # of the short form
    share: float = 60  # minutes of the night
    cores: int = CORES  # it keeps busy: those with one run two at a time
    seeded: bool = False  # draws what it tries from --seed
    program: str = ""  # of build/release/bin
    prepare: tuple = ()  # a command that comes before
    disagreements: str = ""  # the key of its list of what disagrees

    @property
    def file(self):
        return BIN / self.program if self.program else ROOT / self.source

    @property
    def limit(self):
        """Minutes after which it is ended."""
        return PATIENCE * self.share

    @property
    def amount(self):
        return " ".join([self.program or self.source, *self.full])

    def line(self, quick, minutes, seed, json):
        start = [self.file] if self.program else [sys.executable, self.file]
        options = [o.format(minutes=minutes) for o in (self.quick if quick else self.full)]
        return [*map(str, start), *options, *([f"--seed={seed}"] if self.seeded else []), f"--json={json}"]


# Those with one core first, the longest of them early; what shares simulators with another one behind it.
PARTS = [
    Part("differential", "random programs on functional, SystemC model and RTL, instruction by instruction",
         "tests/differential/main.cpp", (*MACHINE, *RANDOM_PROGRAMS), full=("--configs=40", "--programs=5000"),
         quick=("--configs=2", "--programs=40"), share=12, cores=1, seeded=True, program="tenon-differential", disagreements="failures"),
    Part("mutants", "static verifier against execution, on mutants of compiled programs", "tests/trust/mutants.py",
         ("isa", *MACHINE, "compiler", *RANDOM_PROGRAMS, "tests/trust", "tests/conformance/graphs", "examples/resnet8"),
         full=("--nightly",), share=16, cores=1, seeded=True, disagreements="disagreements"),
    Part("graphs", "random networks through the compiler, accelerator against CPU and reference",
         "tests/fuzz/graphs/graphs.py", (*COMPILER, "sim/functional", "tests/fuzz/graphs"), full=("--graphs=5000",),
         quick=("--graphs=100",), share=13, cores=1, seeded=True, disagreements="defects"),
    Part("mutation", "a seeded sample of mutants of the tree, against ./dev test", "tests/mutation/mutation.py", (*CODE, "tests"),
         full=("--jobs=1", "--count=15", "--minutes=35", "--patience=6", "--keep"), quick=("--jobs=1", "--count=2", "--patience=2"), share=45, cores=1,
         seeded=True),
    Part("memory", "random programs on the RTL behind a memory that is hostile or fails, and stopped", "tests/memory_faults/main.cpp",
         (*MACHINE, *RANDOM_PROGRAMS, "tests/memory_faults"), full=("--configs=40", "--programs=25", "--stops=1", "--faults=2"),
         quick=("--programs=5",), share=10, cores=1, seeded=True, program="tenon-memory-faults", disagreements="wrong"),
    Part("networks", "whole networks on the RTL, their places, cycles and the SystemC model's, with every memory",
         WHOLE, (*COMPILER, *MACHINE, *WORKLOADS, WHOLE, SEEDS, *NETWORKS), full=NETWORKS, quick=("--short", *NETWORKS),
         share=8, cores=1, disagreements="failed"),
    Part("operators", "random ONNX graphs over the operators, against onnxruntime and the reference interpreter",
         "tests/fuzz/operators/random_graphs.py", (*COMPILER, "tests/fuzz/operators"), full=("--graphs=1000", "--jobs=1"),
         quick=("--graphs=40", "--jobs=1"), share=10, cores=1, seeded=True, disagreements="defects"),
    Part("faults", "the Nth allocation, read, write or rename fails, full disks, kills: under every verb",
         "tests/faults/faults.py", (*COMPILER, "sim", "tools", "tests/faults"), full=("--minutes=4",), quick=("--sample",),
         share=5, cores=1, seeded=True, disagreements="failed"),
    Part("formal", "properties of the RTL, proved; each has mutants that fail", "tests/formal/prove.py",
         ("hw/rtl", "hw/formal", "tests/formal", *INSTRUCTIONS), quick=("--fast",), share=11),
    Part("input", "hostile bytes through every parser, libFuzzer under ASan and UBSan", "tests/fuzz/input/run.py",
         (*CODE, "tests/fuzz/input", *MODELS), full=("--build", "--jobs=2", "--minutes={minutes}", "--extremes=20000"),
         quick=("--build", "--minutes=0.2", "--extremes=500"), share=42, seeded=True),
    Part("sanitizers", "./dev test under Address-, UndefinedBehavior- and ThreadSanitizer (short: the last alone)",
         "tests/nightly/sanitizers.py", (*CODE, "tests"), quick=("--only=tsan",), disagreements="failed", share=28),
    Part("cross", "the runtime for aarch64 and armv7 under qemu-user: the bits of this machine", WHOLE,
         (*COMPILER, "sim/functional", "cmake", WHOLE, *ARM), full=ARM, quick=ARM, prepare=("./dev", "cross"), disagreements="failed", share=4),
    Part("drawn", "the quantiser beside onnxruntime's and whatever else ./dev test draws a part of, whole", WHOLE,
         (*CODE, WHOLE, SEEDS, "tests/e2e", "tests/conformance"), full=DRAWN, quick=("--short", "tests/e2e/test_upsampling.py"), disagreements="failed", share=32),
    Part("bites", "faults put in by hand, each of which a test must catch", "tests/bites/bites.py", (*CODE, "tests"),
         quick=("floor-functional",), share=14),
    Part("coverage", "lines of C++ and RTL that ./dev test runs", "tests/coverage/coverage.py", (*CODE, "tests"),
         prepare=("./dev", "build", "coverage"), share=48),
]


@dataclasses.dataclass(frozen=True)
class Goal:
    part: str
    name: str
    value: object  # of the merged figures; KeyError where they are not there
    sign: str
    limit: float
    source: str  # section of docs/trust.md
    amount: bool = False  # of how much was tried, or a share of it: not asked of the short form

    def met(self, value):
        return {">=": operator.ge, "=": operator.eq}[self.sign](value, self.limit)


def key(name):
    return lambda figures: figures[name]


def entries(figures, name):
    """The entries of a list that must not be empty."""
    if not figures[name]:
        raise KeyError(name)
    return figures[name]


def least(name, field):
    return lambda figures: min(entry[field] for entry in entries(figures, name))


def total(name, field):
    return lambda figures: sum(entry[field] for entry in entries(figures, name))


def unproved(figures):
    return sum(1 for entry in entries(figures, "formal") if entry["failure"])


def missed_mutants(figures):
    return total("formal", "mutants")(figures) - total("formal", "caught")(figures)


def survived(name):
    return lambda figures: len(figures["parts"]["bites"][name])


def found(part):
    """How much a part's own list of disagreements holds."""
    return lambda figures: len(figures["parts"][part][PART[part].disagreements])


PART = {part.name: part for part in PARTS}
GOALS = [
    Goal("mutants", "mutants", key("mutants"), ">=", 10000, "That the proof is right", amount=True),
    Goal("mutants", "disagreements", found("mutants"), "=", 0, "That the proof is right"),
    Goal("differential", "differential programs", key("differential_programs"), ">=", 5000, "The RTL, instruction by instruction", amount=True),
    Goal("differential", "differential configurations", key("differential_configs"), ">=", 40, "The RTL, instruction by instruction",
         amount=True),
    Goal("differential", "programs that disagree", found("differential"), "=", 0, "The RTL, instruction by instruction"),
    Goal("graphs", "compiler graphs", key("compiler_graphs"), ">=", 5000, "That the compiler keeps the network's meaning", amount=True),
    Goal("graphs", "graphs with a defect", found("graphs"), "=", 0, "That the compiler keeps the network's meaning"),
    Goal("operators", "operator graphs", lambda figures: figures["parts"]["operators"]["operator_graphs"], ">=", 990,
         "That the compiler keeps the network's meaning", amount=True),
    Goal("operators", "graphs with a difference unexplained", found("operators"), "=", 0, "That the compiler keeps the network's meaning"),
    Goal("input", "minutes of fuzzing, of each target", least("fuzz", "minutes"), ">=", 5, "What somebody else wrote", amount=True),
    Goal("input", "inputs that break a parser", total("fuzz", "crashes"), "=", 0, "What somebody else wrote"),
    Goal("input", "operators with one thing at its extreme", key("extreme_models"), ">=", 20000, "What somebody else wrote", amount=True),
    Goal("input", "of these, what breaks the import", key("extreme_models_that_break"), "=", 0, "What somebody else wrote"),
    Goal("formal", "properties that are not proved", unproved, "=", 0, "What is proved of the RTL"),
    Goal("formal", "mutants that no property catches", missed_mutants, "=", 0, "What is proved of the RTL"),
    Goal("faults", "faults", total("faults", "tried"), ">=", 1000, "What somebody else wrote", amount=True),
    Goal("faults", "faults that end badly", found("faults"), "=", 0, "What somebody else wrote"),
    Goal("sanitizers", "tests under a sanitizer", total("sanitizers", "tests"), ">=", 100, "What the tests reach", amount=True),
    Goal("sanitizers", "tests that fail under one", found("sanitizers"), "=", 0, "What the tests reach"),
    Goal("networks", "tests of whole networks", lambda figures: figures["parts"]["networks"]["tests"], ">=", 70, "What the tests reach", amount=True),
    Goal("networks", "tests of networks that fail", found("networks"), "=", 0, "What the tests reach"),
    Goal("drawn", "tests that ./dev test draws from", lambda figures: figures["parts"]["drawn"]["tests"], ">=", 600, "What the tests reach", amount=True),
    Goal("drawn", "tests of these that fail", found("drawn"), "=", 0, "What the tests reach"),
    Goal("cross", "tests on Arm", lambda figures: figures["parts"]["cross"]["tests"], ">=", 8, "What the tests reach"),
    Goal("cross", "tests that fail on Arm", found("cross"), "=", 0, "What the tests reach"),
    Goal("bites", "faults that no test catches", survived("bites_survived"), "=", 0, "That the tests bite"),
    Goal("mutation", "mutants of the tree", key("mutation_mutants"), ">=", 15, "That the tests bite", amount=True),
    Goal("mutation", "caught", key("mutation_caught"), ">=", 0.95, "That the tests bite", amount=True),
    Goal("mutation", "survivors without a reason", key("mutation_unexplained"), "=", 0, "That the tests bite"),
    Goal("memory", "faults of the memory", lambda figures: figures["parts"]["memory"]["failed_bytes"], ">=", 2000,
         "When the memory fails", amount=True),
    Goal("memory", "faults that end badly", found("memory"), "=", 0, "When the memory fails"),
    Goal("coverage", "C++ lines", key("cpp_line_coverage"), ">=", 0.90, "What the tests reach"),
    Goal("coverage", "RTL lines", key("rtl_line_coverage"), ">=", 0.95, "What the tests reach"),
]
