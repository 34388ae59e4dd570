//===- Taps.cpp - Which elements a resized axis is made of ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Taps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tenon::frontend;

StringRef ResizeModes::unknown() const {
  static constexpr StringLiteral Modes[] = {"nearest", "linear", "cubic"};
  static constexpr StringLiteral Transformations[] = {
      "half_pixel",          "half_pixel_symmetric", "pytorch_half_pixel",
      "align_corners",       "asymmetric",           "tf_crop_and_resize",
      "tf_half_pixel_for_nn"};
  static constexpr StringLiteral Roundings[] = {
      "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  if (!llvm::is_contained(Modes, Mode))
    return Mode;
  if (!llvm::is_contained(Transformations, Coordinates))
    return Coordinates;
  if (!llvm::is_contained(Roundings, Nearest))
    return Nearest;
  return {};
}

namespace {
/// The extents of one axis as floats, where its tables are made.
struct AxisNumbers {
  AxisNumbers(Lowering &L, const ResizedAxis &Axis)
      : Axis(Axis), Extent(L.index(Axis.From)) {
    Scalars S(L.B, L.B.getLoc());
    From = S.toFloat(Extent, L.B.getF32Type());
    To = S.toFloat(L.index(Axis.To), L.B.getF32Type());
  }
  const ResizedAxis &Axis;
  Value Extent, From, To;
};
} // namespace

/// The coordinate in the input of coordinate `X` of the output, both f32.
static Value coordinateOf(Scalars &S, const AxisNumbers &A, StringRef Mode,
                          Value X) {
  auto number = [&](double Of) { return S.like(X, Of); };
  Value Scale = A.Axis.Scale, Half = number(0.5), One = number(1);
  // A rounded ratio would move coordinates that are half way between elements.
  auto scaled = [&](Value Of) {
    return A.Axis.IsRatio ? S.div(S.mul(Of, A.From), A.To) : S.div(Of, Scale);
  };
  Value Centred = S.sub(scaled(S.add(X, Half)), Half);
  Value IsOne = S.atMost(A.To, One);
  Value Steps = S.max(S.sub(A.To, One), One), Last = S.sub(A.From, One);
  if (Mode == "asymmetric")
    return scaled(X);
  if (Mode == "pytorch_half_pixel")
    return S.choose(IsOne, number(0), Centred);
  if (Mode == "align_corners")
    return S.choose(IsOne, number(0), S.div(S.mul(X, Last), Steps));
  if (Mode == "tf_half_pixel_for_nn")
    return scaled(S.add(X, Half));
  if (Mode == "half_pixel_symmetric") {
    Value Adjusted = S.div(A.To, S.mul(Scale, A.From));
    Value Centre = S.div(A.From, number(2));
    Value Offset = S.mul(Centre, S.sub(One, Adjusted));
    return S.sub(S.add(Offset, scaled(S.add(X, Half))), Half);
  }
  if (Mode == "tf_crop_and_resize") {
    Value First = S.mul(A.Axis.Start, Last);
    Value Span = S.mul(S.mul(X, S.sub(A.Axis.End, A.Axis.Start)), Last);
    Value Middle = S.mul(S.mul(Half, S.add(A.Axis.Start, A.Axis.End)), Last);
    return S.choose(IsOne, Middle, S.add(First, S.div(Span, Steps)));
  }
  return Centred;
}

static Value rounded(Scalars &S, StringRef Mode, Value X) {
  Value Half = S.like(X, 0.5);
  if (Mode == "floor")
    return S.floor(X);
  if (Mode == "ceil")
    return S.ceil(X);
  if (Mode == "round_prefer_floor")
    return S.ceil(S.sub(X, Half));
  return S.floor(S.add(X, Half));
}

static Value absolute(Scalars &S, Value X) {
  return S.max(X, S.sub(S.like(X, 0), X));
}

Value tenon::frontend::linearWeight(Scalars &S, Value X) {
  return S.max(S.sub(S.like(X, 1), absolute(S, X)), S.like(X, 0));
}

Value tenon::frontend::cubicWeight(Scalars &S, Value X, double A) {
  auto number = [&](double Of) { return S.like(X, Of); };
  Value D = absolute(S, X), Square = S.mul(D, D), Cube = S.mul(Square, D);
  Value Near =
      S.add(S.sub(S.mul(number(A + 2), Cube), S.mul(number(A + 3), Square)),
            number(1));
  Value Far =
      S.sub(S.add(S.sub(S.mul(number(A), Cube), S.mul(number(5 * A), Square)),
                  S.mul(number(8 * A), D)),
            number(4 * A));
  return S.choose(S.atMost(D, number(1)), Near,
                  S.choose(S.less(D, number(2)), Far, number(0)));
}

/// Weights that add up to 1 again.
static Value normalised(Lowering &L, Value Weights) {
  Value Sums =
      L.reduced(Weights, {1}, /*Keeps=*/false, L.number(L.B.getF32Type(), 0),
                [](OpBuilder &B, Location Loc, ValueRange X) {
                  return Scalars(B, Loc).add(X[0], X[1]);
                });
  MLIRContext *Context = L.B.getContext();
  AffineMap Row = AffineMap::get(2, 0, {getAffineDimExpr(0, Context)}, Context);
  return L.mapped({Weights, Sums}, {L.B.getMultiDimIdentityMap(2), Row},
                  L.extentsOf(Weights), L.B.getF32Type(),
                  [](OpBuilder &B, Location Loc, ValueRange X) {
                    Scalars S(B, Loc);
                    Value None = S.equal(X[1], S.like(X[1], 0));
                    return S.choose(
                        None, X[0],
                        S.div(X[0], S.choose(None, S.like(X[1], 1), X[1])));
                  });
}

Taps tenon::frontend::makeTaps(Lowering &L, const ResizedAxis &Axis,
                               const ResizeModes &Modes) {
  Type F32 = L.B.getF32Type(), Index = L.B.getIndexType();
  AxisNumbers A(L, Axis);
  auto coordinate = [&](Scalars &S, Value Loop) {
    return coordinateOf(S, A, Modes.Coordinates, S.toFloat(Loop, F32));
  };
  Taps Result;
  if (Axis.Start)
    Result.IsOutside =
        L.generated(Axis.To, L.B.getI1Type(),
                    [&](OpBuilder &B, Location Loc, ValueRange Loops) {
                      Scalars S(B, Loc);
                      Value X = coordinate(S, Loops[0]);
                      return S.either(S.less(X, S.like(X, 0)),
                                      S.less(S.sub(A.From, S.like(X, 1)), X));
                    });
  if (Modes.Mode == "nearest") {
    Result.Places = L.generated(
        Axis.To, Index, [&](OpBuilder &B, Location Loc, ValueRange Loops) {
          Scalars S(B, Loc);
          Value X = rounded(S, Modes.Nearest, coordinate(S, Loops[0]));
          return S.within(S.floatToIndex(X), A.Extent);
        });
    return Result;
  }
  // Half of the taps are on each side; shrinking with antialias, as many more
  // as it shrinks.
  Scalars Outer(L.B, L.B.getLoc());
  int64_t Side = Modes.Mode == "linear" ? 1 : 2;
  Value Shrink = Outer.number(F32, 1);
  OpFoldResult Half = L.extent(Side);
  if (Modes.Antialias) {
    Shrink = Outer.min(Shrink, Axis.Scale);
    Half = getAsOpFoldResult(Outer.floatToIndex(
        Outer.ceil(Outer.div(Outer.number(F32, double(Side)), Shrink))));
    // No scale is less than half of what makes one element; what makes none
    // may be, and needs no taps.
    OpFoldResult Most =
        L.add(L.mul(Axis.From, L.extent(2 * Side)), L.extent(Side));
    Half = L.min(L.max(Half, L.extent(Side)), Most);
  }
  OpFoldResult Count = L.staticWhereKnown(L.mul(Half, L.extent(2)))[0];
  Value HalfIndex = L.index(Half);
  auto placeOf = [&](Scalars &S, Value X, Value Tap) {
    Value First = S.sub(S.floatToIndex(S.floor(X)), HalfIndex);
    return S.add(S.add(First, S.index(1)), Tap);
  };
  Result.Places = L.generated(
      {Axis.To, Count}, Index,
      [&](OpBuilder &B, Location Loc, ValueRange Loops) {
        Scalars S(B, Loc);
        return S.within(placeOf(S, coordinate(S, Loops[0]), Loops[1]),
                        A.Extent);
      });
  Result.Weights = L.generated(
      {Axis.To, Count}, F32, [&](OpBuilder &B, Location Loc, ValueRange Loops) {
        Scalars S(B, Loc);
        Value X = coordinate(S, Loops[0]);
        Value Place = placeOf(S, X, Loops[1]);
        Value Distance = S.mul(S.sub(S.toFloat(Place, F32), X), Shrink);
        Value Weight = Modes.Mode == "linear"
                           ? linearWeight(S, Distance)
                           : cubicWeight(S, Distance, Modes.CubicA);
        if (!Modes.ExcludesOutside)
          return Weight;
        return S.choose(S.isWithin(Place, A.Extent), Weight, S.like(X, 0));
      });
  if (Modes.Antialias || Modes.ExcludesOutside)
    Result.Weights = normalised(L, Result.Weights);
  return Result;
}
