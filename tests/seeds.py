# Part of Tenon, under the Apache License v2.0.
"""Seeds that nobody tuned anything to, and what `./dev test` draws by them of what takes too long for it."""
import os
import pathlib
import random
import subprocess

# Set for all of what is drawn from: `./dev nightly networks drawn` (tests/nightly/whole_tests.py).
LONG = bool(os.environ.get("TENON_LONG"))


def of_commit():
    """Another one for each commit, the same one whoever repeats it, with room for 4,096 that count on from it; 0 outside of a repository.

    TENON_COMMIT repeats the tests of another commit: seven or more of its digits."""
    if commit := os.environ.get("TENON_COMMIT"):
        return int(commit[:7], 16) << 12
    done = subprocess.run(["git", "rev-parse", "--short=7", "HEAD"], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True)
    return int(done.stdout[:7], 16) << 12 if done.returncode == 0 else 0


def drawn(parameters, count):
    """So many of a test's parameters, in their order, which the commit draws; all of them in the long form."""
    parameters = list(parameters)
    if LONG or len(parameters) <= count:
        return parameters
    return [parameters[index] for index in sorted(random.Random(of_commit()).sample(range(len(parameters)), count))]


def seeds(count, short=1):
    """So many in the long form, else as many as the short one has, counted on from the commit's."""
    return range(of_commit(), of_commit() + (count if LONG else short))
