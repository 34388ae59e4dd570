#!/usr/bin/env python3
"""The long sets and their figures against the goals.

    ./dev nightly [NAME...]

Without names: the parts whose kept figures (tests/nightly/figures.json, docs/nightly.md) are not of this tree, do not hold
or are absent; so it goes on where it was cut off, each part with the seed that it was begun with. Figures are kept when a
part ends. All of it is made for four hours on two cores; parts that keep one core busy run two at a time. What parts print
goes to build/nightly/NAME.log. Ends with 3 where a figure does not hold its goal: also where a part is not in the tree,
ended badly or took three times its share of them.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import kept
import page
from parts import CORES, GOALS, PARTS, ROOT

sys.path.insert(0, str(ROOT / "tests"))
from commits import changed, commit  # noqa: E402
from seeds import of_commit  # noqa: E402

LOGS = ROOT / "build/nightly"
LISTS = ("fuzz", "formal", "faults", "sanitizers")  # keys of --json that several parts may add entries to
NUMBERS = ("mutants", "differential_programs", "differential_configs", "compiler_graphs", "rtl_line_coverage",
           "cpp_line_coverage", "mutation_mutants", "mutation_caught", "mutation_unexplained")


def ended(process, limit):
    """The exit code of a process group, None where it exceeded its minutes; and the seconds of processor time it took."""
    timer = threading.Timer(60 * limit, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    finally:
        late = not timer.is_alive()
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return None if late else process.returncode, usage.ru_utime + usage.ru_stime


def run(part, options, seed):
    """(how it ended, its figures, seconds of processor time): None where it did as it should."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{part.name}.log"
    environment = {**os.environ, "TENON_JOBS": str(part.cores)}
    with tempfile.TemporaryDirectory() as folder, open(log, "w") as output:
        file = pathlib.Path(folder) / "figures.json"

        def started(command):
            return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output, start_new_session=True)
        begin, before = time.monotonic(), 0
        if part.prepare:
            code, before = ended(started(part.prepare), part.limit)
            if code != 0:
                return f"{' '.join(part.prepare)} failed, see {log.relative_to(ROOT)}", {}, before
        if not part.file.exists():
            return f"{part.file} is not there", {}, before
        left = part.limit - (time.monotonic() - begin) / 60
        code, processor = ended(started(part.line(options.quick, options.minutes, seed, file)), left)
        if code is None:
            return f"ended after {part.limit} minutes", {}, before + processor
        figures = json.loads(file.read_text()) if file.exists() else {}
    return (f"ended with {code}, see {log.relative_to(ROOT)}" if code else None if figures else "wrote no figures"), figures, before + processor


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
        print(f"{part.name:<14}{part.what}\n{'':<14}{part.amount}, {part.share} minutes of {part.cores} cores, ended after {part.limit}\n"
              f"{'':<14}tests {' '.join(part.tests)}")
        for goal in (g for g in GOALS if g.part == part.name):
            print(f"{'':<14}{goal.name} {goal.sign} {number(goal.limit)} (docs/trust.md: {goal.source})")


def status():
    figures = kept.read()
    print(f"{'part':<14}{'figures':<10}why")
    for part in PARTS:
        print("{:<14}{:<10}{}".format(part.name, *kept.standing(part, figures.get(part.name))))


class Night:
    """The parts that are chosen, as many at a time as there are cores for."""

    def __init__(self, options, chosen):
        self.options, self.chosen = options, chosen
        self.ends, self.figures, self.rows = [], {}, []
        self.lock, self.begun = threading.Lock(), kept.Begun()
        self.end = time.monotonic() + 3600 * options.hours if options.hours else float("inf")

    def seed(self, part):
        if self.options.seed is not None or self.options.quick:
            return of_commit() if self.options.seed is None else self.options.seed
        with self.lock:
            return self.begun.seed(part, of_commit())

    def one(self, part):
        if time.monotonic() + 60 * part.share > self.end:
            self.ends.append((part.name, 0, f"not begun: its share ends behind the {self.options.hours} hours"))
            return
        seed = self.seed(part)
        print(f"== {time.strftime('%H:%M')} {part.name}: {part.what}{f', seed {seed}' * part.seeded}", file=sys.stderr, flush=True)
        start = time.monotonic()
        end, own, processor = run(part, self.options, seed)
        with self.lock:
            merged = {}
            merge(merged, part, own)
            merge(self.figures, part, own)
            rows = list(judge([goal for goal in GOALS if goal.part == part.name], merged, self.options.quick))
            self.ends.append((part.name, time.monotonic() - start, end))
            self.rows += rows
            print(f"== {time.strftime('%H:%M')} {part.name}: {end or 'well'}", file=sys.stderr, flush=True)
            if not self.options.quick:
                kept.keep(part, kept.entry_of(part, seed, time.monotonic() - start, processor, end, rows, own))
                page.write(kept.read())
                self.begun.ended(part)

    def run(self):
        for cores in sorted({part.cores for part in self.chosen}):
            with concurrent.futures.ThreadPoolExecutor(max(1, CORES // cores)) as pool:
                list(pool.map(self.one, [part for part in self.chosen if part.cores == cores]))


def main():
    parser = argparse.ArgumentParser(prog="dev nightly", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts, run whatever is kept (--list shows them)")
    parser.add_argument("--all", action="store_true", help="every part, whatever is kept")
    parser.add_argument("--quick", action="store_true", help="the short form of each; goals of how much is tried are not held, nothing is kept")
    parser.add_argument("--hours", type=float, default=0, help="begin no part whose share ends later; run again to go on (default: no limit)")
    parser.add_argument("--seed", type=int, help=f"of what is drawn (default: of the commit, {of_commit()})")
    parser.add_argument("--minutes", type=float, default=5, help="of fuzzing, for each target (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the figures of what ran to FILE")
    parser.add_argument("--list", action="store_true", help="the parts, their commands, what they test, and goals")
    parser.add_argument("--status", action="store_true", help="which kept figures are of this tree, and why the others are not")
    options = parser.parse_args()
    unknown = set(options.names) - {part.name for part in PARTS}
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {' '.join(part.name for part in PARTS)}")
    if options.list or options.status:
        return list_parts() if options.list else status()
    figures, chosen = kept.read(), []
    for part in PARTS:
        now, why = kept.standing(part, figures.get(part.name))
        if part.name in options.names or not options.names and (options.all or options.quick or now != "current"):
            chosen.append(part)
        elif not options.names:
            print(f"== {part.name}: kept, {why}", file=sys.stderr)
    dirty = changed(["."], commit())
    if dirty and not options.quick:
        print(f"nightly: {len(dirty)} files are not as in the commit ({', '.join(dirty[:3])}{', ...' * (len(dirty) > 3)}): figures of "
              "parts that test them are kept as such, and are not the tree's", file=sys.stderr)
    night = Night(options, chosen)
    night.run()
    print("\n" + table(night.ends, night.rows))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(night.figures, indent=1) + "\n")
    failed = any(end for _, _, end in night.ends) or any(verdict not in ("holds", "short") for _, _, verdict in night.rows)
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
