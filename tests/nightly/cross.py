"""The runtime for Arm: `./dev cross`, then tests/e2e/test_cross.py with no test left out.

Prints and writes how many tests ran and which failed or were skipped: {cross_tests, failed: [...]}. Ends with 3 where
there is one, or where nothing ran.
"""
import argparse
import json
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="file for the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "results.xml"
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "tests/e2e/test_cross.py",
                        f"--junitxml={file}"], stdout=sys.stderr)
        passed, failed = judge(file) if file.exists() else (0, ["no test ran"])
    print(f"{passed} tests passed on Arm, {len(failed)} did not", *failed, sep="\n")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"cross_tests": passed, "failed": failed}, indent=1) + "\n")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
