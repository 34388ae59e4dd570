"""Figures are of the tree as long as nothing that their part tests has changed; a night that is cut off goes on."""
import argparse
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import kept  # noqa: E402
import nightly  # noqa: E402
import page  # noqa: E402
from parts import CORES, GOALS, HOURS, PARTS, ROOT, Part  # noqa: E402

PART = Part("a", "a part", "tests/a.py", ("rtl", "tests/a.py"))


@pytest.fixture
def tree(tmp_path):
    """A repository of two folders, of which PART tests one."""
    def git(*words):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", *words], cwd=tmp_path, check=True, capture_output=True)
    for name in ("rtl", "docs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file.sv").write_text("1\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    return tmp_path, git


def entry(tree, **fields):
    return {**kept.entry_of(PART, 1, 60, 30, None, [], {}, root=tree), **fields}


def test_figures_stay_valid_where_something_else_changes(tree):
    root, git = tree
    figures = entry(root)
    (root / "docs/file.sv").write_text("2\n")
    assert kept.standing(PART, figures, root)[0] == "current"
    git("commit", "-qam", "second")
    assert kept.standing(PART, figures, root)[0] == "current"


@pytest.mark.parametrize("committed", [True, False])
@pytest.mark.parametrize("name", ["file.sv", "new.sv"])
def test_figures_are_stale_where_what_is_tested_changes(tree, name, committed):
    root, git = tree
    figures = entry(root)
    (root / "rtl" / name).write_text("2\n")
    if committed:
        git("add", ".")
        git("commit", "-qm", "second")
    now, why = kept.standing(PART, figures, root)
    assert now == "stale" and f"rtl/{name}" in why


def test_figures_of_a_tree_with_changes_are_nobodys(tree):
    root, git = tree
    (root / "rtl/file.sv").write_text("2\n")
    figures = entry(root)
    git("checkout", "-q", ".")
    assert figures["dirty"] and kept.standing(PART, figures, root)[0] == "dirty"


@pytest.mark.parametrize("fields, now", [({"ended": "ended with 3"}, "failed"), ({"holds": False}, "failed"), ({"commit": "0" * 12}, "stale")])
def test_figures_that_are_not_well(tree, fields, now):
    assert kept.standing(PART, entry(tree[0], **fields), tree[0])[0] == now
    assert kept.standing(PART, None, tree[0])[0] == "none"


def test_a_part_that_was_cut_off_goes_on_with_its_seed(tree):
    root, git = tree
    begun = kept.Begun(root / "build/begun.json")
    assert begun.seed(PART, 1, root) == 1
    (root / "docs/file.sv").write_text("2\n")
    git("commit", "-qam", "second")
    assert begun.seed(PART, 2, root) == 1
    (root / "rtl/file.sv").write_text("2\n")
    assert begun.seed(PART, 3, root) == 3
    begun.ended(PART)
    assert begun.seed(PART, 4, root) == 4


def test_only_numbers_and_names_are_kept():
    assert kept.plain({"programs": 3, "share": 0.5, "said": "x", "failed": ["one"], "none": [],
                       "fuzz": [{"target": "onnx", "crashes": 0, "path": "/a/b", "findings": []}]}) == {
        "programs": 3, "share": 0.5, "fuzz": [{"target": "onnx", "crashes": 0}]}


def options(**fields):
    return argparse.Namespace(**{"quick": False, "hours": 0, "seed": 1, "minutes": 1, **fields})


def test_what_could_end_too_late_is_not_begun():
    night = nightly.Night(options(hours=1), [Part("a", "", "tests/a.py", share=61, cores=1)])
    night.run()
    assert night.ends[0][2].startswith("not begun") and not night.figures


def test_figures_are_kept_when_a_part_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(nightly, "run", lambda part, options, seed: (None, {"mutants": 10000, "disagreements": []}, 30))
    for module, name in ((kept, "FILE"), (page, "FILE")):
        monkeypatch.setattr(module, name, tmp_path / f"{module.__name__}.txt")
    monkeypatch.setattr(kept.keep, "__defaults__", (tmp_path / "kept.txt",))
    monkeypatch.setattr(kept.read, "__defaults__", (tmp_path / "kept.txt",))
    monkeypatch.setattr(kept.Begun.__init__, "__defaults__", (tmp_path / "begun.json",))
    night = nightly.Night(options(seed=None), [part for part in PARTS if part.name == "mutants"])
    night.run()
    assert kept.read()["mutants"]["goals"]["mutants"] == 10000 and "| mutants | mutants | 10,000 | >= 10,000 |" in page.FILE.read_text()
    assert not kept.read(tmp_path / "begun.json")


def test_all_parts_fit_into_the_night():
    assert [part.cores for part in PARTS] == sorted(part.cores for part in PARTS)
    assert page.together(lambda part: part.share) <= 60 * HOURS


def test_parts_of_one_core_take_turns(monkeypatch):
    monkeypatch.setattr(page, "PARTS", [Part(name, "", "", cores=cores, share=share) for name, cores, share in
                                        (("a", 1, 3), ("b", 1, 5), ("c", 1, 4), ("d", 2, 10))])
    assert page.together(lambda part: part.share) == 17


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_part_says_what_it_tests(part):
    assert part.tests and not [path for path in part.tests if not (ROOT / path).exists()]
    source = pathlib.PurePath(part.source)
    assert any(source.is_relative_to(path) for path in part.tests)


def test_the_page_is_of_the_figures():
    figures = kept.read()
    assert set(figures) <= {part.name for part in PARTS}
    assert page.FILE.read_text() == page.text(figures)
    for name, each in figures.items():
        assert set(each["goals"]) == {goal.name for goal in GOALS if goal.part == name}, f"{name} has other goals now: run it again"
