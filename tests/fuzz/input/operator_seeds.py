# Part of Tenon, under the Apache License v2.0.
"""Seeds of the ONNX targets: the models of the onnx package's operator cases, with every open extent and without expected values,
and the networks that mean harm. They are written where they are needed, and are no part of the tree."""
import collections
import hashlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/conformance"))
MOST = 8192  # bytes of a seed
FORMS = 2  # models with the same operators


def models():
    from onnx.backend.test.case.node import collect_testcases
    import numpy as np
    import cases
    import hostile
    seen = collections.Counter()
    with np.errstate(all="ignore"):
        collected = collect_testcases(None)
    for case in collected:
        if cases.outside(case):
            continue
        operators = tuple(sorted(node.op_type for node in case.model.graph.node))
        seen[operators] += 1
        if seen[operators] <= FORMS:
            yield case.model
    for make in (hostile.endless, hostile.lying_initializer, hostile.itself):
        yield make()
    yield hostile.nested(3)
    yield hostile.bomb(2, 2)
    yield hostile.doubled(3)


def opened(model):
    """The same with names for the extents of its inputs."""
    copy = type(model)()
    copy.CopyFrom(model)
    for value in [*copy.graph.input, *copy.graph.output]:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"{value.name}_{axis}"
    return copy


def write(folder):
    """As files of the folder, named by what they hold."""
    folder.mkdir(parents=True, exist_ok=True)
    for model in models():
        for form in (model, opened(model)):
            content = form.SerializeToString()
            if len(content) <= MOST:
                (folder / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
