//===- UnitAxes.cpp - Axes of extent 1 that come and go ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Scalars.h"

using namespace mlir;
using namespace tenon::frontend;

/// By axis of `Rank`, whether one of `Axes`, which the run tells, is it.
static SmallVector<Value> markAxes(Lowering &L, ArrayRef<OpFoldResult> Axes,
                                   int64_t Rank, Value &AreGood) {
  Scalars S(L.B, L.B.getLoc());
  SmallVector<Value> Is(Rank, S.truth(false));
  for (OpFoldResult Given : Axes) {
    Value Axis = L.index(Given);
    Axis = S.choose(S.less(Axis, S.index(0)), S.add(Axis, S.index(Rank)), Axis);
    for (auto [At, Mark] : llvm::enumerate(Is))
      Mark = S.either(Mark, S.equal(Axis, S.index(At)));
  }
  Value Count = S.index(0);
  for (Value Mark : Is)
    Count = S.add(Count, S.choose(Mark, S.index(1), S.index(0)));
  AreGood = S.equal(Count, S.index(Axes.size()));
  L.require(AreGood,
            "its axes are outside of the tensor, or one is named twice");
  return Is;
}

/// The same of axes that are known.
static FailureOr<SmallVector<bool>>
markKnown(Lowering &L, ArrayRef<int64_t> Axes, int64_t Rank) {
  SmallVector<bool> Is(Rank);
  for (int64_t Given : Axes) {
    FailureOr<int64_t> Axis = L.axis(Given, Rank);
    if (failed(Axis))
      return failure();
    if (std::exchange(Is[*Axis], true))
      return L.error() << "axis " << Given << " is named twice";
  }
  return Is;
}

static LogicalResult finishReshape(Lowering &L, ArrayRef<OpFoldResult> Of,
                                   Value IsGood) {
  RankedTensorType Type = L.typeOf(Of, L.in(0).type().getElementType());
  Value Result =
      L.onlyIf(IsGood, Type, [&] { return L.reshaped(L.in(0).Tensor, Of); });
  return L.define({Result, L.in(0).Element});
}

static LogicalResult lowerUnsqueeze(Lowering &L) {
  FailureOr<Extents> Axes = L.listed(1);
  if (failed(Axes))
    return failure();
  Extents Own = L.extentsOf(L.in(0).Tensor), Of;
  int64_t Rank = Own.size() + Axes->size();
  Scalars S(L.B, L.B.getLoc());
  if (auto Known = L.integers(1)) {
    FailureOr<SmallVector<bool>> Is = markKnown(L, *Known, Rank);
    if (failed(Is))
      return failure();
    auto *Next = Own.begin();
    for (bool IsNew : *Is)
      Of.push_back(IsNew ? L.extent(1) : *Next++);
    return finishReshape(L, Of, S.truth(true));
  }
  Value Passed = S.index(0), AreGood;
  for (Value IsNew : markAxes(L, *Axes, Rank, AreGood)) {
    Value Extent = S.index(1);
    for (auto [Axis, Here] : llvm::enumerate(Own))
      Extent = S.choose(S.equal(Passed, S.index(Axis)), L.index(Here), Extent);
    Of.push_back(S.choose(IsNew, S.index(1), Extent));
    Passed = S.add(Passed, S.choose(IsNew, S.index(0), S.index(1)));
  }
  return finishReshape(L, Of, AreGood);
}

/// Axes that the run tells; each has to have the extent 1.
static LogicalResult squeezeComputed(Lowering &L, ArrayRef<OpFoldResult> Axes) {
  Extents Own = L.extentsOf(L.in(0).Tensor), Of;
  Scalars S(L.B, L.B.getLoc());
  Value AreGood;
  SmallVector<Value> Goes = markAxes(L, Axes, Own.size(), AreGood), Before;
  Value Passed = S.index(0), AreOne = S.truth(true);
  for (auto [Extent, IsGone] : llvm::zip(Own, Goes)) {
    Before.push_back(Passed);
    Passed = S.add(Passed, S.choose(IsGone, S.index(0), S.index(1)));
    AreOne = S.both(AreOne, S.either(S.isNot(IsGone),
                                     S.equal(L.index(Extent), S.index(1))));
  }
  L.require(AreOne, "an axis that it is to drop is not 1");
  for (int64_t To = 0; To < int64_t(Own.size() - Axes.size()); ++To) {
    Value Here = S.index(1);
    for (auto [Extent, IsGone, At] : llvm::zip(Own, Goes, Before))
      Here = S.choose(S.both(S.isNot(IsGone), S.equal(At, S.index(To))),
                      L.index(Extent), Here);
    Of.push_back(Here);
  }
  return finishReshape(L, Of, S.both(AreGood, AreOne));
}

static LogicalResult lowerSqueeze(Lowering &L) {
  Extents Own = L.extentsOf(L.in(0).Tensor), Of;
  SmallVector<bool> Goes(Own.size());
  Scalars S(L.B, L.B.getLoc());
  if (!L.has(1)) {
    for (auto [Extent, IsGone] : llvm::zip(Own, Goes)) {
      // The rank is fixed before the run, which may only confirm it.
      if (!getConstantIntValue(Extent))
        L.require(S.isNot(S.equal(L.index(Extent), S.index(1))),
                  "an axis that stays turns out to be 1: name the axes that it "
                  "is to drop");
      IsGone = getConstantIntValue(Extent) == 1;
    }
  } else if (auto Known = L.integers(1)) {
    FailureOr<SmallVector<bool>> Is = markKnown(L, *Known, Own.size());
    if (failed(Is))
      return failure();
    Goes = *Is;
  } else {
    FailureOr<Extents> Axes = L.listed(1);
    if (failed(Axes))
      return failure();
    return squeezeComputed(L, *Axes);
  }
  Value AreOne = S.truth(true);
  for (auto [Extent, IsGone] : llvm::zip(Own, Goes)) {
    if (!IsGone) {
      Of.push_back(Extent);
      continue;
    }
    auto Static = getConstantIntValue(Extent);
    if (Static && *Static != 1)
      return L.error() << "an axis that it is to drop has the extent "
                       << *Static;
    if (Static)
      continue;
    Value IsOne = S.equal(L.index(Extent), S.index(1));
    L.require(IsOne, "an axis that it is to drop is not 1");
    AreOne = S.both(AreOne, IsOne);
  }
  return finishReshape(L, Of, AreOne);
}

ArrayRef<LoweredOperator> tenon::frontend::unitAxisOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Squeeze", 13, lowerSqueeze},
      {"", "Unsqueeze", 13, lowerUnsqueeze},
  };
  return Table;
}
