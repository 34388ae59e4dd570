//===- Softmax.h - Softmax along an axis ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_SOFTMAX_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_SOFTMAX_H

#include "Lowering.h"

namespace tenon::frontend {

/// exp(x - max) over its sum; X is of floats of 32 bits or more.
/// `RowsMayBeEmpty`: a row of nothing but -inf becomes 0, not NaN.
mlir::Value softmax(Lowering &L, mlir::Value X, int64_t Axis,
                    bool RowsMayBeEmpty = false);
/// Its logarithm, by the sum alone.
mlir::Value logSoftmax(Lowering &L, mlir::Value X, int64_t Axis);

mlir::LogicalResult lowerSoftmax(Lowering &L);
mlir::LogicalResult lowerLogSoftmax(Lowering &L);
mlir::LogicalResult lowerHardmax(Lowering &L);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_SOFTMAX_H
