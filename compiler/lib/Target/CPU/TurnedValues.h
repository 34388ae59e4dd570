//===- TurnedValues.h - Tensors with axes in another order ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_TURNEDVALUES_H
#define TENON_LIB_TARGET_CPU_TURNEDVALUES_H

#include "TransposeConstant.h"

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// A tensor that stands for another: axis I of `V` is axis Axes[I] of that.
struct Turned {
  mlir::Value V;
  mlir::SmallVector<int64_t> Axes;
};

/// Which values are stored with their axes in another order. What is made is
/// made where the rewriter stands.
class TurnedValues {
public:
  explicit TurnedValues(mlir::IRRewriter &B) : B(B) {}

  const Turned *find(mlir::Value V) const {
    auto Found = Known.find(V);
    return Found == Known.end() ? nullptr : &Found->second;
  }
  /// From here on `Old` is `New` with axes in the order `Axes`.
  void replace(mlir::Value Old, mlir::Value New, mlir::ArrayRef<int64_t> Axes);
  /// Makes all that reads `V` read a value with its own axes.
  void settle(mlir::Value V);
  /// `V` with axes in the order `Axes`, by a copy where it is stored otherwise.
  mlir::Value inOrder(mlir::Value V, mlir::ArrayRef<int64_t> Axes);
  /// `V` with axes in the order `Axes` where that is a constant that can be
  /// turned when it is compiled; else null.
  mlir::Value constant(mlir::Value V, mlir::ArrayRef<int64_t> Axes);
  /// A copy of `V`, which is not turned, with axes in the order `Axes`; of a
  /// constant it is one.
  mlir::Value copied(mlir::Value V, mlir::ArrayRef<int64_t> Axes);
  /// What `V`, which an operation writes to, is in the order `Axes`.
  mlir::Value destination(mlir::Value V, mlir::ArrayRef<int64_t> Axes);

private:
  mlir::IRRewriter &B;
  llvm::DenseMap<mlir::Value, Turned> Known;
  TransposedConstants Constants;
};

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_TURNEDVALUES_H
