//===- DotProduct.h - Sums of four products of bytes ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// sum u[4 * c + k] * (w[c, f, k] - z) over k < 4 and whatever else is reduced,
// or, of many results, w[f / 16, c, f % 16, k],
// with u = x + 128 without a sign: what PackProducts makes, and tiles are
// written for by what the host has.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_DOTPRODUCT_H
#define TENON_LIB_TARGET_CPU_DOTPRODUCT_H

#include "SumOfProducts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tenon {

struct DotProduct {
  static constexpr int64_t Depth = 4; ///< products that are added at once
  /// Results whose weights lie together: of no host does a vector have more.
  static constexpr int64_t Panel = 16;

  mlir::OpOperand *X = nullptr, *W = nullptr;
  unsigned Results = 0;  ///< the loop over f
  unsigned InFour = 0;   ///< the loop over k
  int32_t ZeroPoint = 0; ///< of w
  SumOfProducts Sum;

  /// Sum + (X + 128) * (W - ZeroPoint), of single elements.
  static mlir::Value writeBody(mlir::OpBuilder &B, mlir::Location Loc,
                               mlir::Value X, mlir::Value W, mlir::Value Sum,
                               int32_t ZeroPoint);
};

/// `Op`, on buffers or tensors, as PackProducts or FuseEpilogues made it.
std::optional<DotProduct> readDotProduct(mlir::linalg::GenericOp Op);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_DOTPRODUCT_H
