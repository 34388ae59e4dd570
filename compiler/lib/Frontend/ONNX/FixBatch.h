//===- FixBatch.h - The batch of quantised networks -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_FIXBATCH_H
#define TENON_LIB_FRONTEND_ONNX_FIXBATCH_H

#include "tenon/Dialect/ONNX/ONNX.h"

namespace tenon::frontend {

/// The accelerator computes tensors of fixed shape: where the graph has
/// quantised operators, an open first dimension of an input is 1 from here on,
/// with a warning.  Elsewhere it stays open.
void fixBatch(onnx::GraphOp Graph);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_FIXBATCH_H
