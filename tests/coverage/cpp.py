"""C++ line coverage: every test of the `coverage` build, then llvm-cov over all of its programs."""
import json
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/coverage"
PROFILES = BUILD / "profiles"
VERSION = 22
TESTS = None  # every one


def prepare():
    """What the tests' environment has for it. One file a program (%m), merged as its processes end."""
    shutil.rmtree(PROFILES, ignore_errors=True)
    PROFILES.mkdir(parents=True)
    return {"LLVM_PROFILE_FILE": f"{PROFILES}/%4m.profraw"}


def programs():
    return sorted(path for path in (BUILD / "bin").iterdir() if path.is_file() and os.access(path, os.X_OK))


def measure():
    """{file of the tree: (lines, of them executed)}; tests and what is generated are none of it."""
    merged = PROFILES / "all.profdata"
    subprocess.run([f"llvm-profdata-{VERSION}", "merge", "-sparse", *PROFILES.glob("*.profraw"), "-o", merged], check=True)
    first, *others = programs()
    exported = subprocess.run([f"llvm-cov-{VERSION}", "export", "-summary-only", f"-instr-profile={merged}", first,
                               *(f"-object={path}" for path in others)], check=True, capture_output=True, text=True)
    lines = {}
    for file in json.loads(exported.stdout)["data"][0]["files"]:
        path = pathlib.Path(file["filename"])
        if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "build") and not path.is_relative_to(ROOT / "tests"):
            summary = file["summary"]["lines"]
            lines[str(path.relative_to(ROOT))] = (summary["count"], summary["covered"])
    return lines
