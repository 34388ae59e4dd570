"""A program compiled here gives the same bits on Arm: the runtime of ./dev cross, under qemu-user."""
import shutil
import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import pytest

from conftest import ROOT, test_sets
from integer_products import ALL_ON_THE_HOST, products
from seeds import of_commit

QEMU = {"aarch64": "qemu-aarch64", "armv7": "qemu-arm"}
HOSTS = "x86-64-v2,x86-64-v3,x86-64-v4,aarch64,aarch64-dotprod,armv7"
# Processors with and without dot products of bytes.
PROCESSORS = {"aarch64": ("max", "cortex-a72"), "armv7": ("max",)}
# What sums products of floats as they do: with fused additions, and without.
ALIKE = {"aarch64": "x86-64-v3", "armv7": "x86-64-v2"}
# What kernels are made of, on floats of every size: polynomials and what armv7 lacks, rounding and division.
OPERATIONS = ["exp", "tanh", "erf", "floor", "ceil", "reciprocal"]


def module():
    """A network of these, one output each."""
    kind = "tensor<4096xf32>"
    lines = [f"  %{name} = tosa.{name} %x : ({kind}) -> {kind}" for name in OPERATIONS]
    results = ", ".join(f'{kind} {{tenon.name = "{name}"}}' for name in OPERATIONS)
    return "\n".join([f'func.func @main(%x: {kind} {{tenon.name = "x"}}) -> ({results}) {{', *lines,
                      f"  return {', '.join('%' + name for name in OPERATIONS)} : {', '.join([kind] * len(OPERATIONS))}",
                      "}", ""])


@pytest.fixture(scope="module", params=QEMU)
def run_on(request):
    """Runs a program on an architecture: its outputs."""
    program = ROOT / "build" / request.param / "bin" / "tenon-run"
    qemu = shutil.which(QEMU[request.param])
    assert qemu, f"{QEMU[request.param]} is not there: ./dev setup installs it"
    if not program.exists():
        pytest.skip(f"there is no runtime for {request.param}: ./dev cross makes it")
    # One of an earlier tree says nothing of this one.
    built = subprocess.run(["cmake", "--build", ROOT / "build" / request.param], capture_output=True, text=True, timeout=900)
    assert built.returncode == 0, built.stdout + built.stderr
    sysroot = ROOT / ".cache" / "sysroot" / request.param

    def run(path, inputs, folder, processor="max"):
        result = subprocess.run([qemu, "-cpu", processor, "-L", sysroot, program, path, "--output-dir", folder,
                                 *[f"--input={name}={file}" for name, file in inputs.items()]],
                                capture_output=True, text=True, timeout=600)
        assert result.returncode == 0, result.stdout + result.stderr
        return outputs_in(folder)
    run.architecture = request.param
    return run


def outputs_in(folder):
    return [np.load(folder / f"output_{i}.npy") for i in range(len(list(folder.glob("output_*.npy"))))]


def assert_same_bits(there, here):
    assert len(there) == len(here) > 0
    for one, other in zip(there, here):
        assert one.dtype == other.dtype and one.shape == other.shape
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("network", ["mlperftiny_resnet8/qdq", "mlperftiny_kws_dscnn/qdq"])
def test_networks_give_the_same_bits(tenon, models, run_on, tmp_path, network):
    model = models / network / "model.onnx"
    path = tmp_path / "network.tenon"
    tenon("compile", model, f"--host={HOSTS}", "-o", path)
    name = onnx.load(model).graph.input[0].name
    sets = test_sets(model)
    assert len(sets) >= 2
    for number, data in enumerate(sets):
        array, stored = (numpy_helper.to_array(onnx.load_tensor(data / f"{kind}_0.pb")) for kind in ("input", "output"))
        file = tmp_path / f"{number}.npy"
        np.save(file, array)
        here = tmp_path / f"here_{number}"
        report = tenon.report(path, f"--input={name}={file}", "--target=functional", f"--output-dir={here}",
                              f"--expect={data}")
        assert report["checks"]["expected"][0]["outputs"][0]["max_lsb"] <= 1
        there = run_on(path, {name: file}, tmp_path / f"there_{number}")
        assert_same_bits(there, outputs_in(here))
        assert there[0].argmax() == stored.argmax()


def test_sums_of_floats_are_those_of_a_host_alike(tenon, models, run_on, tmp_path):
    model = models / "mlperftiny_kws_dscnn/fp32/model.onnx"
    path = tmp_path / "network.tenon"
    tenon("compile", model, f"--host={ALIKE[run_on.architecture]},{run_on.architecture}", ALL_ON_THE_HOST, "-o", path)
    data = test_sets(model)[0]
    name = onnx.load(model).graph.input[0].name
    np.save(tmp_path / "x.npy", numpy_helper.to_array(onnx.load_tensor(data / "input_0.pb")))
    tenon("run", path, f"--input={name}={tmp_path}/x.npy", "--target=functional", "--check=none", f"--output-dir={tmp_path}/here")
    assert_same_bits(run_on(path, {name: tmp_path / "x.npy"}, tmp_path / "there"), outputs_in(tmp_path / "here"))


def test_functions_give_the_same_bits(tenon, run_on, tmp_path):
    (tmp_path / "functions.mlir").write_text(module())
    path = tmp_path / "functions.tenon"
    tenon("compile", tmp_path / "functions.mlir", f"--host={HOSTS}", "-o", path)
    random = np.random.default_rng(16)
    # Subnormal numbers too, but none that gives a NaN, whose bits are each machine's own.
    floats = (random.uniform(1, 2, 4096) * 2.0 ** random.integers(-149, 7, 4096)).astype(np.float32)
    floats[::2] *= -1
    np.save(tmp_path / "x.npy", floats)
    tenon("run", path, f"--input=x={tmp_path}/x.npy", "--target=functional", "--check=none",
          f"--output-dir={tmp_path}/here")
    here = outputs_in(tmp_path / "here")
    assert len(here) == len(OPERATIONS) and not any(np.isnan(output).any() for output in here)
    for output, name in zip(here, OPERATIONS):
        assert len(np.unique(output)) > (10 if name in ("floor", "ceil") else 500), name
    assert_same_bits(run_on(path, {"x": tmp_path / "x.npy"}, tmp_path / "there"), here)


@pytest.mark.parametrize("seed", [of_commit(), of_commit() + 1])
def test_sums_of_products_are_exact(tenon, run_on, tmp_path, seed):
    made = products(seed)
    (tmp_path / "products.mlir").write_text(made.text)
    tenon("compile", tmp_path / "products.mlir", f"--host={HOSTS}", ALL_ON_THE_HOST, "-o", tmp_path / "products.tenon")
    for name, array in made.inputs.items():
        np.save(tmp_path / f"{name}.npy", array)
    for processor in PROCESSORS[run_on.architecture]:
        there = run_on(tmp_path / "products.tenon", {name: tmp_path / f"{name}.npy" for name in made.inputs}, tmp_path / processor, processor)
        assert_same_bits(there, made.expected)


@pytest.mark.parametrize("run_on", ["armv7"], indirect=True)
def test_sizes_have_more_bits_than_addresses(tenon, run_on, tmp_path):
    """4 GiB and 8 bytes are not 8."""
    seven = helper.make_tensor("value", TensorProto.INT64, [1], [7])
    graph = helper.make_graph([helper.make_node("ConstantOfShape", ["s"], ["y"], value=seven)], "g",
                              [helper.make_tensor_value_info("s", TensorProto.INT64, [1])],
                              [helper.make_tensor_value_info("y", TensorProto.INT64, ["n"])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "model.onnx")
    tenon("compile", tmp_path / "model.onnx", "--host=armv7", "-o", tmp_path / "network.tenon")
    np.save(tmp_path / "s.npy", np.array([2**29 + 1]))
    with pytest.raises(AssertionError, match="there is no memory for 4294967304 bytes"):
        run_on(tmp_path / "network.tenon", {"s": tmp_path / "s.npy"}, tmp_path)


def test_a_program_without_code_for_the_machine_is_refused(tenon, models, run_on, tmp_path):
    model = models / "mlperftiny_resnet8/qdq/model.onnx"
    path = tmp_path / "network.tenon"
    tenon("compile", model, "--host=x86-64-v2", "-o", path)
    name = onnx.load(model).graph.input[0].name
    np.save(tmp_path / "x.npy", numpy_helper.to_array(onnx.load_tensor(test_sets(model)[0] / "input_0.pb")))
    with pytest.raises(AssertionError, match="the program has no host code for this machine, (aarch64|armv7)-"):
        run_on(path, {name: tmp_path / "x.npy"}, tmp_path)
