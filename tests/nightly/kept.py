"""The figures of the long sets that stand in the tree, and whether they are still of it.

figures.json has for each part what its last whole run found: {commit, dirty, date, seed, seconds, processor_seconds, ended,
goals: {name: value}, figures}. They are of the tree as long as nothing that the part tests (`Part.tests`) differs
between that commit and what is checked out.
"""
import json
import pathlib
import sys
import time

from parts import ROOT

sys.path.insert(0, str(ROOT / "tests"))
from commits import changed, commit  # noqa: E402

FILE = pathlib.Path(__file__).with_name("figures.json")


def standing(part, entry, root=ROOT):
    """("current", "stale", "dirty", "failed" or "none", why) of a part's figures."""
    if not entry:
        return "none", "never run whole"
    if entry["dirty"]:
        return "dirty", f"of {entry['commit']} with changes that no commit has"
    differ = changed(part.tests, entry["commit"], root)
    if differ is None:
        return "stale", f"of {entry['commit']}, which is not here"
    if differ:
        return "stale", f"{len(differ)} files that it tests differ from {entry['commit']}: {', '.join(differ[:2])}{', ...' * (len(differ) > 2)}"
    if entry["ended"] != "well" or not entry["holds"]:
        return "failed", entry["ended"] if entry["ended"] != "well" else "a goal does not hold"
    return "current", f"of {entry['commit']}, {entry['date']}"


def read(file=FILE):
    return json.loads(file.read_text()) if file.exists() else {}


def plain(figures):
    """Numbers, and those of the rows of lists: no paths, no texts of a run."""
    number = (int, float)
    return {name: value if isinstance(value, number) else
            [{k: v for k, v in row.items() if isinstance(v, number) or (isinstance(v, str) and "/" not in v and len(v) < 80)}
             for row in value]
            for name, value in figures.items()
            if isinstance(value, number) or (isinstance(value, list) and value and all(isinstance(row, dict) for row in value))}


def keep(part, entry, file=FILE):
    """Puts a part's figures in the place of its last ones."""
    everything = {**read(file), part.name: entry}
    file.write_text(json.dumps(dict(sorted(everything.items())), indent=1) + "\n")


class Begun:
    """Commits and seeds of parts that were begun here: a part that was cut off goes on with its seed."""

    def __init__(self, file=ROOT / "build/nightly/begun.json"):
        self.file = file

    def seed(self, part, of_commit, root=ROOT):
        entry = read(self.file).get(part.name)
        if entry and changed(part.tests, entry["commit"], root) == []:
            return entry["seed"]
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps({**read(self.file), part.name: {"commit": commit(root), "seed": of_commit}}))
        return of_commit

    def ended(self, part):
        self.file.write_text(json.dumps({name: entry for name, entry in read(self.file).items() if name != part.name}))


def entry_of(part, seed, seconds, processor, end, rows, figures, root=ROOT):
    at = commit(root)
    return {"commit": at, "dirty": bool(changed(part.tests, at, root)), "date": time.strftime("%Y-%m-%d"), "seed": seed,
            "seconds": round(seconds), "processor_seconds": round(processor), "ended": end or "well",
            "holds": all(verdict == "holds" for _, _, verdict in rows),
            "goals": {goal.name: value for goal, value, _ in rows}, "figures": plain(figures)}
