"""What faults.py says of runs that went wrong: each made by hand, beside those that are right."""
import collections
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import faults  # noqa: E402

VERB = faults.Verb("report", outputs=["r.html", "r.pftrace"])
NEW = {"r.html": b"a new page", "r.pftrace": b"new events"}
MESSAGE = "tenon: error: no space\n"


@pytest.mark.parametrize("code, message, files, wrong", [
    (0, "", NEW, None),
    (1, MESSAGE, {"r.html": faults.OLD}, None),
    (1, MESSAGE, {"r.html": NEW["r.html"]}, None),
    (1, MESSAGE, {}, "r.html is lost"),
    (1, MESSAGE, {"r.pftrace": NEW["r.pftrace"]}, "r.html is lost"),
    ("killed", "", {}, "r.html is lost"),
    (1, MESSAGE, {"r.html": b"a new"}, "r.html is half-written: 5 of 10 bytes"),
    (0, "", {"r.html": faults.OLD, "r.pftrace": NEW["r.pftrace"]}, "ends with 0 without its outputs"),
    (1, MESSAGE, {"r.html": faults.OLD, "r.html.tmp": b""}, "leaves ['r.html.tmp']"),
    ("killed", "", {"r.html": faults.OLD, "r.html.7.new": NEW["r.html"]}, None),
    ("killed", "", {"r.html": faults.OLD, "r.html.7.new": b"a new"}, "leaves ['r.html.7.new']"),
    (1, MESSAGE, {"r.html": faults.OLD, "r.html.7.new": NEW["r.html"]}, "leaves ['r.html.7.new']"),
    (1, "", {"r.html": faults.OLD}, "0 messages"),
    (70, MESSAGE, {"r.html": faults.OLD}, "ends with 70")])
def test_judged(tmp_path, code, message, files, wrong):
    bench = faults.Bench.__new__(faults.Bench)  # without the runs of tenon that it begins with
    bench.work, bench.tried, bench.bad, bench.good = tmp_path, collections.Counter(), [], {"report": NEW}
    bench.folder().mkdir()
    for name, content in files.items():
        (bench.folder() / name).write_bytes(content)
    bench.judge(VERB, "kill" if code == "killed" else "write", 1, subprocess.CompletedProcess([], code, "", message))
    assert (not bench.bad if wrong is None else wrong in bench.bad[0]), bench.bad
