"""The diagnostics of the sources, and which of them a test expects.

A diagnostic is what is given to something that reports (REPORTERS): the string literals of one statement, adjacent ones
joined, cut at placeholders into pieces; the longest piece is its name. A test expects it where a literal of a test
contains one of its pieces, lies in one, or begins or ends within one (SHARED characters at least). Two statements of one file with the same longest piece are one diagnostic.
What has no piece of its own only passes others' messages on.

`python tests/repository/diagnostics.py` prints the figures and every diagnostic that no test expects; --prune takes out
of the list of exceptions what is not needed there any more.
"""
import argparse
import ast
import collections
import dataclasses
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXCEPTIONS = pathlib.Path(__file__).with_name("untested_diagnostics.txt")
SOURCES = ("isa", "sim", "runtime", "compiler", "tools")
# Calls that report or collect what is reported, and assignments of a reason for the CPU.
REPORTERS = re.compile(
    r"\b(?:\w*[eE]rror|[eE]rrorAt|[fF]ail\w*|refus\w*|invalid|die|reportUsage|add|begin|bad|wrong|undefined|reject\w*"
    r"|emitWarning|emitRemark|findings\.push_back|status)(?:<[^<>()]*>)?\s*(?=\()|\bWhy = (?=\{)")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((.*?)\)\1"|"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])+\'', re.S)
PLACEHOLDER = re.compile(r"\{[^{}]*\}|%[-+#0]*[\d.*]*(?:hh|h|ll|l|z)?[a-zA-Z]|\n")
# In a test's literal also what stands for anything in a pattern.
WILDCARD = re.compile(
    r"\{\{.*?\}\}|\{[^{}]*\}|\.[*+]\??|\\[dswDSW][*+]?|\[[^\]]*\][*+]?|%[-+#0]*[\d.*]*[a-zA-Z]|\\n|\n")
LEAST = 10  # characters of a piece that says something, two words at least
SHARED = 18  # of a piece that a test names in part
SURE = 14  # of a piece that stands for the whole, if it is not the longest


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    path: str
    name: str
    pieces: tuple = dataclasses.field(compare=False)

    @property
    def line(self):
        return f"{self.path} | {self.name}"


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)


def literals(text):
    """[(start, value)] of a C++ source's string literals, adjacent ones joined; comments are none."""
    found, end = [], 0
    for match in TOKEN.finditer(text):
        if match[0].startswith(("//", "/*", "'")):
            continue
        value = match[2] if match[0].startswith("R") else unescape(match[3])
        if found and not text[end:match.start()].strip():
            found[-1] = (found[-1][0], found[-1][1] + value)
        else:
            found.append((match.start(), value))
        end = match.end()
    return found


def without_literals(text):
    """The source with literals and comments blanked: brackets and semicolons in them do not count."""
    return TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def end_of(code, start):
    """Where ends what the bracket at `start` opens, and what is streamed into it."""
    depth = 0
    for place in range(start, len(code)):
        if code[place] in "([{":
            depth += 1
        elif code[place] in ")]}":
            depth -= 1
            if depth < 0 or depth == 0 and not re.match(r".\s*<<", code[place:place + 80], re.S):
                return place
        elif code[place] == ";" and depth == 0:
            return place
    return len(code)


def says(piece):
    return len(piece) >= LEAST and re.search(r"\S \S", piece)


def pieces_of(text, cut):
    pieces = (piece.strip(" ,;:'\"()") for piece in cut.split(text))
    return [piece for piece in pieces if says(piece)]


def diagnostics_of(path, text):
    code, found, spans = without_literals(text), {}, []
    for match in REPORTERS.finditer(code):
        if not spans or match.end() > spans[-1][1]:
            spans.append((match.end(), end_of(code, match.end())))
    values = literals(text)
    for start, end in spans:
        pieces = tuple(p for at, value in values if start < at < end for p in pieces_of(value, PLACEHOLDER))
        if pieces:
            diagnostic = Diagnostic(path, max(pieces, key=len), pieces)
            found.setdefault(diagnostic, diagnostic)
    return list(found)


def tracked(*folders):
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *folders], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    return [name for name in names if name and (ROOT / name).is_file()]


def diagnostics():
    """Of all sources, in the order of the files."""
    return [found for name in tracked(*SOURCES) if name.endswith((".cpp", ".h"))
            for found in diagnostics_of(name, (ROOT / name).read_text())]


def python_literals(text):
    tree = ast.parse(text)
    documentation = {id(node.body[0].value) for node in ast.walk(tree)
                     if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and node.body
                     and isinstance(node.body[0], ast.Expr)}
    return [node.value for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation]


def expected_of(name, text):
    """What a file of tests expects: its literals; of other texts its comments, which hold CHECKs and findings."""
    if name.endswith((".cpp", ".h")):
        return [value for _, value in literals(text)]
    if name.endswith(".py"):
        return python_literals(text)
    if name.endswith((".mlir", ".tasm", ".textproto")):
        # {{...}} is a pattern to FileCheck, and the text itself to -verify-diagnostics.
        return [re.sub(r"\{\{|\}\}", "\n", line) if "expected-" in line else line for line in text.splitlines()
                if line.lstrip().startswith(("//", ";", "#"))]
    return []


class Expectations:
    """All that tests expect, to be asked whether a diagnostic is among it."""

    def __init__(self, texts):
        self.fragments = {f for text in texts for f in pieces_of(re.sub(r"\\([^\w])", r"\1", text), WILDCARD)}
        self.everything = "\0".join([*self.fragments, *texts])
        self.ends = {f[at:] for f in self.fragments for at in range(len(f) - SHARED + 1)}
        self.beginnings = {f[:at] for f in self.fragments for at in range(SHARED, len(f) + 1)}

    def has_piece(self, piece):
        return piece in self.everything or any(fragment in piece for fragment in self.fragments) or any(
            piece[:length] in self.ends or piece[-length:] in self.beginnings for length in range(SHARED, len(piece)))

    def has(self, diagnostic):
        return any(self.has_piece(p) for p in diagnostic.pieces if len(p) >= SURE or p == diagnostic.name)


def expectations():
    texts = [text for name in tracked("tests") if not name.startswith("tests/repository/")
             for text in expected_of(name, (ROOT / name).read_text(errors="replace"))]
    return Expectations(texts)


def exceptions():
    """{line of a diagnostic: reason}; the file has a heading line `reason:` above each group."""
    found, reason = {}, None
    for line in EXCEPTIONS.read_text().splitlines():
        if line.startswith("== "):
            reason = line[3:]
        elif line and not line.startswith("#"):
            found[line] = reason
    return found


def prune(needed):
    kept = [line for line in EXCEPTIONS.read_text().splitlines()
            if not line or line.startswith(("#", "==")) or line in needed]
    EXCEPTIONS.write_text("\n".join(kept) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prune", action="store_true", help="take out exceptions that are not needed any more")
    options = parser.parse_args()
    expected, known = expectations(), exceptions()
    everything = diagnostics()
    untested = [d for d in everything if not expected.has(d)]
    for diagnostic in untested:
        if diagnostic.line not in known:
            print(diagnostic.line)
    if options.prune:
        prune({d.line for d in untested})
    print(f"{len(everything)} diagnostics, {len(everything) - len(untested)} expected by a test")
    for reason, count in collections.Counter(known.get(d.line, "not in the list") for d in untested).most_common():
        print(f"{count:6} {reason}")


if __name__ == "__main__":
    main()
