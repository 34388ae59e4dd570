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
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)
SOURCES = (".h", ".cpp", ".td")


# What else only one place of a folder may include: (files, headers, where they are right, why).
INCLUDES = [
    ("tools", r"(mlir|llvm|tenon)/", "tools/tenon-opt/", "clients of the compiler use compiler/driver, which is free of MLIR"),
    # isa/proto is the program's own schema, by which the compiler's result leaves it.
    ("compiler", r"(google/protobuf|onnx)/", "compiler/lib/Frontend/ONNX/", "protobuf is how ONNX files are stored, which the front end alone knows"),
]


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


def misplaced(path, text):
    """Headers that the file at `path` may not include, with the reason."""
    return [f"{path}: {header} ({why})" for folder, headers, place, why in INCLUDES
            if path.startswith(folder + "/") and not path.startswith(place)
            for header in ANY_INCLUDE.findall(text) if re.match(headers, header)]


def test_what_one_place_includes():
    wrong = []
    for folder in ALLOWED:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in SOURCES:
                wrong += misplaced(path.relative_to(ROOT).as_posix(), path.read_text())
    assert not wrong, "\n".join(wrong)


def test_the_check_bites():
    assert violations("compiler", '#include "sim/device.h"\n') == ["sim/device.h"]
    assert violations("sim", '#include "tenon/Target/X.h"\n') == ["tenon/Target/X.h"]
    assert violations("isa", '  # include "runtime/x.h"\n') == ["runtime/x.h"]
    assert not violations("tools", '#include "sim/device.h"\n#include "tenon/X.h"\n#include "mlir/IR/X.h"\n')
    assert misplaced("tools/tenon/run.cpp", '#include "mlir/IR/X.h"\n') and misplaced("tools/x.h", "#include <llvm/ADT/X.h>\n")
    assert misplaced("compiler/lib/Scheduling/X.cpp", "#include <google/protobuf/text_format.h>\n")
    assert misplaced("compiler/driver/inspect.cpp", "#include <onnx/onnx_pb.h>\n")
    assert not misplaced("compiler/lib/Frontend/ONNX/X.cpp", "#include <onnx/onnx_pb.h>\n")
    assert not misplaced("tools/tenon-opt/tenon-opt.cpp", '#include "mlir/IR/X.h"\n')
