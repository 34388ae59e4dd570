//===- WatchTensors.h - Tensors that become outputs -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_WATCHTENSORS_H
#define TENON_QUANTIZATION_WATCHTENSORS_H

#include "tenon/Dialect/ONNX/ONNX.h"
#include <string>
#include <vector>

namespace tenon::quantization {

/// Adds values of the main graph, by name, to its outputs, in their order and
/// behind those it has.  Each is a copy, so that an input or an output can be
/// watched, too.  `Names` are values of the graph.
void watchTensors(onnx::GraphOp Graph, const std::vector<std::string> &Names);

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_WATCHTENSORS_H
