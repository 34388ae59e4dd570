# Part of Tenon, under the Apache License v2.0.
"""Seeds that nobody tuned anything to."""
import os
import pathlib
import subprocess


def of_commit():
    """Another one for each commit, the same one whoever repeats it, with room for 4,096 that count on from it; 0 outside of a repository.

    TENON_COMMIT repeats the tests of another commit: seven or more of its digits."""
    if commit := os.environ.get("TENON_COMMIT"):
        return int(commit[:7], 16) << 12
    done = subprocess.run(["git", "rev-parse", "--short=7", "HEAD"], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True)
    return int(done.stdout[:7], 16) << 12 if done.returncode == 0 else 0
