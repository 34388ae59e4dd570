"""Places in C++ where a mutant may stand, found in clang's syntax tree.

Built-in operators, conditions, numbers, statements that stand alone. Not in macros, nor where a constant expression
is asked for (what is left of those does not compile and is drawn again).
"""
import ctypes.util
import json
import pathlib
import re
import shlex

from clang import cindex
from clang.cindex import CursorKind, TypeKind

from sites import ROOT, Site, line_at

# Debian's package of the compiler that builds the tree.
cindex.Config.set_library_file(ctypes.util.find_library("clang-22") or "/usr/lib/llvm-22/lib/libclang-22.so.1")

SWAPS = {"+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"],
         "^": ["&"], "&&": ["||"], "||": ["&&"], "==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"],
         ">": [">=", "<="], ">=": [">", "<"], "+=": ["-="], "-=": ["+="], "*=": ["+="], "|=": ["&="], "&=": ["|="],
         "<<=": [">>="], ">>=": ["<<="], "^=": ["&="]}
SKIPPED = {CursorKind.STATIC_ASSERT, CursorKind.ENUM_DECL, CursorKind.TEMPLATE_NON_TYPE_PARAMETER}
BINARY = {CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR}
CONDITIONAL = {CursorKind.IF_STMT, CursorKind.WHILE_STMT}
ARRAYS = {TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY}
SEVERAL = {CursorKind.INIT_LIST_EXPR, CursorKind.DECL_STMT, CursorKind.LAMBDA_EXPR}


class Finder:
    """Sites of a file, read from `path`."""

    def __init__(self, file, path):
        self.file, self.path, self.source, self.sites = file, str(path), path.read_bytes(), {}

    def run(self, unit):
        own = [c for c in unit.cursor.get_children() if c.location.file and c.location.file.name == self.path]
        self.macros = [self.extent(c) for c in own if c.kind == CursorKind.MACRO_INSTANTIATION]
        for cursor in own:
            if not cursor.kind.is_preprocessing():
                self.walk(cursor)
        return list(self.sites.values())

    @staticmethod
    def extent(cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def text(self, cursor):
        start, end = self.extent(cursor)
        return self.source[start:end].decode()

    def add(self, cursor, to, kind):
        start, end = self.extent(cursor)
        if start < end and not any(s < end and start < e for s, e in self.macros):
            site = Site(self.file, start, end, self.text(cursor), to, kind, line_at(self.source, start))
            self.sites[start, end, to] = site

    def walk(self, cursor):
        kind, parts = cursor.kind, list(cursor.get_children())
        if kind in SKIPPED or (kind.is_declaration() and re.match(r"[^({;=]*\bconstexpr\b", self.text(cursor))):
            return
        if kind == CursorKind.CASE_STMT or (kind.is_declaration() and cursor.type.kind in ARRAYS):
            parts = [p for p in parts[kind == CursorKind.CASE_STMT:] if p.kind != CursorKind.INTEGER_LITERAL]
        self.mutate(cursor, kind, parts)
        for part in parts:
            if kind == CursorKind.COMPOUND_STMT and part.kind.is_expression():
                self.add(part, "", "statement")
            self.walk(part)

    def mutate(self, cursor, kind, parts):
        if kind in BINARY and len(parts) == 2:
            self.binary(cursor, *parts)
        elif kind == CursorKind.UNARY_OPERATOR and self.text(cursor)[:1] in "!-~":
            self.add(cursor, self.text(parts[0]), "operator")
        elif kind in CONDITIONAL and parts and parts[0].kind.is_expression():
            self.add(parts[0], f"!({self.text(parts[0])})", "condition")
        elif kind == CursorKind.CONDITIONAL_OPERATOR:
            self.add(parts[0], f"!({self.text(parts[0])})", "condition")
        elif kind == CursorKind.INTEGER_LITERAL:
            self.number(cursor)
        elif kind == CursorKind.CXX_BOOL_LITERAL_EXPR:
            self.add(cursor, {"true": "false", "false": "true"}.get(self.text(cursor)), "number")

    def binary(self, cursor, left, right):
        sign = self.source[left.extent.end.offset:right.extent.start.offset].decode().strip()
        for other in SWAPS.get(sign, []):
            self.add(cursor, f"{self.text(left)} {other} {self.text(right)}", "operator")
        if sign in ("&&", "||"):
            self.add(cursor, self.text(left), "operand")
            self.add(cursor, self.text(right), "operand")

    def number(self, cursor):
        match = re.fullmatch(r"(0x[0-9a-fA-F]+|\d+)(\w*)", self.text(cursor).replace("'", ""))
        if match:
            value = int(match.group(1), 0)
            for other in {value + 1, max(value - 1, 0)} - {value}:
                self.add(cursor, f"{other}{match.group(2)}", "number")


def commands(build):
    """(file, arguments) of each unit of compile_commands.json."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        words = [w for w in words[1:] if "ccache" not in w and "clang++" not in w]
        stop = words.index("-o")
        yield pathlib.Path(entry["file"]), entry["directory"], words[:stop]


def resources():
    return next(pathlib.Path("/usr/lib/llvm-22/lib/clang").glob("*"))


def find(files, build):
    """The sites of files of the tree; of a header, as the first unit that includes it sees it."""
    wanted, found, index = set(files), [], cindex.Index.create()
    for path, directory, arguments in commands(build):
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else ""
        if not wanted & {name, *(f for f in wanted if f.endswith(".h") and pathlib.Path(f).parent == pathlib.Path(name).parent)}:
            continue
        unit = index.parse(str(path), [*arguments, f"-working-directory={directory}", f"-resource-dir={resources()}"],
                           options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        bad = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if bad:
            raise RuntimeError(f"{name}: {bad[0]}")
        included = {str(ROOT / f): f for f in wanted}
        seen = {name} | {included[str(i.include.name)] for i in unit.get_includes() if str(i.include.name) in included}
        for file in sorted(seen & wanted):
            found += Finder(file, ROOT / file).run(unit)
            wanted.remove(file)
    return found
