//===- Products.h - Products that several operators are made of -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Factors and results are of one held type, that of the sums.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_PRODUCTS_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_PRODUCTS_H

#include "Lowering.h"

namespace tenon::frontend {

/// [..., M, K] by [..., K, N] as MatMul has it: the axes in front are
/// broadcast, a factor of one axis is a row or a column, and the axis it lacks
/// is not in the result.
mlir::FailureOr<mlir::Value> matrixProduct(Lowering &L, mlir::Value A,
                                           mlir::Value B);

/// [N, C, ...] by [M, C / group, ...], with the attributes of Conv that the
/// node has; what is padded is 0.
mlir::FailureOr<mlir::Value> convolution(Lowering &L, mlir::Value X,
                                         mlir::Value W);

/// How a window steps along one axis.
struct Step {
  int64_t Stride, Dilation;
};

/// The same where the windows begin in X and none leaves it; the result has
/// `Spatial` behind its first two axes.
mlir::FailureOr<mlir::Value>
convolutionOf(Lowering &L, mlir::Value X, mlir::Value W, int64_t Groups,
              llvm::ArrayRef<Step> Steps, llvm::ArrayRef<OpFoldResult> Spatial);

/// X plus input `Input`, if there is one: an element for each index of axis 1.
mlir::FailureOr<mlir::Value> biased(Lowering &L, mlir::Value X, int64_t Input);

/// Result plus input 2, if there is one, as the output.
mlir::LogicalResult defineBiased(Lowering &L, mlir::Value Result);

mlir::LogicalResult lowerConvTranspose(Lowering &L);
mlir::LogicalResult lowerDeformConv(Lowering &L);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_PRODUCTS_H
