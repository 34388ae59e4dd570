//===- Losses.h - What a prediction lacks of its target ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_LOSSES_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_LOSSES_H

#include "Lowering.h"

namespace tenon::frontend {

mlir::LogicalResult lowerNegativeLogLikelihoodLoss(Lowering &L);
mlir::LogicalResult lowerSoftmaxCrossEntropyLoss(Lowering &L);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_LOSSES_H
