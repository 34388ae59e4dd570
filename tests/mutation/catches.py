"""Whether a failure is a catch: it comes again with the mutant, and the same test passes without it."""
import dataclasses
import re

import suite


def narrowed(unit, output):
    """The one case of a unit that `output` says has failed; the unit itself where it does not say."""
    command = unit.command
    if any("--gtest_filter=" in word for word in command):
        case = re.search(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", output, re.M)
        if case:
            command = [f"--gtest_filter={case[1]}" if word.startswith("--gtest_filter=") else word for word in command]
    elif "pytest" in command:
        case = re.search(r"^(?:FAILED|ERROR) \S+?\.py::(.+?)(?: - .*)?$", output, re.M)
        if case:
            command = [f"{word}::{case[1]}" if word.endswith(".py") else word for word in command]
    elif any("lit.main" in word for word in command):
        case = re.search(r"^ +\w+ :: (\S+)$", output, re.M)
        if case:
            command = [*command, f"--filter={re.escape(case[1])}"]
    return unit if command == unit.command else dataclasses.replace(unit, command=command)


def doubt(unit, output, number):
    """None where a failure with mutant `number` is one of the mutant's; else why it is not."""
    case = narrowed(unit, output)
    if not suite.run(case, case.patience(), TENON_MUTANT=str(number))[0]:
        return "passed when asked again"
    original = dataclasses.replace(case, command=case.original) if case.original else case
    how = suite.run(original, original.limit, TENON_MUTANT="0")[0]
    return f"{how} without the mutant, too" if how else None
