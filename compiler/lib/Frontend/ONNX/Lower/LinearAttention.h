//===- LinearAttention.h - Attention by a carried state ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_LINEARATTENTION_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_LINEARATTENTION_H

#include "Lowering.h"

namespace tenon::frontend {

mlir::LogicalResult lowerCausalConvWithState(Lowering &L);
mlir::LogicalResult lowerLinearAttention(Lowering &L);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_LINEARATTENTION_H
