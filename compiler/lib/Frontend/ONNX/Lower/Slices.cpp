//===- Slices.cpp - Parts of tensors --------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Scalars.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// What of one axis is taken: `Start`, `Start + Step` and so on.
struct Taken {
  OpFoldResult Start, End, Step;
  OpFoldResult Count;
};
} // namespace

/// Counts what is taken of an axis and keeps the start within it, as ONNX has
/// it: negative bounds count from the end, bounds beyond are the ends.
static LogicalResult resolve(Lowering &L, Taken &R, OpFoldResult Extent) {
  Scalars S(L.B, L.B.getLoc());
  auto Step = getConstantIntValue(R.Step);
  if (Step == 0)
    return L.error() << "a step is 0";
  Value Whole = L.index(Extent), Zero = S.index(0), One = S.index(1);
  // A step as long as the axis takes one element, as every longer one does.
  Value Stride = S.max(S.min(L.index(R.Step), S.max(Whole, One)),
                       S.sub(Zero, S.max(Whole, One)));
  if (!Step)
    L.require(S.isNot(S.equal(Stride, Zero)), "a step is 0");
  Value IsForward = S.less(Zero, Stride);
  Value Last = S.sub(Whole, One);
  auto bounded = [&](OpFoldResult Of, Value Least, Value Most) {
    Value Bound = L.index(Of);
    Bound = S.choose(S.less(Bound, Zero), S.add(Bound, Whole), Bound);
    // Where the axis is empty, the last element is before the first.
    return S.min(S.max(Bound, Least), Most);
  };
  Value Start = bounded(R.Start, Zero, S.choose(IsForward, Whole, Last));
  Value End = bounded(R.End, S.choose(IsForward, Zero, S.index(-1)),
                      S.choose(IsForward, Whole, Last));
  Value Span = S.choose(IsForward, S.sub(End, Start), S.sub(Start, End));
  Value Size = S.choose(IsForward, Stride, S.sub(Zero, Stride));
  Size = S.max(Size, One);
  Value Count = S.floorDiv(S.add(Span, S.sub(Size, One)), Size);
  R.Count = getAsOpFoldResult(S.max(Count, Zero));
  R.Start = getAsOpFoldResult(S.max(Start, Zero));
  R.Step = getAsOpFoldResult(Stride);
  return success();
}

/// What an axis that the run tells adds to each range.
static void addComputed(Lowering &L, SmallVectorImpl<Taken> &Ranges,
                        OpFoldResult Given, const Taken &Asked) {
  Scalars S(L.B, L.B.getLoc());
  Value Axis = L.index(Given);
  Axis = S.choose(S.less(Axis, S.index(0)), S.add(Axis, S.index(Ranges.size())),
                  Axis);
  L.require(S.isWithin(Axis, S.index(Ranges.size())),
            "an axis is outside of the tensor");
  for (auto [At, R] : llvm::enumerate(Ranges)) {
    Value IsIt = S.equal(Axis, S.index(At));
    auto pick = [&](OpFoldResult Mine, OpFoldResult Other) {
      return getAsOpFoldResult(S.choose(IsIt, L.index(Mine), L.index(Other)));
    };
    R = {pick(Asked.Start, R.Start),
         pick(Asked.End, R.End),
         pick(Asked.Step, R.Step),
         {}};
  }
}

static FailureOr<SmallVector<Taken>> slicedRanges(Lowering &L) {
  const Plain &Whole = L.in(0);
  FailureOr<Extents> Starts = L.listed(1), Ends = L.listed(2);
  if (failed(Starts) || failed(Ends))
    return failure();
  Extents Axes, Steps(Starts->size(), L.extent(1));
  for (size_t Axis = 0; Axis < Starts->size(); ++Axis)
    Axes.push_back(L.extent(Axis));
  for (auto [Index, List] : {std::make_pair(3, &Axes), {4, &Steps}}) {
    if (!L.has(Index))
      continue;
    FailureOr<Extents> Given = L.listed(Index);
    if (failed(Given))
      return failure();
    *List = *Given;
  }
  if (Ends->size() != Starts->size() || Axes.size() != Starts->size() ||
      Steps.size() != Starts->size() || int64_t(Axes.size()) > Whole.rank())
    return L.error() << "it needs as many starts as ends, axes and steps, and "
                        "at most one of each for a dimension";
  SmallVector<Taken> Ranges;
  for (OpFoldResult Extent : L.extentsOf(Whole.Tensor))
    Ranges.push_back({L.extent(0), Extent, L.extent(1), {}});
  for (auto [Start, End, Given, Step] :
       llvm::zip(*Starts, *Ends, Axes, Steps)) {
    Taken Asked{Start, End, Step, {}};
    if (auto Known = getConstantIntValue(Given)) {
      FailureOr<int64_t> Axis = L.axis(*Known, Whole.rank());
      if (failed(Axis))
        return failure();
      Ranges[*Axis] = Asked;
    } else {
      addComputed(L, Ranges, Given, Asked);
    }
  }
  for (auto [Axis, R] : llvm::enumerate(Ranges))
    if (failed(resolve(L, R, L.extentOf(Whole.Tensor, Axis))))
      return failure();
  return Ranges;
}

/// Backwards, or in a direction that the run tells: element by element.
static Value gathered(Lowering &L, ArrayRef<Taken> Ranges, Extents &Counts) {
  const Plain &Whole = L.in(0);
  SmallVector<Value> Starts, Steps, Extents;
  for (auto [Axis, R] : llvm::enumerate(Ranges)) {
    Starts.push_back(L.index(R.Start));
    Steps.push_back(L.index(R.Step));
    Extents.push_back(L.index(L.extentOf(Whole.Tensor, Axis)));
  }
  return L.generated(
      Counts, Whole.type().getElementType(),
      [&](OpBuilder &B, Location Loc, ValueRange Indices) {
        Scalars S(B, Loc);
        SmallVector<Value> At;
        for (auto [Index, Start, Step, Extent] :
             llvm::zip(Indices, Starts, Steps, Extents))
          At.push_back(S.within(S.add(Start, S.mul(Index, Step)), Extent));
        return S.at(Whole.Tensor, At);
      });
}

static LogicalResult lowerSlice(Lowering &L) {
  const Plain &Whole = L.in(0);
  FailureOr<SmallVector<Taken>> Ranges = slicedRanges(L);
  if (failed(Ranges))
    return failure();
  Extents Starts, Counts, Steps;
  bool IsForward = true;
  for (const Taken &R : *Ranges) {
    Starts.push_back(R.Start);
    Counts.push_back(R.Count);
    Steps.push_back(R.Step);
    IsForward &= getConstantIntValue(R.Step).value_or(-1) > 0;
  }
  auto Start =
      Whole.rank() == 1 ? getConstantIntValue(Starts[0]) : std::nullopt;
  auto Count =
      Whole.rank() == 1 ? getConstantIntValue(Counts[0]) : std::nullopt;
  auto Step = Whole.rank() == 1 ? getConstantIntValue(Steps[0]) : std::nullopt;
  if (Start && Count && Step)
    if (auto Elements = L.elementsOf(Whole.Tensor)) {
      SmallVector<Value> Kept;
      for (int64_t I = 0; I < *Count; ++I)
        Kept.push_back((*Elements)[*Start + I * *Step]);
      return L.define(
          {L.list(Kept, Whole.type().getElementType(), 1), Whole.Element});
    }
  Value Part = IsForward ? L.sliced(Whole.Tensor, Starts, Counts, Steps)
                         : gathered(L, *Ranges, Counts);
  return L.define({Part, Whole.Element});
}

ArrayRef<LoweredOperator> tenon::frontend::sliceOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Slice", 10, lowerSlice},
  };
  return Table;
}
