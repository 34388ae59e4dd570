# Part of Tenon, under the Apache License v2.0.
"""What run.py makes of programs that end, each in the middle of its inputs."""
import types

import pytest

import run

# As libFuzzer's programs do with files: they end with the first that breaks them.
PROGRAM = """#!/bin/sh
for file; do
  case "$file" in -*) continue ;; esac
  echo "Running: $file" >&2
  if grep -q bad "$file"; then exit 77; fi
done
"""


@pytest.mark.parametrize("bad", [[], [0], [2], [4], [1, 2], [0, 4], [0, 1, 2, 3, 4]])
def test_each_that_breaks_is_found(bad, tmp_path):
    program, files, findings = tmp_path / "program", tmp_path / "files", tmp_path / "findings"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    files.mkdir()
    findings.mkdir()
    contents = [f"{index} {'bad' if index in bad else 'good'}".encode() for index in range(5)]
    models = [types.SimpleNamespace(SerializeToString=lambda content=content: content) for content in contents]
    found = run.take(program, models, files, findings, types.SimpleNamespace(timeout=1))
    assert {path.read_bytes() for path in found} == {contents[index] for index in bad}


def test_a_program_that_does_not_run(tmp_path):
    (tmp_path / "files").mkdir()
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho out of order >&2\n")
    program.chmod(0o755)
    with pytest.raises(SystemExit, match="did not run: out of order"):
        run.take(program, [types.SimpleNamespace(SerializeToString=lambda: b"x")], tmp_path / "files", tmp_path, types.SimpleNamespace(timeout=1))
