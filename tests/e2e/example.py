# Part of Tenon, under the Apache License v2.0.
"""The programs of `examples`, built against an installed Tenon and run as their READMEs say."""
import os
import pathlib
import shutil
import subprocess

from conftest import ROOT


class Example:
    """`examples/NAME` in an empty folder beside the files it needs, {name there: path}; calls run its program."""

    def __init__(self, name, tenon, folder, files):
        source, self.folder, prefix = ROOT / "examples" / name, folder / name, folder / "prefix"
        build = pathlib.Path(tenon.path).parents[1]
        subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, capture_output=True)
        shutil.copytree(source, self.folder)
        for to, path in files.items():
            (shutil.copytree if pathlib.Path(path).is_dir() else shutil.copy)(path, self.folder / to)
        readme = (source / "README.md").read_text()
        commands = "\n".join(line[4:] for line in readme.splitlines() if line.startswith("    "))
        done = subprocess.run(["bash", "-ec", commands], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "TENON": str(prefix)})
        assert done.returncode == 0, done.stdout + done.stderr
        self.program, self.said = self.folder / "build" / name, done.stdout

    def __call__(self, *arguments, expect=0):
        result = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=600)
        assert result.returncode == expect, result.stdout + result.stderr
        return result
