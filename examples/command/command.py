# Part of Tenon, under the Apache License v2.0.
"""What the examples share that run `tenon` as a command, which has the simulated RTL that the library has not."""
import subprocess
import sys


class Failure(Exception):
    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def tenon(*arguments):
    """What it says; its own message and exit code where it fails."""
    try:
        done = subprocess.run(["tenon", *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    except OSError as error:
        raise Failure(f"cannot run 'tenon' ({error.strerror}): put the installation's bin into PATH", 4)
    if done.returncode:
        sys.exit(done.returncode if done.returncode > 0 else 70)
    return done.stdout


def run(program, main):
    """A program's `main`; one line that says why it ended where it did not do its work."""
    try:
        main()
    except Failure as failure:
        print(f"{program}: {failure}", file=sys.stderr)
        sys.exit(failure.code)
    except (OSError, UnicodeError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        sys.exit(1)
