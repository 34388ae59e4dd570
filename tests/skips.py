# Part of Tenon, under the Apache License v2.0.
"""What a run of the tests did not do: every skip with its reason, and those that skips.txt does not list.

    tests/skips.py RESULTS    the files that `./dev test` leaves: JUnit of ctest, pytest and GoogleTest

Prints the table. With CI set, ends with 1 where a skip is not in the list: there, what is not tested must have been said
before. A script that is a test leaves a part out by `skipped`.
"""
import ast
import collections
import dataclasses
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIST = pathlib.Path(__file__).with_name("skips.txt")
SHARED = ROOT.parent / "shared"


@dataclasses.dataclass(frozen=True, order=True)
class Skip:
    """`file`: the one that decided it, as the checkout names it. In a reason of the list or of a source `*` stands for any text."""
    file: str
    reason: str

    def covers(self, other):
        pattern = ".*".join(map(re.escape, self.reason.split("*")))
        return self.file == other.file and re.fullmatch(pattern, other.reason, re.S) is not None


def skipped(file, reason):
    """Says that the script `file` leaves out a part of its test."""
    print(f"skipped: {inside(file)}: {reason}", flush=True)


def inside(file):
    """As the checkout names it; what a compiler names from the build's folder, too."""
    path = pathlib.Path(*(part for part in pathlib.Path(file).parts if part != ".."))
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def listed():
    """{skip of the list: the heading over it}."""
    skips, heading = {}, ""
    for line in LIST.read_text().splitlines():
        if line.startswith("== "):
            heading = line[3:]
        elif line and not line.startswith("#"):
            file, reason = line.split(" | ", 1)
            skips[Skip(file, reason)] = heading
    return skips


# ---- what a run left out

PLACE = re.compile(r"(\S[^\n]*?):\d+: (?:Skipped\n)?(.*)", re.S)  # pytest's, and GoogleTest's text
SAID = re.compile(r"^skipped: (\S+): (.*)$", re.M)
GOOGLETEST = re.compile(r"^(\S[^\n]*?:\d+: Skipped\n.*?)^\[  SKIPPED \]", re.M | re.S)


def placed(text):
    """A skip of 'FILE:LINE: REASON'."""
    found = PLACE.match(text)
    return Skip(inside(found[1]), found[2].strip()) if found else Skip("", text.strip())


def of_case(case):
    """The skips of one JUnit test case."""
    output, mark = case.findtext("system-out") or "", case.find("skipped")
    if mark is not None and case.get("status") == "notrun":  # ctest's
        found = GOOGLETEST.search(output)
        yield placed(found[1]) if found else Skip("", output.strip() or mark.get("message"))
    elif mark is not None:
        text = mark.text or mark.get("message")
        yield placed(text.replace("\n", ": Skipped\n", 1) if case.get("result") == "skipped" else text)
    elif case.get("status") == "disabled" or case.get("result") == "suppressed":
        yield Skip("", "disabled")
    for file, reason in SAID.findall(output):
        yield Skip(file, reason)


def left_out(folder):
    """[(test, skip)] of the JUnit files in a folder and those in it; a file of pytest is named as its ctest test."""
    found = []
    for file in sorted(folder.rglob("*.xml")):
        owner = f"{file.stem}: " if file.parent != folder else ""
        for case in xml.etree.ElementTree.parse(file).iter("testcase"):
            found += [(owner + case.get("name"), skip) for skip in of_case(case)]
    return found


def table(found, known):
    """Every reason, how many tests it left out and which."""
    tests = collections.defaultdict(list)
    for test, skip in found:
        tests[skip].append(test)
    lines = []
    for skip, names in sorted(tests.items()):
        why = next((heading for entry, heading in known.items() if entry.covers(skip)), "NOT IN tests/skips.txt")
        lines.append(f"{len(names):5}  {skip.reason} ({skip.file or 'ctest'}; {why})")
        lines += [f"         {name}" for name in names]
    return "\n".join(lines)


def report(folder, there=SHARED.is_dir(), ci=bool(os.environ.get("CI"))):
    """Prints what was left out; the exit status. `there`: whether ../shared is."""
    found, known = left_out(folder), listed()
    unknown = sorted({skip for _, skip in found if not any(entry.covers(skip) for entry in known)})
    if not there:
        by_it = sum("../shared" in skip.reason for _, skip in found)
        print(f"../shared is not there: its networks, pictures and tools test nothing, and {by_it} of what follows is left out by that")
    print(f"{len(found)} tests or parts of tests were skipped" + (":" if found else ""))
    if found:
        print(table(found, known))
    if unknown and ci:
        print("With CI set, every skip must be in tests/skips.txt. These are not:", *unknown, sep="\n  ", file=sys.stderr)
    return 1 if unknown and ci else 0


# ---- what the sources can leave out

def words(node):
    """A text as the source writes it, with * for what is computed."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(words(part) for part in node.values)
    return "*"


def of_python(text):
    """Reasons of pytest.skip, pytest.mark.skip, skipif, importorskip and skipped."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        reason = next((word.value for word in node.keywords if word.arg == "reason"), None)
        if name == "skipped" and len(node.args) == 2:
            yield words(node.args[1])
        elif name in ("skip", "skipif", "skipTest"):
            yield words(reason or node.args[0])
        elif name == "importorskip":
            yield "could not import *"


def of_cpp(text):
    """Reasons of GTEST_SKIP() << ...; and tests that are switched off."""
    for streamed in re.findall(r"GTEST_SKIP\(\)(.*?);", text, re.S):
        parts = re.findall(r'<<\s*((?:"(?:[^"\\]|\\.)*"\s*)+|[^<]+)', streamed)
        yield "".join("".join(re.findall(r'"(.*?)"', part)) if part.startswith('"') else "*" for part in parts)
    yield from ["disabled"] * len(re.findall(r"\bTEST\w*\([^)]*DISABLED_", text))


def of_lit(text):
    yield from re.findall(r"(?:UNSUPPORTED|REQUIRES|XFAIL): *(.*)", text)


def of_cmake(text):
    yield from re.findall(r"\b(SKIP_RETURN_CODE|SKIP_REGULAR_EXPRESSION|DISABLED)\b", text)


READERS = {".py": of_python, ".cpp": of_cpp, ".h": of_cpp, ".mlir": of_lit, ".tasm": of_lit, "CMakeLists.txt": of_cmake}


def written(files):
    """The skips that sources of tests can make."""
    readers = [(path, READERS.get(path.suffix) or READERS.get(path.name)) for path in files]
    return {Skip(inside(path), reason) for path, reader in readers if reader for reason in reader(path.read_text())}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(report(pathlib.Path(sys.argv[1])))
