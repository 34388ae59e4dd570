# Part of Tenon, under the Apache License v2.0.
"""Suite libonnx-testdata: the files of the Debian package of that name, ONNX 1.12's own: operators in their older versions, networks
that PyTorch exported, and small graphs.
"""
import pathlib

import onnx

from cases import Case

NAME = "libonnx-testdata"
FOLDER = pathlib.Path("/usr/share/libonnx-testdata/data")
# Those of ONNX's own runner (onnx/backend/test/loader).
RTOL, ATOL = 1e-3, 1e-7


def tensors(folder, kind, borders):
    result = []
    while (path := folder / f"{kind}_{len(result)}.pb").is_file():
        tensor = onnx.TensorProto()
        tensor.ParseFromString(path.read_bytes())
        # numpy had no bfloat16: the files hold its bits as uint16.
        if len(result) < len(borders) and borders[len(result)].type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16:
            tensor.data_type = onnx.TensorProto.BFLOAT16
        result.append(tensor)
    return result


def case_of(folder):
    name = f"{folder.parent.name}/{folder.name}"
    if not (folder / "model.onnx").is_file():
        return Case(name, None, [], RTOL, ATOL, "the package has no model of it, but an address")
    case = Case(name, onnx.load(folder / "model.onnx"), [], RTOL, ATOL)
    # What the files hold depends on the border's types.
    if all(value.type.HasField("tensor_type") for value in [*case.model.graph.input, *case.model.graph.output]):
        case.data_sets.extend((tensors(data, "input", case.model.graph.input), tensors(data, "output", case.model.graph.output))
                              for data in sorted(folder.glob("test_data_set_*")))
    return case


def cases():
    """None where the package is not installed (./dev setup of the tests does)."""
    return [case_of(folder) for folder in sorted(FOLDER.glob("*/*")) if folder.is_dir()]
