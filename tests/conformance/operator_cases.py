# Part of Tenon, under the Apache License v2.0.
"""The operator cases of the onnx package on the CPU: each model with its inputs through `tenon run`, its outputs against the
expected ones with the case's own tolerances.

As a program: `operator_cases.py [REGEX...] [--verbose]` runs the cases in scope whose names match and says what fails.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases

from common import HERE

TENON = os.environ.get("TENON", os.path.join(HERE, "..", "..", "build", "release", "bin", "tenon"))

# Out of scope: training, random values, strings, optionals, decoding of pictures, classical machine learning.
TRAINING = {"Adagrad", "Adam", "Momentum", "Gradient"}
RANDOM = {"Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
OTHER = {"ImageDecoder", "StringConcat", "StringNormalizer", "StringSplit", "RegexFullMatch", "TfIdfVectorizer"}


def has_tensors_only(values):
    return all(v.type.WhichOneof("value") == "tensor_type" and v.type.tensor_type.elem_type != TensorProto.STRING
               and v.type.tensor_type.elem_type not in (TensorProto.COMPLEX64, TensorProto.COMPLEX128) for v in values)


def in_scope(case):
    graph = case.model.graph
    operators = {(node.domain, node.op_type) for node in graph.node}
    if any(domain.startswith("ai.onnx.") for domain, _ in operators):
        return False
    names = {name for _, name in operators}
    if names & (TRAINING | OTHER) or any(name.startswith(("Optional", "Random")) for name in names):
        return False
    if names & RANDOM and not ("Dropout" in names and "training" not in case.name and "seed" not in case.name):
        return False
    return has_tensors_only(graph.input) and has_tensors_only(graph.output)


def cases(patterns=()):
    return [case for case in collect_testcases(None)
            if in_scope(case) and (not patterns or any(re.search(p, case.name) for p in patterns))]


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


def run_case(case):
    """None, or what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "model.onnx"), "wb") as f:
            f.write(case.model.SerializeToString())
        inputs, outputs = case.data_sets[0]
        options = []
        for index, (value, array) in enumerate(zip(case.model.graph.input, inputs)):
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


def run_all(selected):
    """What is wrong with each case, by name."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip([case.name for case in selected], pool.map(run_case, selected)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*", help="regular expressions of names")
    parser.add_argument("--verbose", action="store_true", help="every case that fails, with the reason")
    options = parser.parse_args()
    selected = cases(options.patterns)
    results = run_all(selected)
    failures = collections.Counter()
    for case in selected:
        if results[case.name]:
            failures[case.model.graph.node[0].op_type] += 1
            if options.verbose:
                print(f"{case.name}: {results[case.name]}")
    passed = sum(1 for wrong in results.values() if wrong is None)
    print(f"{passed} of {len(selected)} cases pass")
    for operator, count in failures.most_common():
        print(f"  {operator:30} {count} fail")
    return 0 if passed == len(selected) else 1


if __name__ == "__main__":
    sys.exit(main())
