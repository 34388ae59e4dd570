"""Single-layer workloads as quantised ONNX models: the convolutions C1..C11 of ResNet-18, matrix products.

Weights are seeded; cycles do not depend on their values. `bound` formulas are those of the design: compute in blocks
of the configuration, beats read, beats written, the largest of the three.
"""
import math
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# name: height, width, input channels, output channels, kernel, padding, stride
CONVOLUTIONS = {
    "C1": (224, 224, 3, 64, 7, 3, 2),
    "C2": (56, 56, 64, 64, 3, 1, 1),
    "C3": (56, 56, 64, 128, 3, 1, 2),
    "C4": (56, 56, 64, 128, 1, 0, 2),
    "C5": (28, 28, 128, 128, 3, 1, 1),
    "C6": (28, 28, 128, 256, 3, 1, 2),
    "C7": (28, 28, 128, 256, 1, 0, 2),
    "C8": (14, 14, 256, 256, 3, 1, 1),
    "C9": (14, 14, 256, 512, 3, 1, 2),
    "C10": (14, 14, 256, 512, 1, 0, 2),
    "C11": (7, 7, 512, 512, 3, 1, 1),
}


def qlinear(node_name, x_shape, y_shape, w, group=1, pad=0, stride=1):
    """One QLinearConv with a bias, int8, per-channel scales."""
    rng = np.random.default_rng(7)
    out = w.shape[0]
    fan = int(np.prod(w.shape[1:]))
    constants = {
        "x_scale": np.float32(0.02), "x_zero": np.int8(-3), "w": w,
        "w_scale": rng.uniform(0.005, 0.02, out).astype(np.float32), "w_zero": np.zeros(out, np.int8),
        "y_scale": np.float32(0.02 * 0.01 * 40 * math.sqrt(fan)), "y_zero": np.int8(5),
        "bias": rng.integers(-3000, 3000, out, dtype=np.int32),
    }
    node = helper.make_node("QLinearConv", ["x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero", "bias"],
                            ["y"], name=node_name, kernel_shape=list(w.shape[2:]), pads=[pad] * 4, strides=[stride] * 2,
                            dilations=[1, 1], group=group)
    graph = helper.make_graph([node], node_name, [helper.make_tensor_value_info("x", TensorProto.INT8, x_shape)],
                              [helper.make_tensor_value_info("y", TensorProto.INT8, y_shape)],
                              [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 7
    onnx.checker.check_model(model)
    return model


def convolution(name, h, w, ci, co, k, pad, stride, group=1):
    weights = np.random.default_rng(11).integers(-127, 128, (co, ci // group, k, k)).astype(np.int8)
    oh, ow = (h + 2 * pad - k) // stride + 1, (w + 2 * pad - k) // stride + 1
    return qlinear(name, [1, ci, h, w], [1, co, oh, ow], weights, group, pad, stride)


def matrix_product(m, k, n):
    """m x k by k x n: a 1x1 convolution over m positions."""
    return convolution(f"matmul_{m}x{k}x{n}", m, 1, k, n, 1, 0, 1)


def convolution_bound(h, w, ci, co, k, pad, stride, block=16, beat=8):
    """Cycles on a 1 x block x block machine: compute in blocks, beats read, beats written."""
    oh, ow = (h + 2 * pad - k) // stride + 1, (w + 2 * pad - k) // stride + 1
    blocks_in, blocks_out = math.ceil(ci / block), math.ceil(co / block)
    compute = oh * ow * k * k * blocks_in * blocks_out
    # A window of one element reads only what its stride leaves.
    read_rows, read_columns = (oh, ow) if k == 1 else (h, w)
    reads = (read_rows * read_columns * blocks_in * block + k * k * blocks_in * blocks_out * block * block) // beat
    return max(compute, reads, oh * ow * blocks_out * block // beat)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in CONVOLUTIONS:
        sys.exit(f"usage: workloads.py {'|'.join(CONVOLUTIONS)} MODEL.onnx")
    onnx.save(convolution(sys.argv[1], *CONVOLUTIONS[sys.argv[1]]), sys.argv[2])
