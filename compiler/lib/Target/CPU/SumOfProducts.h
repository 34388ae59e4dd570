//===- SumOfProducts.h - What products add up to, and what becomes -*- C++ -*-//
//
// Part of Tenon, under the Apache License v2.0.
//
// A step of a matrix product or a convolution of bytes or floats, in the body
// of an operation of linalg. FuseEpilogues adds where sums begin and what is
// made of them (see there).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_SUMOFPRODUCTS_H
#define TENON_LIB_TARGET_CPU_SUMOFPRODUCTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tenon {

/// On an operation that FuseEpilogues made.
constexpr llvm::StringLiteral EpilogueAttr = "tenon.epilogue";

struct SumOfProducts {
  /// What sums begin with: an input, or the result, which holds them.
  mlir::OpOperand *Start = nullptr;
  mlir::Value Before;     ///< the sum so far
  mlir::Value Factors[2]; ///< of 32 bits
  mlir::Value Sum;        ///< with their product
  mlir::Value Result;     ///< of the whole sum, with an epilogue
  /// Holds what is made: with sums of another type that is the second, and the
  /// first is not read by anybody.
  mlir::OpOperand *Destination = nullptr;
  /// What makes Sum of Before, and Result of the whole sum, in the body's
  /// order.
  llvm::SmallVector<mlir::Operation *> Step, Epilogue;

  bool hasEpilogue() const { return Result != mlir::Value(); }
};

/// Nothing where an operation, on buffers or tensors, does anything else, or
/// not only what VectorBody.h allows.
std::optional<SumOfProducts> readSumOfProducts(mlir::linalg::GenericOp Op);

/// The operand of a body's argument, or null.
mlir::OpOperand *operandOf(mlir::linalg::GenericOp Op, mlir::Value V);

/// A number less a constant, which may be none.
std::pair<mlir::Value, int32_t> readOffset(mlir::Value V);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_SUMOFPRODUCTS_H
