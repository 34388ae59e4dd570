//===- Attention.h - Attention and rotary positions -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_ATTENTION_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_ATTENTION_H

#include "Lowering.h"

namespace tenon::frontend {

/// [batch, length, heads * size] as [batch, heads, length, size].
mlir::FailureOr<mlir::Value> headsOf(Lowering &L, mlir::Value X, int64_t Heads);
/// The same, back.
mlir::Value withoutHeads(Lowering &L, mlir::Value X);

mlir::LogicalResult lowerAttention(Lowering &L);
mlir::LogicalResult lowerRotaryEmbedding(Lowering &L);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_ATTENTION_H
