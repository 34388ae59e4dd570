#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Runs an imported module with numpy: TOSA 1.0's arithmetic, operation by operation.

    tosa_interpreter.py TENON_OPT MODEL INPUT.pb... [--dump F.npz]

Reads the generic form that `tenon-opt MODEL --mlir-print-op-generic` prints and
returns the function's results and every tensor that carries `tenon.tensor`, by
ONNX name, in ONNX order and type.  It knows the operations that the importer
emits and stops at any other.  It shares no code with the compiler's executors.
"""
import argparse
import re
import subprocess

import numpy as np

TYPES = {"i8": np.int8, "ui8": np.uint8, "i32": np.int32, "f32": np.float32, "index": np.int64}
OPERATION = re.compile(r'^\s*(?:(%\w+) = )?"([\w.]+)"\((.*?)\)(.*)$')
VALUES = re.compile(r"values = dense<(.*?)> : tensor<((?:\d+x)*)(\w+)>")


def integers(text, name):
    """The elements of an array attribute."""
    found = re.search(rf"\b{name} = array<i\d+(?:: ([-\d, ]*))?>", text)
    return [int(v) for v in found.group(1).split(",")] if found and found.group(1) else []


def integer(text, name):
    return int(re.search(rf"\b{name} = (-?\d+)", text).group(1))


def flag(text, name):
    return re.search(rf"\b{name} = true", text) is not None


def constant(text):
    literal, dims, element = VALUES.search(text).groups()
    shape = [int(d) for d in dims.split("x") if d]
    dtype = TYPES[element]
    if literal.startswith('"0x'):
        data = np.frombuffer(bytes.fromhex(literal[3:-1]), dtype)
        return np.resize(data, shape)  # a splat is one element
    flat = np.array([float(v) if dtype == np.float32 else int(v)
                     for v in re.findall(r"[-+.\dE]+", literal, re.I)])
    return np.resize(flat.astype(dtype), shape)


def windows(x, kernel, stride, pad, dilation, fill):
    """For each tap (ky, kx): the elements it meets, N OH OW C."""
    top, bottom, left, right = pad
    x = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=fill)
    extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    room = [x.shape[1] - extent[0], x.shape[2] - extent[1]]
    assert room[0] % stride[0] == 0 and room[1] % stride[1] == 0, "TOSA demands divisible windows"
    out = [room[0] // stride[0] + 1, room[1] // stride[1] + 1]
    for ky in range(kernel[0]):
        for kx in range(kernel[1]):
            y0, x0 = ky * dilation[0], kx * dilation[1]
            yield ky, kx, x[:, y0:y0 + (out[0] - 1) * stride[0] + 1:stride[0],
                            x0:x0 + (out[1] - 1) * stride[1] + 1:stride[1]]


def wrap32(value):
    """Accumulators are 32-bit: an overflow would be the model's defect."""
    assert np.abs(value).max(initial=0) < 2**31, "accumulator overflow"
    return value.astype(np.int32)


def conv2d(text, x, w, bias, xz, wz):
    x, w = x.astype(np.int64) - int(xz[0]), w.astype(np.int64) - int(wz[0])
    total = bias.astype(np.int64)
    for ky, kx, taps in windows(x, w.shape[1:3], integers(text, "stride"), integers(text, "pad"),
                                integers(text, "dilation"), 0):
        # float64 holds these sums exactly
        total = total + (taps.astype(np.float64) @ w[:, ky, kx].T.astype(np.float64)).astype(np.int64)
    return wrap32(total)


def depthwise(text, x, w, bias, xz, wz):
    x, w = x.astype(np.int64) - int(xz[0]), w.astype(np.int64) - int(wz[0])
    total = 0
    for ky, kx, taps in windows(x, w.shape[:2], integers(text, "stride"), integers(text, "pad"),
                                integers(text, "dilation"), 0):
        product = taps[..., None] * w[ky, kx]
        total = total + product.reshape(product.shape[:3] + (-1,))
    return wrap32(total + bias)


def rescale(text, x, multiplier, shift, xz, yz):
    out = re.search(r"-> tensor<[\dx]*x(\w+)>", text).group(1)
    multiplier, shift = multiplier.astype(np.int64), shift.astype(np.int64)
    assert flag(text, "scale32") and "SINGLE_ROUND" in text
    assert (shift >= 2).all() and (shift <= 62).all()
    value = x.astype(np.int64) - int(xz[0])
    assert np.abs(value).max(initial=0) < 2**31
    value = (value * multiplier + (np.int64(1) << (shift - 1))) >> shift
    info = np.iinfo(TYPES[out])
    return np.clip(value + int(yz[0]), info.min, info.max).astype(TYPES[out])


def reciprocal(count):
    k = max(0, (count - 1).bit_length())
    return (((1 << 30) + 1) << k) // count, 30 + k


def avg_pool2d(text, x, xz, yz):
    kernel, stride, pad = (integers(text, n) for n in ("kernel", "stride", "pad"))
    x = x.astype(np.int64) - int(xz[0])
    total = sum(t for _, _, t in windows(x, kernel, stride, pad, (1, 1), 0))
    count = sum(t for _, _, t in windows(np.ones_like(x), kernel, stride, pad, (1, 1), 0))
    pairs = {int(c): reciprocal(int(c)) for c in np.unique(count)}
    m = np.vectorize(lambda c: pairs[c][0], otypes=[np.int64])(count)
    s = np.vectorize(lambda c: pairs[c][1], otypes=[np.int64])(count)
    value = (total * m + (np.int64(1) << (s - 1))) >> s
    return np.clip(value + int(yz[0]), -128, 127).astype(np.int8)


def max_pool2d(text, x):
    kernel, stride, pad = (integers(text, n) for n in ("kernel", "stride", "pad"))
    return np.max([t for _, _, t in windows(x, kernel, stride, pad, (1, 1), -128)], 0)


def clamp(text, x):
    bounds = [re.search(rf"{n} = ([-+.\de]+)", text).group(1) for n in ("min_val", "max_val")]
    return np.clip(x, *[x.dtype.type(float(b)) for b in bounds])


def cast(text, x):
    out = TYPES[re.search(r"-> tensor<[\dx]*x(\w+)>", text).group(1)]
    if x.dtype == np.float32 and out != np.float32:
        info = np.iinfo(out)
        return np.clip(np.rint(x.astype(np.float64)), info.min, info.max).astype(out)
    return x.astype(out)


def same(operation):
    """An element-wise operation in the operands' type."""
    def run(text, *operands):
        with np.errstate(over="raise"):
            return operation(*operands).astype(operands[0].dtype)
    return run


def mul(text, a, b, shift):
    assert int(shift[0]) == 0
    if a.dtype == np.int32:
        return wrap32(a.astype(np.int64) * b)
    return a * b


def pad(text, x, padding, value):
    return np.pad(x, padding.reshape(-1, 2), constant_values=value[0])


def extract_slice(text, x):
    starts, sizes, steps = (integers(text, f"static_{n}") for n in ("offsets", "sizes", "strides"))
    return x[tuple(slice(a, a + n * s, s) for a, n, s in zip(starts, sizes, steps))]


OPERATIONS = {
    "tensor.extract_slice": extract_slice,
    "tosa.add": lambda t, a, b: wrap32(a.astype(np.int64) + b) if a.dtype == np.int32 else a + b,
    "tosa.avg_pool2d": avg_pool2d,
    "tosa.cast": cast,
    "tosa.clamp": clamp,
    "tosa.concat": lambda t, *parts: np.concatenate(parts, integer(t, "axis")),
    "tosa.conv2d": conv2d,
    "tosa.depthwise_conv2d": depthwise,
    "tosa.exp": same(np.exp),
    "tosa.max_pool2d": max_pool2d,
    "tosa.mul": mul,
    "tosa.pad": pad,
    "tosa.reciprocal": same(lambda x: np.float32(1) / x),
    "tosa.reduce_max": lambda t, x: x.max(integer(t, "axis"), keepdims=True),
    "tosa.reduce_sum": lambda t, x: x.sum(integer(t, "axis"), keepdims=True, dtype=x.dtype),
    "tosa.rescale": rescale,
    "tosa.reshape": lambda t, x, shape: x.reshape(shape),
    "tosa.reverse": lambda t, x: np.flip(x, integer(t, "axis")),
    "tosa.slice": lambda t, x, start, size: x[tuple(slice(a, a + b) for a, b in zip(start, size))],
    "tosa.sub": lambda t, a, b: wrap32(a.astype(np.int64) - b) if a.dtype == np.int32 else a - b,
    "tosa.transpose": lambda t, x: np.ascontiguousarray(x.transpose(integers(t, "perms"))),
}


def onnx_tensor(text, value):
    """Name and value of the ONNX tensor that an operation's result is; None."""
    found = re.search(r"tenon\.tensor = \{(.*?)\}", text)
    if not found:
        return None
    note = found.group(1)
    name = re.search(r'name = "(.*?)"', note).group(1)
    value = value.transpose(integers(note, "perm")).reshape(integers(note, "shape"))
    if flag(note, "unsigned"):
        value = (value.astype(np.int16) + 128).astype(np.uint8)
    return name, value


def held(note, value):
    """The ONNX tensor `value` as the operation's result: the inverse of onnx_tensor."""
    perm, shape = integers(note, "perm"), re.search(r"-> tensor<((?:\d+x)*)\w+>", note).group(1)
    if flag(re.search(r"tenon\.tensor = \{(.*?)\}", note).group(1), "unsigned"):
        value = (value.astype(np.int16) - 128).astype(np.int8)
    result = [int(d) for d in shape.split("x") if d]
    return value.reshape([result[p] for p in perm]).transpose(np.argsort(perm))


def interpret(text, inputs, forced=None, computed=None):
    """Results of the function in order, and the named tensors.

    A tensor in `forced` replaces the one computed, for all that reads it; what was
    computed goes to `computed`.
    """
    values, tensors = {}, {}
    for index, value in enumerate(inputs):
        values[f"%arg{index}"] = value
    for line in text.splitlines():
        match = OPERATION.match(line)
        if not match or match.group(2) in ("builtin.module", "func.func"):
            continue
        result, name, operands, rest = match.groups()
        if name == "func.return":
            return [values[o.strip()] for o in operands.split(",")], tensors
        if name in ("tosa.const", "tosa.const_shape"):
            values[result] = constant(rest)
            continue
        if name not in OPERATIONS:
            raise NotImplementedError(f"operation {name}")
        values[result] = OPERATIONS[name](rest, *[values[o.strip()] for o in operands.split(",")])
        named = onnx_tensor(rest, values[result])
        if named:
            tensors[named[0]] = named[1]
            if computed is not None:
                computed[named[0]] = named[1]
            if forced and named[0] in forced:
                values[result] = held(rest, forced[named[0]])
    raise ValueError("the module has no func.return")


def imported(tenon_opt, model):
    """The generic text of the imported module; raises with its diagnostic."""
    done = subprocess.run([tenon_opt, model, "--mlir-print-op-generic",
                           "--mlir-print-elementsattrs-with-hex-if-larger=100"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def main():
    from common import load_tensor
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tenon_opt")
    parser.add_argument("model")
    parser.add_argument("input", nargs="+")
    parser.add_argument("--dump", metavar="F.npz", help="write every named tensor")
    args = parser.parse_args()
    results, tensors = interpret(imported(args.tenon_opt, args.model), [load_tensor(i) for i in args.input])
    for result in results:
        print(result.dtype, result.shape, result.ravel()[:16])
    if args.dump:
        np.savez_compressed(args.dump, **tensors)


if __name__ == "__main__":
    main()
