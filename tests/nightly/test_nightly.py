"""The nightly run fails where a figure does not hold, and where there is none."""
import argparse
import dataclasses
import pathlib
import re
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import nightly  # noqa: E402
import sanitizers  # noqa: E402
import whole_tests  # noqa: E402
from parts import GOALS, PARTS, ROOT, Goal, Part, key, least  # noqa: E402

OPTIONS = argparse.Namespace(quick=False, minutes=1)
GOAL = Goal("a", "things", key("mutants"), ">=", 10, "a test", amount=True)


def script(folder, text, share=1):
    path = folder / "part.py"
    path.write_text("import json, sys, time\nfile = sys.argv[1].removeprefix('--json=')\n" + text)
    return Part("a", "a script", str(path), share=share, disagreements="wrong")


def outcome(part):
    return nightly.run(part, OPTIONS, 7)[:2]


@pytest.fixture(autouse=True)
def logs(tmp_path, monkeypatch):
    monkeypatch.setattr(nightly, "LOGS", ROOT / "build" / tmp_path.name)
    yield
    shutil.rmtree(nightly.LOGS, ignore_errors=True)


def verdicts(figures, quick=False):
    return [verdict for _, _, verdict in nightly.judge([GOAL], figures, quick)]


def test_a_part_that_writes_figures_is_well(tmp_path):
    part = script(tmp_path, "json.dump({'mutants': 12}, open(file, 'w'))")
    assert outcome(part) == (None, {"mutants": 12})


def test_processor_time_is_that_of_a_part_and_its_children(tmp_path):
    text = """import subprocess
subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.5: pass"])
json.dump({}, open(file, "w"))"""
    assert nightly.run(script(tmp_path, text), OPTIONS, 7)[2] >= 0.5


def test_what_is_seeded_is_given_the_seed(tmp_path):
    part = script(tmp_path, "json.dump({'said': sys.argv[1:]}, open(sys.argv[-1].removeprefix('--json='), 'w'))")
    seeded = dataclasses.replace(part, seeded=True)
    assert outcome(seeded)[1]["said"][0] == "--seed=7"


@pytest.mark.parametrize("text, end", [
    ("sys.exit(3)", "ended with 3"),
    ("", "wrote no figures"),
    ("time.sleep(60)", "ended after 0.03 minutes"),
])
def test_a_part_that_is_not_well_says_how_it_ended(tmp_path, text, end):
    said, figures = outcome(script(tmp_path, text, share=0.01 if "sleep" in text else 1))
    assert said.split(", see")[0] == end and not figures


def test_a_part_that_is_absent_is_not_skipped(tmp_path):
    end, figures = outcome(Part("a", "", "tests/no_such_part.py"))
    assert end.endswith("tests/no_such_part.py is not there") and not figures


def test_goals():
    assert verdicts({"mutants": 10}) == ["holds"]
    assert verdicts({"mutants": 9}) == ["DOES NOT HOLD"]
    assert verdicts({"mutants": 9}, quick=True) == ["short"]
    assert verdicts({}, quick=True) == ["NO FIGURE"]
    with pytest.raises(KeyError):
        least("fuzz", "minutes")({"fuzz": []})
    assert least("fuzz", "minutes")({"fuzz": [{"minutes": 10}, {"minutes": 3}]}) == 3


def test_what_comes_before_a_part_must_work():
    end, figures = outcome(Part("a", "", "tests/nightly/parts.py", prepare=("false",)))
    assert end.startswith("false failed") and not figures


def test_figures_of_several_parts_are_joined(tmp_path):
    merged, part = {}, script(tmp_path, "")
    nightly.merge(merged, part, {"wrong": ["one"], "fuzz": [{"target": "x"}], "programs": 1})
    nightly.merge(merged, dataclasses.replace(part, name="b"), {"wrong": ["two", "three"], "fuzz": [{"target": "y"}],
                                                                "programs": 5})
    assert merged["disagreements"] == 3 and [f["target"] for f in merged["fuzz"]] == ["x", "y"]
    assert "programs" not in merged and merged["parts"]["b"]["programs"] == 5


@pytest.mark.parametrize("part", [part for part in PARTS if part.program], ids=lambda part: part.name)
def test_what_is_joined_is_a_list_in_every_part(part):
    text = (ROOT / part.source).with_name("figures.proto").read_text()
    assert not [name for name in nightly.LISTS if re.search(rf"^\s*\w+ {name} =", text, re.M)]


def test_every_goal_has_a_part_and_every_part_a_goal():
    assert {goal.part for goal in GOALS} == {part.name for part in PARTS}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_the_parts_are_in_the_tree(part):
    assert (ROOT / part.source).is_file()


CTEST = """<testsuite tests="3"><testcase name="a" status="run"/><testcase name="b" status="fail"><failure message=""/></testcase>
<testcase name="c" status="notrun"><skipped/></testcase></testsuite>"""
GOOGLE = """<testsuites tests="3"><testsuite name="s"><testcase name="d" status="run"/><testcase name="e" status="notrun"/>
<testcase name="f" status="run"><failure message="x"/></testcase></testsuite></testsuites>"""


PYTEST = """<testsuites><testsuite name="pytest"><testcase name="a"/><testcase name="b"><skipped message="no build"/></testcase>
<testcase name="c"><failure message="x"/></testcase></testsuite></testsuites>"""


def test_what_is_left_out_of_whole_tests_is_named(tmp_path):
    file = tmp_path / "results.xml"
    file.write_text(PYTEST)
    assert whole_tests.judge(file) == (1, ["b: skipped", "c: failure"])
    file.write_text("<testsuites/>")
    assert whole_tests.judge(file) == (0, ["no test ran"])


def test_whole_tests_run_in_their_long_form(tmp_path):
    (tmp_path / "test_it.py").write_text("import os\ndef test_long(): assert os.environ.get('TENON_LONG')\n")
    assert whole_tests.run([tmp_path], {"TENON_LONG": "1"}) == (1, [])
    assert whole_tests.run([tmp_path], {}) == (0, ["test_long: failure"])
    assert whole_tests.run([tmp_path / "none"], {}) == (0, ["no test ran"])


def test_what_failed_under_a_sanitizer_is_named(tmp_path):
    (tmp_path / "ctest.xml").write_text(CTEST)
    (tmp_path / "google.xml").write_text(GOOGLE)
    assert sanitizers.judge("asan", 8, tmp_path) == ({"sanitizer": "asan", "tests": 4, "failures": 2}, ["asan: b", "asan: f"])


@pytest.mark.parametrize("code, failed", [(66, ["tsan: ended with 66"]), (0, ["tsan: no test ran"])])
def test_a_sanitizer_that_ends_the_program_is_a_failure(tmp_path, code, failed):
    assert sanitizers.judge("tsan", code, tmp_path / "none") == ({"sanitizer": "tsan", "tests": 0, "failures": 1}, failed)
