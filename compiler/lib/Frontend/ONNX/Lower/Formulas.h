//===- Formulas.h - Formulas on elements ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A value in the body of a structured operation, with the operators of C++: a
// lowering reads like the formula of ONNX's text.  `X / (1.0 + abs(X))` emits
// its operations where the builder stands.
//
// Both sides of an operator have one element type.  Integers wrap; comparisons
// and divisions know which are unsigned; a division by zero is 0 and traps
// nowhere.  Minima and maxima are NaN where a side is.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_FORMULAS_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_FORMULAS_H

#include "Lowering.h"

namespace tenon::frontend {

class Scalar {
public:
  Scalar(mlir::OpBuilder &B, mlir::Location Loc, mlir::Value Held,
         mlir::Type Element)
      : B(&B), Loc(Loc), Held(Held), Element(Element) {}

  mlir::Value held() const { return Held; }
  mlir::Type element() const { return Element; }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(Element); }
  bool isUnsigned() const { return Element.isUnsignedInteger(); }
  /// Of the type that it is held in.
  unsigned width() const { return Held.getType().getIntOrFloatBitWidth(); }

  /// A constant of this type.
  Scalar number(double Of) const;
  Scalar integer(int64_t Of) const;
  /// The least and the largest number of this type; floats: the infinities.
  Scalar lowest() const;
  Scalar highest() const;

  /// Converted as ONNX's Cast does it.
  Scalar as(mlir::Type To) const;
  /// The bits, in the type `To` of as many.
  Scalar bits(mlir::Type To) const;
  /// A value of type `Type` from somewhere else.
  Scalar of(mlir::Value Value, mlir::Type Type) const {
    return {*B, Loc, Value, Type};
  }

  /// The operation `Op` on this value and others of its type.
  template <typename Op, typename... Rest> Scalar apply(Rest... Others) const {
    return of(Op::create(*B, Loc, Held, Others.Held...), Element);
  }

  mlir::OpBuilder &builder() const { return *B; }
  mlir::Location location() const { return Loc; }

private:
  mlir::OpBuilder *B;
  mlir::Location Loc;
  mlir::Value Held;
  mlir::Type Element;
};

Scalar operator+(Scalar X, Scalar Y);
Scalar operator-(Scalar X, Scalar Y);
Scalar operator*(Scalar X, Scalar Y);
Scalar operator/(Scalar X, Scalar Y);
inline Scalar operator+(Scalar X, double Y) { return X + X.number(Y); }
inline Scalar operator-(Scalar X, double Y) { return X - X.number(Y); }
inline Scalar operator*(Scalar X, double Y) { return X * X.number(Y); }
inline Scalar operator/(Scalar X, double Y) { return X / X.number(Y); }
inline Scalar operator+(double X, Scalar Y) { return Y.number(X) + Y; }
inline Scalar operator-(double X, Scalar Y) { return Y.number(X) - Y; }
inline Scalar operator*(double X, Scalar Y) { return Y.number(X) * Y; }
inline Scalar operator/(double X, Scalar Y) { return Y.number(X) / Y; }
Scalar operator-(Scalar X);

// Bits of integers; booleans.
Scalar operator&(Scalar X, Scalar Y);
Scalar operator|(Scalar X, Scalar Y);
Scalar operator^(Scalar X, Scalar Y);
Scalar operator~(Scalar X);
/// By less bits than the type has; to the right, of signed integers, the sign
/// follows.
Scalar operator<<(Scalar X, Scalar By);
Scalar operator>>(Scalar X, Scalar By);

// Booleans; false where a side is NaN, but for !=.
Scalar operator<(Scalar X, Scalar Y);
Scalar operator<=(Scalar X, Scalar Y);
Scalar operator==(Scalar X, Scalar Y);
Scalar operator!=(Scalar X, Scalar Y);
inline Scalar operator>(Scalar X, Scalar Y) { return Y < X; }
inline Scalar operator>=(Scalar X, Scalar Y) { return Y <= X; }
inline Scalar operator<(Scalar X, double Y) { return X < X.number(Y); }
inline Scalar operator>(Scalar X, double Y) { return X > X.number(Y); }
inline Scalar operator==(Scalar X, double Y) { return X == X.number(Y); }
inline Scalar operator!=(Scalar X, double Y) { return X != X.number(Y); }
Scalar isNaN(Scalar X);

Scalar choose(Scalar If, Scalar Then, Scalar Else);
Scalar min(Scalar X, Scalar Y);
Scalar max(Scalar X, Scalar Y);
Scalar abs(Scalar X);
/// The remainder of a division towards zero: integers.
Scalar remainder(Scalar X, Scalar Y);

// Functions of floats.
Scalar exp(Scalar X);
Scalar log(Scalar X);
Scalar sqrt(Scalar X);
Scalar tanh(Scalar X);
Scalar sigmoid(Scalar X);
Scalar softplus(Scalar X);

using Formula = llvm::function_ref<Scalar(llvm::ArrayRef<Scalar>)>;

/// `Of` for every element, the inputs broadcast to one shape; each is converted
/// to its arithmeticType, the result to `Element`.
mlir::FailureOr<Plain> computed(Lowering &L, llvm::ArrayRef<Plain> Inputs,
                                mlir::Type Element, Formula Of);
/// All inputs of a node that leaves none out.
llvm::SmallVector<Plain> inputsOf(Lowering &L);
/// The node's result, of the type of its inputs.
mlir::LogicalResult lowerFormula(Lowering &L, Formula Of);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_FORMULAS_H
