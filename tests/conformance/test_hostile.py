# Part of Tenon, under the Apache License v2.0.
"""Networks that mean harm: a clear message or a result, in bounded time and memory. Each case: the network, what Tenon says, or None where
it gives a result. Inputs are ones; a case that ends in the run has other `values`."""
import itertools
import os
import pathlib
import resource
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto as T, helper, numpy_helper
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from seeds import LONG, of_commit

import extremes
import hostile
from hostile import HUGE, body, external, floats, info, model, node, one
from lowering import TENON

SECONDS, GIGABYTES = 60, 4


def i64(*values):
    return np.int64(values)


def image(*extents):
    return [info("x", extents or [1, 1, 4, 4])]


def conv(weights=(1, 1, 2, 2), **attributes):
    return one("Conv", "x w", constants={"w": np.ones(weights, np.float32)}, given=image(), **attributes)


def junk(graph):
    graph.node[0].attribute.append(helper.make_attribute("junk", [1] * 1000000))


def refers(graph):
    graph.node[0].attribute.append(onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT))


def listed(operator, *values, **attributes):
    """Input 1 is a constant list."""
    return one(operator, "x s", constants={"s": i64(*values)}, **attributes)


INTEGERS = [info("y", None, T.INT64)]
FILE = {
    "cycle": (model([node("Add", "x b", "a"), node("Relu", "a", "b"), node("Neg", "b")]), "the graph has a cycle or is not sorted"),
    "reads itself": (model([node("Add", "x y")]), "the graph has a cycle or is not sorted"),
    "missing input": (model([node("Add", "x nowhere")]), "which is neither an input, an initializer nor the result of a node"),
    "two of one name": (model([node("Relu", "x"), node("Neg", "x")]), "defines 'y' a second time"),
    "two inputs of one name": (model([node("Relu", "x")], ["x", "x"]), "input 'x' is defined twice"),
    "negative extent": (model([node("Relu", "x")], [info("x", [-5, 3])], [floats()]), "has a dimension of -5"),
    "overflowing extents": (model([node("Relu", "x")], [info("x", [HUGE, HUGE])], [floats()]), "is too large"),
    "overflowing extents beside an open one": (model([node("Relu", "x")], [info("x", ["n", HUGE, HUGE])], [floats()]), "is too large"),
    "output's shape lies": (model([node("Relu", "x")], ["x"], [info("y", [7, 9])]), "output 'y' is declared 7x9, but its shape is 2x3"),
    "output's rank lies": (model([node("Relu", "x")], ["x"], [info("y", [7])]), "has 2 dimensions, but the model says 1"),
    "output's type lies": (model([node("Relu", "x")], ["x"], [info("y", [2, 3], T.INT64)]), "is declared INT64, but its value is FLOAT"),
    "initializer of 2^40": (hostile.lying_initializer(), "'w'"),
    "external ..": (external("/".join([".."] * 20) + "/etc/passwd"), "is outside of the model's folder"),
    "external absolute": (external("/etc/passwd"), "is not relative to the model"),
    "external link": (external("link"), "is outside of the model's folder"),
    "external folder": (external("."), "'.'"),
    "external pipe": (external("pipe"), "is not a regular file"),
    "external before the file": (external("w.bin", "-1"), "expected a number of bytes"),
    "external offset overflows": (external("w.bin", str(2**64 - 4)), "reach beyond the end of 'w.bin'"),
    "external length lies": (external("w.bin", "0", str(2**63)), "its dimensions need 24 bytes, its length is"),
    "external extents overflow": (external("w.bin", "0", None, (2**33, 2**33)), "are negative or too large"),
    "functions without end": (hostile.itself(), "the function calls itself"),
    "functions to the tenth": (hostile.bomb(12, 10), "the functions expand to more than 65536 nodes"),
    "functions to the fourth": (hostile.bomb(3, 4), None),
    "bodies in bodies": (hostile.nested(30), None),
    "doubled 45 times": (hostile.doubled(45), "is too large"),
    "doubled ten times": (hostile.doubled(10), None),
    "attribute of no function": (hostile.renamed(refers), "has an attribute 'alpha' that is 'slope' of a function, and stands in none"),
    "attribute of a million": (hostile.renamed(junk), "attribute 'junk' is none of its operator's"),
    "permutation of a million": (one("Transpose", perm=list(range(1000000))), "perm is not a permutation of 2 axes"),
    "opset 2^40": (one("Relu", opset=2**40), "it imports opset 1099511627776"),
    "loop without end": (hostile.endless(), "nothing ends it before it has gone round 4611686018427387904 times"),
}
SIZES = {
    "Expand": (listed("Expand", HUGE, 2, 3), "its shape of 4611686018427387904x2x3 is too large"),
    "Tile": (listed("Tile", HUGE, HUGE), "is too large"),
    "Tile by less than nothing": (listed("Tile", -1, 2), "an extent of its shape is negative"),
    "ConstantOfShape": (one("ConstantOfShape", "s", constants={"s": i64(2**36)}, given=[]), "is too large"),
    "Pad": (listed("Pad", HUGE, 0, 0, HUGE), "is too large"),
    "Pad that takes all away": (listed("Pad", -9, -9, 0, 0), None),
    "Resize": (one("Resize", "x - s", constants={"s": np.float32([1e30, 1e30])}), "is too large"),
    "Resize to less than nothing": (one("Resize", "x - - s", constants={"s": i64(-1, -1)}), "a size is negative"),
    "Reshape with -1 twice": (listed("Reshape", -1, -1), "its shape has -1 more than once"),
    "Reshape with -1 beside 0": (one("Reshape", "x s", constants={"s": i64(0, -1)}, given=[info("x", [0, 3])]), "-1 beside an extent of 0"),
    "Reshape overflows": (listed("Reshape", HUGE, HUGE), "another number of elements"),
    "Unsqueeze one axis twice": (listed("Unsqueeze", -1, -1), "axis -1 is named twice"),
    "Unsqueeze to 5002 axes": (listed("Unsqueeze", *range(5000)), "its result of 5002 dimensions is too large"),
    "Split": (one("Split", outputs="y z", num_outputs=HUGE), "num_outputs is 4611686018427387904, but it has 2 outputs"),
    "TopK": (one("TopK", "x k", "y i", constants={"k": i64(HUGE)}), "more elements than the axis has"),
    "OneHot": (one("OneHot", "x d v", constants={"d": np.int64(HUGE), "v": np.float32([0, 1])}, given=[info("x", [2, 3], T.INT64)]), "is too large"),
    "Range": (one("Range", "a b c", constants={"a": np.int64(0), "b": np.int64(HUGE), "c": np.int64(1)}, given=[], results=INTEGERS), "is too large"),
    "DFT": (one("DFT", "x l", given=[info("x", [1, 4, 1])], constants={"l": np.int64(HUGE)}, opset=20), "dft_length is too large"),
    "DFT of 2^31": (one("DFT", "x l", given=[info("x", [1, 4, 1])], constants={"l": np.int64(2**31)}, opset=20), "dft_length is too large: 2147483648"),
    "STFT of 2^31": (one("STFT", "x s - l", given=[info("x", [1, 128, 1])], constants={"s": np.int64(8), "l": np.int64(2**31)}),
                     "frame_length is too large: 2147483648, expected at most 1048576"),
    "HannWindow": (one("HannWindow", "s", given=[], constants={"s": np.int64(HUGE)}), "is too large"),
    "Col2Im": (one("Col2Im", "x a b", given=[info("x", [1, 4, 4])], constants={"a": i64(HUGE, HUGE), "b": i64(2, 2)}), "one column for each block"),
    "RoiAlign": (one("RoiAlign", "x r b", given=[*image(), info("r", [1, 4])], constants={"b": i64(0)}, output_height=HUGE, output_width=1),
                 "is too large"),
}
SHAPES = {
    "InstanceNormalization's scale": (one("InstanceNormalization", "x s b", given=[info("x", [1, 2, 3]), info("s", []), info("b", [2])]),
                                      "its input 's' has 0 dimensions, expected 1"),
    "STFT's window": (one("STFT", "x s w", given=[info("x", [1, 128, 1]), info("w", [])], constants={"s": np.int64(8)}),
                      "its input 'w' has 0 dimensions, expected 1"),
    "GRU's bias": (one("GRU", "x w r b", given=[info("x", [4, 1, 2]), info("w", [1, 15, 2]), info("r", [1, 15, 5]), info("b", [])], hidden_size=5),
                   "its input 'b' has 0 dimensions, expected 2"),
    "weights of classes": (one("NegativeLogLikelihoodLoss", "x t w", given=["x", info("t", [2], T.INT64), info("w", [])]),
                           "its input 'w' has 0 dimensions, expected 1"),
    "DFT of a number": (one("DFT", "x - a", given=[info("x", []), info("a", [], T.INT64)]), "its input has 0 dimensions, expected 2 or more"),
    "a definition hands on what is left out": (one("LayerNormalization", "- w", given=[info("w", [3])], opset=13),
                                               "input 0 ('X') is left out, but it is not optional"),
}
ATTRIBUTES = {
    "Gather's axis": (listed("Gather", 0, axis=HUGE), "axis 4611686018427387904 is outside of a tensor with 2 dimensions"),
    "GatherND's batch": (listed("GatherND", 0, batch_dims=-7), "batch_dims -7 and tuples of 1 indices do not fit"),
    "Concat's axis": (one("Concat", "x x", axis=-99), "axis -99 is outside"),
    "strides of 0": (conv(strides=[0, 0]), "strides has to be 2 numbers, none less than 1"),
    "pads of 2^62": (conv(pads=[HUGE] * 4), "pads has a number that is too large"),
    "dilations of 2^62": (conv(dilations=[HUGE, HUGE]), "dilations has a number that is too large"),
    "0 groups": (conv(group=0), "group is 0, expected 1 or more"),
    "weights without elements": (conv((1, 1, 0, 0)), "kernel_shape has to be 2 numbers, none less than 1"),
    "weights larger than the input": (conv((1, 1, 9, 9)), "a window is larger than the padded input that it lies on: 9 and 4"),
    "pool larger than the input": (one("AveragePool", given=image(), kernel_shape=[9, 9]), "a window is larger than the padded input"),
    "pool of 2^62": (one("MaxPool", given=image(), kernel_shape=[HUGE, HUGE]), "kernel_shape has a number that is too large"),
    "blocks of 2^62": (one("DepthToSpace", given=image(1, 4, 4, 4), blocksize=HUGE), "it needs a blocksize from 1 to 32767"),
    "LRN of 2^62 channels": (one("LRN", given=image(1, 4, 2, 2), size=HUGE), "size is 4611686018427387904, expected 1 to 32767"),
    "0 channels in a group": (one("GroupNormalization", "x s s", given=[info("x", [1, 4, 2])], constants={"s": np.ones(4, np.float32)}, num_groups=0),
                              "num_groups is 0, expected 1 or more"),
    "a number for a list of channels": (one("GroupNormalization", "x s b", given=[info("x", [1, 4, 2])], constants={"s": np.ones(4, np.float32), "b":
                                        np.float32(1)}, num_groups=2), "its input 'b' has 0 dimensions, expected 1"),
    "Sum of what is left out": (one("Sum", "-"), "input 0 ('data_0') is left out, but it is not optional"),
    "Trilu of a list": (one("Trilu", given=[info("x", [3])]), "it needs one diagonal, and at least 2 dimensions"),
    "GlobalAveragePool of a list": (one("GlobalAveragePool", given=[info("x", [3])]), "its input has 1 dimensions, expected 2 or more"),
    "GlobalMaxPool of a list": (one("GlobalMaxPool", given=[info("x", [3])]), "its input has 1 dimensions"),
    "GlobalLpPool of a number": (one("GlobalLpPool", given=[info("x", [])]), "its input has 0 dimensions"),
    "TensorScatter's indices": (one("TensorScatter", "x x i", given=["x", info("i", [2, 3], T.INT64)], opset=24, axis=1),
                                "it has not one index for each batch"),
    "a shape of 2^62 extents": (one("Reshape", "x s", given=["x", info("s", [HUGE], T.INT64)]), "input 's' of 4611686018427387904 is too large"),
    "a list without end": (one("Expand", "x s", given=["x", info("s", [2**31 - 1], T.INT64)]), "has 2147483647 numbers, expected at most 32767"),
    "an input of complex numbers before another": (one("Mul", "x z", given=[info("x", [2], T.COMPLEX64), info("z", [2])]), "input 'x' has the element type"),
    "Erf of integers": (one("Erf", given=[info("x", [2, 3], T.INT64)], results=INTEGERS, opset=9), "its input is INT64, expected floats"),
    "Einsum of dots": (one("Einsum", "x x", equation="..." * 50), "its equation"),
    "Slice by 0": (one("Slice", "x a b c d", constants={"a": i64(0), "b": i64(2), "c": i64(0), "d": i64(0)}), "a step is 0"),
    "Slice from end to end": (one("Slice", "x a b c d", constants={"a": i64(-2**63), "b": i64(2**63 - 1), "c": i64(-1), "d": i64(-2**63)}), None),
    "Cast to nothing": (one("Cast", to=9999), "it converts to type 9999"),
    "Scan of 2^62 inputs": (one("Scan", num_scan_inputs=HUGE, body=body([], [], [])), "num_scan_inputs is 4611686018427387904"),
    "Loop without a body": (one("Loop", "m c", constants={"m": np.int64(1), "c": np.array(True)}, given=[]), "attribute 'body' is missing"),
}


def asked(operator, count):
    """Input 1 tells the result's size."""
    return one(operator, "x s", given=["x", info("s", [count], T.INT64)])


def crossed(operator):
    """Vectors of any length, each along an axis of its own, in one operator, and sums along what comes of them."""
    rank = {"Add": 2, "Where": 3}[operator]
    kinds = {2: [T.FLOAT] * 2, 3: [T.BOOL, T.FLOAT, T.FLOAT]}[rank]
    given = [info(name, [1] * axis + [name] + [1] * (rank - 1 - axis), kind) for axis, (name, kind) in enumerate(zip("abc", kinds))]
    return model([node(operator, " ".join("abc"[:rank]), "all"), node("CumSum", "all axis", "sums"), node("ReduceMax", "sums", keepdims=0)],
                 given, [info("y", [])], {"axis": np.int64(0)})


def along_axes(extent, *kinds):
    return {name: np.ones([1] * axis + [extent] + [1] * (len(kinds) - 1 - axis), kind) for axis, (name, kind) in enumerate(zip("abc", kinds))}


# What only the run finds: the network, what Tenon says, values of inputs.
RUN = {
    # 40 GB, which nobody allows; 2^63 elements of 4 bytes, which is 0 in 64 bits.
    "memory": (crossed("Add"), "there is no memory for 40000000000 bytes beside the", along_axes(100000, np.float32, np.float32)),
    "extents whose product overflows": (crossed("Where"), "no memory has the 2^64 bytes or more that it asks for",
                                        along_axes(2**21, bool, np.float32, np.float32)),
    "Expand": (asked("Expand", 3), "its result has a negative extent, or is too large", {"s": i64(HUGE, HUGE, 1)}),
    "Tile": (asked("Tile", 2), "its result has a negative extent, or is too large", {"s": i64(HUGE, HUGE)}),
    "ConstantOfShape": (one("ConstantOfShape", "s", given=[info("s", [2], T.INT64)]), "its result has a negative extent, or is too large",
                        {"s": i64(2**31, 2**31)}),
    "Pad": (asked("Pad", 4), "its result has a negative extent, or is too large", {"s": i64(HUGE, HUGE, HUGE, HUGE)}),
    "Reshape": (asked("Reshape", 2), "its result has a negative extent, or is too large", {"s": i64(HUGE, 4)}),
    "Range": (one("Range", "a b c", given=[info(n, [], T.INT64) for n in "abc"], results=INTEGERS), "its result has a negative extent, or is too large",
              {"a": np.int64(0), "b": np.int64(HUGE), "c": np.int64(1)}),
    "weights larger than the input": (one("Conv", "x w", constants={"w": np.ones((1, 1, 9, 9), np.float32)}, given=image(1, 1, "h", "w")),
                                      "a window is larger than the padded input", {"x": np.ones((1, 1, 4, 4), np.float32)}),
    "an index": (one("Gather", "x i", given=["x", info("i", [1], T.INT64)]), "an index is outside of the tensor", {"i": i64(HUGE)}),
    "a length": (one("ReverseSequence", "x l", given=["x", info("l", [3], T.INT64)]), "a length is negative or more than the time axis has",
                 {"l": i64(1, -5, HUGE)}),
    # What follows would read fifty megabytes behind the second matrix.
    "a product of matrices that do not fit": (one("MatMul", "x w", given=[info("x", ["a", "b"]), info("w", ["c", "d"])]),
                                              "the extents that its factors are summed over differ",
                                              {"x": np.ones((2, 6250000), np.float32), "w": np.ones((2, 3), np.float32)}),
    "rest of a block": (one("DepthToSpace", given=image(1, "c", 4, 4), blocksize=2), "a dimension is not a multiple of the blocks",
                        {"x": np.ones((1, 5, 4, 4), np.float32)}),
}


def limit():
    # The sanitizers reserve more addresses than any machine has bytes.
    if "asan" not in str(TENON) and "tsan" not in str(TENON):
        resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES << 30, GIGABYTES << 30))


def run(built, folder, values):
    """The finished process."""
    (folder / "w.bin").write_bytes(bytes(24))
    (folder / "link").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe")
    (folder / "model.onnx").write_bytes(built.SerializeToString())
    given = []
    for value in built.graph.input:
        dims = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        fits = all(0 < extent < 1000 for extent in dims)
        array = values.get(value.name, np.ones(dims if fits else [1], helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)))
        (folder / f"{value.name}.pb").write_bytes(numpy_helper.from_array(array, value.name).SerializeToString())
        given.append(f"--input={value.name}={folder}/{value.name}.pb")
    return subprocess.run([TENON, "run", folder / "model.onnx", "--target=cpu", "--check=none", f"--output-dir={folder}/out", *dict.fromkeys(given)],
                          capture_output=True, text=True, timeout=SECONDS, check=False, preexec_fn=limit)


def check(built, says, folder, values=None):
    done = run(built, folder, values or {})
    if says is None:
        assert done.returncode == 0, done.stderr[-2000:]
    else:
        assert done.returncode == 1 and says in done.stderr, (done.returncode, done.stderr[-2000:])


CASES = {**FILE, **SIZES, **SHAPES, **ATTRIBUTES}


def test_one_thing_at_its_extreme(tmp_path, count=300 if LONG else 100):
    """Each is refused with a message, or imported; others for each commit. (protobuf says on stderr what it throws.)"""
    wrong, path = [], tmp_path / "model.onnx"
    for name, built in itertools.islice(extremes.draws(extremes.operators(), of_commit()), count):
        path.write_bytes(built.SerializeToString())
        done = subprocess.run([TENON, "compile", path, "--emit=tosa"], capture_output=True, text=True, errors="replace", timeout=SECONDS,
                              check=False, preexec_fn=limit)
        if done.returncode not in (0, 1) or (done.returncode and "\ntenon: " not in "\n" + done.stderr):
            wrong.append((name, done.returncode, done.stderr[-300:]))
    assert not wrong


@pytest.mark.parametrize("name", CASES)
def test_what_the_model_says(name, tmp_path):
    check(*CASES[name], tmp_path)


@pytest.mark.parametrize("name", RUN)
def test_what_the_run_finds(name, tmp_path):
    built, says, values = RUN[name]
    check(built, says, tmp_path, values)


def test_many_nodes_are_imported(tmp_path):
    """Every step of the import is linear in the nodes."""
    onnx.save(hostile.chain(100000), tmp_path / "model.onnx")
    done = subprocess.run([TENON, "compile", tmp_path / "model.onnx", "--emit=tosa", f"--output={tmp_path}/model.mlir"], capture_output=True,
                          text=True, timeout=2 * SECONDS, check=False, preexec_fn=limit)
    assert done.returncode == 0, done.stderr[-2000:]


def seconds_to_compile(built, folder):
    """Of processor time."""
    onnx.save(built, folder / "model.onnx")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([TENON, "compile", folder / "model.onnx", f"--output={folder}/model.tenon", "--records=none"], capture_output=True,
                          text=True, timeout=300, check=False, preexec_fn=limit)
    assert done.returncode == 0, done.stderr[-2000:]
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def test_time_grows_with_the_nodes(tmp_path):
    """A step that takes their square is ten times as long here as one that does not; half as much again is a machine's noise."""
    few, many = (seconds_to_compile(hostile.layers(count), tmp_path) for count in (1000, 10000))
    assert many < 10 * 1.5 * few, f"{few:.1f} s for 1,000 nodes, {many:.1f} s for 10,000"
