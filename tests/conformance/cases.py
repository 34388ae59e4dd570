# Part of Tenon, under the Apache License v2.0.
"""What a case of conformance is, whether it is in scope, and how it runs: on the CPU through `tenon run`, its outputs against the
expected ones with the case's own tolerances.
"""
import concurrent.futures
import os
import subprocess
import tempfile
from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from common import HERE

TENON = os.environ.get("TENON", os.path.join(HERE, "..", "..", "build", "release", "bin", "tenon"))


class Case(NamedTuple):
    """The names are those of the onnx package's own cases, which serve as well."""
    name: str
    model: onnx.ModelProto  # or None, where its suite knows more
    data_sets: list         # of (inputs, outputs), each a list of arrays or TensorProto
    rtol: float
    atol: float
    outside: str = ""       # why it is out of scope, where its model does not tell


TRAINING = {"Adagrad", "Adam", "Momentum", "Gradient"}
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
STRINGS = {"StringConcat", "StringNormalizer", "StringSplit", "RegexFullMatch", "TfIdfVectorizer"}
BORDERS = {"sequence_type": "sequences at the border", "optional_type": "optionals", "map_type": "maps", "sparse_tensor_type": "sparse tensors"}


def outside(case):
    """Why the case is out of scope; empty where it is in."""
    if getattr(case, "outside", "") or case.model is None:
        return case.outside
    graph = case.model.graph
    names = {node.op_type for node in graph.node}
    domains = {node.domain for node in graph.node}
    if "ai.onnx.ml" in domains:
        return "classical machine learning (ai.onnx.ml)"
    if "ai.onnx.preview.training" in domains or names & TRAINING:
        return "training"
    if any(domain.startswith("ai.onnx.preview") for domain in domains):
        return "operators in preview (ai.onnx.preview)"
    if names & RANDOM or ("Dropout" in names and ("training" in case.name or "seed" in case.name)):
        return "random values"
    if names & STRINGS:
        return "strings"
    if "ImageDecoder" in names:
        return "decoding of pictures"
    if any(name.startswith("Optional") for name in names):
        return "optionals"
    for value in [*graph.input, *graph.output]:
        if value.type.WhichOneof("value") != "tensor_type":
            return BORDERS.get(value.type.WhichOneof("value"), "a border without a type")
        if value.type.tensor_type.elem_type == TensorProto.STRING:
            return "strings"
        if value.type.tensor_type.elem_type in (TensorProto.COMPLEX64, TensorProto.COMPLEX128):
            return "complex numbers"
    return ""


def missing(suite):
    """The cases of a suite that are known to fail, with the reasons."""
    with open(os.path.join(HERE, "missing", f"{suite}.txt"), encoding="utf-8") as f:
        lines = [line.strip() for line in f if line.strip() and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def equal(found, expected, case):
    if found.shape != expected.shape:
        return f"its shape is {found.shape}, expected {expected.shape}"
    if found.dtype != expected.dtype:
        return f"its type is {found.dtype}, expected {expected.dtype}"
    if expected.dtype.kind not in "fc" and expected.dtype.kind != "V" and expected.dtype.name not in ("bfloat16",):
        wrong = np.flatnonzero(found.reshape(-1) != expected.reshape(-1))
    else:
        a, b = found.astype(np.float64).reshape(-1), expected.astype(np.float64).reshape(-1)
        wrong = np.flatnonzero(~np.isclose(a, b, rtol=case.rtol, atol=case.atol, equal_nan=True))
    if not wrong.size:
        return None
    at = wrong[0]
    return f"{wrong.size} of {expected.size} elements differ: {found.reshape(-1)[at]}, expected {expected.reshape(-1)[at]}"


def run_set(case, folder, inputs, outputs):
    """None, or what is wrong with one set of inputs and outputs."""
    options = []
    initialised = {tensor.name for tensor in case.model.graph.initializer}
    fed = [value for value in case.model.graph.input if value.name not in initialised]
    for index, (value, array) in enumerate(zip(fed, inputs)):
        path = os.path.join(folder, f"input_{index}.pb")
        tensor = array if isinstance(array, TensorProto) else numpy_helper.from_array(np.asarray(array), value.name)
        with open(path, "wb") as f:
            f.write(tensor.SerializeToString())
        options.append(f"--input={value.name}={path}")
    try:
        done = subprocess.run([TENON, "run", os.path.join(folder, "model.onnx"), "--target=cpu", "--check=none",
                               f"--output-dir={folder}/out", *options], capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return "it takes more than two minutes"
    if done.returncode != 0:
        return f"exit code {done.returncode}: " + (done.stderr.strip().splitlines() or [""])[-1]
    for index, want in enumerate(outputs):
        if isinstance(want, TensorProto):
            want = numpy_helper.to_array(want)
        tensor = TensorProto()
        with open(os.path.join(folder, "out", f"output_{index}.pb"), "rb") as f:
            tensor.ParseFromString(f.read())
        if wrong := equal(numpy_helper.to_array(tensor), np.asarray(want), case):
            return f"output {index}: {wrong}"
    return None


def run_case(case):
    """None, or what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "model.onnx"), "wb") as f:
            f.write(case.model.SerializeToString())
        for inputs, outputs in case.data_sets:
            if wrong := run_set(case, folder, inputs, outputs):
                return wrong
    return None


def run_all(selected, run=run_case):
    """What is wrong with each case, by name."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip([case.name for case in selected], pool.map(run, selected)))


def unexpected(results, known):
    """What differs from the committed table: failures that it does not have, and its own that pass, as lines."""
    lines = [f"{name}: {reason}" for name, reason in sorted(results.items()) if reason and name not in known]
    return lines + [f"{name} passes: take it from the table" for name in sorted(known) if name in results and not results[name]]
