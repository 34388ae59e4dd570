# Part of Tenon, under the Apache License v2.0.
"""The programs of `examples`, built against an installed Tenon and run as their READMEs say."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from conftest import ROOT


class Example:
    """`examples/NAME` in an empty folder beside the files it needs, {name there: path}, after the commands under a heading of its
    README (those in front of the first); calls run its program, a script in Python where one is named."""

    def __init__(self, name, tenon, folder, files, heading="", script=None):
        source, self.folder, prefix = ROOT / "examples" / name, folder / name, folder / "prefix"
        build = pathlib.Path(tenon.path).parents[1]
        subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, capture_output=True)
        shutil.copytree(source, self.folder)
        for shared in ("command", "picture"):
            shutil.copytree(source.parent / shared, folder / shared)
        for to, path in files.items():
            (shutil.copytree if pathlib.Path(path).is_dir() else shutil.copy)(path, self.folder / to)
        first, *others = re.split("^## (.*)\n", (source / "README.md").read_text(), flags=re.M)
        readme = dict(zip(others[::2], others[1::2]))[heading] if heading else first
        commands = "\n".join(line[4:] for line in readme.splitlines() if line.startswith("    "))
        # This Python is the one that has numpy.
        path = [str(prefix / "bin"), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
        done = subprocess.run(["bash", "-ec", commands], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "TENON": str(prefix), "PATH": os.pathsep.join(path[1:])})
        assert done.returncode == 0, done.stdout + done.stderr
        self.program = [sys.executable, self.folder / script] if script else [self.folder / "build" / name]
        self.environment = {**os.environ, "PATH": os.pathsep.join(path)}
        self.said = done.stdout

    def __call__(self, *arguments, expect=0, **options):
        result = subprocess.run([*self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=600,
                                env={**self.environment, **options})
        assert result.returncode == expect, result.stdout + result.stderr
        return result
