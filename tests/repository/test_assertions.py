"""What a proof of the RTL assumes of a neighbour is asserted in the module itself, so that every simulation with
assertions checks it; docs/trust.md lists both. An assertion is a name and a sentence, and synthesis does not see it."""
import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORMAL, RTL = ROOT / "hw/formal", ROOT / "hw/rtl"


def assumptions():
    """{(name, harness)}; one without a name has None."""
    found = set()
    for path in FORMAL.glob("*.sv"):
        text = re.sub(r"//.*", "", path.read_text())
        found.update((name or None, path.stem) for name in re.findall(r"(?:(\w+) : )?\bassume\b", text))
    return found


def assertions(module):
    return set(re.findall(r"(\w+) :\s+assert \(", (RTL / f"{module}.sv").read_text()))


def table(heading):
    """{(first cell's name, second cell's words in backquotes)} of the table under `heading` in docs/trust.md."""
    section = (ROOT / "docs/trust.md").read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", section, re.M)
    return {(name, harness): where for name, harnesses, where in rows for harness in re.findall(r"`(\w+)`", harnesses)}


def modules_of(harness):
    rows = tomllib.loads((FORMAL / "properties.toml").read_text())["property"]
    return {module for row in rows if row.get("harness", row["name"]) == harness for module in row.get("rtl", [])}


def test_each_assumption_is_listed_and_asserted_there():
    listed = table("What proofs assume, and where it is asserted")
    assert set(listed) == assumptions()
    for (name, harness), where in listed.items():
        if module := re.match(r"`(\w+)\.sv`$", where):
            assert module[1] in modules_of(harness), (name, harness, where)
            assert name in assertions(module[1]), (name, harness, where)
        else:
            assert len(where.split()) > 3, f"{name} of {harness}: neither a module nor a reason: {where}"


def test_each_assertion_has_a_name_a_sentence_and_a_guard():
    bad = []
    for path in sorted(RTL.glob("*.sv")):
        guarded, before = False, ""
        for line in path.read_text().splitlines():
            guarded = line == "`ifndef SYNTHESIS" or (guarded and line != "`endif")
            if re.search(r"\bassert\b", line.split("//")[0]):
                named = before.strip() if re.match(r"\s*assert \(", line) else line.strip()
                sentence = before if named == line.strip() else earlier
                if not (re.match(r"\w+ :", named) and re.match(r"\s*// .*\.$", sentence) and guarded):
                    bad.append(f"{path.name}: {line.strip()}")
            earlier, before = before, line
    assert not bad, bad


def test_every_module_with_state_asserts_something():
    silent = {path.stem for path in RTL.glob("*.sv") if "always_ff" in path.read_text() and not assertions(path.stem)}
    # Pipelines and counts whose values are compared with models cycle by cycle; a wire.
    assert silent == {"alu_factors", "alu_multiply", "copy", "counters", "gemm_dot", "multiplier"}, silent
