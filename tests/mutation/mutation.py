#!/usr/bin/env python3
"""Do the tests bite? A seeded sample of mutants of RTL, functional simulator, code generator, verifier, importer, runtime and TLM.

    ./dev mutation [--count 50] [--seed N] [--keep] [--json FILE]

All mutants are in one copy of the tree (build/mutation/tree), built once; an environment variable chooses one. It is asked
of the tests of `./dev test` that execute its place, likeliest first. It is caught where one fails, fails again, and passes
without it. What is found is stored: a run with the same --seed (default: of the commit) goes on where the last one stopped,
on another machine where it was put into the tree (--keep).
A mutant that nothing has caught within --patience is open, and no catch. One that survivors.toml explains is asked of the
likeliest tests only, for two minutes. Ends with 3 where a mutant is open, or survives and is not explained, where fewer than
--goal are caught, and where a test fails without a mutant or not each time.
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

import catches
import schemata
import suite
from order import History, Order
from schemata import TREE, Sample
from sites import GROUPS, ROOT, files, one_line

sys.path.insert(0, str(ROOT / "tests"))
from commits import changed, commit  # noqa: E402
from seeds import of_commit  # noqa: E402

REASONS = pathlib.Path(__file__).parent / "survivors.toml"
SAMPLES = pathlib.Path(__file__).parent / "samples.json"
BEGUN = pathlib.Path(__file__).parent
LISTED_MINUTES = 2  # for a mutant that survivors.toml explains


def log(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


class Results:
    """One line a mutant that was judged; several processes may append. The last line of a mutant counts.

    `kept` is in the tree: what was found on a machine that is no more, of a sample with mutants still to be judged.
    """

    def __init__(self, sample):
        self.file = TREE.folder / f"results-{sample.seed}.jsonl"
        self.kept = BEGUN / f"begun-{sample.seed}-{sample.count}.jsonl"
        self.lock = threading.Lock()

    def read(self):
        lines = [line for file in (self.kept, self.file) if file.exists() for line in file.read_text().splitlines()]
        return {entry["key"]: entry for entry in map(json.loads, lines)}

    def forget(self):
        for file in (self.kept, self.file):
            file.unlink(missing_ok=True)

    def keep(self, done):
        """Into the tree, without what the tests have printed, which has paths of the machine; nothing of what is done."""
        entries = self.read().values()
        self.kept.unlink(missing_ok=True)
        if not done:
            rows = [{**entry, "doubtful": [without_output(each) for each in entry["doubtful"]]} for entry in entries]
            self.kept.write_text("".join(json.dumps(without_output(row)) + "\n" for row in rows))

    def append(self, entry):
        with self.lock, open(self.file, "a") as file:
            file.write(json.dumps(entry) + "\n")


def without_output(entry):
    return {name: value for name, value in entry.items() if name != "said"}


def judge(number, key, site, units, baseline, before, end, patience, tests):
    """Runs the tests that have not passed `before`, until one fails for the mutant's sake, the time `end` has come, or
    they have taken `patience` seconds: those of the mutant alone, not of a test's first run without one."""
    entry = {"key": key, "number": number, "by": None, "how": None, "open": bool(tests), "passed": before["passed"] if before else [],
             "commit": commit(), "seconds": before["seconds"] if before else 0, "doubtful": []}
    taken = 0
    for unit in units:
        if unit.name in entry["passed"] or not re.search(tests, unit.name):
            continue
        if taken > patience or time.monotonic() > end:
            entry["open"] = True
            break
        baseline.measure(unit)
        if not unit.reaches(number, site):
            continue
        start = time.monotonic()
        how, _, output = suite.run(unit, unit.patience(), TENON_MUTANT=str(number))
        why = catches.doubt(unit, output, number) if how else None
        taken += time.monotonic() - start
        if not how:
            entry["passed"].append(unit.name)
            continue
        if not why:
            entry.update(by=unit.name, how=how, open=False, said=output[-600:])
            break
        entry["doubtful"].append({"test": unit.name, "how": how, "why": why, "said": output[-600:]})
    entry["seconds"] += taken
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
    order = Order(baseline.units, History(), {file: group for group in GROUPS for file in files(group)})
    known = results.read()
    for group, key, site in sample.mutants.values():
        if key in known:
            order.learn(group, site.file, known[key]["passed"], known[key]["by"])
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
            patience = 60 * (LISTED_MINUTES if listed else options.patience)
            with suite.proof(site) as proof:
                units = ([proof] if proof else []) + order.of(number, group, site)
                entry = judge(number, key, site, units, baseline, None if again else before, end, patience, options.tests)
            results.append(entry)
            order.learn(group, site.file, entry["passed"], entry["by"])
            verdict = f"{entry['how']}: {entry['by']}" if entry["by"] else \
                f"{'open' if entry['open'] else 'SURVIVES'} after {len(entry['passed'])} tests"
            log(f"{number} {group} {site.name}: {verdict}, {entry['seconds']:.0f} s")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:  # those that an earlier run left open come last: they take longest
            list(pool.map(one, sorted(sample.in_order(), key=lambda item: item[1][1] in known)))
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
    survivors, undecided, surprises, doubtful, by = [], [], [], [], collections.Counter()
    for number, (group, key, site) in sorted(sample.mutants.items()):
        entry = found.get(key)
        file, line, mutant = name_of(site)
        verdict = "open" if not entry else "caught" if entry["by"] else \
            "open" if entry["open"] and name_of(site) not in reasons else "survived"
        groups[group].update(["mutants", verdict])
        groups[group]["seconds"] += round(entry["seconds"]) if entry else 0
        doubtful += [{"number": number, **each} for each in (entry or {}).get("doubtful", [])]
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
            "count": sample.count, "doubtful": doubtful, "did_not_compile": len(sample.refused)}


def show(said, left_out):
    print(f"{'group':<12}{'mutants':>9}{'caught':>9}{'of them hung':>14}{'survived':>10}{'open':>6}{'minutes':>9}")
    for name, counts in said["groups"].items():
        row = [counts.get(k, 0) for k in ("mutants", "caught", "hung", "survived", "open")]
        print(f"{name:<12}{row[0]:>9}{row[1]:>9}{row[2]:>14}{row[3]:>10}{row[4]:>6}{counts['seconds'] / 60:>9.1f}")
    print(f"seed {said['seed']}: {100 * said['mutation_caught']:.1f} % caught (what is open is not); {said['did_not_compile']} more did not compile; without "
          f"{len(left_out)} tests: {' '.join(left_out)}")
    for survivor in said["survivors"]:
        print(f"survives: {survivor['number']} {survivor['file']}: {survivor['mutant']}\n    in `{survivor['line']}`\n"
              f"    {survivor['reason'] or 'WITHOUT A REASON in tests/mutation/survivors.toml'}")
    for mutant in said["open"]:
        print(f"open: {mutant['number']} {mutant['file']}: {mutant['mutant']}\n    in `{mutant['line']}`, after {mutant['tests']} tests")
    for each in said["doubtful"]:
        print(f"no catch: {each['number']} by {each['test']}, which {each['how']} and {each['why']}")
    for name, how in said["broken"].items():
        print(f"not asked: {name}, which {how} without a mutant")
    for entry in said["listed_but_caught"]:
        print(f"listed as a survivor, but caught by {entry['by']}: {entry['file']}: {entry['mutant']}")


def keep(sample, results, said):
    """The first figures of a sample stay what they were; later ones of it stand beside them."""
    everything = json.loads(SAMPLES.read_text()) if SAMPLES.exists() else {}
    name = f"{sample.seed}-{sample.count}"
    figures = {"commit": commit(), "dirty": bool(changed(["."], commit())), "date": time.strftime("%Y-%m-%d"),
               **{key: said[key] for key in ("mutation_mutants", "mutation_caught", "mutation_open", "mutation_unexplained", "groups")}}
    if name not in everything:
        everything[name] = {"first": figures}
        history, found = History(), results.read()
        for _, key, site in sample.mutants.values():
            if key in found:
                history.learn(site.file, found[key]["passed"], found[key]["by"])
        history.write()
    elif everything[name]["first"] != figures:
        everything[name]["later"] = figures
    SAMPLES.write_text(json.dumps(everything, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(prog="dev mutation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mutants", nargs="*", type=int, help="judge these again (numbers as printed)")
    parser.add_argument("--count", type=int, default=50, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=of_commit(), help="of the sample (default: of the commit, %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=0, help="begin no mutant after so long; the rest stays open")
    parser.add_argument("--tests", metavar="REGEX", default="", help="only these; what none of them catches stays open")
    parser.add_argument("--patience", type=float, default=10, help="minutes of tests with a mutant; then it stays open for the next run (default: "
                        "%(default)s)")
    parser.add_argument("--goal", type=float, default=0.95, help="share to be caught (default: %(default)s)")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    parser.add_argument("--again", action="store_true", help="judge survivors again")
    parser.add_argument("--report", action="store_true", help="judge nothing, print what is known")
    parser.add_argument("--keep", action="store_true", help="put the figures into samples.json, what caught what and what tests reach into "
                        "caught.json, reach.json; what was found of a sample that is not done, for a run on another machine")
    parser.add_argument("--json", metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args()
    (TREE.folder / "locks").mkdir(parents=True, exist_ok=True)
    sample = Sample(options.seed, options.count)
    results = Results(sample)
    if options.fresh:
        results.forget()
        shutil.rmtree(TREE.folder / "baseline", ignore_errors=True)
    if options.report:
        sample.draw(log)
        left_out, broken = suite.units()[1], {}
    else:
        schemata.prepare(sample, log)
        baseline = suite.Baseline(log, sample.mutants)
        left_out = baseline.left_out
        campaign(sample, baseline, results, options)
        broken = {unit.name: unit.broken for unit in baseline.units if unit.broken}
    said = {**figures(sample, results), "broken": broken}
    show(said, left_out)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(said, indent=1) + "\n")
    if options.keep:
        begun = results.read()
        results.keep(done=not said["mutation_open"])
        if all(key in begun for _, key, _ in sample.mutants.values()):
            keep(sample, results, said)
        else:
            log("not kept: not every mutant has had its first try")
        if not options.report:
            baseline.keep()
    bad = said["mutation_unexplained"] or said["mutation_caught"] < options.goal or said["mutation_open"] or said["doubtful"] or broken
    return 3 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
