"""A copy of the tree under build/, with a build of its own, for faults to be put in."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CopyOfTree:
    def __init__(self, name):
        self.folder = ROOT / "build" / name
        self.path = self.folder / "tree"
        # The same place in the copy as in the tree, so that both share compiled objects.
        self.build_path = self.path / "build" / "release"
        self.environment = {**os.environ, "TENON": str(self.build_path / "bin/tenon"),
                            "TENON_CACHE": str(self.folder / "cache"), "CCACHE_BASEDIR": str(self.path)}

    def write(self, changed=None):
        """The tree's files as they are, but those that `changed` has; only what differs is written."""
        self.path.mkdir(parents=True, exist_ok=True)
        # It stands beside the shared models as the tree does.
        shared = self.folder / "shared"
        if not shared.exists() and (ROOT.parent / "shared").is_dir():
            shared.symlink_to(ROOT.parent / "shared")
        # What `./dev setup` has put there and the build asks for.
        for name in ("onnx", "web", "models"):
            link, kept = self.path / ".cache" / name, ROOT / ".cache" / name
            if kept.exists() and not link.is_symlink():
                link.parent.mkdir(exist_ok=True)
                link.symlink_to(kept.resolve())
        for name in files():
            source, target = ROOT / name, self.path / name
            data = (changed or {}).get(name) or source.read_bytes()
            if not target.exists() or target.read_bytes() != data:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                shutil.copymode(source, target)

    def configure(self):
        if not (self.build_path / "build.ninja").exists():
            subprocess.run(["cmake", "--preset", "release", "-S", self.path, "-B", self.build_path,
                            f"-DTENON_PYTHON={sys.executable}"],
                           cwd=self.path, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def build(self, *options):
        self.configure()
        jobs = ["-j", os.environ["TENON_JOBS"]] if "TENON_JOBS" in os.environ else []
        return subprocess.run(["cmake", "--build", self.build_path, *jobs, *options], env=self.environment,
                              capture_output=True, text=True)


def files():
    """What git knows of that is there, by its name."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.splitlines() if (ROOT / name).is_file()]
