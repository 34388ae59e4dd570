"""Which test next: the one that is likeliest to catch a mutant for the time it takes."""
import collections
import json
import pathlib
import re

# The tests of a group's own sources, of which most is expected before anything is known.
NEAR = {
    "rtl": r"^core\.|^rtl_memory|^MemoryFaults",
    "simulator": r"^functional_test|^isa_test|^program_test",
    "codegen": r"^scheduling_test|^transforms_test|^lit",
    "verifier": r"^verifier_test|^trust",
    "importer": r"^frontend_test|^lit$|^conformance|^operator_graphs",
    "runtime": r"^runtime_test|^c_api_test|^serial_driver_test|^uio_test",
    "tlm": r"^tlm_test|^tlm_rtl_test|^differential_test",
}
KEPT = pathlib.Path(__file__).with_name("caught.json")
EMPTY_WORDS = {"test", "tests", "hw", "lib", "compiler", "e2e", "programs"}


def words(text):
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", text)
    return {part.lower() for part in parts} - EMPTY_WORDS


def affinity(group, file, unit):
    """0 to 1: how much of a file a test promises by its name."""
    path, said = pathlib.Path(file), words(unit)
    own = words(path.stem)
    return (0.05 + 0.4 * len(own & said) / max(1, len(own)) + 0.1 * bool(words(str(path.parent)) & said)
            + 0.4 * bool(re.search(NEAR[group], unit)))


class History:
    """{file: {test: [asked, caught]}} of earlier samples, kept in the tree: of the tests that ever caught something there."""

    def __init__(self, file=KEPT):
        self.file = file
        self.files = json.loads(file.read_text()) if file.exists() else {}

    def learn(self, file, passed, by):
        tests = self.files.setdefault(file, {})
        for name in passed:
            if name in tests:
                tests[name][0] += 1
        if by:
            asked, caught = tests.get(by, [0, 0])
            tests[by] = [asked + 1, caught + 1]

    def write(self):
        rows = [f"{json.dumps(file)}: {json.dumps(tests, sort_keys=True)}" for file, tests in sorted(self.files.items()) if tests]
        self.file.write_text("{\n" + ",\n".join(rows) + "\n}\n")


class Order:
    """What this run and earlier samples have found counts for the file itself, and a quarter of it for its group."""

    def __init__(self, units, history, groups):
        self.units, self.asked, self.caught = units, collections.Counter(), collections.Counter()
        for file, tests in history.files.items():
            for name, (asked, caught) in tests.items():
                self.count(groups.get(file), file, name, asked, caught)

    def count(self, group, file, name, asked, caught):
        for place, weight in ((file, 1), (group, 0.25)):
            self.asked[place, name] += weight * asked
            self.caught[place, name] += weight * caught

    def learn(self, group, file, passed, by):
        for name in passed:
            self.count(group, file, name, 1, 0)
        if by:
            self.count(group, file, by, 1, 1)

    def chance(self, group, file, name):
        asked = self.asked[file, name] + self.asked[group, name]
        return (self.caught[file, name] + self.caught[group, name] + affinity(group, file, name)) / (asked + 1)

    def of(self, number, group, site):
        module = pathlib.Path(site.file).stem if site.file.endswith(".sv") else None

        def rate(unit):
            if module and unit.guess is not None and module not in unit.guess:
                return 0
            # What is not measured runs once more, without a mutant.
            return self.chance(group, site.file, unit.name) / (0.3 + unit.seconds * (1 if unit.measured else 2))
        return sorted((u for u in self.units if u.reaches(number, site)), key=rate, reverse=True)
