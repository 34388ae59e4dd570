"""C++ line coverage: every test of the `coverage` build, then llvm-cov over all of its programs."""
import collections
import os
import pathlib
import re
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


def lines():
    """{(file of the tree, line): how often it ran}; tests and what is generated are none of it."""
    merged = PROFILES / "all.profdata"
    profiles = PROFILES.glob("*.profraw")
    subprocess.run([f"llvm-profdata-{VERSION}", "merge", "-sparse", *profiles, "-o", merged], check=True)
    first, *others = programs()
    exported = subprocess.run([f"llvm-cov-{VERSION}", "export", "-format=lcov", f"-instr-profile={merged}", first,
                               *(f"-object={path}" for path in others)], check=True, capture_output=True, text=True)
    counts = collections.Counter()
    for name, records in re.findall(r"^SF:(.*)\n((?:(?!end_of_record).*\n)*)", exported.stdout, re.M):
        path = pathlib.Path(name)
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] not in ("build", "tests"):
            for line, count in re.findall(r"^DA:(\d+),(\d+)", records, re.M):
                counts[str(path.relative_to(ROOT)), int(line)] += int(count)
    return counts
