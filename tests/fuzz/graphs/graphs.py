#!/usr/bin/env python3
"""Random networks through the whole compiler: accelerator against CPU, and a part against an independent reference.

`graphs.py` is the seeded sample of ./dev test; the night judges more of them (`--graphs`, `--seed`). Every fifth graph has an ONNX
form, which ../shared/tools/tosa_reference.py executes where it is there: numpy only, no code shared with the compiler.
Prints the figures; ends with 3 where there is a defect, 1 where an option is bad.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))
from skips import skipped  # noqa: E402

BIN = pathlib.Path(os.environ.get("TENON_BIN", ROOT / "build/release/bin"))
REFERENCE = ROOT.parent / "shared/tools/tosa_reference.py"


def load_reference():
    """The module, or None with a message."""
    if not REFERENCE.is_file():
        skipped(__file__, "../shared/tools/tosa_reference.py is not there")
        return None
    spec = importlib.util.spec_from_file_location("tosa_reference", REFERENCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def differences(reference, folder, unknown):
    """One line for each output of the network in `folder` that the reference computes otherwise.

    What it does not know (convolutions in groups, tensors without rows) is added to `unknown`."""
    network = reference.Network(str(folder / "model.onnx"))
    value = reference.load(str(folder / "input_0.pb"))
    try:
        if value.ndim == 3:
            raise NotImplementedError("one-dimensional")
        network.run(value)
    except NotImplementedError:
        unknown.append(folder)
        return
    for place, output in enumerate(network.graph.output):
        want = network.tensors[output.name]
        got = reference.load(str(folder / f"output_{place}.pb"))
        if got.shape != want.shape or (got != want).any():
            yield f"{folder / 'model.onnx'}: {output.name} is not what {REFERENCE.name} computes"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=120, help="number of graphs (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first graph (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=0, help="no graph is begun after these; 0: no limit")
    parser.add_argument("--json", help="file for the figures")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the files of ONNX forms and defects")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "figures.json"
        code = subprocess.run([BIN / "tenon-graphs", f"--graphs={options.graphs}", f"--seed={options.seed}", f"--folder={folder}",
                               f"--minutes={options.minutes}", f"--json={file}"]).returncode
        if code not in (0, 3):
            return code
        figures = json.loads(file.read_text())
        reference = load_reference()
        forms = sorted(folder.glob("graph_*/model.onnx")) if reference else []
        unknown = []
        differ = [line for form in forms for line in differences(reference, form.parent, unknown)]
        figures["reference_graphs"] = len(forms) - len(unknown)
        figures["defects"] += differ
        print(f"\nagainst {REFERENCE.name:<22}{len(forms) - len(unknown):>6} graphs, {len(differ)} outputs differ; "
              f"{len(unknown)} it does not know", *differ, sep="\n")
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
        return 3 if figures["defects"] else 0


if __name__ == "__main__":
    sys.exit(main())
