# Part of Tenon, under the Apache License v2.0.
"""The commit that figures are of, and what has changed since."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
# No test reads them, or they are what the long sets and the mutants' campaign write.
NOT_TESTED = [f":(exclude){pattern}" for pattern in ("*.md", "tests/nightly/figures.json", "tests/mutation/samples.json",
                                                     "tests/mutation/caught.json", "tests/mutation/reach.json",
                                                     "tests/mutation/begun-*.jsonl")]


def git(*arguments, root=ROOT):
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)


def commit(root=ROOT):
    return git("rev-parse", "--short=12", "HEAD", root=root).stdout.strip()


def changed(paths, since, root=ROOT):
    """What of `paths` is another than in commit `since`, committed or not; None where there is no such commit."""
    differ = git("diff", "--name-only", since, "--", *paths, *NOT_TESTED, root=root)
    if differ.returncode:
        return None
    new = git("ls-files", "--others", "--exclude-standard", "--", *paths, *NOT_TESTED, root=root)
    return sorted({*differ.stdout.splitlines(), *new.stdout.splitlines()})
