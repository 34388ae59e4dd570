# Part of Tenon, under the Apache License v2.0.
"""The conformance table: of each suite how many cases are in scope, pass, fail and are out of scope, with the reasons.

`--json FILE` writes {suites: [{name, in_scope, passed, failed, out_of_scope}], cases: [{suite, name, status, reason}]}, where status is
passed, failed or out-of-scope.  The exit code is 3 where a case does not do what tests/conformance/missing says.
"""
import argparse
import collections
import json
import re
import sys
import warnings

import cases
import data_cases
import model_cases
import operator_cases

SUITES = {suite.NAME: suite for suite in (operator_cases, data_cases, model_cases)}


def run_suite(suite, patterns=(), chosen=lambda every: every):
    """(name, status, reason) of each case whose name one of the patterns matches, or of those chosen from them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the cases' own arithmetic
        everything = chosen([case for case in suite.cases() if not patterns or any(re.search(p, case.name) for p in patterns)])
    left_out = {case.name: reason for case in everything if (reason := cases.outside(case))}
    results = cases.run_all([case for case in everything if case.name not in left_out], getattr(suite, "run", cases.run_case))
    rows = [(name, "failed" if reason else "passed", reason or "") for name, reason in results.items()]
    return rows + [(name, "out-of-scope", reason) for name, reason in left_out.items()]


def surprises(suite, chosen=lambda every: every):
    """What a suite's cases, or those chosen from them, do that the committed table does not say, as one text."""
    rows = run_suite(suite, chosen=chosen)
    results = {case: reason for case, status, reason in rows if status != "out-of-scope"}
    assert results, "the suite has no cases"
    return "\n".join(cases.unexpected(results, cases.missing(suite.NAME)))


def summary(name, rows):
    count = collections.Counter(status for _, status, _ in rows)
    return {"name": name, "in_scope": count["passed"] + count["failed"], "passed": count["passed"], "failed": count["failed"],
            "out_of_scope": count["out-of-scope"]}


def table(tables):
    lines = [f"{'suite':20} {'in scope':>9} {'passed':>9} {'failed':>9} {'out of scope':>13}"]
    for name, rows in tables.items():
        s = summary(name, rows)
        share = f" {100 * s['passed'] / s['in_scope']:6.2f} %" if s["in_scope"] else ""
        lines.append(f"{name:20} {s['in_scope']:9} {s['passed']:9} {s['failed']:9} {s['out_of_scope']:13}{share}")
    for name, rows in tables.items():
        reasons = collections.Counter(reason for _, status, reason in rows if status == "out-of-scope")
        lines += [f"\n{name}, out of scope:"] * bool(reasons) + [f"  {count:5} {reason}" for reason, count in reasons.most_common()]
        known = cases.missing(name)
        failed = [(case, known.get(case, reason)) for case, status, reason in rows if status == "failed"]
        lines += [f"\n{name}, failed:"] * bool(failed) + [f"  {case}: {reason}" for case, reason in failed]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="./dev conformance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patterns", nargs="*", metavar="REGEX", help="cases whose names match one; default: all")
    parser.add_argument("--suite", action="append", choices=SUITES, help="these suites; default: all")
    parser.add_argument("--json", metavar="FILE", help="write the results, '-': to stdout instead of the table")
    options = parser.parse_args()
    tables, wrong = {}, []
    for name in options.suite or SUITES:
        tables[name] = run_suite(SUITES[name], options.patterns)
        results = {case: reason for case, status, reason in tables[name] if status != "out-of-scope"}
        wrong += [f"{name}: {line}" for line in cases.unexpected(results, cases.missing(name))]
    if options.json:
        facts = {"suites": [summary(name, rows) for name, rows in tables.items()],
                 "cases": [{"suite": name, "name": case, "status": status, "reason": reason}
                           for name, rows in tables.items() for case, status, reason in rows]}
        with open(sys.stdout.fileno() if options.json == "-" else options.json, "w", encoding="utf-8") as f:
            json.dump(facts, f, indent=1)
    if options.json != "-":
        print(table(tables))
    for line in wrong:
        print(f"unexpected: {line}", file=sys.stderr)
    return 3 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
