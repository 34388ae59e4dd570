# Part of Tenon, under the Apache License v2.0.
"""Runs a network on Tenon's CPU, onnxruntime and, beforehand, the reference interpreter, and says where they differ."""
import os
import pathlib
import resource
import signal
import subprocess
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

import explained
from interpreter import session
from values import SMALL

ROOT = pathlib.Path(__file__).resolve().parents[3]
TENON = os.environ.get("TENON", ROOT / "build/release/bin/tenon")
# Of the processor, so that a loaded machine makes no difference; by the clock for what waits for ever.
SECONDS, PATIENCE, GIGABYTES = 60, 300, 4


class Failed(Exception):
    """Tenon gave no result: what it said."""


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    # The sanitizers reserve more addresses than any machine has bytes.
    if "asan" not in str(TENON):
        resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES << 30, GIGABYTES << 30))


def by_tenon(network, folder):
    """Outputs by name."""
    network.save(folder)
    # Where integers may go to the accelerator, an open batch is taken as 1.
    shapes = [f"--shape={name}={','.join(map(str, network.values[name].shape))}" for name, dims in network.dims.items()
              if network.is_quantized() and name in network.inputs and dims and isinstance(dims[0], str)]
    given = [f"--input={name}={folder}/input_{index}.pb" for index, name in enumerate(network.inputs)]
    try:
        done = subprocess.run([TENON, "run", f"{folder}/model.onnx", "--target=cpu", "--check=none", f"--output-dir={folder}/out", *given, *shapes],
                              capture_output=True, text=True, timeout=PATIENCE, check=False, preexec_fn=limit)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"it does not end within {PATIENCE} seconds") from error
    if done.returncode == -signal.SIGXCPU:
        raise Failed(f"it takes more than {SECONDS} seconds of the processor")
    if done.returncode != 0:
        raise Failed(f"exit code {done.returncode}: {done.stderr.strip()[-1500:]}")
    arrays = {}
    for index, name in enumerate(network.outputs):
        tensor = onnx.TensorProto.FromString(pathlib.Path(folder, "out", f"output_{index}.pb").read_bytes())
        arrays[name] = numpy_helper.to_array(tensor)
    return arrays


def by_onnxruntime(network):
    """Outputs by name; None where it does not take the network."""
    try:
        # Its small floats are bytes to Python.
        arrays = zip(network.outputs, session(network.model()).run(network.outputs, network.feeds()))
        return {name: array.view(network.expected(name).dtype) if network.expected(name).dtype in SMALL and array.dtype == np.uint8 else array
                for name, array in arrays}
    except Exception:  # of many types, all of which say that it does not
        return None


def differs(network, name, found, wanted):
    """What is wrong with an output, or None."""
    if found.dtype != wanted.dtype:
        return f"its type is {found.dtype}, expected {wanted.dtype}"
    if found.shape != wanted.shape:
        return f"its shape is {found.shape}, expected {wanted.shape}"
    bound = network.bound(name)
    if bound is None:
        wrong = np.flatnonzero((found != wanted).reshape(-1))
    else:
        a, b = found.astype(np.float64).reshape(-1), wanted.astype(np.float64).reshape(-1)
        wrong = np.flatnonzero(~(np.abs(a - b) <= bound))
    if not wrong.size:
        return None
    at = wrong[0]
    return (f"{wrong.size} of {wanted.size} elements differ: [{at}] is {found.reshape(-1)[at]}, expected {wanted.reshape(-1)[at]}"
            + ("" if bound is None else f" +- {bound:.2g}"))


def judge(network):
    """(kind, text) of each disagreement: "fails", "reference" (Tenon against it), "onnxruntime", "oracles" (these two); and whether
    onnxruntime took the network."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = by_tenon(network, folder)
        except Failed as error:
            return [("fails", str(error))], False
    other = by_onnxruntime(network)
    said = []
    for name in network.outputs:
        wanted = network.expected(name)
        if wrong := differs(network, name, found[name], wanted):
            said.append(("reference", f"output {name}: {wrong}"))
        if other is None:
            continue
        if wrong := differs(network, name, found[name], other[name]):
            said.append(("onnxruntime", f"output {name}: {wrong}"))
        if wrong := differs(network, name, other[name], wanted):
            said.append(("oracles", f"output {name}: {wrong}"))
    return said, other is not None


def explanation(network, said):
    """Why a network's disagreement is no defect of Tenon's, or None."""
    return explained.find(network, said)
