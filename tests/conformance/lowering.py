# Part of Tenon, under the Apache License v2.0.
"""Models in ONNX's text form on the CPU through the whole compiler, against onnxruntime or numpy."""
import os
import subprocess
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper, parser

from common import HERE

TENON = os.environ.get("TENON", os.path.join(HERE, "..", "..", "build", "release", "bin", "tenon"))


def model_of(text, opset=21, others=(), constants=None):
    """`text` is a graph: `main (float[2] x) => (float[2] y) { y = Relu (x) }`; `constants` become initializers."""
    opsets = ", ".join(f'"{domain}": {version}' for domain, version in [("", opset), *others])
    model = parser.parse_model(f"<ir_version: 10, opset_import: [{opsets}]>\n{text}")
    for name, value in (constants or {}).items():
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    return model


def run(model, inputs, *options):
    """The finished process, and its outputs where it succeeded."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        onnx.save(model, path)
        given = []
        for name, value in inputs.items():
            file = os.path.join(folder, f"{len(given)}.pb")
            with open(file, "wb") as f:
                f.write(numpy_helper.from_array(np.asarray(value), name).SerializeToString())
            given.append(f"--input={name}={file}")
        done = subprocess.run([TENON, "run", path, "--target=cpu", "--check=none", f"--output-dir={folder}/out", *given, *options],
                              capture_output=True, text=True, timeout=300, check=False)
        outputs = []
        for index in range(len(model.graph.output) if done.returncode == 0 else 0):
            tensor = onnx.TensorProto()
            with open(os.path.join(folder, "out", f"output_{index}.pb"), "rb") as f:
                tensor.ParseFromString(f.read())
            outputs.append(numpy_helper.to_array(tensor))
        return done, outputs


def by_onnxruntime(model, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {name: np.asarray(value) for name, value in inputs.items()})


def check(model, inputs, expected=None, rtol=1e-5, atol=1e-6):
    """The outputs are `expected`, or onnxruntime's where the test has no own."""
    if expected is None:
        expected = by_onnxruntime(model, inputs)
    done, found = run(model, inputs)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(found) == len(expected)
    for index, (have, want) in enumerate(zip(found, expected)):
        want = np.asarray(want)
        assert (have.dtype, have.shape) == (want.dtype, want.shape), f"output {index}"
        np.testing.assert_allclose(have, want, rtol=rtol, atol=atol, err_msg=f"output {index}")


def refusal(model):
    """What the compiler says of a model that it refuses."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        onnx.save(model, path)
        done = subprocess.run([TENON, "compile", path, "--emit=tosa"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode != 0
    return done.stderr
