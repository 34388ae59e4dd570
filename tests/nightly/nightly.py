#!/usr/bin/env python3
"""The long sets, one after the other, and their figures against the goals.

    ./dev nightly [NAME...]

Ends with 3 where a figure does not hold its goal: also where a part is not in the tree, ended badly or exceeded its time.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from parts import GOALS, PARTS, ROOT

LISTS = ("fuzz", "formal", "faults", "sanitizers")  # keys of --json that several parts may add entries to
NUMBERS = ("mutants", "differential_programs", "differential_configs", "compiler_graphs", "rtl_line_coverage",
           "cpp_line_coverage", "mutation_mutants", "mutation_caught", "mutation_unexplained")


def run(part, options):
    """(how it ended, its figures): None where it did as it should."""
    if part.prepare and subprocess.run(part.prepare, cwd=ROOT).returncode:
        return f"{' '.join(part.prepare)} failed", {}
    if not part.file.exists():
        return f"{part.file} is not there", {}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "figures.json"
        process = subprocess.Popen(part.line(options.quick, options.minutes, file), cwd=ROOT, start_new_session=True)
        try:
            code = process.wait(timeout=60 * part.limit)
        except (subprocess.TimeoutExpired, KeyboardInterrupt) as reason:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(reason, KeyboardInterrupt):
                raise
            return f"ended after {part.limit} minutes", {}
        figures = json.loads(file.read_text()) if file.exists() else {}
    return (f"ended with {code}" if code else None if figures else "wrote no figures"), figures


def merge(merged, part, figures):
    """The keys of --json, of all parts: lists are joined, disagreements are counted and added up. A part's own figures
    stand whole under `parts`."""
    merged.setdefault("parts", {})[part.name] = figures
    if part.disagreements in figures:
        merged["disagreements"] = merged.get("disagreements", 0) + len(figures[part.disagreements])
    for name in LISTS:
        if name in figures:
            merged[name] = merged.get(name, []) + figures[name]
    merged.update({name: figures[name] for name in NUMBERS if name in figures})


def judge(goals, figures, quick):
    """One row a goal: its figure (None where there is none) and whether it holds."""
    for goal in goals:
        try:
            value = goal.value(figures)
        except KeyError:
            value = None
        verdict = "NO FIGURE" if value is None else "holds" if goal.met(value) else "short" if quick and goal.amount \
            else "DOES NOT HOLD"
        yield goal, value, verdict


def number(value):
    return "-" if value is None else f"{value:,.3f}" if isinstance(value, float) else f"{value:,}"


def table(ends, rows):
    lines = [f"{'part':<14}{'seconds':>9}  ended"]
    lines += [f"{name:<14}{seconds:>9.0f}  {end or 'well'}" for name, seconds, end in ends]
    lines += ["", f"{'figure':<34}{'value':>12}{'goal':>12}  {'':<14}source"]
    lines += [f"{goal.name:<34}{number(value):>12}{goal.sign + ' ' + number(goal.limit):>12}  {verdict:<14}{goal.source}"
              for goal, value, verdict in rows]
    return "\n".join(lines)


def list_parts():
    for part in PARTS:
        command = [part.program or part.source, *part.full]
        print(f"{part.name:<14}{part.what}\n{'':<14}{' '.join(command)}, at most {part.limit} minutes")
        for goal in (g for g in GOALS if g.part == part.name):
            print(f"{'':<14}{goal.name} {goal.sign} {number(goal.limit)} (docs/trust.md: {goal.source})")


def main():
    parser = argparse.ArgumentParser(prog="dev nightly", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts (default: all; --list shows them)")
    parser.add_argument("--quick", action="store_true", help="the short form of each; goals of how much is tried are not held")
    parser.add_argument("--minutes", type=int, default=10, help="of fuzzing, for each target (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the figures to FILE")
    parser.add_argument("--list", action="store_true", help="the parts, their commands and goals")
    options = parser.parse_args()
    unknown = set(options.names) - {part.name for part in PARTS}
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {' '.join(part.name for part in PARTS)}")
    if options.list:
        return list_parts()
    chosen = [part for part in PARTS if not options.names or part.name in options.names]
    ends, figures = [], {}
    for place, part in enumerate(chosen, 1):
        print(f"== {part.name}, {place} of {len(chosen)}: {part.what}", file=sys.stderr, flush=True)
        start = time.monotonic()
        end, own = run(part, options)
        ends.append((part.name, time.monotonic() - start, end))
        merge(figures, part, own)
    rows = list(judge([g for g in GOALS if g.part in {part.name for part in chosen}], figures, options.quick))
    print("\n" + table(ends, rows))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    failed = any(end for _, _, end in ends) or any(verdict not in ("holds", "short") for _, _, verdict in rows)
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
