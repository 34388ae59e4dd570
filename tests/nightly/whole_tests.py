"""Files of tests of `./dev test`, in their long form and with no test left out.

    tests/nightly/whole_tests.py [--short] [--json FILE] FILE...

Prints and writes how many tests passed and which failed or were skipped: {tests, failed: [...]}. Ends with 3 where there is
one of those, or where nothing ran.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]


def judge(file):
    """(tests that passed, those that failed or were skipped), of pytest's JUnit file."""
    passed, failed = 0, []
    for case in xml.etree.ElementTree.parse(file).iter("testcase"):
        wrong = [kind for kind in ("failure", "error", "skipped") if case.find(kind) is not None]
        passed += not wrong
        failed += [f"{case.get('name')}: {kind}" for kind in wrong]
    return passed, failed if passed or failed else ["no test ran"]


def run(files, environment):
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "results.xml"
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, f"--junitxml={results}"], cwd=ROOT,
                       stdout=sys.stderr, env={**os.environ, **environment})
        return judge(results) if results.exists() else (0, ["no test ran"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of tests, by its path in the tree")
    parser.add_argument("--short", action="store_true", help="what `./dev test` runs of them")
    parser.add_argument("--json", metavar="FILE", help="file for the figures")
    options = parser.parse_args()
    passed, failed = run(options.files, {} if options.short else {"TENON_LONG": "1"})
    print(f"{passed} tests passed, {len(failed)} did not", *failed, sep="\n")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"tests": passed, "failed": failed}, indent=1) + "\n")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
