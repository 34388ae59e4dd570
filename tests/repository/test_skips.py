"""tests/skips.txt is what the tests can skip, and a run that skips something else fails where CI is set."""
import os
import pathlib
import subprocess
import sys

import pytest

from test_tree import FILES, ROOT

sys.path.insert(0, str(ROOT / "tests"))
import skips  # noqa: E402
from skips import Skip  # noqa: E402

# As ctest 3.25 and GoogleTest 1.12 write them.
CTEST = """<testsuite><testcase name="Board.RunsAWholeNetwork" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>Note: Google Test filter = Board.RunsAWholeNetwork
[ RUN      ] Board.RunsAWholeNetwork
{root}/tests/fpga/serial/board_test.cpp:199: Skipped
{reason}
[  SKIPPED ] Board.RunsAWholeNetwork (0 ms)
</system-out></testcase><testcase name="A.B" status="run"><system-out>[       OK ] A.B
skipped: tests/trust/mutants.py: ../shared/models/x is not there
</system-out></testcase></testsuite>"""
LISTED = "../shared/models or TENON_KWS is not there: x"


def test_the_list_is_what_the_sources_can_skip():
    sources = skips.written(path for path in FILES if path.is_file() and path.is_relative_to(ROOT / "tests"))
    listed = set(skips.listed())
    assert sources - listed == set(), "not in tests/skips.txt: better, let the test need what it needs"
    assert listed - sources == set(), "in tests/skips.txt, but nothing skips for that any more"
    assert all(skips.listed().values()), "an entry without the reason over it"


@pytest.mark.parametrize("source, suffix, reasons", [
    ('pytest.skip("a b")\npytest.skip(f"{x} is {y:3}")\npytest.skip(str(x))', ".py", ["a b", "* is *", "*"]),
    ('@pytest.mark.skipif(x, reason="old")\ndef test(): pass\nx = pytest.importorskip("y")', ".py", ["old", "could not import *"]),
    ('skipped(__file__, f"no {x}")', ".py", ["no *"]),
    ('GTEST_SKIP() << "no " << path() << " here";\nTEST(A, DISABLED_B) {}', ".cpp", ["no * here", "disabled"]),
    ("// REQUIRES: x86", ".mlir", ["x86"]), ("set_tests_properties(a PROPERTIES SKIP_RETURN_CODE 77)", "CMakeLists.txt", ["SKIP_RETURN_CODE"])])
def test_skips_are_found(source, suffix, reasons):
    assert sorted(skips.READERS[suffix](source)) == sorted(reasons)


def report(folder, ci, there=True):
    """What `skips.py` says of a folder: (exit status, text)."""
    done = subprocess.run([sys.executable, "-c", f"import pathlib, skips; raise SystemExit(skips.report(pathlib.Path({str(folder)!r}), there={there}))"],
                          cwd=ROOT / "tests", env={**{k: v for k, v in os.environ.items() if k != "CI"}, **({"CI": "true"} if ci else {})},
                          capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("root", [ROOT, "../.."])  # as compilers name it: whole, or from the build's folder
def test_a_listed_skip_is_told(tmp_path, root):
    (tmp_path / "ctest.xml").write_text(CTEST.format(root=root, reason=LISTED))
    status, text = report(tmp_path, ci=True)
    assert status == 0 and text.startswith("2 tests or parts of tests were skipped:\n")
    assert f"    1  {LISTED} (tests/fpga/serial/board_test.cpp; networks, pictures and tools" in text
    assert "         Board.RunsAWholeNetwork\n" in text and "../shared/models/x is not there (tests/trust/mutants.py; " in text
    assert report(tmp_path, ci=False, there=False)[1].startswith("../shared is not there: its networks, pictures and tools test "
                                                                 "nothing, and 2 of what follows is left out by that\n")


@pytest.mark.parametrize("ci, status", [(True, 1), (False, 0)])
@pytest.mark.parametrize("text, said", [
    (CTEST.format(root=ROOT, reason="verilator is not in PATH"), "verilator is not in PATH"),
    ('<testsuite><testcase name="a" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>why</system-out></testcase></testsuite>', "why"),
    ('<testsuite><testcase name="a" status="disabled"><system-out>Disabled</system-out></testcase></testsuite>', "disabled"),
    ('<testsuites><testcase name="a" result="skipped" status="run"><skipped message="x"><![CDATA[/t/g.cpp:2\nnot here5]]></skipped>'
     "</testcase></testsuites>", "not here5 (/t/g.cpp")])
def test_another_skip_fails_under_ci(tmp_path, text, said, ci, status):
    (tmp_path / "ctest.xml").write_text(text)
    code, output = report(tmp_path, ci)
    assert code == status and said in output and "NOT IN tests/skips.txt" in output
    assert ("With CI set" in output) == ci


def test_a_file_of_which_every_case_skips_fails_under_ci(tmp_path):
    """pytest itself ends with 0 there."""
    (tmp_path / "test_it.py").write_text('import pytest\n@pytest.mark.parametrize("x", [1, 2])\ndef test_it(x):\n    pytest.skip("no tool")\n')
    (tmp_path / "results/pytest").mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={tmp_path}/results/pytest/e2e_it.xml",
                    tmp_path / "test_it.py"], check=True, capture_output=True)
    status, text = report(tmp_path / "results", ci=True)
    assert status == 1 and "2 tests or parts" in text and "e2e_it: test_it[1]\n" in text
    assert skips.left_out(tmp_path / "results")[0][1] == Skip(str(tmp_path / "test_it.py"), "no tool")


def test_every_pytest_of_ctest_writes_its_results():
    """add_test with pytest would pass by skips.py."""
    assert not [str(path) for path in FILES if path.name == "CMakeLists.txt" and "pytest -q" in pathlib.Path(path).read_text()]
