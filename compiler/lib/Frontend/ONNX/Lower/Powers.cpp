//===- Powers.cpp - Powers and remainders --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tenon::frontend;

/// Repeats `Step` on `State` while `Continues` holds.
static SmallVector<Scalar>
repeated(ArrayRef<Scalar> State,
         llvm::function_ref<Scalar(ArrayRef<Scalar>)> Continues,
         llvm::function_ref<SmallVector<Scalar>(ArrayRef<Scalar>)> Step) {
  OpBuilder &B = State[0].builder();
  SmallVector<Value> Initial;
  SmallVector<Type> Types;
  for (const Scalar &Each : State) {
    Initial.push_back(Each.held());
    Types.push_back(Each.held().getType());
  }
  auto Scalars = [&](OpBuilder &Inner, Location Loc, ValueRange Held) {
    SmallVector<Scalar> Result;
    for (auto [Before, Value] : llvm::zip(State, Held))
      Result.emplace_back(Inner, Loc, Value, Before.element());
    return Result;
  };
  auto Loop = scf::WhileOp::create(
      B, State[0].location(), Types, Initial,
      [&](OpBuilder &Inner, Location Loc, ValueRange Held) {
        scf::ConditionOp::create(
            Inner, Loc, Continues(Scalars(Inner, Loc, Held)).held(), Held);
      },
      [&](OpBuilder &Inner, Location Loc, ValueRange Held) {
        SmallVector<Value> Next;
        for (const Scalar &Each : Step(Scalars(Inner, Loc, Held)))
          Next.push_back(Each.held());
        scf::YieldOp::create(Inner, Loc, Next);
      });
  return Scalars(B, State[0].location(), Loop.getResults());
}

//===----------------------------------------------------------------------===//
// Mod
//===----------------------------------------------------------------------===//

/// X - Y * trunc(X / Y) of floats, exactly, by long division in base 2: Y is
/// doubled up to X and halved again, and taken from X where it fits.  No step
/// rounds.
static Scalar floatRemainder(Scalar X, Scalar Y) {
  Scalar Infinity = X.highest(), Rest = abs(X), By = abs(Y);
  Scalar HasRest = (Rest < Infinity) & (By > 0.0);
  Scalar Divides = HasRest & (By < Infinity);
  Scalar Dividend = choose(Divides, Rest, X.number(0));
  Scalar Divisor = choose(Divides, By, X.number(1));
  Scalar Largest = repeated(
      Divisor, [&](ArrayRef<Scalar> S) { return S[0] + S[0] <= Dividend; },
      [](ArrayRef<Scalar> S) { return SmallVector<Scalar>{S[0] + S[0]}; })[0];
  Scalar Left = repeated(
      {Dividend, Largest}, [&](ArrayRef<Scalar> S) { return S[1] >= Divisor; },
      [](ArrayRef<Scalar> S) {
        return SmallVector<Scalar>{choose(S[0] >= S[1], S[0] - S[1], S[0]),
                                   S[1] * 0.5};
      })[0];
  Scalar Signed = Left.apply<math::CopySignOp>(X);
  // By infinity, all of X is left.
  return choose(Divides, Signed, choose(HasRest, X, X - X + X.number(NAN)));
}

static Scalar flooredRemainder(Scalar X, Scalar Y) {
  Scalar Rest = X.isFloat() ? floatRemainder(X, Y) : remainder(X, Y);
  if (X.isUnsigned())
    return Rest;
  Scalar Zero = X.number(0);
  Scalar Differs = (Rest < Zero) ^ (Y < Zero);
  Scalar Moved = choose((Rest != Zero) & Differs, Rest + Y, Rest);
  return X.isFloat()
             ? choose(Rest == Zero, Zero.apply<math::CopySignOp>(Y), Moved)
             : Moved;
}

static LogicalResult lowerMod(Lowering &L) {
  FailureOr<int64_t> Truncates = L.N.integer("fmod", 0);
  if (failed(Truncates))
    return failure();
  return lowerFormula(L, [&](ArrayRef<Scalar> X) {
    if (!*Truncates)
      return flooredRemainder(X[0], X[1]);
    return X[0].isFloat() ? floatRemainder(X[0], X[1]) : remainder(X[0], X[1]);
  });
}

//===----------------------------------------------------------------------===//
// Pow
//===----------------------------------------------------------------------===//

/// Integers, by squaring.  A negative exponent leaves 1 / X towards zero, of
/// which 0 has none and gets 0.
static Scalar integerPower(Scalar X, Scalar Exponent) {
  Scalar One = X.integer(1), Zero = Exponent.integer(0);
  Scalar IsNegative = Exponent < Zero;
  Scalar Magnitude = choose(IsNegative, Zero - Exponent, Exponent);
  Exponent =
      Exponent.of(Magnitude.held(),
                  IntegerType::get(X.builder().getContext(), Exponent.width(),
                                   IntegerType::Unsigned));
  Scalar Power = repeated(
      {One, X, Exponent},
      [](ArrayRef<Scalar> S) { return S[2] != S[2].integer(0); },
      [](ArrayRef<Scalar> S) {
        Scalar One = S[2].integer(1);
        Scalar IsOdd = (S[2] & One) == One;
        return SmallVector<Scalar>{choose(IsOdd, S[0] * S[1], S[0]),
                                   S[1] * S[1], S[2] >> One};
      })[0];
  Scalar IsUnit = (X == One) | (X == X.integer(-1));
  return choose(IsNegative, choose(IsUnit, Power, X.integer(0)), Power);
}

/// Exponents that a few multiplications or a root do.
static std::optional<Scalar> simplePower(Scalar X, double Exponent) {
  if (Exponent == 1)
    return X;
  if (Exponent == 2)
    return X * X;
  if (Exponent == 3)
    return X * X * X;
  if (Exponent == -1 && X.isFloat())
    return 1.0 / X;
  // Of minus infinity and -0, the root has another sign than the power.
  if (Exponent == 0.5 && X.isFloat())
    return choose(X == X.lowest(), X.highest(), sqrt(X + 0.0));
  return std::nullopt;
}

static LogicalResult lowerPow(Lowering &L) {
  Type Element = L.in(0).Element;
  std::optional<double> Known;
  if (auto Exponent = L.N.constant(1); Exponent && Exponent->size() == 1)
    Known = Exponent->real(0);
  FailureOr<Plain> Result =
      computed(L, {L.in(0), L.in(1)}, Element, [&](ArrayRef<Scalar> X) {
        if (Known)
          if (std::optional<Scalar> Simple = simplePower(X[0], *Known))
            return *Simple;
        if (!X[0].isFloat() && !X[1].isFloat())
          return integerPower(X[0], X[1]);
        // In the wider of the two types, of integers in f64: of more than 16
        // bits, f32 does not hold all.
        bool IsWide = !X[0].isFloat() || X[1].element().isF64() ||
                      (!X[1].isFloat() && X[1].width() > 16 &&
                       (!Known || *Known != double(float(*Known))));
        Type Computed =
            IsWide ? Type(X[0].builder().getF64Type()) : X[0].element();
        return X[0].as(Computed).apply<math::PowFOp>(X[1].as(Computed));
      });
  if (failed(Result))
    return failure();
  return L.define(*Result);
}

ArrayRef<LoweredOperator> tenon::frontend::powerOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Mod", 10, lowerMod},
      {"", "Pow", 7, lowerPow},
  };
  return Table;
}
