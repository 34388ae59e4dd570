"""The tests under the sanitizers: `./dev test --asan`, then `./dev test --tsan`, whole.

Prints and writes how many tests ran and which failed: {sanitizers: [{sanitizer, tests, failures}], failed: [...]}. Ends
with 3 where one failed or where nothing ran.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
SANITIZERS = ["asan", "tsan"]


def read(folder):
    """(tests that ran, those of them that failed), of the JUnit files of ctest and of GoogleTest."""
    ran, failed = 0, []
    for file in sorted(folder.glob("*.xml")):
        for case in xml.etree.ElementTree.parse(file).iter("testcase"):
            if case.get("status") in ("notrun", "disabled"):
                continue
            ran += 1
            if case.find("failure") is not None or case.get("status") == "fail":
                failed.append(case.get("name"))
    return ran, failed


def judge(sanitizer, code, folder):
    """The row of a run that ended with `code`, and what failed in it."""
    ran, failed = read(folder)
    failed = [f"{sanitizer}: {name}" for name in failed]
    # A finding can end the program that would have written which test it was.
    if code and not failed:
        failed = [f"{sanitizer}: ended with {code}"]
    if not ran and not failed:
        failed = [f"{sanitizer}: no test ran"]
    return {"sanitizer": sanitizer, "tests": ran, "failures": len(failed)}, failed


def run(sanitizer):
    folder = ROOT / "build" / sanitizer / "results"
    for file in folder.glob("*.xml"):
        file.unlink()
    code = subprocess.run(["./dev", "test", f"--{sanitizer}"], cwd=ROOT, stdout=sys.stderr).returncode
    return judge(sanitizer, code, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=SANITIZERS, help="the tests of one")
    parser.add_argument("--json", help="file for the figures")
    options = parser.parse_args()
    rows, failed = [], []
    for sanitizer in [options.only] if options.only else SANITIZERS:
        row, wrong = run(sanitizer)
        rows.append(row)
        failed += wrong
    print(f"{'sanitizer':10} {'tests':>6} {'failures':>9}")
    for row in rows:
        print(f"{row['sanitizer']:10} {row['tests']:6} {row['failures']:9}")
    print(*failed, sep="\n")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"sanitizers": rows, "failed": failed}, indent=1) + "\n")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
