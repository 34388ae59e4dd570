//===- Normalizations.h - Normalisation by channels and norms ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_NORMALIZATIONS_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_NORMALIZATIONS_H

#include "Lowering.h"

namespace tenon::frontend {

mlir::LogicalResult lowerBatchNormalization(Lowering &L);
mlir::LogicalResult lowerLRN(Lowering &L);
mlir::LogicalResult lowerLpNormalization(Lowering &L);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_NORMALIZATIONS_H
