#!/usr/bin/env python3
"""One runtime on one network: how long a run takes, and what it computes.

    peer.py PEER FOLDER THREADS SECONDS ANSWER

Runs in an environment with the peers (requirements.txt), a process each: a crash is a row of the table. FOLDER is that of
networks.py. ANSWER is a folder: `figures.json` has {version, compile_s, median_ms, p10_ms, p90_ms, runs} or {failed};
`K_I.npy` output I of data set K. A run begins with inputs in place and ends with outputs in place; loading, compiling and
conversions of Python are not in it.
"""
import contextlib
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import numpy as np

from networks import tensors

WARM_UP = 0.3  # seconds
RUNS = 20      # at least


def statistics(times):
    low, median, high = np.percentile(times, (10, 50, 90))
    return {"median_ms": median, "p10_ms": low, "p90_ms": high, "runs": len(times)}


def timed(run, seconds):
    end = time.perf_counter() + WARM_UP
    run()
    while time.perf_counter() < end:
        run()
    times, end = [], time.perf_counter() + seconds
    while len(times) < RUNS or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics(times)


class OnnxRuntime:
    package = "onnxruntime"

    def __init__(self, model, threads, _):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def outputs(self, inputs):
        return self.session.run(None, dict(zip([each.name for each in self.session.get_inputs()], inputs)))

    def measure(self, inputs, seconds):
        binding = self.session.io_binding()
        for each, array in zip(self.session.get_inputs(), inputs):
            binding.bind_cpu_input(each.name, np.ascontiguousarray(array))
        for each in self.session.get_outputs():
            binding.bind_output(each.name)
        return timed(lambda: self.session.run_with_iobinding(binding), seconds)


class OpenVino:
    """At f32: its default computes networks of floats in bf16 where the processor can."""
    package = "openvino"

    def __init__(self, model, threads, _):
        import openvino

        self.tensor = openvino.Tensor
        self.compiled = openvino.Core().compile_model(model, "CPU", {
            "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"})
        self.request = self.compiled.create_infer_request()

    def outputs(self, inputs):
        for i, array in enumerate(inputs):
            self.request.set_input_tensor(i, self.tensor(np.ascontiguousarray(array)))
        self.request.infer()
        return [self.request.get_output_tensor(i).data.copy() for i in range(len(self.compiled.outputs))]

    def measure(self, inputs, seconds):
        self.outputs(inputs)  # which stay bound
        return timed(self.request.infer, seconds)


def tool(name, *arguments):
    path = shutil.which(name, path=f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    done = subprocess.run([path or name, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        errors = re.findall(r"^.*(?:rror|UNIMPLEMENTED|LLVM).*$", done.stderr, re.M) or done.stderr.splitlines() or ["crashed"]
        raise RuntimeError(f"{name}: {errors[0].strip()}")
    return done.stdout


class Iree:
    """Through its own programs: its Python calls take longer than a small network."""
    package = "iree-base-compiler"

    def __init__(self, model, threads, work):
        self.work, self.module = work, work / "iree.vmfb"
        mlir = work / "iree.mlir"
        with contextlib.suppress(RuntimeError):  # brought to the version that its importer wants, where ONNX can
            tool("iree-import-onnx", model, "-o", mlir, "--opset-version", "17")
        if not mlir.exists():
            tool("iree-import-onnx", model, "-o", mlir)
        tool("iree-compile", mlir, "-o", self.module, "--iree-hal-target-device=local",
             "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host")
        function = re.search(r"func\.func @(\"[^\"]+\"|[\w$.-]+)\(", mlir.read_text())[1].strip('"')
        # Its workers take every processor unless they are told theirs; on one thread none is needed.
        processors = sorted(os.sched_getaffinity(0))
        device = ["--device=local-sync"] if threads == 1 else \
            ["--device=local-task", "--task_topology_cpu_ids=" + ",".join(str(processors[i % len(processors)]) for i in range(threads))]
        self.common = [f"--module={self.module}", f"--function={function}", *device]

    def inputs(self, arrays):
        for i, array in enumerate(arrays):
            np.save(self.work / f"in{i}.npy", array)
        return [f"--input=@{self.work}/in{i}.npy" for i in range(len(arrays))]

    def outputs(self, inputs):
        count = int((self.work / "outputs").read_text())
        tool("iree-run-module", *self.common, *self.inputs(inputs), *(f"--output=@{self.work}/out{i}.npy" for i in range(count)))
        return [np.load(self.work / f"out{i}.npy") for i in range(count)]

    def measure(self, inputs, seconds):
        command = ["iree-benchmark-module", *self.common, *self.inputs(inputs), "--benchmark_format=json"]
        unit = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}

        def runs(*options):
            return [each["real_time"] * unit[each["time_unit"]] for each in json.loads(tool(*command, *options))["benchmarks"]
                    if each.get("run_type") == "iteration"]
        expected = max(runs(f"--benchmark_min_warmup_time={WARM_UP}", f"--benchmark_min_time={WARM_UP}s")[0], 1e-4)
        # A sample is the mean of a few runs where one is short: else the benchmark's own loop is in it.
        times = runs(f"--benchmark_min_time={max(1, round(0.2 / expected))}x",
                     f"--benchmark_repetitions={max(RUNS, min(1000, round(1e3 * seconds / expected)))}")
        return statistics(times)


class OpenBlas:
    """numpy's matrix product, of a network that is one."""
    package = "numpy"

    def __init__(self, model, _threads, _work):
        import onnx

        graph = onnx.load(model).graph
        if [node.op_type for node in graph.node] != ["MatMul"]:
            raise RuntimeError("no single product of floats")
        self.weights = onnx.numpy_helper.to_array(graph.initializer[0])

    def outputs(self, inputs):
        return [inputs[0] @ self.weights]

    def measure(self, inputs, seconds):
        result = np.empty_like(self.outputs(inputs)[0])
        return timed(lambda: np.matmul(inputs[0], self.weights, out=result), seconds)


PEERS = {"onnxruntime": OnnxRuntime, "OpenVINO": OpenVino, "IREE": Iree, "OpenBLAS": OpenBlas}


def main(peer, folder, threads, seconds, answer):
    folder, answer, kind = pathlib.Path(folder), pathlib.Path(answer), PEERS[peer]
    sets = sorted(folder.glob("test_data_set_*"))
    (answer / "outputs").write_text(str(len(list(sets[0].glob("output_*.pb")))))
    try:
        start = time.perf_counter()
        it = kind(folder / "model.onnx", int(threads), answer)
        figures = {"version": importlib.metadata.version(kind.package), "compile_s": time.perf_counter() - start}
        for number, data in enumerate(sets):
            for index, output in enumerate(it.outputs(tensors(data, "input"))):
                np.save(answer / f"{number}_{index}.npy", np.asarray(output))
        figures.update(it.measure(tensors(sets[0], "input"), float(seconds)))
    except Exception as failure:  # whatever a peer fails with is a result
        figures = {"failed": next((line.strip() for line in str(failure).splitlines() if line.strip()), type(failure).__name__)}
    (answer / "figures.json").write_text(json.dumps(figures))


if __name__ == "__main__":
    main(*sys.argv[1:])
