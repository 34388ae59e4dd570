# Part of Tenon, under the Apache License v2.0.
"""Suite models: the networks of ../shared/models, each with the inputs and outputs that are stored beside it."""
import json
import pathlib
import subprocess

import onnx
from onnx import TensorProto

from cases import TENON, Case
from common import MODELS

NAME = "models"

# |got - stored| <= ATOL + RTOL * |stored|. The stored outputs are onnxruntime's (or the upstream project's own): another order of
# summation; half precision rounds after every operator; basic_pitch sums 36,000 products of large numbers for an output near 0.
RTOL, ATOL = 1e-3, 1e-4
TOLERANCE = {"squeezenet1.1_fp16/fp16/model.onnx": (2e-2, 2e-3), "basic_pitch/model.onnx": (1e-3, 2e-3)}

# Steps of a quantised output. TOSA multiplies by an integer and shifts, onnxruntime by a float: a number half way between two may
# become either.
STEPS = 1

# A window of 2x2 over one row: by the standard no window fits, and an average over nothing follows; onnxruntime divides towards zero
# and takes one.
LEFT_OUT = {"ppocr_cls_mobilenetv3/model.onnx": "test_data_set_1"}


def case_of(path):
    name = str(path.relative_to(MODELS))
    sets = [folder for folder in sorted(path.parent.glob("test_data_set_*")) if folder.name != LEFT_OUT.get(name)]
    return Case(name, None, sets, *TOLERANCE.get(name, (RTOL, ATOL)))


def cases():
    """None where ../shared/models is not there."""
    return [case_of(path) for path in sorted(pathlib.Path(MODELS).rglob("*.onnx"))]


def difference(output, is_integer):
    """What is wrong with one entry of checks.expected.outputs; None if nothing is."""
    if output["reason"]:
        return f"{output['name']} {output['reason']}"
    if is_integer:
        return f"{output['name']}: {output['max_lsb']} steps" if output["max_lsb"] > STEPS else None
    # The JSON has an infinity as text.
    return f"{output['name']}: {output['mismatches']} of {output['elements']} elements, up to {float(output['max_abs']):.3g}" if output["mismatches"] else None


def run(case):
    """None, or what is wrong."""
    path = f"{MODELS}/{case.name}"
    done = subprocess.run([TENON, "run", path, "--target=cpu", "--check=none", "--json=-", f"--tolerance={case.rtol},{case.atol}",
                           *[f"--expect={folder}" for folder in case.data_sets]], capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode not in (0, 3):
        return f"exit code {done.returncode}: " + (done.stderr.strip().splitlines() or [""])[-1]
    integers = {value.name for value in onnx.load(path, load_external_data=False).graph.output
                if value.type.tensor_type.elem_type in (TensorProto.INT8, TensorProto.UINT8)}
    outputs = [output for expected in json.loads(done.stdout)["checks"]["expected"] for output in expected["outputs"]]
    return next(filter(None, (difference(output, output["name"] in integers) for output in outputs)), None)
