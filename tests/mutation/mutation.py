#!/usr/bin/env python3
"""Do the tests bite? A seeded sample of mutants of the RTL, the functional simulator and the code generator.

    ./dev mutation [--count 200] [--seed 1] [--json FILE]

All mutants are in one copy of the tree (build/mutation/tree), built once; an environment variable chooses one. A mutant
is caught where a test of `./dev test` fails; the tests that execute its place run one after the other until one does.
What is found is kept: a run goes on where the last one stopped. Ends with 3 where a mutant survives that survivors.toml
does not explain, and where fewer than --goal are caught. One that it does explain is asked of the likeliest tests only, for
two minutes: it would be asked of all for ever.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import fcntl
import json
import pathlib
import re
import shutil
import sys
import threading
import time
import tomllib

import schemata
import suite
from schemata import TREE, Sample
from sites import one_line

# The tests of a group's own sources, of which most is expected before anything is known.
NEAR = {"rtl": r"^core\.|^rtl_memory", "simulator": r"^functional_test|^isa_test|^program_test", "codegen": r"^scheduling_test|^lit"}
REASONS = pathlib.Path(__file__).parent / "survivors.toml"
LISTED_MINUTES = 2  # for a mutant that survivors.toml explains


def log(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


class Results:
    """One line a mutant that was judged; several processes may append. The last line of a mutant counts."""

    def __init__(self, sample):
        self.file = TREE.folder / f"results-{sample.seed}.jsonl"
        self.lock = threading.Lock()

    def read(self):
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        return {entry["key"]: entry for entry in map(json.loads, lines)}

    def append(self, entry):
        with self.lock, open(self.file, "a") as file:
            file.write(json.dumps(entry) + "\n")


class Order:
    """Which test next: the one that is most likely to catch a mutant of this group, for the time it takes."""

    def __init__(self, units, results, groups):
        self.units, self.tried, self.caught = units, collections.Counter(), collections.Counter()
        for entry in results.read().values():
            self.learn(groups.get(entry["key"]), entry)

    def learn(self, group, entry):
        for name in entry["passed"]:
            self.tried[group, name] += 1
        if entry["by"]:
            self.tried[group, entry["by"]] += 1
            self.caught[group, entry["by"]] += 1

    def of(self, number, group, site):
        def rate(unit):
            before = 0.9 if re.search(NEAR[group], unit.name) else 0.1
            chance = (self.caught[group, unit.name] + before) / (self.tried[group, unit.name] + 1)
            return chance / (unit.seconds + 0.2)
        return sorted((u for u in self.units if u.reaches(number, site)), key=rate, reverse=True)


def judge(number, key, site, units, baseline, before, end, tests):
    """Runs the tests that have not passed `before`, until one fails or the time ends."""
    entry = {"key": key, "number": number, "by": None, "how": None, "open": bool(tests), "passed": before["passed"] if before else [],
             "seconds": before["seconds"] if before else 0}
    start = time.monotonic()
    for unit in units:
        if unit.name in entry["passed"] or not re.search(tests, unit.name):
            continue
        if time.monotonic() > end:
            entry["open"] = True
            break
        if not unit.measured:
            baseline.measure(unit)
        if not unit.reaches(number, site):
            continue
        how, _, output = suite.run(unit, unit.patience(), TENON_MUTANT=str(number))
        if how:
            entry.update(by=unit.name, how=how, open=False, said=output[-600:])
            break
        entry["passed"].append(unit.name)
    entry["seconds"] += time.monotonic() - start
    return entry


@contextlib.contextmanager
def claimed(number):
    """Whether nobody else judges this mutant."""
    with open(TREE.folder / "locks" / f"mutant-{number}", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def campaign(sample, baseline, results, options):
    """Judges what is open, in parallel, until all is done or the time is over."""
    order = Order(baseline.units, results, {key: group for group, key, _ in sample.mutants.values()})
    end = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")

    chosen, reasons = set(options.mutants), explained()

    def one(item):
        number, (group, key, site) = item
        with claimed(number) as mine:
            before = results.read().get(key)
            again = number in chosen or (options.again and before and not before["by"] and not before["open"])
            listed = name_of(site) in reasons
            settled = before and (not before["open"] or listed) and not again
            if not mine or time.monotonic() > end or settled or (chosen and number not in chosen):
                return
            until = min(end, time.monotonic() + 60 * (LISTED_MINUTES if listed else options.patience))
            with suite.proof(site) as proof:
                units = ([proof] if proof else []) + order.of(number, group, site)
                entry = judge(number, key, site, units, baseline, None if again else before, until, options.tests)
            results.append(entry)
            order.learn(group, entry)
            verdict = f"{entry['how']}: {entry['by']}" if entry["by"] else \
                f"{'open' if entry['open'] else 'SURVIVES'} after {len(entry['passed'])} tests"
            log(f"{number} {group} {site.name}: {verdict}, {entry['seconds']:.0f} s")
    begun = results.read()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:  # those that an earlier run left open come last: they take longest
            list(pool.map(one, sorted(sample.in_order(), key=lambda item: item[1][1] in begun)))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def explained():
    entries = tomllib.loads(REASONS.read_text()).get("survivor", [])
    return {(e["file"], e["line"], e["mutant"]): e["reason"] for e in entries}


def name_of(site):
    return site.file, site.line, f"{one_line(site.text)} -> {one_line(site.to)}"


def figures(sample, results):
    """What --json has."""
    found, reasons = results.read(), explained()
    groups = collections.defaultdict(collections.Counter)
    survivors, undecided, surprises, by = [], [], [], collections.Counter()
    for number, (group, key, site) in sorted(sample.mutants.items()):
        entry = found.get(key)
        file, line, mutant = name_of(site)
        verdict = "open" if not entry else "caught" if entry["by"] else \
            "open" if entry["open"] and name_of(site) not in reasons else "survived"
        groups[group].update(["mutants", verdict])
        if verdict == "caught":
            by[entry["by"]] += 1
            groups[group]["hung"] += entry["how"] == "hung"
            if name_of(site) in reasons:
                surprises.append({"file": file, "mutant": mutant, "by": entry["by"]})
        elif verdict == "open":
            undecided.append({"number": number, "file": file, "line": line, "mutant": mutant, "tests": len(entry["passed"]) if entry else 0})
        else:
            survivors.append({"number": number, "group": group, "file": file, "line": line, "mutant": mutant,
                              "tests": len(entry["passed"]), "reason": reasons.get(name_of(site))})
    total = sum(groups.values(), collections.Counter())
    return {"mutation_mutants": total["mutants"], "mutation_caught": total["caught"] / total["mutants"],
            "mutation_open": total["open"], "mutation_unexplained": sum(not s["reason"] for s in survivors),
            "groups": {name: dict(counts) for name, counts in groups.items()}, "survivors": survivors, "open": undecided,
            "listed_but_caught": surprises, "caught_by": dict(by.most_common()), "seed": sample.seed,
            "did_not_compile": len(sample.refused)}


def show(said, left_out):
    print(f"{'group':<12}{'mutants':>9}{'caught':>9}{'of them hung':>14}{'survived':>10}{'open':>6}")
    for name, counts in said["groups"].items():
        row = [counts.get(k, 0) for k in ("mutants", "caught", "hung", "survived", "open")]
        print(f"{name:<12}{row[0]:>9}{row[1]:>9}{row[2]:>14}{row[3]:>10}{row[4]:>6}")
    print(f"{100 * said['mutation_caught']:.1f} % caught (what is open is not); {said['did_not_compile']} more did not compile; without "
          f"{len(left_out)} tests: {' '.join(left_out)}")
    for survivor in said["survivors"]:
        print(f"survives: {survivor['number']} {survivor['file']}: {survivor['mutant']}\n    in `{survivor['line']}`\n"
              f"    {survivor['reason'] or 'WITHOUT A REASON in tests/mutation/survivors.toml'}")
    for mutant in said["open"]:
        print(f"open: {mutant['number']} {mutant['file']}: {mutant['mutant']}\n    in `{mutant['line']}`, after {mutant['tests']} tests")
    for entry in said["listed_but_caught"]:
        print(f"listed as a survivor, but caught by {entry['by']}: {entry['file']}: {entry['mutant']}")


def main():
    parser = argparse.ArgumentParser(prog="dev mutation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mutants", nargs="*", type=int, help="judge these again (numbers as printed)")
    parser.add_argument("--count", type=int, default=200, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=0, help="begin no mutant after so long; the rest stays open")
    parser.add_argument("--tests", metavar="REGEX", default="", help="only these; what none of them catches stays open")
    parser.add_argument("--patience", type=float, default=float("inf"), help="minutes for a mutant; then it stays open for the next run")
    parser.add_argument("--goal", type=float, default=0.95, help="share to be caught (default: %(default)s)")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    parser.add_argument("--again", action="store_true", help="judge survivors again")
    parser.add_argument("--report", action="store_true", help="judge nothing, print what is known")
    parser.add_argument("--json", metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args()
    (TREE.folder / "locks").mkdir(parents=True, exist_ok=True)
    sample = Sample(options.seed, options.count)
    results = Results(sample)
    if options.fresh:
        results.file.unlink(missing_ok=True)
        shutil.rmtree(TREE.folder / "baseline", ignore_errors=True)
    if options.report:
        sample.draw(log)
        left_out = suite.units()[1]
    else:
        schemata.prepare(sample, log)
        baseline = suite.Baseline(log, sample.mutants)
        left_out = baseline.left_out
        campaign(sample, baseline, results, options)
    said = figures(sample, results)
    show(said, left_out)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(said, indent=1) + "\n")
    bad = said["mutation_unexplained"] or said["mutation_caught"] < options.goal or said["mutation_open"]
    return 3 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
