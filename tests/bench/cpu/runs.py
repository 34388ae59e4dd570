"""Tenon and its peers on one network: each in a process of its own, what they compute held against the stored outputs."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

from networks import ROOT, tensors

HERE = pathlib.Path(__file__).parent
PYTHON = ROOT / ".venv-peers/bin/python"  # as ./dev makes it
PATIENCE = 300  # seconds for one of them on one network
RIGHT = {"float": 1e-2, "half": 1e-2, "int8": 0.1}  # of the largest output: what counts as right


def tenon(*arguments):
    program = os.environ.get("TENON", str(ROOT / "build/release/bin/tenon"))
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE)


def last_line(text):
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "nothing was said")


def of_tenon(network, threads, seconds, work):
    """Its figures, or {failed}; its outputs lie in `work`."""
    for number, data in enumerate(network.data):
        # How near outputs have to be is judged here, for all alike.
        done = tenon("run", network.model, "--target=cpu", f"--threads={threads}", f"--expect={data}", "--tolerance=1e9,1e9",
                     f"--output-dir={work}", f"--json={work}/report.json")
        if done.returncode:
            return {"failed": last_line(done.stderr)}
        for file in work.glob("output_*.npy"):
            file.rename(work / f"{number}_{file.stem.rpartition('_')[2]}.npy")
    done = tenon("bench", network.model, f"--threads={threads}", f"--expect={network.data[0]}", f"--seconds={seconds}", "--json=-",
                 "--records=none", *["--profile"] * bool(network.operations))
    if done.returncode:
        return {"failed": last_line(done.stderr)}
    begin = time.perf_counter()
    network.model.read_bytes()
    return {**json.loads(done.stdout), "read_ms": 1e3 * (time.perf_counter() - begin), "operations": network.operations}


def of_peer(peer, network, threads, seconds, work):
    # What libraries of theirs ask for the number of threads.
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    with open(work / "log", "w") as log:
        process = subprocess.Popen([PYTHON, HERE / "peer.py", peer, network.folder, str(threads), str(seconds), work], env=environment,
                                   stdout=log, stderr=log, start_new_session=True)
        try:
            code = process.wait(PATIENCE)
        except BaseException:  # nor does a program that it runs go on
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
    answer = work / "figures.json"
    return json.loads(answer.read_text()) if answer.exists() else {"failed": f"ended with {code}"}


def of(who, network, threads, seconds, work):
    try:
        return of_tenon(network, threads, seconds, work) if who == "Tenon" else of_peer(who, network, threads, seconds, work)
    except subprocess.TimeoutExpired:
        return {"failed": f"no result within {PATIENCE} s"}


def off(got, want):
    """The largest difference as a share of the largest output."""
    if got.shape != want.shape:
        raise ValueError(f"an output of shape {got.shape}, not {want.shape}")
    if got.dtype.kind in "iu" and got.dtype.itemsize == want.dtype.itemsize:
        got = got.view(want.dtype)  # of who knows no signs
    difference = np.abs(got.astype(np.float64) - want.astype(np.float64)).max(initial=0)
    return float(difference / (np.abs(want.astype(np.float64)).max(initial=0) or 1)) if np.isfinite(difference) else float("inf")


def judged(network, work):
    """(largest error, whether that is right): where the network says classes, the first one counts too."""
    worst, first = 0.0, True
    for number, data in enumerate(network.data):
        expected = tensors(data, "output")
        for index, want in enumerate(expected):
            got = np.load(work / f"{number}_{index}.npy")
            worst = max(worst, off(got, want))
            if len(expected) == 1 and want.ndim >= 2 and want.size == max(want.shape):
                first &= bool(got.argmax() == want.argmax())
    return worst, first and worst <= (0 if network.operations and network.kind == "int8" else RIGHT[network.kind])


def row(who, network, threads, seconds, rounds):
    """The best of so many rounds: what disturbs a run only makes it slower."""
    best = None
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="tenon-bench-") as folder:
            work = pathlib.Path(folder)
            figures = of(who, network, threads, seconds, work)
            if "failed" not in figures:
                try:
                    figures["error"], figures["right"] = judged(network, work)
                except (OSError, ValueError) as wrong:
                    figures = {"failed": str(wrong)}
        if "failed" in figures:
            best = figures
            break
        if not best or figures["median_ms"] < best["median_ms"]:
            best = figures
    kept = ("failed", "median_ms", "p10_ms", "p90_ms", "first_ms", "load_ms", "read_ms", "compile_s", "error", "right", "host",
            "peaks", "operations", "version")
    found = {"network": network.name, "kind": network.kind, "who": who, "threads": threads}
    return {**found, **{key: best[key] for key in kept if key in best}}


def machine():
    """What the figures are of."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    fields = dict(line.split("\t: ") for line in text.split("\n\n")[0].replace("\t\t", "\t").splitlines() if "\t: " in line)
    wanted = ("avx2", "avx512f", "avx_vnni", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_int8", "amx_bf16")
    return {"processor": fields.get("model name", "unknown"), "features": [f for f in wanted if f in fields.get("flags", "").split()],
            "processors": len(os.sched_getaffinity(0)), "python": sys.version.split()[0]}
