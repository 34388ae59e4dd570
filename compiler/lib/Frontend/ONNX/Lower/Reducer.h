//===- Reducer.h - Reductions over axes ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_REDUCER_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_REDUCER_H

#include "Formulas.h"

namespace tenon::frontend {

/// What is accumulated, from `Initial` on: `Combine` of `Before` of each
/// element.
struct Accumulation {
  Scalar (*Initial)(Scalar Like);
  Scalar (*Before)(Scalar X);
  Scalar (*Combine)(Scalar X, Scalar Y);
};

/// A reduction of the node's first input.
class Reducer {
public:
  explicit Reducer(Lowering &L) : L(L) {}
  mlir::LogicalResult readAxes();

  /// In the type `Computed`; axes that go leave an extent of 1 where `Keeps`.
  mlir::Value reduced(const Plain &Of, mlir::Type Computed,
                      const Accumulation &By, bool Keeps);
  /// Input 0 minus `Offset`, which was reduced and keeps its axes.
  mlir::FailureOr<Plain> minus(const Plain &Offset);
  /// How many elements become one.
  mlir::Value count();
  mlir::Value withoutAxes(mlir::Value Tensor);

  bool Keeps = true;

private:
  mlir::LogicalResult readComputedAxes(bool IsNoop);
  mlir::LogicalResult countComputedAxes();
  mlir::OpFoldResult chosen(mlir::Value If, mlir::OpFoldResult Then,
                            mlir::OpFoldResult Else);
  mlir::Value stepwise(mlir::Value Tensor, mlir::Type Computed,
                       const Accumulation &By);

  Lowering &L;
  llvm::SmallVector<int64_t> Axes;
  /// Whether an axis is one of them, where the run tells.
  llvm::SmallVector<mlir::Value> IsReduced;
  /// The rank of the result then.
  int64_t Left = 0;
};

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_REDUCER_H
