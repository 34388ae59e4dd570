"""What counts as a catch, and which test is asked next."""
import json
import sys

import pytest

import catches
import mutation
import suite
from order import History, Order, affinity
from sites import Site

FILE = "isa/dram_image.cpp"


def unit(name="t", command=(), seconds=1, **fields):
    return suite.Unit(name, list(command), {}, ".", 60, seconds, **{"measured": True, "reached": frozenset([1]), **fields})


GTEST = unit(command=["/b/isa_test", "--gtest_filter=Codec.*", "--gtest_fail_fast"])
PYTEST = unit(command=["python", "-m", "pytest", "-q", "/t/test_a.py", "-x"])
LIT = unit(command=["python", "-c", "from lit.main import main; main()", "-v", "/t/lit", "--max-failures=1"])


@pytest.mark.parametrize("asked, output, expected", [
    (GTEST, "[  FAILED  ] Codec.Store (3 ms)\n", ["/b/isa_test", "--gtest_filter=Codec.Store", "--gtest_fail_fast"]),
    (GTEST, "[  FAILED  ] All/Codec.Any/3, where GetParam() = 4 (3 ms)\n", ["/b/isa_test", "--gtest_filter=All/Codec.Any/3", "--gtest_fail_fast"]),
    (GTEST, "Segmentation fault\n", GTEST.command),
    (PYTEST, "E  x\nFAILED ../t/test_a.py::test_b[qdq-1] - AssertionError: a - b\n",
     ["python", "-m", "pytest", "-q", "/t/test_a.py::test_b[qdq-1]", "-x"]),
    (PYTEST, "ERROR ../t/test_a.py::test_b\n", ["python", "-m", "pytest", "-q", "/t/test_a.py::test_b", "-x"]),
    (LIT, "Failed Tests (1):\n  Tenon :: Transforms/a.mlir\n", [*LIT.command, "--filter=Transforms/a\\.mlir"]),
])
def test_only_the_case_that_failed_is_asked_again(asked, output, expected):
    assert catches.narrowed(asked, output).command == expected


def python(text):
    return unit(command=[sys.executable, "-c", f"import os, pathlib, sys\nmutant = os.environ['TENON_MUTANT']\n{text}"])


class Measured:
    def measure(self, unit):
        assert unit.measured


def judged(*units, baseline=Measured(), patience=float("inf")):
    site = Site(FILE, 0, 1, "a", "b", "operator", "a")
    return mutation.judge(1, "key", site, units, baseline, None, float("inf"), patience, "")


def test_a_catch_fails_twice_with_the_mutant_and_passes_without(tmp_path):
    asked = tmp_path / "asked"
    asked.write_text("")
    entry = judged(python(f"open({str(asked)!r}, 'a').write(mutant)\nsys.exit(mutant == '1')"))
    assert entry["by"] == "t" and entry["how"] == "failed" and not entry["doubtful"] and asked.read_text() == "110"


def test_a_failure_that_does_not_come_again_is_no_catch(tmp_path):
    asked = tmp_path / "asked"
    entry = judged(python(f"p = pathlib.Path({str(asked)!r})\nif not p.exists():\n  p.touch()\n  sys.exit(1)"))
    assert entry["by"] is None and entry["doubtful"][0]["why"] == "passed when asked again" and not entry["passed"]


def test_a_test_that_fails_without_the_mutant_too_is_no_catch_and_the_next_is_asked():
    entry = judged(python("sys.exit(1)"), unit("u", [sys.executable, "-c", "import os; os.environ['TENON_MUTANT'] == '1' and os.abort()"]))
    assert entry["doubtful"][0]["why"] == "failed without the mutant, too"
    assert entry["by"] == "u" and entry["how"] == "ended by signal 6"


class Clock:
    """Of a baseline that takes `first` seconds for each test, and tests that take `each` and pass."""

    def __init__(self, first, each):
        self.now, self.first, self.each = 0, first, each

    def monotonic(self):
        return self.now

    def measure(self, unit):
        self.now += self.first

    def run(self, unit, patience, **variables):
        self.now += self.each
        return None, self.each, ""


@pytest.mark.parametrize("first, each, asked", [(60, 1, 3), (0, 3, 2), (60, 5, 1)])
def test_patience_is_for_the_mutant_and_not_for_the_first_run_without_one(monkeypatch, first, each, asked):
    clock = Clock(first, each)
    monkeypatch.setattr(mutation, "time", clock)
    monkeypatch.setattr(suite, "run", clock.run)
    entry = judged(unit("a"), unit("b"), unit("c"), baseline=clock, patience=4)
    assert entry["passed"] == ["a", "b", "c"][:asked] and entry["open"] == (asked < 3) and entry["seconds"] == each * asked


class Baseline(suite.Baseline):
    """Of nothing that is built; `built` says what would have been."""

    def __init__(self, folder):
        self.log, self.folder, self.sample, self.ready, self.built, self.kept = lambda text: None, folder, "s", set(), [], {}

    def build(self, *targets):
        self.built.append(targets)


def test_a_test_that_fails_without_a_mutant_is_not_asked(tmp_path):
    baseline, broken = Baseline(tmp_path), unit(command=[sys.executable, "-c", "raise SystemExit(1)"], measured=False)
    baseline.measure(broken)
    assert broken.broken == "failed" and not broken.reaches(1, None)
    assert baseline.built == [()]  # all there is, before it was given up


def test_a_test_is_built_when_it_is_first_asked(tmp_path, monkeypatch):
    program = tmp_path / "build/bin/x_test"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\nimport os\nopen(os.environ['TENON_MUTANT_REACH'], 'wb').write(bytes([0, 0, 1]))\n")
    program.chmod(0o755)
    monkeypatch.setattr(suite.TREE, "build_path", tmp_path / "build")
    first, later = Baseline(tmp_path), Baseline(tmp_path)
    for baseline in (first, later):
        asked = unit(command=[str(program)], measured=False)
        baseline.measure(asked)
        baseline.measure(asked)
        assert baseline.built == [("bin/x_test",)] and asked.measured and asked.reached == {2}


def test_names_tell_what_a_test_is_near_to():
    near = affinity("simulator", FILE, "isa_test DramImage")
    assert near > affinity("simulator", FILE, "isa_test Codec") > affinity("simulator", FILE, "e2e_networks")


SITE = Site(FILE, 0, 1, "a", "b", "operator", "a")


def first(order):
    return [u.name for u in order.of(1, "simulator", SITE)]


def test_what_has_caught_comes_first_and_what_takes_long_comes_last(tmp_path):
    units = [unit("e2e_networks", seconds=20), unit("e2e_split", seconds=20), unit("isa_test DramImage"),
             unit("isa_test Codec", reached=frozenset([2]))]
    history = History(tmp_path / "caught.json")
    assert first(Order(units, history, {}))[0] == "isa_test DramImage" and len(first(Order(units, history, {}))) == 3
    for _ in range(40):
        history.learn(FILE, ["isa_test DramImage"], "e2e_split")
    history.write()
    known = Order(units, History(history.file), {FILE: "simulator"})
    assert first(known).index("e2e_split") < first(known).index("e2e_networks")
    # Of another file of the group, too, but less so.
    assert known.chance("simulator", FILE, "e2e_split") > known.chance("simulator", "isa/codec.cpp", "e2e_split") \
        > known.chance("simulator", "isa/codec.cpp", "e2e_networks")


def test_a_test_that_does_not_simulate_the_module_comes_last():
    units = [unit("core.a", measured=False, guess=frozenset(["gemm"])), unit("core.b", measured=False, guess=frozenset(["alu"]), seconds=50)]
    order = Order(units, History(), {})
    assert [u.name for u in order.of(1, "rtl", Site("hw/rtl/alu.sv", 0, 1, "a", "b", "operator", "a"))] == ["core.b", "core.a"]


def test_what_was_found_of_a_sample_goes_on_elsewhere_until_it_is_done(tmp_path, monkeypatch):
    monkeypatch.setattr(mutation, "BEGUN", tmp_path)
    monkeypatch.setattr(mutation.TREE, "folder", tmp_path / "here")
    (tmp_path / "here").mkdir()
    results = mutation.Results(Drawn)
    entry = judged(python("sys.exit(mutant == '1')"))
    results.append({**entry, "doubtful": [{"test": "u", "said": "printed"}]})
    results.keep(done=False)
    monkeypatch.setattr(mutation.TREE, "folder", tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    other = mutation.Results(Drawn)
    assert other.read()["key"] == {**mutation.without_output(entry), "doubtful": [{"test": "u"}]}
    other.append({**entry, "by": "later"})
    assert other.read()["key"]["by"] == "later"
    other.keep(done=True)
    assert [file.name for file in tmp_path.glob("*.jsonl")] == []


class Drawn:
    seed, count = 7, 2
    mutants = {1: ("simulator", "one", SITE), 2: ("simulator", "two", SITE)}


class Found:
    def __init__(self, entries):
        self.entries = entries

    def read(self):
        return self.entries


def test_the_first_figures_of_a_sample_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(mutation, "SAMPLES", tmp_path / "samples.json")
    monkeypatch.setattr(History.__init__, "__defaults__", (tmp_path / "caught.json",))
    found = Found({"one": {"passed": [], "by": "t"}, "two": {"passed": ["t"], "by": None}})

    def kept(caught):
        mutation.keep(Drawn, found, {"mutation_mutants": 2, "mutation_caught": caught, "mutation_open": 0, "mutation_unexplained": 1,
                                     "groups": {}})
        return json.loads(mutation.SAMPLES.read_text())["7-2"]
    assert set(kept(0.5)) == {"first"}
    again = kept(1.0)
    assert again["first"]["mutation_caught"] == 0.5 and again["later"]["mutation_caught"] == 1.0
    assert History().files == {FILE: {"t": [2, 1]}}
