"""The static verifier as a user meets it: tenon verify, and what compile and run make of it."""
import json
import re

import pytest

from conftest import EXAMPLE, ROOT

MODEL = EXAMPLE / "resnet8.onnx"


@pytest.fixture(scope="module")
def program(tenon, tmp_path_factory):
    path = tmp_path_factory.mktemp("verify") / "resnet8.tenon"
    tenon("compile", MODEL, "-o", path)
    return path


@pytest.fixture(scope="module")
def broken(tenon, program):
    """The first GEMM does not wait for LOAD."""
    text = tenon("dis", "--plain", program).stdout
    text, count = re.subn(r"^(\s*gemm .*) wait\(load\)", r"\1", text, count=1, flags=re.M)
    assert count == 1
    path = program.with_name("broken.tasm")
    path.write_text(text)
    tenon("asm", path, "-o", path.with_suffix(".tenon"))
    return path


def test_a_compiled_program_verifies(tenon, program):
    lines = tenon("verify", program).stdout
    found = re.fullmatch(r"verified: \d+ instructions in 1 launch, \d+ tokens \(\d+ superfluous\), \d+\.\d\d s\n"
                         r"not looked at: host code, (\d) executables? of (\d+) bytes\n", lines)
    assert found and int(found[2]) < program.stat().st_size
    facts = json.loads(tenon("verify", program, "--json=-").stdout)
    assert facts["verified"] is True and facts["findings"] == [] and facts["instructions"] > 1000
    assert (facts["executables"], facts["executable_bytes"]) == (int(found[1]), found[2])


def test_a_finding_names_both_instructions_and_the_region(tenon, broken):
    lines = tenon("verify", broken, "--findings=3", expect=3).stdout.splitlines()
    assert len(lines) == 6 and re.fullmatch(r"and \d+ more", lines[3]) and lines[4].startswith("not verified: ")
    assert lines[0].startswith("leftover: LOAD #") and "gives a token to GEMM that nobody takes" in lines[0]
    assert re.match(r"race: LOAD #\d+ \(instruction \d+ of conv2d_0\) `load inp .*` writes inp\[0\.\.\d+\], which GEMM #0 "
                    r"\(instruction \d+ of conv2d_0\) `gemm .*` reads; nothing orders them: a token from LOAD to GEMM is "
                    r"missing$", lines[1])
    finding = json.loads(tenon("verify", broken.with_suffix(".tenon"), "--json=-", expect=3).stdout)["findings"][1]
    assert finding["kind"] == "race" and finding["space"] == "inp" and (finding["from"], finding["to"]) == ("load", "gemm")
    assert [(i["engine"], i["access"]) for i in finding["instructions"]] == [("load", "writes"), ("gemm", "reads")]


def test_run_refuses_a_program_that_does_not_verify(tenon, broken, program):
    foreign = broken.with_suffix(".tenon")
    refused = tenon("run", foreign, "--target=functional", expect=3)
    assert refused.stderr.startswith(f"tenon: '{foreign}' does not verify; --no-verify runs it all the same\n")
    assert "race: LOAD" in refused.stderr and refused.stdout == ""


def test_run_can_be_told_otherwise(tenon, program):
    text = tenon("dis", "--plain", program).stdout
    path = program.with_name("leftover.tasm")
    path.write_text(re.sub(r"^(\s*load uop_gemm .*)$", r"\1 signal(store)", text, count=1, flags=re.M))
    foreign = path.with_suffix(".tenon")
    tenon("asm", path, "-o", foreign)
    assert "leftover: LOAD #1 " in tenon("run", foreign, "--target=functional", expect=3).stderr
    tenon("run", foreign, "--target=functional", "--no-verify")


def test_the_report_says_what_was_proved(tenon, program):
    for arguments in ([program], [MODEL]):
        report = tenon.report(*arguments, "--target=functional")
        assert report["checks"]["verifier"]["status"] == "verified"
        assert report["checks"]["verifier"]["tokens"] > 100 and report["host"]["verify_ms"] > 0
    skipped = tenon.report(program, "--target=functional", "--no-verify")
    assert skipped["checks"]["verifier"]["status"] == "skipped" and skipped["host"]["verify_ms"] == 0
    assert "verified: no race" in tenon("run", program, "--target=functional").stdout


def test_superfluous_tokens_are_listed_on_demand(tenon):
    path = ROOT / "tests/unit/verifier/programs/verified.tasm"
    assert tenon("verify", path).stdout.startswith("verified: 15 instructions in 1 launch, 11 tokens (2 superfluous), ")
    lines = tenon("verify", path, "--superfluous").stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == ["superfluous", "superfluous", "verified"]
    assert "LOAD #4 (instruction 4) `load inp sram=0 dram=0x0 y=1 x=1 signal(gemm,alu)` gives a token to GEMM #0" in lines[0]


def test_the_functional_simulator_detects_races(tenon, broken, program):
    same = tenon("run", program, "--target=functional:interleave=5", "--check=functional").stdout
    assert "bit-exact with functional" in same
    race = tenon("run", broken.with_suffix(".tenon"), "--no-verify", "--target=functional:interleave=5", expect=1).stderr
    assert race.startswith("tenon: race: ") and "no chain of tokens orders them" in race
    wrong = tenon("run", program, "--target=functional:interleave=x", expect=2).stderr
    assert "expected functional:interleave=SEED, a number" in wrong


def test_what_is_no_program_is_bad_input(tenon, tmp_path):
    path = tmp_path / "x.tasm"
    path.write_text("load\n")
    assert "x.tasm:1:" in tenon("verify", path, expect=1).stderr
    tenon("verify", tmp_path / "missing.tenon", expect=1)
    tenon("compile", MODEL, "-o", tmp_path / "p.tenon", "--no-verify")
