//===- Einsum.h - Einstein sums ---------------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_EINSUM_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_EINSUM_H

#include "Lowering.h"

namespace tenon::frontend {

mlir::LogicalResult lowerEinsum(Lowering &L);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_EINSUM_H
