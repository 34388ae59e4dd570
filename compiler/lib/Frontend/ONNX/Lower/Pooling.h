//===- Pooling.h - Windows as one element each ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_POOLING_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_POOLING_H

#include "WindowGeometry.h"

namespace tenon::frontend {

/// Two elements as one.
using Combine = mlir::Value (*)(mlir::OpBuilder &B, mlir::Location Loc,
                                mlir::Value X, mlir::Value Y, bool IsUnsigned);

mlir::Value larger(mlir::OpBuilder &B, mlir::Location Loc, mlir::Value X,
                   mlir::Value Y, bool IsUnsigned);

/// The least element of a type: what a maximum begins with.
mlir::Value least(Lowering &L, mlir::Type Element);

/// How windows read X, a tensor of a window's shape, and the result: n, c, the
/// windows, then what is inside of one.
llvm::SmallVector<mlir::AffineMap> windowMaps(Lowering &L,
                                              llvm::ArrayRef<WindowAxis> Axes);

/// A tensor whose shape alone is read: that of a window.
mlir::Value windowShape(Lowering &L, llvm::ArrayRef<WindowAxis> Axes,
                        mlir::Type Held);

/// Each window of X, which is padded for them, as one element.
mlir::Value pooled(Lowering &L, mlir::Value X, llvm::ArrayRef<WindowAxis> Axes,
                   mlir::Value Initial, Combine By, bool IsUnsigned);

mlir::LogicalResult lowerMaxPool(Lowering &L);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_POOLING_H
