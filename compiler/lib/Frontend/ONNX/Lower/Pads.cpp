//===- Pads.cpp - Tensors with more or less around them ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "../Tensor.h"
#include "Operators.h"
#include "Scalars.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// What is added before and behind each axis; negative: taken away.
struct Pads {
  Extents Low, High;
};
/// The index of the input that index `At` - `Low` reads; `Extent` > 0.
using ReadIndex = Value (*)(Scalars &S, Value Index, Value Extent);
} // namespace

static Value readEdge(Scalars &S, Value Index, Value Extent) {
  return S.within(Index, Extent);
}

static Value readWrapped(Scalars &S, Value Index, Value Extent) {
  return S.modulo(Index, Extent);
}

/// The ends are not repeated: 2 1 0 1 2 1 0.
static Value readReflected(Scalars &S, Value Index, Value Extent) {
  Value Last = S.sub(Extent, S.index(1));
  Value Period = S.max(S.mul(Last, S.index(2)), S.index(1));
  Value Place = S.modulo(Index, Period);
  return S.within(S.min(Place, S.sub(Period, Place)), Extent);
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

/// The axes of the pads: constants, because a pad that the run has to find an
/// axis for is one for every axis.
static FailureOr<SmallVector<SmallVector<Value>>>
chosenAxes(Lowering &L, ArrayRef<OpFoldResult> Axes) {
  Scalars S(L.B, L.B.getLoc());
  int64_t Rank = L.in(0).rank();
  SmallVector<SmallVector<Value>> Is;
  for (OpFoldResult Given : Axes) {
    auto Known = getConstantIntValue(Given);
    if (Known && failed(L.axis(*Known, Rank)))
      return failure();
    Value Axis = L.index(Given);
    Axis = S.choose(S.less(Axis, S.index(0)), S.add(Axis, S.index(Rank)), Axis);
    if (!Known)
      L.require(S.isWithin(Axis, S.index(Rank)),
                "an axis is outside of the tensor");
    SmallVector<Value> &Here = Is.emplace_back();
    for (int64_t At = 0; At < Rank; ++At)
      Here.push_back(S.equal(Axis, S.index(At)));
  }
  return Is;
}

static FailureOr<Pads> readPads(Lowering &L) {
  int64_t Rank = L.in(0).rank();
  FailureOr<Extents> Given = L.listed(1);
  if (failed(Given))
    return failure();
  Extents Axes;
  for (int64_t Axis = 0; Axis < Rank; ++Axis)
    Axes.push_back(L.extent(Axis));
  if (L.has(3)) {
    FailureOr<Extents> Named = L.listed(3);
    if (failed(Named))
      return failure();
    Axes = *Named;
  }
  if (Given->size() != 2 * Axes.size())
    return L.error() << "it has " << Given->size() << " pads for "
                     << Axes.size() << " axes: two an axis are needed";
  FailureOr<SmallVector<SmallVector<Value>>> Is = chosenAxes(L, Axes);
  if (failed(Is))
    return failure();
  Scalars S(L.B, L.B.getLoc());
  Pads Result{Extents(Rank, L.extent(0)), Extents(Rank, L.extent(0))};
  for (size_t Index = 0; Index < Is->size(); ++Index)
    for (int64_t Axis = 0; Axis < Rank; ++Axis) {
      Value IsHere = (*Is)[Index][Axis];
      auto pick = [&](OpFoldResult Mine, OpFoldResult Other) {
        return getAsOpFoldResult(
            S.choose(IsHere, L.index(Mine), L.index(Other)));
      };
      Result.Low[Axis] = pick((*Given)[Index], Result.Low[Axis]);
      Result.High[Axis] =
          pick((*Given)[Axes.size() + Index], Result.High[Axis]);
    }
  return Result;
}

/// Pads that the run tells are none where the result would be too large.
static void keepBounded(Lowering &L, ArrayRef<OpFoldResult> Of, Pads &P) {
  auto isStatic = [](OpFoldResult Number) {
    return getConstantIntValue(Number).has_value();
  };
  if (llvm::all_of(P.Low, isStatic) && llvm::all_of(P.High, isStatic))
    return;
  Scalars S(L.B, L.B.getLoc());
  Extents Result;
  for (auto [Extent, Low, High] : llvm::zip(Of, P.Low, P.High)) {
    // Two of them do not overflow.
    for (OpFoldResult *Pad : {&Low, &High})
      *Pad = L.min(*Pad, L.extent(MaxElements));
    Result.push_back(L.add(L.add(Extent, Low), High));
  }
  Value Fits = L.requireBounded(Result);
  for (auto *Pads : {&P.Low, &P.High})
    for (OpFoldResult &Pad : *Pads)
      Pad = getAsOpFoldResult(S.choose(Fits, L.index(Pad), S.index(0)));
}

/// What negative pads take away is taken away; what is left of the pads adds.
static Value cropped(Lowering &L, Value Tensor, Pads &P) {
  Extents Of = L.extentsOf(Tensor), Starts, Steps(Of.size(), L.extent(1));
  OpFoldResult Zero = L.extent(0);
  bool IsCropped = false;
  for (auto [Extent, Low, High] : llvm::zip(Of, P.Low, P.High)) {
    OpFoldResult Before = L.min(L.max(L.sub(Zero, Low), Zero), Extent);
    OpFoldResult Left = L.sub(Extent, Before);
    OpFoldResult Behind = L.min(L.max(L.sub(Zero, High), Zero), Left);
    IsCropped |= getConstantIntValue(Before) != 0;
    IsCropped |= getConstantIntValue(Behind) != 0;
    Starts.push_back(Before);
    Extent = L.sub(Left, Behind);
    Low = L.max(Low, Zero);
    High = L.max(High, Zero);
  }
  keepBounded(L, Of, P);
  return IsCropped ? L.sliced(Tensor, Starts, Of, Steps) : Tensor;
}

static Value paddedBy(Lowering &L, Value Tensor, const Pads &P,
                      ReadIndex Read) {
  Extents Own = L.extentsOf(Tensor), Of;
  SmallVector<Value> Lows, Counts;
  Scalars Outer(L.B, L.B.getLoc());
  for (auto [Extent, Low, High] : llvm::zip(Own, P.Low, P.High)) {
    OpFoldResult Sum = L.add(L.add(Extent, Low), High);
    if (!getConstantIntValue(Extent) || getConstantIntValue(Extent) == 0) {
      // An empty axis has nothing to repeat.
      Value IsAny = Outer.less(Outer.index(0), L.index(Extent));
      L.require(Outer.either(IsAny, Outer.equal(L.index(Sum), Outer.index(0))),
                "an axis without elements cannot be padded with its own");
      Sum =
          getAsOpFoldResult(Outer.choose(IsAny, L.index(Sum), Outer.index(0)));
    }
    Of.push_back(Sum);
    Lows.push_back(L.index(Low));
    Counts.push_back(L.index(Extent));
  }
  return L.generated(Of,
                     cast<RankedTensorType>(Tensor.getType()).getElementType(),
                     [&](OpBuilder &B, Location Loc, ValueRange Loops) {
                       Scalars S(B, Loc);
                       SmallVector<Value> At;
                       for (auto [Loop, Low, Extent, Before, Behind] :
                            llvm::zip(Loops, Lows, Counts, P.Low, P.High))
                         At.push_back(getConstantIntValue(Before) == 0 &&
                                              getConstantIntValue(Behind) == 0
                                          ? Loop
                                          : Read(S, S.sub(Loop, Low), Extent));
                       return S.at(Tensor, At);
                     });
}

static FailureOr<Value> padValue(Lowering &L) {
  Type Held = L.in(0).type().getElementType();
  if (!L.has(2))
    return L.number(Held, 0);
  const Plain &Given = L.in(2);
  if (!Given.type().hasStaticShape() || Given.type().getNumElements() != 1)
    return L.error() << "its constant value is not one number";
  Scalars S(L.B, L.B.getLoc());
  return S.at(Given.Tensor, SmallVector<Value>(Given.rank(), S.index(0)));
}

static LogicalResult lowerPad(Lowering &L) {
  FailureOr<std::string> Mode = L.N.string("mode", "constant");
  FailureOr<Pads> P = readPads(L);
  if (failed(Mode) || failed(P))
    return failure();
  Value Tensor = cropped(L, L.in(0).Tensor, *P);
  Value Result;
  if (*Mode == "constant") {
    FailureOr<Value> With = padValue(L);
    if (failed(With))
      return failure();
    Result = L.padded(Tensor, P->Low, P->High, *With);
  } else {
    ReadIndex Read = *Mode == "edge"      ? readEdge
                     : *Mode == "reflect" ? readReflected
                     : *Mode == "wrap"    ? readWrapped
                                          : ReadIndex(nullptr);
    if (!Read)
      return L.error() << "mode '" << *Mode
                       << "' is none of constant, edge, reflect, wrap";
    Result = paddedBy(L, Tensor, *P, Read);
  }
  return L.define({Result, L.in(0).Element});
}

//===----------------------------------------------------------------------===//
// CenterCropPad
//===----------------------------------------------------------------------===//

static LogicalResult lowerCenterCropPad(Lowering &L) {
  int64_t Rank = L.in(0).rank();
  auto Every = llvm::to_vector(llvm::seq<int64_t>(0, Rank));
  FailureOr<SmallVector<int64_t>> Axes = L.N.integers("axes", Every);
  FailureOr<Extents> Asked = L.listed(1);
  if (failed(Axes) || failed(Asked))
    return failure();
  if (Axes->size() != Asked->size())
    return L.error() << "its shape has " << Asked->size() << " extents for "
                     << Axes->size() << " axes";
  Pads P{Extents(Rank, L.extent(0)), Extents(Rank, L.extent(0))};
  OpFoldResult Zero = L.extent(0), Two = L.extent(2);
  for (auto [Given, Target] : llvm::zip(*Axes, *Asked)) {
    FailureOr<int64_t> Axis = L.axis(Given, Rank);
    if (failed(Axis))
      return failure();
    OpFoldResult Missing =
        L.sub(L.max(Target, Zero), L.extentOf(L.in(0).Tensor, *Axis));
    // Half, towards zero: the odd one is at the end, added or taken away.
    OpFoldResult Added = L.floorDiv(L.max(Missing, Zero), Two);
    OpFoldResult Taken = L.floorDiv(L.max(L.sub(Zero, Missing), Zero), Two);
    P.Low[*Axis] = L.sub(Added, Taken);
    P.High[*Axis] = L.sub(Missing, P.Low[*Axis]);
  }
  Value Tensor = cropped(L, L.in(0).Tensor, P);
  Value With = L.number(L.in(0).type().getElementType(), 0);
  return L.define({L.padded(Tensor, P.Low, P.High, With), L.in(0).Element});
}

ArrayRef<LoweredOperator> tenon::frontend::paddingOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "CenterCropPad", 18, lowerCenterCropPad},
      {"", "Pad", 11, lowerPad},
  };
  return Table;
}
