"""The long sets of `./dev nightly` and the goals that their figures are held to.

A part is a command that prints its figures, writes them with --json (keys of `./dev nightly --json`) and ends with 0,
or with 3 where a check of its own failed.
"""
import dataclasses
import operator
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build/release/bin"


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    what: str
    source: str  # in the tree: a Python script, or what `program` is made from
    full: tuple = ()  # options of the long form; {minutes} is --minutes
    quick: tuple = ()  # of the short form
    limit: int = 60  # minutes after which it is ended
    program: str = ""  # of build/release/bin
    prepare: tuple = ()  # a command that comes before
    disagreements: str = ""  # the key of its list of what disagrees

    @property
    def file(self):
        return BIN / self.program if self.program else ROOT / self.source

    def line(self, quick, minutes, json):
        start = [self.file] if self.program else [sys.executable, self.file]
        return [*map(str, start), *(o.format(minutes=minutes) for o in (self.quick if quick else self.full)), f"--json={json}"]


PARTS = [
    Part("mutants", "static verifier against execution, on mutants of compiled programs", "tests/trust/mutants.py",
         full=("--nightly",), limit=90, disagreements="disagreements"),
    Part("differential", "random programs on functional, SystemC model and RTL, instruction by instruction",
         "tests/differential/main.cpp", full=("--configs=40", "--programs=5000"), quick=("--configs=2", "--programs=40"),
         limit=180, program="tenon-differential", disagreements="failures"),
    Part("graphs", "random networks through the compiler, accelerator against CPU and reference",
         "tests/fuzz/graphs/graphs.py", full=("--nightly",), limit=120, disagreements="defects"),
    Part("operators", "random ONNX graphs over the operators, against onnxruntime and the reference interpreter",
         "tests/fuzz/operators/random_graphs.py", full=("--graphs=1000", "--seed=commit"), quick=("--graphs=40",), limit=60,
         disagreements="defects"),
    Part("input", "hostile bytes through every parser, libFuzzer under ASan and UBSan", "tests/fuzz/input/run.py",
         full=("--build", "--minutes={minutes}"), quick=("--build", "--minutes=0.2"), limit=240),
    Part("formal", "properties of the RTL, proved; each has mutants that fail", "tests/formal/prove.py",
         quick=("--fast",), limit=120),
    Part("faults", "the Nth allocation, read, write or rename fails, full disks, kills: under every verb",
         "tests/faults/faults.py", full=("--minutes=20",), quick=("--sample",), disagreements="failed", limit=60),
    Part("sanitizers", "./dev test under Address-, UndefinedBehavior- and ThreadSanitizer (short: the last alone)",
         "tests/nightly/sanitizers.py", quick=("--only=tsan",), disagreements="failed", limit=240),
    Part("cross", "the runtime for aarch64 and armv7 under qemu-user: the bits of this machine", "tests/nightly/cross.py",
         prepare=("./dev", "cross"), disagreements="failed", limit=60),
    Part("bites", "faults put in by hand, each of which a test must catch", "tests/bites/bites.py", quick=("floor-functional",),
         limit=120),
    Part("mutation", "a seeded sample of mutants of RTL, functional simulator and code generator, against ./dev test",
         "tests/mutation/mutation.py", full=("--fresh",), quick=("--count=20",), limit=360),
    Part("memory", "random programs on the RTL behind a memory that is hostile or fails, and stopped", "tests/memory_faults/main.cpp",
         full=("--configs=40", "--programs=250", "--stops=1", "--faults=2"),
         quick=("--programs=5",), program="tenon-memory-faults", disagreements="wrong", limit=120),
    Part("coverage", "lines of C++ and RTL that ./dev test runs", "tests/coverage/coverage.py",
         prepare=("./dev", "build", "coverage"), limit=240),
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
    Goal("graphs", "compiler graphs", key("compiler_graphs"), ">=", 1000, "That the compiler keeps the network's meaning", amount=True),
    Goal("graphs", "graphs with a defect", found("graphs"), "=", 0, "That the compiler keeps the network's meaning"),
    Goal("operators", "operator graphs", lambda figures: figures["parts"]["operators"]["operator_graphs"], ">=", 990,
         "That the compiler keeps the network's meaning", amount=True),
    Goal("operators", "graphs with a difference unexplained", found("operators"), "=", 0, "That the compiler keeps the network's meaning"),
    Goal("input", "minutes of fuzzing, of each target", least("fuzz", "minutes"), ">=", 10, "What somebody else wrote", amount=True),
    Goal("input", "inputs that break a parser", total("fuzz", "crashes"), "=", 0, "What somebody else wrote"),
    Goal("formal", "properties that are not proved", unproved, "=", 0, "What is proved of the RTL"),
    Goal("formal", "mutants that no property catches", missed_mutants, "=", 0, "What is proved of the RTL"),
    Goal("faults", "faults", total("faults", "tried"), ">=", 1000, "What somebody else wrote", amount=True),
    Goal("faults", "faults that end badly", found("faults"), "=", 0, "What somebody else wrote"),
    Goal("sanitizers", "tests under a sanitizer", total("sanitizers", "tests"), ">=", 100, "What the tests reach", amount=True),
    Goal("sanitizers", "tests that fail under one", found("sanitizers"), "=", 0, "What the tests reach"),
    Goal("cross", "tests on Arm", lambda figures: figures["parts"]["cross"]["cross_tests"], ">=", 8, "What the tests reach"),
    Goal("cross", "tests that fail on Arm", found("cross"), "=", 0, "What the tests reach"),
    Goal("bites", "faults that no test catches", survived("bites_survived"), "=", 0, "That the tests bite"),
    Goal("mutation", "mutants of the tree", key("mutation_mutants"), ">=", 200, "That the tests bite", amount=True),
    Goal("mutation", "caught", key("mutation_caught"), ">=", 0.95, "That the tests bite", amount=True),
    Goal("mutation", "survivors without a reason", key("mutation_unexplained"), "=", 0, "That the tests bite"),
    Goal("memory", "faults of the memory", lambda figures: figures["parts"]["memory"]["failed_bytes"], ">=", 10000,
         "When the memory fails", amount=True),
    Goal("memory", "faults that end badly", found("memory"), "=", 0, "When the memory fails"),
    Goal("coverage", "C++ lines", key("cpp_line_coverage"), ">=", 0.90, "What the tests reach"),
    Goal("coverage", "RTL lines", key("rtl_line_coverage"), ">=", 0.95, "What the tests reach"),
]
