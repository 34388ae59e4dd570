//===- Formulas.cpp - Formulas on elements -------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "../ElementTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// Numbers and types
//===----------------------------------------------------------------------===//

Scalar Scalar::number(double Of) const {
  auto Float = dyn_cast<FloatType>(Held.getType());
  if (!Float)
    return integer(int64_t(Of));
  APFloat Rounded(Of);
  bool Loses;
  Rounded.convert(Float.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &Loses);
  return of(arith::ConstantOp::create(*B, Loc, FloatAttr::get(Float, Rounded)),
            Element);
}

Scalar Scalar::integer(int64_t Of) const {
  APInt Bits(width(), Of, /*isSigned=*/true, /*implicitTrunc=*/true);
  return of(arith::ConstantOp::create(*B, Loc,
                                      IntegerAttr::get(Held.getType(), Bits)),
            Element);
}

/// Integers that are narrower than what holds them end where they do.
static int64_t edge(Type Element, bool IsHighest) {
  unsigned Width = Element.getIntOrFloatBitWidth();
  if (Element.isUnsignedInteger() || Width == 1)
    return IsHighest ? int64_t(llvm::maxUIntN(Width)) : 0;
  return IsHighest ? llvm::maxIntN(Width) : llvm::minIntN(Width);
}

Scalar Scalar::lowest() const {
  return isFloat() ? number(-std::numeric_limits<double>::infinity())
                   : integer(edge(Element, /*IsHighest=*/false));
}

Scalar Scalar::highest() const {
  return isFloat() ? number(std::numeric_limits<double>::infinity())
                   : integer(edge(Element, /*IsHighest=*/true));
}

Scalar Scalar::as(Type To) const {
  return of(Lowering::convertedElement(*B, Loc, Held, Element, To), To);
}

Scalar Scalar::bits(Type To) const {
  return of(arith::BitcastOp::create(*B, Loc, To, Held), To);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename FloatOp, typename IntegerOp>
static Scalar apply(Scalar X, Scalar Y) {
  return X.isFloat() ? X.apply<FloatOp>(Y) : X.apply<IntegerOp>(Y);
}

namespace tenon::frontend {
Scalar operator+(Scalar X, Scalar Y) {
  return apply<arith::AddFOp, arith::AddIOp>(X, Y);
}
Scalar operator-(Scalar X, Scalar Y) {
  return apply<arith::SubFOp, arith::SubIOp>(X, Y);
}
Scalar operator*(Scalar X, Scalar Y) {
  return apply<arith::MulFOp, arith::MulIOp>(X, Y);
}
Scalar operator-(Scalar X) {
  return X.isFloat() ? X.apply<arith::NegFOp>() : X.integer(0) - X;
}

Scalar operator/(Scalar X, Scalar Y) {
  if (X.isFloat())
    return X.apply<arith::DivFOp>(Y);
  Scalar IsZero = Y == 0.0, Zero = X.integer(0), One = X.integer(1);
  if (X.isUnsigned())
    return choose(IsZero, Zero,
                  X.apply<arith::DivUIOp>(choose(IsZero, One, Y)));
  // The least number by -1 has no result, either.
  Scalar IsMinus = Y == Y.integer(-1);
  Scalar By = choose(IsZero | IsMinus, One, Y);
  return choose(IsZero, Zero,
                choose(IsMinus, Zero - X, X.apply<arith::DivSIOp>(By)));
}

Scalar remainder(Scalar X, Scalar Y) { return X - X / Y * Y; }

Scalar operator&(Scalar X, Scalar Y) { return X.apply<arith::AndIOp>(Y); }
Scalar operator|(Scalar X, Scalar Y) { return X.apply<arith::OrIOp>(Y); }
Scalar operator^(Scalar X, Scalar Y) { return X.apply<arith::XOrIOp>(Y); }
Scalar operator~(Scalar X) { return X ^ X.integer(-1); }
Scalar operator<<(Scalar X, Scalar By) { return X.apply<arith::ShLIOp>(By); }
Scalar operator>>(Scalar X, Scalar By) {
  return X.isUnsigned() ? X.apply<arith::ShRUIOp>(By)
                        : X.apply<arith::ShRSIOp>(By);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static Scalar compared(Scalar X, Scalar Y, arith::CmpFPredicate Floats,
                       arith::CmpIPredicate Signed,
                       arith::CmpIPredicate Unsigned) {
  OpBuilder &B = X.builder();
  // BOOL is i1, whose true would be -1.
  bool IsUnsigned = X.isUnsigned() || X.element().isInteger(1);
  Value Result =
      X.isFloat() ? Value(arith::CmpFOp::create(B, X.location(), Floats,
                                                X.held(), Y.held()))
                  : Value(arith::CmpIOp::create(B, X.location(),
                                                IsUnsigned ? Unsigned : Signed,
                                                X.held(), Y.held()));
  return X.of(Result, B.getI1Type());
}

Scalar operator<(Scalar X, Scalar Y) {
  return compared(X, Y, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt,
                  arith::CmpIPredicate::ult);
}
Scalar operator<=(Scalar X, Scalar Y) {
  return compared(X, Y, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle,
                  arith::CmpIPredicate::ule);
}
Scalar operator==(Scalar X, Scalar Y) {
  return compared(X, Y, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq,
                  arith::CmpIPredicate::eq);
}
Scalar operator!=(Scalar X, Scalar Y) {
  return compared(X, Y, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne,
                  arith::CmpIPredicate::ne);
}
Scalar isNaN(Scalar X) { return X != X; }

Scalar choose(Scalar If, Scalar Then, Scalar Else) {
  return Then.of(arith::SelectOp::create(If.builder(), If.location(), If.held(),
                                         Then.held(), Else.held()),
                 Then.element());
}

Scalar min(Scalar X, Scalar Y) {
  if (X.isFloat())
    return X.apply<arith::MinimumFOp>(Y);
  bool IsUnsigned = X.isUnsigned() || X.element().isInteger(1);
  return IsUnsigned ? X.apply<arith::MinUIOp>(Y) : X.apply<arith::MinSIOp>(Y);
}
Scalar max(Scalar X, Scalar Y) {
  if (X.isFloat())
    return X.apply<arith::MaximumFOp>(Y);
  bool IsUnsigned = X.isUnsigned() || X.element().isInteger(1);
  return IsUnsigned ? X.apply<arith::MaxUIOp>(Y) : X.apply<arith::MaxSIOp>(Y);
}
Scalar abs(Scalar X) {
  if (X.isUnsigned())
    return X;
  return X.isFloat() ? X.apply<math::AbsFOp>() : max(X, -X);
}

//===----------------------------------------------------------------------===//
// Functions of floats
//===----------------------------------------------------------------------===//

Scalar exp(Scalar X) { return X.apply<math::ExpOp>(); }
Scalar log(Scalar X) { return X.apply<math::LogOp>(); }
Scalar sqrt(Scalar X) { return X.apply<math::SqrtOp>(); }
Scalar tanh(Scalar X) { return X.apply<math::TanhOp>(); }
Scalar sigmoid(Scalar X) { return 1.0 / (1.0 + exp(-X)); }
/// log(1 + exp(X)), where exp(X) may be infinite.
Scalar softplus(Scalar X) {
  return max(X, X.number(0)) + exp(-abs(X)).apply<math::Log1pOp>();
}
} // namespace tenon::frontend

//===----------------------------------------------------------------------===//
// Formulas over tensors
//===----------------------------------------------------------------------===//

FailureOr<Plain> tenon::frontend::computed(Lowering &L, ArrayRef<Plain> Inputs,
                                           Type Element, Formula Of) {
  SmallVector<Value> Tensors;
  for (const Plain &Input : Inputs)
    Tensors.push_back(Input.Tensor);
  FailureOr<Value> Result =
      L.pointwise(Tensors, heldType(Element),
                  [&](OpBuilder &B, Location Loc, ValueRange Held) {
                    SmallVector<Scalar> X;
                    for (auto [Input, Value] : llvm::zip(Inputs, Held))
                      X.push_back(Scalar(B, Loc, Value, Input.Element)
                                      .as(arithmeticType(Input.Element)));
                    return Of(X).as(Element).held();
                  });
  if (failed(Result))
    return failure();
  return Plain{*Result, Element};
}

SmallVector<Plain> tenon::frontend::inputsOf(Lowering &L) {
  SmallVector<Plain> Inputs;
  for (int64_t Index = 0; Index < L.inputCount(); ++Index)
    Inputs.push_back(L.in(Index));
  return Inputs;
}

LogicalResult tenon::frontend::lowerFormula(Lowering &L, Formula Of) {
  FailureOr<Plain> Result = computed(L, inputsOf(L), L.in(0).Element, Of);
  if (failed(Result))
    return failure();
  return L.define(*Result);
}
