#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Makes of a classifier a network that classifies each position of a picture of any size: dense.py CLASSIFIER.onnx OUT.onnx

A classifier of photos is convolutions, the mean of the last feature map over its positions, and a 1x1 convolution to one score a class. That
is linear: the score of the mean is the mean of each position's scores (class activation maps: Zhou et al., arXiv 1512.04150, equation 2).
So the mean is left out, and what flattens the scores and follows that."""
import sys

import onnx
from onnx import helper


def dense(model):
    graph = model.graph
    made = {name: node for node in graph.node for name in node.output}
    takers = {}
    for node in graph.node:
        for name in node.input:
            takers.setdefault(name, []).append(node)
    means = [node for node in graph.node if node.op_type in ("AveragePool", "GlobalAveragePool")]
    if not means:
        raise ValueError("it has no mean over positions (AveragePool, GlobalAveragePool)")
    mean, scores, kinds = means[-1], means[-1].output[0], []
    while [node.op_type for node in takers.get(scores, [])] in (["QuantizeLinear"], ["DequantizeLinear"], ["Conv"]):
        [node] = takers[scores]
        kinds.append(node.op_type)
        scores = node.output[0]
    if kinds.count("Conv") != 1:
        raise ValueError(f"what follows its mean '{mean.name}' is not one convolution to scores")
    for node in takers[mean.output[0]]:
        node.input[:] = [mean.input[0] if name == mean.output[0] else name for name in node.input]

    wanted, kept = [scores], []
    while wanted:
        node = made.get(wanted.pop())
        if node and node not in kept:
            kept.append(node)
            wanted += node.input
    nodes = [node for node in graph.node if node in kept]
    used = {name for node in nodes for name in node.input}
    constants = [each for each in graph.initializer if each.name in used]
    pictures = [each for each in graph.input if each.name in used and each.name not in {each.name for each in constants}]
    for extent, name in zip(pictures[0].type.tensor_type.shape.dim[2:], ("height", "width")):
        extent.dim_param = name
    last, types = made[scores], {each.name: each.data_type for each in constants}
    kind = types[last.input[2]] if last.op_type == "QuantizeLinear" else onnx.TensorProto.FLOAT
    output = helper.make_tensor_value_info(scores, kind, [1, None, None, None])
    return helper.make_model(helper.make_graph(nodes, "dense", pictures, [output], constants), ir_version=model.ir_version,
                             opset_imports=model.opset_import)


def main():
    if len(sys.argv) != 3:
        sys.exit("dense: expected CLASSIFIER.onnx OUT.onnx")
    try:
        model = dense(onnx.load(sys.argv[1]))
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, sys.argv[2])
    except (OSError, ValueError, onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        sys.exit(f"dense: '{sys.argv[1]}' cannot be made to classify positions: {error}")


if __name__ == "__main__":
    main()
