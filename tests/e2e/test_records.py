# Part of Tenon, under the Apache License v2.0.
"""`--records`: what a compilation found serves the next one, and decides nothing."""
import random
import resource

import numpy as np
import pytest

from conftest import EXAMPLE
from seeds import of_commit

MODEL = EXAMPLE / "resnet8.onnx"


def seconds(run):
    """Of processor time that a call took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(getattr(after, f) - getattr(before, f) for f in ("ru_utime", "ru_stime"))


def kept(records):
    """The records; one that is made anew is another file."""
    return {path.name: path.stat().st_ino for path in records.iterdir()}


def test_programs_are_the_same(tenon, tmp_path):
    records = tmp_path / "records"
    programs = []
    for number, where in enumerate(["none", records, records]):
        programs.append(tmp_path / f"{number}.tenon")
        tenon("compile", MODEL, "-o", programs[-1], f"--records={where}")
    assert len({p.read_bytes() for p in programs}) == 1
    assert records.stat().st_mode & 0o777 == 0o700


def test_nothing_is_searched_twice(tenon, tmp_path):
    records = tmp_path / "records"
    compiled = lambda *options: tenon("compile", MODEL, "-o", tmp_path / "p.tenon", f"--records={records}", *options)
    compiled()
    first = kept(records)
    assert len(first) > 5
    compiled()
    assert kept(records) == first
    # Another machine has schedules of its own.
    compiled("--config=small")
    both = kept(records)
    assert len(both) > len(first) and first.items() <= both.items()


def test_the_environment_says_where(tenon, tmp_path, monkeypatch):
    monkeypatch.setenv("TENON_CACHE", str(tmp_path / "cache"))
    tenon("compile", MODEL, "-o", tmp_path / "p.tenon")
    assert any((tmp_path / "cache/records").iterdir())


def test_damage_is_told_and_mended(tenon, tmp_path):
    """Of any record, at any place."""
    records = tmp_path / "records"
    tenon("compile", MODEL, "-o", tmp_path / "a.tenon", f"--records={records}")
    draw = random.Random(of_commit())
    for path in records.iterdir():
        content = bytearray(path.read_bytes())
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(content)
    said = tenon("compile", MODEL, "-o", tmp_path / "b.tenon", f"--records={records}").stderr
    assert "is damaged; it is made anew" in said
    assert (tmp_path / "a.tenon").read_bytes() == (tmp_path / "b.tenon").read_bytes()
    assert "damaged" not in tenon("compile", MODEL, "-o", tmp_path / "c.tenon", f"--records={records}").stderr


def test_a_folder_that_is_none(tenon, tmp_path):
    (tmp_path / "file").write_text("")
    said = tenon("compile", MODEL, "-o", tmp_path / "a.tenon", f"--records={tmp_path}/file").stderr
    assert f"records cannot be kept in '{tmp_path}/file': " in said and "--records none" in said
    assert (tmp_path / "a.tenon").exists()


def used(tenon, tmp_path, *command):
    """What a first and a second call left in the records, and said."""
    records, found = tmp_path / "records", []
    for _ in range(2):
        result = tenon(*command, f"--records={records}")
        found.append((kept(records), result.stdout))
    assert found[0][0] == found[1][0] and found[0][0], "the second call found all that the first one kept"
    return found


@pytest.mark.parametrize("target", ["tlm", "cpu"])
def test_runs_use_them(tenon, tmp_path, target):
    command = ["run", MODEL, f"--target={target}", f"--output-dir={tmp_path}/out", "--seed=7"]
    tenon(*command, "--records=none")
    without = (tmp_path / "out/output_0.npy").read_bytes()
    used(tenon, tmp_path, *command)
    assert (tmp_path / "out/output_0.npy").read_bytes() == without


def test_checks_use_them(tenon, tmp_path):
    """The reference that results are compared with, which is other code than that of --target=cpu."""
    command = ["run", MODEL, "--target=tlm", "--no-verify"]
    (alone, _), _ = used(tenon, tmp_path, *command)
    (checked, _), (_, said) = used(tenon, tmp_path, *command, "--check=cpu")
    assert len(checked) == len(alone) + 1 and alone.items() <= checked.items()
    (both, _), _ = used(tenon, tmp_path, "run", MODEL, "--target=cpu")
    assert len(both) == len(checked) + 1


def test_damage_to_a_reference_is_told(tenon, tmp_path):
    records = tmp_path / "records"
    run = lambda: tenon("run", MODEL, "--target=cpu", f"--records={records}").stderr
    run()
    path, = records.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    assert "is damaged; it is made anew" in run() and "damaged" not in run()


def test_measurements_use_them(tenon, tmp_path):
    used(tenon, tmp_path, "bench", MODEL, "--seconds=0", "--runs=1", "--warm-up=0")


def test_quantisation_uses_them(tenon, models, tmp_path):
    draw = np.random.default_rng(of_commit())
    np.savez(tmp_path / "few.npz", x=draw.integers(0, 256, (4, 3, 32, 32)).astype(np.float32))
    command = ["quantize", models / "mlperftiny_resnet8/fp32/model.onnx", f"--calibration={tmp_path}/few.npz"]
    tenon(*command, "-o", tmp_path / "without.onnx", "--records=none")
    used(tenon, tmp_path, *command, "-o", tmp_path / "with.onnx")
    assert (tmp_path / "with.onnx").read_bytes() == (tmp_path / "without.onnx").read_bytes()


@pytest.mark.parametrize("network", ["mobilenetv2_1.0_224_int8/qdq", "resnet50_pruned_int8/qdq", "ssd_mobilenetv1_coco_300/qop",
                                     "albert_rxnmapper/qdq"])
def test_the_second_time_is_short(tenon, models, tmp_path, network):
    """A second of processor time on the machine of docs/decisions.md, and here a share of the first time, which does not depend on it."""
    model = models / network / "model.onnx"
    first, second = (seconds(lambda: tenon("compile", model, "-o", tmp_path / "p.tenon", f"--records={tmp_path}/records"))
                     for _ in range(2))
    assert second < 0.6 * first
