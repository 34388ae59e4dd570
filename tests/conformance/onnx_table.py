# Part of Tenon, under the Apache License v2.0.
"""docs/onnx.md: which operators there are, and what the suites of conformance say.  `--write` writes it.

Operators are read from the compiler's tables, versions and types from the onnx package, results from missing/: nothing runs.
"""
import argparse
import collections
import pathlib
import re
import warnings

from onnx import defs

import cases
import conformance
from common import HERE

ROOT = pathlib.Path(HERE).parents[1]
FRONTEND = ROOT / "compiler/lib/Frontend/ONNX"
DOCUMENT = ROOT / "docs/onnx.md"

SHORT = {"float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16"}
FLOATS, INTEGERS = ["f32", "f64", "f16", "bf16"], ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def entries(folder, pattern):
    """(domain, operator) of every entry of the tables in a folder's files."""
    found = [match for path in sorted(FRONTEND.glob(folder)) for match in re.findall(pattern, path.read_text(encoding="utf-8"))]
    assert found, f"{folder} has no tables"
    return {(domain, name) for domain, name in found}


def lowered():
    activations = {("", name) for _, name in entries("Lower/Activations.cpp", r'\n    \{(")(\w+)",\s*\d+,')}
    return entries("Lower/*.cpp", r'\{"(|com\.microsoft)",\s*"(\w+)",\s*\d+,') | activations


def first_lowered():
    """By operator of ai.onnx, the first version that is lowered."""
    first = {}
    for path in sorted(FRONTEND.glob("Lower/*.cpp")):
        pattern = r'\n    \{"(\w+)",\s*(\d+),' if path.name == "Activations.cpp" else r'\{"",\s*"(\w+)",\s*(\d+),'
        for name, since in re.findall(pattern, path.read_text(encoding="utf-8")):
            first[name] = min(int(since), first.get(name, int(since)))
    return first


EXPERIMENTAL = {("Upsample", 1)}  # of forms that nobody rewrites


def rewritten():
    """By operator, the version that its old forms become."""
    found = re.findall(r'\{"(\w+)",\s*(\d+),\s*upgrade', (FRONTEND / "UpgradeNodes.cpp").read_text(encoding="utf-8"))
    return {name: int(becomes) for name, becomes in found}


def defined():
    return entries("Definitions/*.cpp", r'\{"(|com\.microsoft)",\s*"(\w+)",\s*(?:"|[A-Z])')


def clustered():
    return entries("Registry.cpp", r'\{"(|com\.microsoft)",\s*"(\w+)",\s*\d+,\s*build')


def schemas():
    """All versions of each operator of ai.onnx, oldest first."""
    versions = collections.defaultdict(list)
    for schema in sorted(defs.get_all_schemas_with_history(), key=lambda schema: schema.since_version):
        if schema.domain == "" and not schema.deprecated:
            versions[schema.name].append(schema)
    return versions


def types(schema):
    """The element types of the first input (of the output, where there is none), shortened; a lowering holds neither strings nor complex numbers."""
    formal = (schema.inputs or schema.outputs)[0]
    names = {re.sub(r"^tensor\((\w+)\)$", r"\1", name) for name in formal.types}
    names = {SHORT.get(name, name) for name in names if not re.search(r"\(|^string$|^complex", name)}
    words = []
    for word, group in (("floats", FLOATS), ("integers", INTEGERS)):
        if names.issuperset(group):
            words.append(word)
            names -= set(group)
    order = FLOATS + INTEGERS + ["bool"]
    return ", ".join(words + sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name)))


# What is gone before nodes are lowered: another operator by now, a constant, or resolved to the tensors that it holds.
NORMALISED = {"Constant": "the importer", "Scatter": "CPU, as ScatterElements", "Upsample": "CPU, as Resize"}
RESOLVED = {"ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement", "SequenceAt", "SequenceConstruct", "SequenceEmpty",
            "SequenceErase", "SequenceInsert", "SequenceLength", "SplitToSequence"}


# Of integers between integers, and the host's all the same: a table, and a sum over channels.
HOSTS = {("", "Softmax")}


def place(key, schema, tables):
    """Where an operator runs; empty where it does not."""
    direct, bodies, clusters = tables
    clusters = clusters - HOSTS
    if key[1] in NORMALISED and not key[0]:
        return NORMALISED[key[1]]
    if key[1] in RESOLVED and not key[0]:
        return "the importer, where the tensors are known"
    if key in direct:
        return "CPU; quantised: accelerator" if key in clusters else "CPU"
    if key in bodies and key[1].startswith("QLinear") and ("", key[1].removeprefix("QLinear")) in clusters:
        return "CPU, as others; quantised: accelerator"
    by_function = schema is not None and (schema.has_function or schema.has_context_dependent_function)
    return "CPU, as others" if key in bodies or by_function else ""


def suite_rows():
    for name, suite in conformance.SUITES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            left_out = [cases.outside(case) for case in suite.cases()]
        count = sum(not reason for reason in left_out)
        yield name, count, cases.missing(name), collections.Counter(filter(None, left_out))


def document():
    tables = lowered(), defined(), clustered()
    lines = ["# ONNX", "",
             "Which operators Tenon runs, and what the suites of conformance say. Written by",
             "`tests/conformance/onnx_table.py --write`; `./dev conformance` runs the suites.", "", "## Conformance", "",
             "| suite | in scope | passed | failed | out of scope |", "|---|---|---|---|---|"]
    reasons, failures = [], []
    for name, count, failed, left_out in suite_rows():
        lines.append(f"| {name} | {count} | {count - len(failed)} ({100 - 100 * len(failed) / count:.1f} %) | {len(failed)} | {sum(left_out.values())} |")
        reasons += [f"| {name} | {reason} | {number} |" for reason, number in sorted(left_out.items())]
        failures += [f"| {name} | {case} | {reason} |" for case, reason in failed.items()]
    lines += ["", "What fails:", "", "| suite | case | why |", "|---|---|---|", *failures]
    lines += ["", "What is out of scope:", "", "| suite | why | cases |", "|---|---|---|", *reasons]
    lines += ["", "## ai.onnx, opsets 1 to 28", "",
              "Versions are those that run, types those of the first input in the newest one; floats are f32, f64, f16 and bf16,",
              "integers those of 8 to 64 bits. Floats of 16 bits and less are computed in f32 and rounded. A quantised operator is one",
              "between DequantizeLinear and QuantizeLinear, or a QLinear form; what the accelerator has no place for runs on the CPU,",
              "exactly.",
              "ConvTranspose before opset 11 splits an odd padding (auto_pad, output_shape) as since then, and as onnxruntime does; its text",
              "says the opposite.", "",
              "| operator | versions | element types | where |", "|---|---|---|---|"]
    without, first, older = [], first_lowered(), rewritten()
    for name, versions in sorted(schemas().items()):
        if where := place(("", name), versions[-1], tables):
            since = [version for version in (schema.since_version for schema in versions)
                     if (version >= first.get(name, 0) or version < older.get(name, 0)) and (name, version) not in EXPERIMENTAL]
            lines.append(f"| {name} | {', '.join(map(str, since))} | {types(versions[-1])} | {where} |")
        else:
            without.append(name)
    lines += ["", f"Not supported: {', '.join(without)}.", "", "## com.microsoft", "", "| operator | where |", "|---|---|"]
    ours = sorted(name for domain, name in tables[0] | tables[1] if domain == "com.microsoft")
    lines += [f"| {name} | {place(('com.microsoft', name), None, tables)} |" for name in ours]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/onnx.md instead of printing it")
    text = document()
    if parser.parse_args().write:
        DOCUMENT.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
