"""The networks of `./dev bench --cpu`: those stored beside the project, and matrix products made here.

Each is a folder with `model.onnx` and `test_data_set_K/{input_i,output_i}.pb`, without open extents.
"""
import dataclasses
import pathlib
import shutil

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODELS = ROOT.parent / "shared/models"
SIZE = 1024  # of the matrix products, along each axis
QUANTISED = ("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear")
# What a product multiplies: element types of activations and weights.
PRODUCTS = {"product f32": (np.float32, np.float32), "product u8 x s8": (np.uint8, np.int8), "product s8 x s8": (np.int8, np.int8)}


@dataclasses.dataclass(frozen=True)
class Network:
    name: str
    folder: pathlib.Path
    kind: str  # float, half, int8
    operations: int = 0  # of a product: multiplications and additions

    @property
    def model(self):
        return self.folder / "model.onnx"

    @property
    def data(self):
        return sorted(self.folder.glob("test_data_set_*"))


def kind_of(model):
    """By what it computes with: `half` where weights have 16 bits, `int8` where anything is quantised."""
    if any(node.op_type in QUANTISED or "Integer" in node.op_type or node.op_type.startswith("QLinear") for node in model.graph.node):
        return "int8"
    return "half" if any(each.data_type == TensorProto.FLOAT16 for each in model.graph.initializer) else "float"


def tensors(folder, kind):
    files = sorted(folder.glob(f"{kind}_*.pb"), key=lambda file: int(file.stem.rpartition("_")[2]))
    return [numpy_helper.to_array(TensorProto.FromString(file.read_bytes())) for file in files]


def close(model, inputs):
    """Gives open extents those of `inputs`; whether there were any."""
    weights = {each.name for each in model.graph.initializer}
    known = {}
    for value, array in zip([each for each in model.graph.input if each.name not in weights], inputs):
        for extent, size in zip(value.type.tensor_type.shape.dim, array.shape):
            if not extent.HasField("dim_value"):
                known[extent.dim_param] = size
                extent.dim_value = size
    for value in model.graph.output:
        for extent in value.type.tensor_type.shape.dim:
            if extent.dim_param in known:
                extent.dim_value = known[extent.dim_param]
    if known:
        del model.graph.value_info[:]
    return bool(known)


def stored(models=MODELS, work=None):
    """The networks below `models`; those with open extents as copies in `work`."""
    for file in sorted(models.rglob("model.onnx")):
        model, name = onnx.load(file), file.parent.relative_to(models).as_posix()
        folder, data = file.parent, sorted(file.parent.glob("test_data_set_*"))
        if not data:
            continue
        if close(model, tensors(data[0], "input")):
            folder = work / name
            folder.mkdir(parents=True)
            onnx.save(model, folder / "model.onnx")
            for each in data:
                if [t.shape for t in tensors(each, "input")] == [t.shape for t in tensors(data[0], "input")]:
                    shutil.copytree(each, folder / each.name)
        yield Network(name, folder, kind_of(model))


def product(name, work, size=SIZE):
    """A product of activations with constant weights."""
    of_a, of_b = PRODUCTS[name]
    draw = np.random.default_rng(size)

    def matrix(of):
        return draw.standard_normal((size, size), of) if of is np.float32 else \
            draw.integers(*((0, 256) if of is np.uint8 else (-128, 128)), (size, size), of)
    a, b = matrix(of_a), matrix(of_b)
    to, op = (np.float32, "MatMul") if of_a is np.float32 else (np.int32, "MatMulInteger")
    # As floats, which numpy multiplies fast; sums of integers are below 2**53 and exact.
    result = (a.astype(np.float64) @ b.astype(np.float64)).astype(to)

    def info(what, array):
        return helper.make_tensor_value_info(what, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
    graph = helper.make_graph([helper.make_node(op, ["A", "B"], ["Y"])], "product", [info("A", a)], [info("Y", result)],
                              [numpy_helper.from_array(b, "B")])
    folder = work / name.replace(" ", "_")
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), folder / "model.onnx")
    (data / "input_0.pb").write_bytes(numpy_helper.from_array(a, "A").SerializeToString())
    (data / "output_0.pb").write_bytes(numpy_helper.from_array(result, "Y").SerializeToString())
    return Network(name, folder, "float" if of_a is np.float32 else "int8", operations=2 * size ** 3)


def float_form(network, networks):
    """The same network in floats, of those that there are: the folder beside it."""
    beside = {each.name: each for each in networks}
    return beside.get(f"{network.name.rpartition('/')[0]}/fp32") if network.kind != "float" else None
