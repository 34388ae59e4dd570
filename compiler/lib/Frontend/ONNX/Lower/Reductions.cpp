//===- Reductions.cpp - Operators that reduce axes -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Reducer.h"

using namespace mlir;
using namespace tenon::frontend;

static Scalar unchanged(Scalar X) { return X; }
static Scalar zero(Scalar Like) { return Like.number(0); }
static Scalar one(Scalar Like) { return Like.number(1); }
static Scalar lowest(Scalar Like) { return Like.lowest(); }
static Scalar highest(Scalar Like) { return Like.highest(); }
static Scalar sum(Scalar X, Scalar Y) { return X + Y; }
static Scalar product(Scalar X, Scalar Y) { return X * Y; }
static Scalar square(Scalar X) { return X * X; }

static constexpr Accumulation Sums = {zero, unchanged, sum};
static constexpr Accumulation Magnitudes = {zero, abs, sum};
static constexpr Accumulation Squares = {zero, square, sum};
static constexpr Accumulation Exponentials = {zero, exp, sum};
static constexpr Accumulation Products = {one, unchanged, product};
static constexpr Accumulation Maxima = {lowest, unchanged, max};
static constexpr Accumulation Minima = {highest, unchanged, min};

/// Roots and logarithms of integers are those of f64.
static Type realType(Lowering &L) {
  return L.in(0).isFloat() ? arithmeticType(L.in(0).Element)
                           : Type(L.B.getF64Type());
}

static LogicalResult finish(Lowering &L, Value Tensor, Type Computed,
                            llvm::function_ref<Scalar(Scalar)> After) {
  FailureOr<Plain> Result =
      computed(L, Plain{Tensor, Computed}, L.in(0).Element,
               [&](ArrayRef<Scalar> X) { return After(X[0]); });
  if (failed(Result))
    return failure();
  return L.define(*Result);
}

template <const Accumulation &By>
static LogicalResult lowerReduction(Lowering &L) {
  Reducer R(L);
  if (failed(R.readAxes()))
    return failure();
  Type Element = L.in(0).Element, Computed = arithmeticType(Element);
  Value Result = R.reduced(L.in(0), Computed, By, R.Keeps);
  return L.define({L.converted(Result, Computed, Element), Element});
}

template <const Accumulation &By, Scalar (*After)(Scalar)>
static LogicalResult lowerRealReduction(Lowering &L) {
  Reducer R(L);
  if (failed(R.readAxes()))
    return failure();
  Type Computed = realType(L);
  return finish(L, R.reduced(L.in(0), Computed, By, R.Keeps), Computed, After);
}

static LogicalResult lowerMean(Lowering &L) {
  Reducer R(L);
  if (failed(R.readAxes()))
    return failure();
  Type Computed = arithmeticType(L.in(0).Element), I64 = L.B.getI64Type();
  Value Sum = R.reduced(L.in(0), Computed, Sums, R.Keeps);
  Value Count = R.count();
  return finish(L, Sum, Computed,
                [&](Scalar X) { return X / X.of(Count, I64).as(Computed); });
}

/// From the largest number on: no exponential overflows.
static LogicalResult lowerLogSumExp(Lowering &L) {
  Reducer R(L);
  if (failed(R.readAxes()))
    return failure();
  Type Computed = realType(L);
  Value Largest = R.reduced(L.in(0), Computed, Maxima, /*Keeps=*/true);
  Value Offset =
      L.each(Largest, Computed, [&](OpBuilder &B, Location Loc, ValueRange X) {
        Scalar Most(B, Loc, X[0], Computed);
        return choose(abs(Most) < Most.highest(), Most, Most.number(0)).held();
      });
  FailureOr<Plain> Differences = R.minus({Offset, Computed});
  if (failed(Differences))
    return failure();
  Value Sum = R.reduced(*Differences, Computed, Exponentials, /*Keeps=*/true);
  Extents Of = L.extentsOf(Sum);
  AffineMap Same = L.B.getMultiDimIdentityMap(Of.size());
  Value Result =
      L.mapped({Sum, Offset}, {Same, Same}, Of, heldType(L.in(0).Element),
               [&](OpBuilder &B, Location Loc, ValueRange X) {
                 return (log(Scalar(B, Loc, X[0], Computed)) +
                         Scalar(B, Loc, X[1], Computed))
                     .as(L.in(0).Element)
                     .held();
               });
  return L.define({R.Keeps ? Result : R.withoutAxes(Result), L.in(0).Element});
}

ArrayRef<LoweredOperator> tenon::frontend::reductionOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "ReduceL1", 18, lowerReduction<Magnitudes>},
      {"", "ReduceL2", 18, lowerRealReduction<Squares, sqrt>},
      {"", "ReduceLogSum", 18, lowerRealReduction<Sums, log>},
      {"", "ReduceLogSumExp", 18, lowerLogSumExp},
      {"", "ReduceMax", 18, lowerReduction<Maxima>},
      {"", "ReduceMean", 18, lowerMean},
      {"", "ReduceMin", 18, lowerReduction<Minima>},
      {"", "ReduceProd", 18, lowerReduction<Products>},
      {"", "ReduceSum", 13, lowerReduction<Sums>},
      {"", "ReduceSumSquare", 18, lowerReduction<Squares>},
  };
  return Table;
}
