"""What the benches and the exact cycle tests run: single layers made here, networks made or stored elsewhere.

Weights are seeded; cycles do not depend on their values. `bound` formulas are those of the design: compute in blocks
of the configuration, beats read, beats written, the largest of the three.
"""
import dataclasses
import math
import pathlib
import subprocess
import sys
import typing

import numpy as np
import onnx
import onnx.utils
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
MADE = ROOT / ".cache/models"

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
# Share of the bound that upstream VTA's RTL reaches with the same port and memory, and its cycles, those of ResNet-18 as
# published (docs/decisions.md).
VTA_SHARE = {"C2": .84, "C3": .82, "C4": .36, "C5": .90, "C6": .90, "C7": .46, "C8": .95, "C9": .94, "C10": .60,
             "C11": .95}
VTA_CYCLES = {"matmul256": 95_928, "resnet18-offloaded": 7_729_601, "resnet18-offloaded@huge": 670_000}
# The networks stored beside the project: name, path; and those in it.
NETWORKS = {
    "resnet8": "mlperftiny_resnet8/qdq",
    "kws": "mlperftiny_kws_dscnn/qdq",
    "resnet56": "resnet56_cifar10/qdq",
    "mobilenetv1-0.25": "mobilenetv1_0.25_128/qdq",
    "mobilenetv1": "mobilenetv1_1.0_224/qop",
    "mobilenetv2": "mobilenetv2_1.0_224_int8/qdq",
    "resnet50": "resnet50_pruned_int8/qdq",
    "ssd": "ssd_mobilenetv1_coco_300/qop",
    "albert": "albert_rxnmapper/qdq",
}
EXAMPLES = {"resnet8": ROOT / "examples/resnet8/resnet8.onnx"}


@dataclasses.dataclass(frozen=True)
class Published:
    """What others say of a network on a machine of as many multipliers as ours: frames a second at `clock`, or the share of
    the multipliers' peak."""
    machine: str
    multipliers: int
    source: str
    frames: float = 0
    clock: float = 1e9  # Hz; assumed where the source does not say
    share: float = 0

    def utilization(self, macs):
        """Of the peak; `macs` of the network."""
        return self.share or self.frames * macs / (self.multipliers * self.clock)


# By network; of the others nothing with a number of multipliers and a time was found.
PUBLISHED = {
    "resnet50": [
        Published("NVDLA, 256 MACs, 5 GB/s", 256, "NVDLA Primer, table of areas and performance: 46 frames/s; 1 GHz assumed", frames=46),
        Published("Gemmini, 16x16", 256, "its authors in pull request 90 of ucb-bar/gemmini, 2021-03-24", share=.51),
    ],
}


# What the SystemC model's cycles may differ by from the RTL's: each workload, and their mean.
TLM_WORST, TLM_MEAN = 0.02, 0.005


class Absent(Exception):
    """What a workload is made from is not there: its path in ../shared."""


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


def resnet18():
    """ResNet-18 v1 at 224x224, QDQ, seeded weights, made once."""
    folder = MADE / "resnet18"
    recipe = SHARED / "tools/make_resnet18.py"
    if not (folder / "model.onnx").exists():
        if not recipe.exists():
            raise Absent(recipe.relative_to(SHARED))
        subprocess.run([sys.executable, recipe, folder], check=True, stdout=subprocess.DEVNULL)
    return folder / "model.onnx"


def resnet18_offloaded():
    """What VTA offloads: from the first max-pool's output to the global average pool's input."""
    path = MADE / "resnet18/offloaded.onnx"
    if not path.exists():
        model = onnx.shape_inference.infer_shapes(onnx.load(resnet18()))
        of = {node.op_type: node for node in model.graph.node}
        readers = {name: node for node in model.graph.node for name in node.input}
        writers = {name: node for node in model.graph.node for name in node.output}
        first = readers[of["MaxPool"].output[0]].output[0]              # behind its QuantizeLinear
        last = writers[of["GlobalAveragePool"].input[0]].input[0]       # before its DequantizeLinear
        onnx.save(onnx.utils.Extractor(model).extract_model([first], [last]), path)
    return path


def stored(name):
    path = EXAMPLES.get(name, SHARED / "models" / NETWORKS[name] / "model.onnx")
    if not path.exists():
        raise Absent(path.relative_to(SHARED))
    return path


def saved(name, make):
    path = MADE / f"{name}.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(make(), path)
    return path


def assembly(name):
    """A bare program: it has no layers."""
    return pathlib.Path(__file__).parent / f"{name}.tasm"


@dataclasses.dataclass
class Workload:
    """`bound`: cycles by this file's formula; None: the report's sum over the layers. `target`: (what, limit), a
    least share of the bound or a most number of cycles, from the design's table."""
    name: str
    make: typing.Callable[[], pathlib.Path]  # a model or a program; raises Absent
    config: str = "pynq"
    bound: typing.Optional[int] = None
    target: typing.Optional[tuple] = None
    memory: str = ""  # options of --memory; empty: those of all comparisons
    data: typing.Optional[pathlib.Path] = None  # an ONNX test_data_set of its inputs; None: random ones

    def options(self, memory=""):
        """Of `tenon run`, behind the program; another memory than its own."""
        memory = memory or self.memory
        return ([f"--memory={memory}"] if memory else []) + ([] if self.data is None else [
            f"--input={tensor.name}={self.data}/input_{i}.pb" for i, tensor in enumerate(onnx.load(self.make()).graph.input)])

    def bound_of(self, report):
        """In a run's report: by this file's formula, else the sum over the layers; of a bare program, which has none, what GEMM
        computes, a block in each busy cycle."""
        return self.bound or report["bound_cycles"] or report["states"]["gemm"]["busy"]

    @property
    def reference(self):
        """VTA's cycles, 0 where there are none."""
        if self.name in VTA_SHARE:
            return self.bound / VTA_SHARE[self.name]
        return VTA_CYCLES.get(self.name, 0)


def workloads():
    yield Workload("gemm-resident", lambda: assembly("gemm_resident"), target=("of bound", .99))
    for name, shape in CONVOLUTIONS.items():
        share = None if name == "C1" else ("of bound", .90 if shape[4] == 1 else .97)
        yield Workload(name, lambda name=name, shape=shape: saved(name, lambda: convolution(name, *shape)),
                       bound=None if name == "C1" else convolution_bound(*shape), target=share)
    yield Workload("matmul256", lambda: saved("matmul256", lambda: matrix_product(256, 256, 256)), bound=256 ** 3 // 256,
                   target=("cycles", 70_000))
    yield Workload("resnet18-offloaded", resnet18_offloaded, target=("cycles", 6_750_000))
    yield Workload("resnet18", resnet18, target=("cycles", 7_700_000))
    yield Workload("resnet18-offloaded@huge", resnet18_offloaded, config="huge", target=("cycles", 500_000))
    for name, folder in NETWORKS.items():
        # Of tokens only some numbers are words.
        data = SHARED / "models" / folder / "test_data_set_0" if name == "albert" else None
        yield Workload(name, lambda name=name: stored(name), data=data)
    yield Workload("idle", lambda: assembly("idle"), memory="latency=20000")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in CONVOLUTIONS:
        sys.exit(f"usage: workloads.py {'|'.join(CONVOLUTIONS)} MODEL.onnx")
    onnx.save(convolution(sys.argv[1], *CONVOLUTIONS[sys.argv[1]]), sys.argv[2])
