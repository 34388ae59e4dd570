//===- Elementwise.cpp - Arithmetic on elements --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "../ElementTypes.h"
#include "Formulas.h"
#include "Operators.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// One formula
//===----------------------------------------------------------------------===//

template <Scalar (*Of)(Scalar)> static LogicalResult lowerUnary(Lowering &L) {
  return lowerFormula(L, [](ArrayRef<Scalar> X) { return Of(X[0]); });
}

/// A function that the math dialect has.
template <typename Op> static LogicalResult lowerFunction(Lowering &L) {
  return lowerFormula(
      L, [](ArrayRef<Scalar> X) { return X[0].template apply<Op>(); });
}

/// ONNX admits integers before opset 13, and says nothing of what they give.
static LogicalResult lowerErf(Lowering &L) {
  if (!isa<FloatType>(L.in(0).Element))
    return L.error() << "its input is " << describeType(L.in(0).Element)
                     << ", expected floats";
  return lowerFunction<math::ErfOp>(L);
}

/// Of two inputs or any number of them, from the first on.
template <Scalar (*Of)(Scalar, Scalar)>
static LogicalResult lowerFold(Lowering &L) {
  return lowerFormula(L, [](ArrayRef<Scalar> X) {
    Scalar Result = X[0];
    for (Scalar Next : X.drop_front())
      Result = Of(Result, Next);
    return Result;
  });
}

static LogicalResult lowerMean(Lowering &L) {
  return lowerFormula(L, [](ArrayRef<Scalar> X) {
    Scalar Sum = X[0];
    for (Scalar Next : X.drop_front())
      Sum = Sum + Next;
    return Sum / double(X.size());
  });
}

static Scalar reciprocal(Scalar X) { return 1.0 / X; }
static Scalar relu(Scalar X) { return max(X, X.number(0)); }
static Scalar negated(Scalar X) { return -X; }
static Scalar sum(Scalar X, Scalar Y) { return X + Y; }
static Scalar difference(Scalar X, Scalar Y) { return X - Y; }
static Scalar product(Scalar X, Scalar Y) { return X * Y; }
static Scalar quotient(Scalar X, Scalar Y) { return X / Y; }

/// Of zeros and NaN the number itself.
static Scalar sign(Scalar X) {
  Scalar Positive = choose(X > 0.0, X.number(1), X);
  return X.isUnsigned() ? Positive : choose(X < 0.0, X.number(-1), Positive);
}

//===----------------------------------------------------------------------===//
// Clip
//===----------------------------------------------------------------------===//

/// A bound of one element, whatever its rank.
static FailureOr<Plain> bound(Lowering &L, int64_t Index) {
  Plain Bound = L.in(Index);
  Type Element = L.in(0).Element;
  if (Bound.rank() == 0)
    return Bound;
  if (!Bound.type().hasStaticShape() || Bound.type().getNumElements() != 1)
    return L.error() << "input '" << L.N.inputName(Index)
                     << "' is a bound, expected a scalar";
  return Plain{L.reshaped(Bound.Tensor, {}), Element};
}

static LogicalResult lowerClip(Lowering &L) {
  SmallVector<Plain> Inputs = {L.in(0)};
  for (int64_t Index : {1, 2})
    if (L.has(Index)) {
      FailureOr<Plain> Bound = bound(L, Index);
      if (failed(Bound))
        return failure();
      Inputs.push_back(*Bound);
    }
  FailureOr<Plain> Result =
      computed(L, Inputs, L.in(0).Element, [&](ArrayRef<Scalar> X) {
        Scalar Clipped = L.has(1) ? max(X[0], X[1]) : X[0];
        return L.has(2) ? min(Clipped, X.back()) : Clipped;
      });
  if (failed(Result))
    return failure();
  return L.define(*Result);
}

ArrayRef<LoweredOperator> tenon::frontend::elementwiseOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Abs", 6, lowerUnary<abs>},
      {"", "Acos", 7, lowerFunction<math::AcosOp>},
      {"", "Acosh", 9, lowerFunction<math::AcoshOp>},
      {"", "Add", 7, lowerFold<sum>},
      {"", "Asin", 7, lowerFunction<math::AsinOp>},
      {"", "Asinh", 9, lowerFunction<math::AsinhOp>},
      {"", "Atan", 7, lowerFunction<math::AtanOp>},
      {"", "Atanh", 9, lowerFunction<math::AtanhOp>},
      {"", "Ceil", 6, lowerFunction<math::CeilOp>},
      {"", "Clip", 11, lowerClip},
      {"", "Cos", 7, lowerFunction<math::CosOp>},
      {"", "Cosh", 9, lowerFunction<math::CoshOp>},
      {"", "Div", 7, lowerFold<quotient>},
      {"", "Erf", 9, lowerErf},
      {"", "Exp", 6, lowerFunction<math::ExpOp>},
      {"", "Floor", 6, lowerFunction<math::FloorOp>},
      {"", "Log", 6, lowerFunction<math::LogOp>},
      {"", "Max", 6, lowerFold<max>},
      {"", "Mean", 6, lowerMean},
      {"", "Min", 6, lowerFold<min>},
      {"", "Mul", 7, lowerFold<product>},
      {"", "Neg", 6, lowerUnary<negated>},
      {"", "Reciprocal", 6, lowerUnary<reciprocal>},
      {"", "Relu", 6, lowerUnary<relu>},
      {"", "Round", 11, lowerFunction<math::RoundEvenOp>},
      {"", "Sigmoid", 6, lowerUnary<sigmoid>},
      {"", "Sign", 9, lowerUnary<sign>},
      {"", "Sin", 7, lowerFunction<math::SinOp>},
      {"", "Sinh", 9, lowerFunction<math::SinhOp>},
      {"", "Softplus", 1, lowerUnary<softplus>},
      {"", "Sqrt", 6, lowerFunction<math::SqrtOp>},
      {"", "Sub", 7, lowerFold<difference>},
      {"", "Sum", 6, lowerFold<sum>},
      {"", "Tan", 7, lowerFunction<math::TanOp>},
      {"", "Tanh", 6, lowerFunction<math::TanhOp>},
  };
  return Table;
}
