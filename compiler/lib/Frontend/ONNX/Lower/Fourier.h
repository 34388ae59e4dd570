//===- Fourier.h - Fourier transforms ---------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_FOURIER_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_FOURIER_H

#include "Lowering.h"

namespace tenon::frontend {

/// The transform of `Length` elements along an axis.
struct Transform {
  Lowering &L;
  OpFoldResult Length; ///< N
  bool IsInverse = false, IsOneSided = false;

  /// What the result has along the axis, and its parts.
  OpFoldResult bins() const {
    return IsOneSided && !IsInverse
               ? L.add(L.floorDiv(Length, L.extent(2)), L.extent(1))
               : Length;
  }
  int64_t parts() const { return IsOneSided && IsInverse ? 1 : 2; }

  mlir::Value root(mlir::Type Held, bool IsSine) const;
  mlir::Value matrix(mlir::Type Held, OpFoldResult Inputs,
                     OpFoldResult Parts) const;
  mlir::Value apply(mlir::Value X, int64_t Axis) const;
};

/// The integer that input `Index` holds, known or not.
mlir::FailureOr<OpFoldResult> numberIn(Lowering &L, int64_t Index);

/// `Number`, which the node calls `Name`, has to be 1 or more.
mlir::LogicalResult requirePositive(Lowering &L, OpFoldResult Number,
                                    llvm::StringRef Name);

/// An error where `Length`, which the node calls `Name`, is more than roots of
/// unity can be computed ahead.
mlir::LogicalResult checkLength(Lowering &L, OpFoldResult Length,
                                llvm::StringRef Name);

mlir::LogicalResult lowerDFT17(Lowering &L);
mlir::LogicalResult lowerDFT20(Lowering &L);
mlir::LogicalResult lowerSTFT(Lowering &L);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_FOURIER_H
