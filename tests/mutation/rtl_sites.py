"""Places in SystemVerilog where a mutant may stand, found in slang's syntax tree.

Of continuous assignments, always blocks and connections of ports: operators, conditions, sized numbers, non-blocking
assignments, handshakes. Not of what is settled before simulation: parameters, generate conditions, loop heads,
widths, selects, labels of cases, assertions, expressions of nothing but parameters and loop variables; nor of `unused`, which is for
the lint.
"""
import re

from pyslang import SourceManager, Bag, parsing, syntax

from sites import ROOT, Site, line_at

SWAPS = {
    "AddExpression": ("+", ["-"]), "SubtractExpression": ("-", ["+"]), "MultiplyExpression": ("*", ["+"]),
    "LogicalShiftLeftExpression": ("<<", [">>"]), "LogicalShiftRightExpression": (">>", ["<<"]),
    "ArithmeticShiftRightExpression": (">>>", [">>"]),
    "BinaryAndExpression": ("&", ["|"]), "BinaryOrExpression": ("|", ["&"]), "BinaryXorExpression": ("^", ["&"]),
    "LogicalAndExpression": ("&&", ["||"]), "LogicalOrExpression": ("||", ["&&"]),
    "EqualityExpression": ("==", ["!="]), "InequalityExpression": ("!=", ["=="]),
    "LessThanExpression": ("<", ["<=", ">="]), "LessThanEqualExpression": ("<=", ["<", ">"]),
    "GreaterThanExpression": (">", [">=", "<="]), "GreaterThanEqualExpression": (">=", [">", "<"]),
}
UNARY = {"UnaryLogicalNotExpression": "!!({})", "UnaryBitwiseNotExpression": "{}", "UnaryMinusExpression": "{}",
         "UnaryBitwiseAndExpression": "|{}", "UnaryBitwiseOrExpression": "&{}"}
STARTS = {"ContinuousAssign", "AlwaysFFBlock", "AlwaysCombBlock", "NamedPortConnection"}
SKIPPED = {"ParameterDeclaration", "ParameterDeclarationStatement", "ParameterValueAssignment", "VariableDimension",
           "ElementSelect", "BitSelect", "SimpleRangeSelect", "AscendingRangeSelect", "DescendingRangeSelect",
           "EventControlWithExpression", "InitialBlock", "FinalBlock", "DataDeclaration"}
HANDSHAKE = re.compile(r"^\w*(valid|ready|take|done|push|pop|advance)(_[odq])?$")
CONSTANT_NAME = re.compile(r"^(tenon_pkg::)?[A-Z]\w*$")


def children(node):
    return [child for child in node if isinstance(child, syntax.SyntaxNode)]


class Finder:
    def __init__(self, file, source, tree):
        self.file, self.source, self.sites = file, source, {}
        self.settled = set()  # names of parameters, genvars and loop variables
        self.collect(tree.root)
        self.walk(tree.root, inside=False)

    def collect(self, node):
        kind = node.kind.name
        if kind in ("ParameterDeclaration", "ForVariableDeclaration"):
            self.settled.update(re.findall(r"(\w+)\s*(?:\[[^]]*\]\s*)?=[^=]", str(node)))
        if kind == "LoopGenerate":
            self.settled.add(re.search(r"genvar\s+(\w+)", str(node)).group(1))
        for child in children(node):
            self.collect(child)

    def is_settled(self, node):
        names = re.findall(r"(?<![\w'])[A-Za-z_$][\w$]*(?:::\w+)?", re.sub(r"'[bdhsBDHS]+[0-9a-fA-F_]+", "", str(node)))
        return bool(names) and all(n in self.settled or CONSTANT_NAME.match(n) or n.startswith("$") for n in names)

    def text(self, node):
        start, end = node.sourceRange.start.offset, node.sourceRange.end.offset
        return self.source[start:end].decode()

    def add(self, node, to, kind):
        start, end = node.sourceRange.start.offset, node.sourceRange.end.offset
        site = Site(self.file, start, end, self.source[start:end].decode(), to, kind, line_at(self.source, start))
        self.sites[start, end, to] = site

    def condition(self, node):
        text = self.text(node)
        for to in (f"!({text})", "1'b1", "1'b0"):
            self.add(node, to, "condition")

    def walk(self, node, inside):
        kind = node.kind.name
        parts = children(node)
        if kind in SKIPPED or (kind == "ContinuousAssign" and re.match(r"\s*assign unused\b", str(node))):
            return
        if kind in ("AlwaysFFBlock", "AlwaysCombBlock") and re.search(r"\bbegin : assertions\b", str(node)):
            return
        inside = inside or kind in STARTS
        if kind in ("IfGenerate", "LoopGenerate"):
            parts = [p for p in parts if p.kind.name in ("GenerateBlock", "ElseClause", "IfGenerate")]
        elif kind == "ForLoopStatement":
            parts = parts[-1:]
        elif kind in ("StandardCaseItem", "PatternCaseItem"):
            parts = parts[-1:]
        elif kind == "CastExpression":
            parts = parts[1:]
        elif kind == "MultipleConcatenationExpression":
            parts = parts[1:]
        elif kind == "InvocationExpression" and not re.match(r"\s*\$(un)?signed\b", str(node)):
            return
        elif kind.endswith("AssignmentExpression"):
            if inside:
                self.assignment(node, kind, parts)
            parts = parts[1:]
        elif inside:
            self.expression(node, kind, parts)
        for part in parts:
            self.walk(part, inside)

    def assignment(self, node, kind, parts):
        if kind == "NonblockingAssignmentExpression":
            self.add(node.parent, "", "assignment")  # with its semicolon
        elif node.parent.kind.name == "ContinuousAssign" and HANDSHAKE.match(str(parts[0]).strip()):
            for to in ("1'b0", "1'b1"):
                self.add(parts[1], to, "stuck")

    def expression(self, node, kind, parts):
        if kind == "ConditionalPredicate":
            if not self.is_settled(node):
                self.condition(node)
        elif kind in SWAPS and not self.is_settled(node):
            sign, others = SWAPS[kind]
            left, right = self.text(parts[0]), self.text(parts[-1])
            for other in others:
                self.add(node, f"{left} {other} {right}", "operator")
            if kind in ("LogicalAndExpression", "LogicalOrExpression"):
                self.add(node, left, "operand")
                self.add(node, right, "operand")
        elif kind in UNARY and not self.is_settled(node):
            self.add(node, UNARY[kind].format(self.text(parts[0])), "operator")
        elif kind == "IntegerVectorExpression":
            self.number(node)
        elif kind == "UnbasedUnsizedLiteralExpression":
            self.add(node, {"'0": "'1", "'1": "'0"}[self.text(node)], "number")

    def number(self, node):
        match = re.fullmatch(r"(\d+)'(s?)([bdh])([0-9a-fA-F_]+)", self.text(node))
        if not match:
            return
        bits, sign, base, digits = match.groups()
        value = int(digits.replace("_", ""), {"b": 2, "d": 10, "h": 16}[base])
        for other in {(value + 1) % 2**int(bits), (value - 1) % 2**int(bits)}:
            self.add(node, f"{bits}'{sign}d{other}", "number")


def find(file):
    """The sites of a file, of both its bodies where it asks for SYNTHESIS."""
    source, found = (ROOT / file).read_bytes(), {}
    for defines in ([], ["SYNTHESIS"]):
        options = parsing.PreprocessorOptions()
        options.predefines = defines
        bag = Bag()
        bag.preprocessorOptions = options
        tree = syntax.SyntaxTree.fromFile(str(ROOT / file), SourceManager(), bag)
        found.update(Finder(file, source, tree).sites)
    return list(found.values())
