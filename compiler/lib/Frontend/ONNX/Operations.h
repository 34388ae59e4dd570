//===- Operations.h - Of two tensors, element by element --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_OPERATIONS_H
#define TENON_LIB_FRONTEND_ONNX_OPERATIONS_H

#include "Importer.h"

namespace tenon::frontend {

/// The shape of what two operands make together.  Both get as many axes, and
/// the first is the one that has the result's shape, if any has; channels last
/// where the other has another.
mlir::FailureOr<Shape> spread(Importer &I, const Node &N, Quantized &First,
                              Quantized &Second);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_OPERATIONS_H
