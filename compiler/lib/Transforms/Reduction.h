//===- Reduction.h - A TOSA operation as an intrinsic -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_REDUCTION_H
#define TENON_LIB_TRANSFORMS_REDUCTION_H

#include "tenon/Transforms/Intrinsics.h"

namespace tenon {

/// A TOSA operation that upstream's lowering shows to be one reduction.
struct Reduction {
  IntrinsicUse Match;
  /// Operands of the operation; weights and bias null where there is none.
  mlir::Value Input, Weights, Bias;
  int32_t InputZeroPoint = 0, WeightZeroPoint = 0;
  std::array<int64_t, 4> Pad = {0, 0, 0, 0}; ///< top, bottom, left, right
  /// The operation goes on after the reduction (a normalisation); what it does
  /// is the caller's knowledge.
  bool HasEpilogue = false;
};

/// Lowers a clone of `Op` by upstream's patterns to linalg and matches its
/// reduction.  Without a result, `Why` says what does not fit; it is empty when
/// `Op` is no reduction at all.
std::optional<Reduction> readReduction(mlir::Operation *Op, std::string &Why);

/// The integers of a constant, sign-extended; nothing for anything else.
std::optional<llvm::SmallVector<int64_t>> readIntegers(mlir::Value V);

/// The same of one of int8, as it is held: weights, of which there are many.
std::optional<llvm::SmallVector<int8_t>> readBytes(mlir::Value V);

/// The value all elements of an integer constant have.
std::optional<int64_t> readSplat(mlir::Value V);

bool isConstant(mlir::Value V);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_REDUCTION_H
