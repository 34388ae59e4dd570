"""Dependencies point one way: isa <- hw, sim, compiler <- runtime <- tools.

Reads every `#include "..."` of the tree and fails when an arrow points the wrong
way (docs/architecture: the binary program is all that passes between compiler
and simulators).
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Folder -> folders whose headers it may include (its own always).
ALLOWED = {
    "isa": set(),
    "sim": {"isa"},
    "compiler": {"isa"},
    "runtime": {"isa", "sim"},
    "tools": {"isa", "sim", "compiler", "runtime"},
    "tests": {"isa", "sim", "compiler", "runtime", "tools"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
SOURCES = (".h", ".cpp", ".td")


def owner(header):
    """Top-level folder an include path belongs to, or None for others'."""
    top = header.split("/")[0]
    return "compiler" if top == "tenon" else top if top in ALLOWED else None


def violations(folder, text):
    return [h for h in INCLUDE.findall(text) if owner(h) not in (None, folder) and owner(h) not in ALLOWED[folder]]


def test_arrows():
    wrong, files = [], 0
    for folder in ALLOWED:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in SOURCES:
                files += 1
                wrong += [f"{path.relative_to(ROOT)}: {h}" for h in violations(folder, path.read_text())]
    assert files > 50, "the tree was not found"
    assert not wrong, "includes against the direction of dependencies:\n" + "\n".join(wrong)


def test_the_check_bites():
    assert violations("compiler", '#include "sim/device.h"\n') == ["sim/device.h"]
    assert violations("sim", '#include "tenon/Target/X.h"\n') == ["tenon/Target/X.h"]
    assert violations("isa", '  # include "runtime/x.h"\n') == ["runtime/x.h"]
    assert not violations("tools", '#include "sim/device.h"\n#include "tenon/X.h"\n#include "mlir/IR/X.h"\n')
