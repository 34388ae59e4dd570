//===- Comparisons.cpp - Comparisons, logic and bits ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// Booleans from elements
//===----------------------------------------------------------------------===//

static LogicalResult lowerTest(Lowering &L, Formula Of) {
  FailureOr<Plain> Result = computed(L, inputsOf(L), L.B.getI1Type(), Of);
  if (failed(Result))
    return failure();
  return L.define(*Result);
}

template <typename Of> static LogicalResult lowerComparison(Lowering &L) {
  return lowerTest(L, [](ArrayRef<Scalar> X) { return Of()(X[0], X[1]); });
}

static LogicalResult lowerIsNaN(Lowering &L) {
  return lowerTest(L, [](ArrayRef<Scalar> X) { return isNaN(X[0]); });
}

static LogicalResult lowerIsInf(Lowering &L) {
  auto Negative = L.N.integer("detect_negative", 1);
  auto Positive = L.N.integer("detect_positive", 1);
  if (failed(Negative) || failed(Positive))
    return failure();
  return lowerTest(L, [&](ArrayRef<Scalar> X) {
    Scalar Low = X[0] == X[0].lowest(), High = X[0] == X[0].highest();
    if (*Negative && *Positive)
      return Low | High;
    if (*Negative || *Positive)
      return *Negative ? Low : High;
    return X[0] < X[0].lowest(); // nothing is
  });
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

template <typename Of> static LogicalResult lowerBits(Lowering &L) {
  return lowerFormula(L, [](ArrayRef<Scalar> X) { return Of()(X[0], X[1]); });
}

static LogicalResult lowerNot(Lowering &L) {
  return lowerFormula(L, [](ArrayRef<Scalar> X) { return ~X[0]; });
}

/// By as many bits as the type has, or by a negative number: what shifting
/// further and further leads to.
static LogicalResult lowerBitShift(Lowering &L) {
  FailureOr<std::string> Direction = L.N.string("direction", "");
  if (failed(Direction))
    return failure();
  if (*Direction != "LEFT" && *Direction != "RIGHT")
    return L.error() << "direction is '" << *Direction
                     << "', expected 'LEFT' or 'RIGHT'";
  return lowerFormula(L, [&](ArrayRef<Scalar> X) {
    Scalar Last = X[0].integer(X[0].width() - 1), Zero = X[0].integer(0);
    Scalar Fits = (X[1] >= Zero) & (X[1] <= Last);
    Scalar By = choose(Fits, X[1], Last);
    if (*Direction == "LEFT")
      return choose(Fits, X[0] << By, Zero);
    Scalar Shifted = X[0] >> By;
    return X[0].isUnsigned() ? choose(Fits, Shifted, Zero) : Shifted;
  });
}

//===----------------------------------------------------------------------===//
// Where
//===----------------------------------------------------------------------===//

static LogicalResult lowerWhere(Lowering &L) {
  Type Element = L.in(1).Element;
  FailureOr<Value> Result = L.pointwise(
      {L.in(0).Tensor, L.in(1).Tensor, L.in(2).Tensor}, heldType(Element),
      [&](OpBuilder &B, Location Loc, ValueRange X) {
        return choose(Scalar(B, Loc, X[0], L.in(0).Element),
                      Scalar(B, Loc, X[1], Element),
                      Scalar(B, Loc, X[2], Element))
            .held();
      });
  if (failed(Result))
    return failure();
  return L.define({*Result, Element});
}

ArrayRef<LoweredOperator> tenon::frontend::comparisonOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "And", 7, lowerBits<std::bit_and<>>},
      {"", "BitShift", 11, lowerBitShift},
      {"", "BitwiseAnd", 18, lowerBits<std::bit_and<>>},
      {"", "BitwiseNot", 18, lowerNot},
      {"", "BitwiseOr", 18, lowerBits<std::bit_or<>>},
      {"", "BitwiseXor", 18, lowerBits<std::bit_xor<>>},
      {"", "Equal", 7, lowerComparison<std::equal_to<>>},
      {"", "Greater", 7, lowerComparison<std::greater<>>},
      {"", "GreaterOrEqual", 12, lowerComparison<std::greater_equal<>>},
      {"", "IsInf", 10, lowerIsInf},
      {"", "IsNaN", 9, lowerIsNaN},
      {"", "Less", 7, lowerComparison<std::less<>>},
      {"", "LessOrEqual", 12, lowerComparison<std::less_equal<>>},
      {"", "Not", 1, lowerNot},
      {"", "Or", 7, lowerBits<std::bit_or<>>},
      {"", "Where", 9, lowerWhere},
      {"", "Xor", 7, lowerBits<std::bit_xor<>>},
  };
  return Table;
}
