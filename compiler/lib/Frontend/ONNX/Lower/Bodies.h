//===- Bodies.h - Bodies of control-flow nodes ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What an If or a loop becomes hangs on the types that its bodies give, so they
// are lowered aside first and moved to their place afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_BODIES_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_BODIES_H

#include "Lowering.h"

namespace tenon::frontend {

/// A tensor's extents and ONNX's element type.
struct PlainType {
  mlir::RankedTensorType Tensor;
  mlir::Type Element;

  PlainType(mlir::RankedTensorType Tensor, mlir::Type Element)
      : Tensor(Tensor), Element(Element) {}
  explicit PlainType(const Plain &Of) : PlainType(Of.type(), Of.Element) {}
};

/// The type of tensors of either type, with extents open in which they differ;
/// none where ranks or elements do.
std::optional<PlainType> joined(const PlainType &A, const PlainType &B);
/// `Tensor` as `Type`, of which fewer extents are known.
mlir::Value opened(Lowering &L, mlir::Value Tensor,
                   mlir::RankedTensorType Type);
/// The one element of what ONNX calls a scalar, of any rank.
mlir::Value onlyElement(Lowering &L, const Plain &Of);
/// `Then()` where `If` holds, `Else()` else, both of type `Of`.
mlir::Value either(Lowering &L, mlir::Value If, mlir::Type Of,
                   llvm::function_ref<mlir::Value()> Then,
                   llvm::function_ref<mlir::Value()> Else);

/// `Body` for 0, 1 and so on before `Count`: what it carries, from `Begin` to
/// what is the result.
llvm::SmallVector<mlir::Value>
repeated(Lowering &L, mlir::Value Count, mlir::ValueRange Begin,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                           mlir::ValueRange)>
             Body);

/// A body that was lowered beside the place where the builder stands.
class LoweredBody {
public:
  static mlir::FailureOr<LoweredBody>
  lower(Lowering &L, mlir::Region &Body, llvm::ArrayRef<PlainType> Arguments);

  /// What the body gives, in its order.
  llvm::ArrayRef<Plain> results() const { return Results; }
  /// Moves the operations to where the builder of `L` stands now; their
  /// arguments are `Arguments`.
  void place(Lowering &L, mlir::ValueRange Arguments);
  void erase() { Holder->erase(); }

private:
  mlir::Operation *Holder = nullptr;
  std::vector<Plain> Results;
};

/// The body of a loop: argument `First + i` is result `FirstResult + i` of the
/// iteration before, for `Carried` of them.
struct LoopShape {
  int64_t First, FirstResult, Carried;
};

struct LoweredStep {
  LoweredBody Body;
  /// Of the arguments; extents that change between iterations are open.
  llvm::SmallVector<PlainType> Arguments;
};

/// Lowers the body of a loop whose first iteration has arguments of these
/// types.
mlir::FailureOr<LoweredStep> lowerStep(Lowering &L, mlir::Region &Body,
                                       llvm::SmallVector<PlainType> Arguments,
                                       LoopShape Shape);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_BODIES_H
