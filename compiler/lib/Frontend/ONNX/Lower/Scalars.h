//===- Scalars.h - Arithmetic on single values ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Short names for the arithmetic of indices, signed integers and floats, in the
// bodies of structured operations and around them.  Both sides have one type.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_SCALARS_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_SCALARS_H

#include "mlir/IR/Builders.h"

namespace tenon::frontend {

class Scalars {
public:
  using Value = mlir::Value;

  Scalars(mlir::OpBuilder &B, mlir::Location Loc) : B(B), Loc(Loc) {}

  Value index(int64_t Of);
  /// `Number` in the type of a float, an integer or an index.
  Value number(mlir::Type Of, double Number);
  Value like(Value Other, double Number) {
    return number(Other.getType(), Number);
  }
  Value truth(bool Of);

  Value add(Value A, Value B);
  Value sub(Value A, Value B);
  Value mul(Value A, Value B);
  /// Of integers towards zero; `By` is not zero.
  Value div(Value A, Value By);
  /// Towards minus infinity, of integers; `By` is positive.
  Value floorDiv(Value A, Value By);
  /// From 0 to `By` - 1, of integers; `By` is positive.
  Value modulo(Value A, Value By);
  Value min(Value A, Value B);
  Value max(Value A, Value B);
  Value floor(Value A);
  Value ceil(Value A);
  Value roundEven(Value A);

  /// Of floats: false where one is NaN.
  Value less(Value A, Value B);
  Value atMost(Value A, Value B);
  Value equal(Value A, Value B);
  Value both(Value A, Value B);
  Value either(Value A, Value B);
  Value isNot(Value A);
  /// The bits of an integer, with those of `Mask` flipped.
  Value flipped(Value A, const llvm::APInt &Mask);
  Value choose(Value Condition, Value Then, Value Else);

  /// `Index` kept within [0, Extent).
  Value within(Value Index, Value Extent);
  /// Whether 0 <= `Index` < `Extent`.
  Value isWithin(Value Index, Value Extent);
  /// A signed (unsigned) integer as an index; what is too large for an index
  /// is no index of any tensor either.
  Value toIndex(Value Integer, bool IsUnsigned = false);
  Value fromIndex(Value Index, mlir::Type Integer);
  /// An integer or index as a float, and back (towards zero, within the type;
  /// NaN is the least).
  Value toFloat(Value Integer, mlir::Type Float);
  Value floatToIndex(Value Float);

  Value at(Value Tensor, mlir::ValueRange Indices);

private:
  template <typename Op, typename... Args> Value make(Args &&...Given) {
    return B.createOrFold<Op>(Loc, std::forward<Args>(Given)...);
  }

  mlir::OpBuilder &B;
  mlir::Location Loc;
};

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_SCALARS_H
