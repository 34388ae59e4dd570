//===- Simplify.h - What computes nothing -----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_SIMPLIFY_H
#define TENON_QUANTIZATION_SIMPLIFY_H

#include "tenon/Dialect/ONNX/ONNX.h"

namespace tenon::quantization {

/// Drops Identity, and Dropout that is not training, between nodes, and lets
/// constants be what Reshape, Squeeze, Unsqueeze, Flatten and Transpose make of
/// them, so that weights are constants where a product reads them.
void simplify(onnx::GraphOp Graph);

/// Registers the pass `onnx-simplify`.
void registerSimplifyPass();

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_SIMPLIFY_H
