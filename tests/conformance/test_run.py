# Part of Tenon, under the Apache License v2.0.
"""The small graphs through the whole compiler, on every target, against onnxruntime.

The expected values are free of ties, so every element must be equal.  Nothing may
fall back to the CPU but what HOST lists.
"""
import json
import os
import subprocess

import pytest

from common import HERE, graph_file, graphs
from test_import import FLOAT

TENON = os.environ.get("TENON", os.path.join(HERE, "..", "..", "build", "release", "bin", "tenon"))


def run(name, *options):
    return subprocess.run([TENON, "run", graph_file(name, "model.onnx"), *options, "--json=-",
                           f"--expect={graph_file(name, 'test_data_set_0')}", "--tolerance=0"],
                          capture_output=True, text=True, timeout=900, check=False)


def check(name, *options, checks=()):
    """The run succeeds, `checks` are bit-exact, and the output is onnxruntime's."""
    done = run(name, *options)
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout)
    for kind in checks:
        assert report["checks"][kind]["status"] == "bit-exact", report["checks"][kind]
    (expected,) = report["checks"]["expected"]
    assert [o["mismatches"] for o in expected["outputs"]] == [0]


# What the accelerator does not do: selections of batches, reversals.
HOST = {"slice_reversed_qdq", "pad_and_crop_qdq", *FLOAT}
ACCELERATED = [g for g in graphs() if g not in HOST]


@pytest.mark.parametrize("name", graphs())
def test_on_cpu(name):
    check(name, "--target=cpu")


@pytest.mark.parametrize("name", ACCELERATED)
def test_on_functional(name):
    check(name, "--target=functional", "--require=accelerator", "--check=cpu", checks=["cpu"])


@pytest.mark.parametrize("name", ACCELERATED)
def test_on_rtl(name):
    check(name, "--target=rtl", "--require=accelerator", "--check=functional,cpu", checks=["functional", "cpu"])
