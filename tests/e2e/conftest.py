"""The program and the models for end-to-end tests."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
MODELS = SHARED / "models"
EXAMPLE = ROOT / "examples" / "resnet8"

sys.path[:0] = map(str, (pathlib.Path(__file__).parent, pathlib.Path(__file__).parents[1]))


class Tenon:
    """Runs `tenon` and keeps what it said."""

    def __init__(self):
        self.path = os.environ.get("TENON", str(ROOT / "build/release/bin/tenon"))

    def __call__(self, *arguments, expect=0, timeout=600, **options):
        result = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                                cwd=options.pop("cwd", ROOT), **options)
        assert result.returncode == expect, (
            f"tenon {' '.join(map(str, arguments))}\nended with {result.returncode}, expected {expect}\n"
            f"{result.stdout[-3000:]}\n{result.stderr[-3000:]}")
        return result

    def report(self, *arguments, **options):
        """The JSON report of `tenon run`."""
        return json.loads(self("run", *arguments, "--json=-", **options).stdout)


@pytest.fixture(scope="session")
def tenon():
    return Tenon()


@pytest.fixture(scope="session")
def models():
    if not MODELS.is_dir():
        pytest.skip("../shared/models is not there")
    return MODELS


def those_there(networks):
    """Parameters of a test: what was found in MODELS; where nothing was, one, for `models` to skip."""
    return networks or [None]


def test_sets(model):
    """The test_data_set directories beside a model file."""
    return sorted(pathlib.Path(model).parent.glob("test_data_set_*"))


test_sets.__test__ = False
