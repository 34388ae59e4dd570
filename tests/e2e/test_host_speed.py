# Part of Tenon, under the Apache License v2.0.
"""--host-speed: placement by cost on the host that is given, or on this one."""
import re

import onnx
import pytest

from test_split import split_model


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    path = tmp_path_factory.mktemp("split") / "split.onnx"
    onnx.save(split_model(), path)
    return path


def layers(tenon, path, *options):
    report = tenon.report(path, "--target=functional", "--check=cpu", "--seed=3", *options)
    assert report["checks"]["cpu"]["status"] == "bit-exact"
    return report["layers"]


def test_a_fast_host_keeps_what_a_slow_one_gives_away(tenon, split):
    slow = layers(tenon, split, "--host-speed=0.001,10")
    assert {layer["placed_on"] for layer in slow for node in layer["nodes"] if node in ("first", "second", "third")} == {"accelerator"}
    fast = layers(tenon, split, "--host-speed=1000000,0.001")
    assert {layer["placed_on"] for layer in fast} == {"cpu"}
    assert any("the network is faster with it on the host" in layer["reason"] for layer in fast)


def test_predicted_beside_measured(tenon, split):
    """The time of a group is its operations over their rate."""
    def predicted(speed):
        return {layer["name"]: layer["predicted_ms"] for layer in layers(tenon, split, "--place=QLinearConv:cpu", f"--host-speed={speed},1")
                if layer["placed_on"] == "cpu" and layer["ms"] > 0}
    once, twice = predicted(0.5), predicted(1)
    assert once and set(once) == set(twice)
    for name, ms in once.items():
        assert ms == pytest.approx(2 * twice[name]), name


def test_this_machine(tenon, split, tmp_path):
    said = tenon("compile", split, "-o", tmp_path / "p.tenon", "--host-speed=here").stderr
    operations, packed = map(float, re.search(r"measured --host-speed=(\S+),(\S+)", said).groups())
    assert 0.01 < operations < 10000 and 0.001 < packed < 1000, said


@pytest.mark.parametrize("given", ["0,1", "1,-1", "1", "1,2,3", "nan,1", "inf,1", "there", "fast,1"])
def test_no_speed(tenon, split, tmp_path, given):
    said = tenon("compile", split, "-o", tmp_path / "p.tenon", f"--host-speed={given}", expect=2).stderr
    assert "is neither OPERATIONS,BYTES, both above 0, nor here" in said
    assert not (tmp_path / "p.tenon").exists()
