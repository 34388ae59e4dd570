//===- Statistics.h - What normalisations are made of -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//
// On tensors of floats of 32 bits or more.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_STATISTICS_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_STATISTICS_H

#include "Lowering.h"
#include "mlir/IR/TypeUtilities.h"

namespace tenon::frontend {

inline mlir::Type heldBy(mlir::Value Tensor) {
  return mlir::getElementTypeOrSelf(Tensor.getType());
}

/// Reduced over `Axes`, which become 1.
mlir::Value sumOver(Lowering &L, mlir::Value X, llvm::ArrayRef<int64_t> Axes);
mlir::Value maxOver(Lowering &L, mlir::Value X, llvm::ArrayRef<int64_t> Axes);
mlir::Value meanOver(Lowering &L, mlir::Value X, llvm::ArrayRef<int64_t> Axes);

mlir::Value squared(Lowering &L, mlir::Value X);
/// 1 / sqrt(x + Epsilon).
mlir::Value inverseRoot(Lowering &L, mlir::Value X, double Epsilon);

/// X broadcast with Y.
template <typename Op>
mlir::FailureOr<mlir::Value> broadcastBy(Lowering &L, mlir::Value X,
                                         mlir::Value Y) {
  return L.pointwise({X, Y}, heldBy(X),
                     [](mlir::OpBuilder &B, mlir::Location Loc,
                        mlir::ValueRange E) -> mlir::Value {
                       return Op::create(B, Loc, E[0], E[1]);
                     });
}

/// One number for each index of axis 1 of a tensor of rank `Rank`, such that it
/// is broadcast to it.
mlir::Value channelwise(Lowering &L, mlir::Value X, int64_t Rank);

/// X * Scale + Bias, broadcast to X; either may be null.
mlir::FailureOr<mlir::Value> scaled(Lowering &L, mlir::Value X,
                                    mlir::Value Scale, mlir::Value Bias);

/// An error where input 0 has fewer than `Least` axes.
mlir::LogicalResult checkChannels(Lowering &L, int64_t Least);

/// Whether the node names output `Output`.
bool isAsked(Lowering &L, int64_t Output);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_STATISTICS_H
