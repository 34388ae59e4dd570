//===- SumOfProducts.h - What products add up to, and what becomes -*- C++ -*-//
//
// Part of Tenon, under the Apache License v2.0.
//
// A step of a matrix product or a convolution of bytes, in the body of an
// operation of linalg. FuseEpilogues adds where sums begin and what is made of
// them (see there).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_SUMOFPRODUCTS_H
#define TENON_LIB_TARGET_CPU_SUMOFPRODUCTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tenon {

struct SumOfProducts {
  /// What sums begin with: an input, or the first result, which holds them.
  mlir::OpOperand *Start = nullptr;
  mlir::Value Before;     ///< the sum so far
  mlir::Value Factors[2]; ///< numbers of 32 bits
  mlir::Value Sum;        ///< with their product
  /// What makes Sum of Before, and the other results of the whole sum, in the
  /// body's order. With other results the first is not read by anybody.
  llvm::SmallVector<mlir::Operation *> Step, Epilogue;

  bool hasEpilogue() const { return !Epilogue.empty(); }
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
