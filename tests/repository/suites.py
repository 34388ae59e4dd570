"""The suites of ./dev test that run each shipped configuration, read out of the tests themselves.

isa/config/suites.txt says the same for `tenon config list`; test_suites.py holds the two equal, so that a configuration
that a suite stops running loses its name there. `python tests/repository/suites.py --write` writes the file.
"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "isa/config/suites.txt"
SHIPPED = sorted(path.stem for path in (ROOT / "isa/config").glob("*.textproto"))
HEAD = """# The suites of ./dev test that each shipped configuration passes: tests/repository/suites.py reads
# them out of the tests (--write), tests/repository/test_suites.py holds this file to be the same.
"""


def text(path):
    return (ROOT / "tests" / path).read_text()


def matches(path, pattern):
    """Every word in the groups that `pattern` finds in a test's source."""
    found = re.findall(pattern, text(path), re.S)
    assert found, f"tests/{path} does not have {pattern!r} any more"
    return set(re.findall(r"[\w.]+", " ".join(found)))


def values(path, name):
    """Every string within the list that a Python test assigns to `name`."""
    for statement in ast.parse(text(path)).body:
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == name:
            return {node.value for node in ast.walk(statement) if isinstance(node, ast.Constant)}
    raise AssertionError(f"tests/{path} does not assign {name} any more")


# Suite: what of it is configurations. Whatever else is found there is no shipped configuration's name.
SUITES = {
    "encoding": lambda: SHIPPED if "shippedConfigurations()" in text("unit/isa/codec_test.cpp") else [],
    "layers": lambda: matches("unit/scheduling/lower_layer_test.cpp", r"testing::Values\(([^)]*)\)"),
    "core": lambda: matches("rtl/CMakeLists.txt", r"core_test_case\(\w+ (\w+) "),
    "memory": lambda: matches("rtl_memory/CMakeLists.txt", r"foreach\(config ([^)]*)\)"),
    "differential": lambda: matches("differential/differential_test.cpp", r"configurations = \{([^}]*)\}"),
    "mutants": lambda: values("trust/mutants.py", "NETWORKS") | values("trust/mutants.py", "RANDOM"),
    "networks": lambda: matches("e2e/test_configurations.py", r'parametrize\("config", \[([^\]]*)\]') | {"pynq"},
    "cycles": lambda: matches("bench/workloads.py", r'config(?:: str)? ?=? ?"(\w+)"'),
}


def suites():
    """{configuration: [suite, ...]}, all shipped ones, also those without any."""
    runs = {suite: set(read()) for suite, read in SUITES.items()}
    return {name: [suite for suite in SUITES if name in runs[suite]] for name in SHIPPED}


def lines():
    return HEAD + "".join(f"{name}: {' '.join(run)}\n" for name, run in suites().items())


if __name__ == "__main__":
    if "--write" in sys.argv:
        FILE.write_text(lines())
    print(lines(), end="")
