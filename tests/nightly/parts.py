"""The long sets of `./dev nightly` and the goals that their figures are held to.

A part is a command that prints its figures, writes them with --json (keys of `./dev nightly --json`) and ends with 0,
or with 3 where a check of its own failed.
"""
import dataclasses
import operator
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    what: str
    command: tuple  # from the root; a .py file runs with this Python
    full: tuple  # options of the long form; {minutes} is --minutes
    quick: tuple  # of the fixed short form
    limit: int  # minutes after which it is ended, for the long form

    def line(self, quick, minutes, json):
        file = self.command[0]
        start = [sys.executable, file] if file.endswith(".py") else [file]
        options = [o.format(minutes=minutes) for o in (self.quick if quick else self.full)]
        return [*start, *self.command[1:], *options, f"--json={json}"]


PARTS = [
    Part("mutants", "static verifier against execution, on mutants of compiled programs", ("tests/trust/mutants.py",),
         ("--nightly",), (), 90),
]


@dataclasses.dataclass(frozen=True)
class Goal:
    part: str
    name: str
    value: object  # of the merged figures; KeyError where they are not there
    sign: str
    limit: float
    source: str
    amount: bool = False  # how much was tried: not asked of the short form

    def met(self, value):
        return {">=": operator.ge, "=": operator.eq}[self.sign](value, self.limit)


def key(name):
    return lambda figures: figures[name]


def least(name, field):
    """The smallest `field` of the entries of a list that has entries."""
    def value(figures):
        if not figures[name]:
            raise KeyError(name)
        return min(entry[field] for entry in figures[name])
    return value


GOALS = [
    Goal("mutants", "mutants", key("mutants"), ">=", 10000, "issue 6, item 3", amount=True),
    Goal("mutants", "disagreements", key("disagreements"), "=", 0, "issue 6, item 3"),
]
