//===- GridSample.cpp - Elements between those of a tensor ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Two tables say for each point of the grid which elements it is made of and
// with what weights; every channel is the sum by them.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Scalars.h"
#include "Taps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tenon::frontend;

/// Keys' parameter, as the standard has it for grids.
static constexpr double CubicA = -0.75;

namespace {
enum class Padding { Zeros, Border, Reflection };

/// How points are sampled.
struct Sampling {
  int64_t TapCount = 0; ///< along an axis: 1 (nearest), 2 (linear), 4 (cubic)
  Padding Outside = Padding::Zeros;
  bool AlignsCorners = false;
};

/// The points, and the axes behind batch and channel that they lie along.
struct Grid {
  Value Points; ///< [N, ..., axes] from -1 to 1, the last axis first
  Value ColumnCount;
  SmallVector<Value> Counts; ///< elements along each axis
  Sampling How;

  Type wide() const { return getElementTypeOrSelf(Points.getType()); }
};

/// One element that a point is made of.
struct Tap {
  Value Place; ///< through all axes
  Value Weight;
};
} // namespace

static FailureOr<Sampling> readSampling(Lowering &L) {
  FailureOr<std::string> Mode = L.N.string("mode", "linear");
  FailureOr<std::string> Outside = L.N.string("padding_mode", "zeros");
  FailureOr<int64_t> Aligns = L.N.integer("align_corners", 0);
  if (failed(Mode) || failed(Outside) || failed(Aligns))
    return failure();
  Sampling How;
  How.AlignsCorners = *Aligns != 0;
  How.TapCount = StringSwitch<int64_t>(*Mode)
                     .Case("nearest", 1)
                     .Cases({"linear", "bilinear"}, 2)
                     .Cases({"cubic", "bicubic"}, 4)
                     .Default(0);
  if (!How.TapCount)
    return L.error() << "mode '" << *Mode << "' is none that it has";
  if (*Outside == "border")
    How.Outside = Padding::Border;
  else if (*Outside == "reflection")
    How.Outside = Padding::Reflection;
  else if (*Outside != "zeros")
    return L.error() << "padding_mode '" << *Outside << "' is none that it has";
  return How;
}

/// `X` reflected at both ends of [Low, High] until it lies between them.
static Value reflected(Scalars &S, Value X, Value Low, Value High) {
  Value Range = S.sub(High, Low), Zero = S.like(X, 0);
  Value IsPoint = S.equal(Range, Zero);
  Value Length = S.choose(IsPoint, S.like(X, 1), Range);
  Value Far = S.sub(X, Low);
  Far = S.max(Far, S.sub(Zero, Far));
  Value Times = S.floor(S.div(Far, Length));
  Value Rest = S.sub(Far, S.mul(Times, Length));
  Value Halves = S.mul(Times, S.like(X, 0.5));
  Value IsEven = S.equal(S.floor(Halves), Halves);
  Value Back = S.choose(IsEven, S.add(Low, Rest), S.sub(High, Rest));
  Value IsInside = S.both(S.atMost(Low, X), S.atMost(X, High));
  return S.choose(IsPoint, Low, S.choose(IsInside, X, Back));
}

/// The ends of an axis with `Count` elements (a float) as ONNX pads it.
static std::pair<Value, Value> endsOf(Scalars &S, const Sampling &How,
                                      Value Count) {
  double Beyond = How.AlignsCorners ? 0 : 0.5;
  return {S.like(Count, -Beyond), S.sub(Count, S.like(Count, 1 - Beyond))};
}

/// Where a coordinate from -1 to 1 lies along an axis, in elements.
static Value positionOf(Scalars &S, const Sampling &How, Value Coordinate,
                        Value Count) {
  auto number = [&](double Of) { return S.like(Count, Of); };
  Value From0 = S.add(Coordinate, number(1));
  Value X = How.AlignsCorners
                ? S.mul(S.div(From0, number(2)), S.sub(Count, number(1)))
                : S.div(S.sub(S.mul(From0, Count), number(1)), number(2));
  if (How.TapCount == 1)
    X = S.roundEven(X);
  auto [Low, High] = endsOf(S, How, Count);
  if (How.Outside == Padding::Reflection)
    return reflected(S, X, Low, High);
  if (How.Outside == Padding::Zeros)
    return X;
  Value IsInside = S.both(S.atMost(Low, X), S.atMost(X, High));
  Value Kept = S.max(S.min(X, S.sub(Count, number(1))), number(0));
  return S.choose(IsInside, X, Kept);
}

/// The share of the element at `Place` in what lies at `X`.
static Value weightOf(Scalars &S, const Sampling &How, Value Place, Value X) {
  Value Distance = S.sub(Place, X);
  if (How.TapCount == 1)
    return S.like(X, 1);
  return How.TapCount == 2 ? linearWeight(S, Distance)
                           : cubicWeight(S, Distance, CubicA);
}

/// Number `Loops.back()` of the taps of the point that the loops before stand
/// at.
static Tap tapAt(Scalars &S, const Grid &G, ValueRange Loops) {
  const Sampling &How = G.How;
  SmallVector<Value> At(Loops);
  Value Rest = At.pop_back_val(), TapCount = S.index(How.TapCount);
  Tap Result{S.index(0), S.number(G.wide(), 1)};
  Value Stride = S.index(1);
  // The last axis, which the first number of a point is for, comes first.
  for (auto [Column, Extent] : llvm::enumerate(llvm::reverse(G.Counts))) {
    Value Count = S.toFloat(Extent, G.wide());
    At.push_back(S.within(S.index(Column), G.ColumnCount));
    Value X = positionOf(S, How, S.at(G.Points, At), Count);
    At.pop_back();
    // The taps lie around X, half of them on each side.
    Value First = S.sub(S.floor(X), S.like(X, How.TapCount / 2 - 1.0));
    if (How.TapCount == 1)
      First = X;
    Value Place = S.add(First, S.toFloat(S.modulo(Rest, TapCount), G.wide()));
    Value Weight = weightOf(S, How, Place, X);
    if (How.Outside == Padding::Reflection) {
      auto [Low, High] = endsOf(S, How, Count);
      Place = reflected(S, Place, Low, High);
    }
    Value Index = S.floatToIndex(Place);
    if (How.Outside == Padding::Zeros)
      Weight = S.choose(S.isWithin(Index, Extent), Weight, S.like(X, 0));
    Result.Weight = S.mul(Result.Weight, Weight);
    Result.Place = S.add(Result.Place, S.mul(S.within(Index, Extent), Stride));
    Stride = S.mul(Stride, Extent);
    Rest = S.floorDiv(Rest, TapCount);
  }
  return Result;
}

/// The element at `Place` of X [N, C, elements], for the batch and the channel
/// of the loops around.
static Value elementAt(Scalars &S, OpBuilder &B, Location Loc, Value X,
                       Value BatchCount, Value Place) {
  Value Batch = linalg::IndexOp::create(B, Loc, 0);
  Value Channel = linalg::IndexOp::create(B, Loc, 1);
  return S.at(X, {S.within(Batch, BatchCount), Channel, Place});
}

/// The sum of the taps of each point, for each channel of X [N, C, elements].
static Value sampled(Lowering &L, Value X, Value Places, Value Weights,
                     ArrayRef<OpFoldResult> Of) {
  int64_t Rank = Of.size();
  Type Held = getElementTypeOrSelf(X.getType());
  Value BatchCount = L.index(L.extentOf(X, 0));
  auto dims = [&](ArrayRef<int64_t> Which) {
    return AffineMap::getMultiDimMapWithTargets(
        Rank + 1, SmallVector<unsigned>(Which.begin(), Which.end()),
        L.B.getContext());
  };
  SmallVector<int64_t> Written = llvm::to_vector(llvm::seq<int64_t>(0, Rank));
  SmallVector<int64_t> Read = llvm::to_vector(llvm::seq<int64_t>(1, Rank + 1));
  Read[0] = 0; // every channel alike
  return L.accumulated(
      {Places, Weights}, {dims(Read), dims(Read), dims(Written)},
      L.filled(Of, L.number(Held, 0)),
      [&](OpBuilder &B, Location Loc, ValueRange E) {
        Scalars S(B, Loc);
        Value Weight =
            Lowering::convertedElement(B, Loc, E[1], E[1].getType(), Held);
        Value Read = elementAt(S, B, Loc, X, BatchCount, E[0]);
        // A weight of 0 keeps what it is for out, were it infinite.
        Value IsNone = S.equal(Weight, S.like(Weight, 0));
        return S.add(E[2],
                     S.choose(IsNone, S.like(Weight, 0), S.mul(Read, Weight)));
      });
}

/// The one tap of each point, of elements of any type.
static Value picked(Lowering &L, Value X, Value Places, Value Weights,
                    ArrayRef<OpFoldResult> Of) {
  Type Held = getElementTypeOrSelf(X.getType());
  Value BatchCount = L.index(L.extentOf(X, 0));
  SmallVector<AffineExpr> Read;
  for (int64_t Axis = 0; Axis < int64_t(Of.size()); ++Axis)
    if (Axis != 1)
      Read.push_back(L.B.getAffineDimExpr(Axis));
  Read.push_back(L.B.getAffineConstantExpr(0));
  AffineMap Map = AffineMap::get(Of.size(), 0, Read, L.B.getContext());
  Value Zero = arith::ConstantOp::create(L.B, L.B.getZeroAttr(Held));
  return L.mapped({Places, Weights}, {Map, Map}, Of, Held,
                  [&](OpBuilder &B, Location Loc, ValueRange E) {
                    Scalars S(B, Loc);
                    Value Read = elementAt(S, B, Loc, X, BatchCount, E[0]);
                    return S.choose(S.equal(E[1], S.like(E[1], 0)), Zero, Read);
                  });
}

/// What X and the grid have to be of each other.
static LogicalResult checkGrid(Lowering &L) {
  const Plain &X = L.in(0), &Points = L.in(1);
  if (X.rank() < 3 || Points.rank() != X.rank() || !Points.isFloat())
    return L.error() << "its grid has " << Points.rank()
                     << " dimensions and its input " << X.rank()
                     << "; as many are needed, 3 or more";
  if (failed(L.agreed(L.extentOf(X.Tensor, 0), L.extentOf(Points.Tensor, 0),
                      "its grid has another batch than its input")) ||
      failed(L.agreed(L.extentOf(Points.Tensor, Points.rank() - 1),
                      L.extent(X.rank() - 2),
                      "its grid has not one number for each axis")))
    return failure();
  return success();
}

static LogicalResult lowerGridSample(Lowering &L) {
  const Plain &X = L.in(0);
  FailureOr<Sampling> How = readSampling(L);
  if (failed(How) || failed(checkGrid(L)))
    return failure();
  if (How->TapCount > 1 && !isa<FloatType>(arithmeticType(X.Element)))
    return L.error() << "it interpolates floats only";
  Grid G{L.neverEmpty(L.widened(L.in(1))), {}, {}, *How};
  G.ColumnCount = L.index(L.extentOf(G.Points, L.in(1).rank() - 1));
  int64_t Axes = X.rank() - 2, Taps = 1;
  for (int64_t Axis = 0; Axis < Axes; ++Axis) {
    G.Counts.push_back(L.index(L.extentOf(X.Tensor, 2 + Axis)));
    Taps *= How->TapCount;
  }
  Extents Of = L.extentsOf(L.in(1).Tensor), Tables(Of);
  Tables.back() = L.extent(Taps);
  Of.pop_back();
  Of.insert(Of.begin() + 1, L.extentOf(X.Tensor, 1));
  Value Places = L.generated(Tables, L.B.getIndexType(),
                             [&](OpBuilder &B, Location Loc, ValueRange Loops) {
                               Scalars S(B, Loc);
                               return tapAt(S, G, Loops).Place;
                             });
  Value Weights = L.generated(
      Tables, G.wide(), [&](OpBuilder &B, Location Loc, ValueRange Loops) {
        Scalars S(B, Loc);
        return tapAt(S, G, Loops).Weight;
      });
  auto flat = [&](Value Tensor) {
    return L.neverEmpty(L.merged(Tensor, 2, Axes));
  };
  if (How->TapCount == 1)
    return L.define(
        {picked(L, flat(X.Tensor), Places, Weights, Of), X.Element});
  return L.define(L.narrowed(
      sampled(L, flat(L.widened(X)), Places, Weights, Of), X.Element));
}

ArrayRef<LoweredOperator> tenon::frontend::gridSampleOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "GridSample", 16, lowerGridSample},
  };
  return Table;
}
