//===- ChannelNormalizations.cpp - By given statistics, and by norms --===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Normalizations.h"
#include "Scalars.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// BatchNormalization
//===----------------------------------------------------------------------===//

namespace {
/// Of each channel, in the node's arithmetic.
struct ChannelStatistics {
  Value Mean, Variance;
};
} // namespace

/// Over everything but the channels, as training has them; the running ones of
/// inputs 3 and 4, moved towards them, are outputs 1 and 2.
static FailureOr<ChannelStatistics> ownStatistics(Lowering &L, Value X) {
  FailureOr<double> Momentum = L.N.real("momentum", 0.9);
  if (failed(Momentum) || failed(checkChannels(L, 2)))
    return failure();
  SmallVector<int64_t> Axes;
  for (int64_t Axis = 0; Axis < L.in(0).rank(); ++Axis)
    if (Axis != 1)
      Axes.push_back(Axis);
  Value Mean = meanOver(L, X, Axes);
  FailureOr<Value> Centred = broadcastBy<arith::SubFOp>(L, X, Mean);
  if (failed(Centred))
    return failure();
  auto ofChannels = [&](Value Of) {
    return L.reshaped(Of, {L.extentOf(X, 1)});
  };
  ChannelStatistics Own{ofChannels(Mean),
                        ofChannels(meanOver(L, squared(L, *Centred), Axes))};
  for (auto [Index, Of] :
       {std::make_pair(int64_t(1), Own.Mean), {int64_t(2), Own.Variance}}) {
    if (!isAsked(L, Index))
      continue;
    const Plain &Before = L.in(Index + 2);
    Value Now = L.converted(Of, arithmeticType(L.in(0).Element),
                            arithmeticType(Before.Element));
    FailureOr<Value> Moved =
        L.pointwise({L.widened(Before), Now}, heldBy(Now),
                    [&](OpBuilder &B, Location Loc, ValueRange E) {
                      Scalars S(B, Loc);
                      return S.add(S.mul(E[0], S.like(E[0], *Momentum)),
                                   S.mul(E[1], S.like(E[1], 1 - *Momentum)));
                    });
    if (failed(Moved))
      return failure();
    Plain Result = L.narrowed(*Moved, Before.Element);
    if (failed(L.define(Index, Result.Tensor, Result.Element)))
      return failure();
  }
  return Own;
}

/// Inputs 3 and 4, in the arithmetic of the node.
static ChannelStatistics givenStatistics(Lowering &L) {
  Type Wide = arithmeticType(L.in(0).Element);
  return {L.converted(L.in(3).Tensor, L.in(3).Element, Wide),
          L.widened(L.in(4))};
}

/// X * factor + summand, both of one element a channel, made of statistics:
/// the given ones, or in training the input's own.
LogicalResult tenon::frontend::lowerBatchNormalization(Lowering &L) {
  FailureOr<int64_t> Training = L.N.integer("training_mode", 0);
  FailureOr<int64_t> Spatial = L.N.integer("spatial", 1);
  FailureOr<double> Epsilon = L.N.real("epsilon", 1e-5);
  if (failed(Training) || failed(Spatial) || failed(Epsilon))
    return failure();
  if (!*Training && (isAsked(L, 1) || isAsked(L, 2)))
    return L.error() << "it gives statistics, as training does, but is not in "
                        "training_mode";
  if (L.in(0).rank() < 1)
    return L.error() << "its input is a scalar, which has no channels";
  Type Element = L.in(0).Element;
  Value X = L.widened(L.in(0));
  FailureOr<ChannelStatistics> Of =
      *Training ? ownStatistics(L, X) : givenStatistics(L);
  if (failed(Of))
    return failure();
  Value Factor = inverseRoot(L, Of->Variance, *Epsilon);
  auto Converted = [&](int64_t Index) {
    return L.converted(L.in(Index).Tensor, L.in(Index).Element,
                       arithmeticType(Element));
  };
  if (heldBy(Factor) != heldBy(X))
    Factor = L.converted(Factor, heldBy(Factor), heldBy(X));
  FailureOr<Value> Scale = broadcastBy<arith::MulFOp>(L, Factor, Converted(1));
  FailureOr<Value> Shift =
      failed(Scale) ? Scale : broadcastBy<arith::MulFOp>(L, *Scale, Of->Mean);
  FailureOr<Value> Summand =
      failed(Shift) ? Shift
                    : broadcastBy<arith::SubFOp>(L, Converted(2), *Shift);
  if (failed(Summand))
    return failure();
  // Statistics of every element of a channel, or (before 9) of each.
  auto Aligned = [&](Value Of) {
    return *Spatial ? channelwise(L, Of, L.in(0).rank()) : Of;
  };
  if (*Spatial && failed(L.checkRank(1, 1)))
    return failure();
  FailureOr<Value> Result = scaled(L, X, Aligned(*Scale), Aligned(*Summand));
  return failed(Result) ? failure() : L.define(L.narrowed(*Result, Element));
}

//===----------------------------------------------------------------------===//
// LRN, LpNormalization
//===----------------------------------------------------------------------===//

/// The squares of neighbouring channels are summed.
LogicalResult tenon::frontend::lowerLRN(Lowering &L) {
  FailureOr<int64_t> Size = L.N.integer("size", 1);
  FailureOr<double> Alpha = L.N.real("alpha", 1e-4);
  FailureOr<double> Beta = L.N.real("beta", 0.75);
  FailureOr<double> Bias = L.N.real("bias", 1);
  if (failed(Size) || failed(Alpha) || failed(Beta) || failed(Bias) ||
      failed(checkChannels(L, 2)))
    return failure();
  if (*Size < 1 || *Size > INT16_MAX)
    return L.error() << "size is " << *Size << ", expected 1 to " << INT16_MAX;
  Value X = L.widened(L.in(0));
  Type Held = heldBy(X);
  Extents Of = L.extentsOf(X), Low(Of.size(), L.extent(0)), High(Low);
  Low[1] = L.extent((*Size - 1) / 2);
  High[1] = L.extent(*Size / 2);
  Value Zero = L.number(Held, 0);
  Value Squares = L.padded(squared(L, X), Low, High, Zero);
  unsigned Rank = Of.size();
  SmallVector<AffineExpr> From;
  for (unsigned Axis = 0; Axis < Rank; ++Axis)
    From.push_back(L.B.getAffineDimExpr(Axis));
  From[1] = From[1] + L.B.getAffineDimExpr(Rank);
  MLIRContext *Context = L.B.getContext();
  Value Sums = L.accumulated(
      {Squares, L.empty(L.extent(*Size), Held)},
      {AffineMap::get(Rank + 1, 0, From, Context),
       AffineMap::get(Rank + 1, 0, L.B.getAffineDimExpr(Rank), Context),
       AffineMap::getMultiDimIdentityMap(Rank + 1, Context).dropResult(Rank)},
      L.filled(Of, Zero),
      [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        return arith::AddFOp::create(B, Loc, E[2], E[0]);
      });
  Value Factor = L.number(Held, *Alpha / double(*Size));
  Value Above = L.number(Held, *Bias), Power = L.number(Held, *Beta);
  FailureOr<Value> Result = L.pointwise(
      {X, Sums}, Held, [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        Value Base = arith::AddFOp::create(
            B, Loc, arith::MulFOp::create(B, Loc, E[1], Factor), Above);
        return arith::DivFOp::create(B, Loc, E[0],
                                     math::PowFOp::create(B, Loc, Base, Power));
      });
  return failed(Result) ? failure()
                        : L.define(L.narrowed(*Result, L.in(0).Element));
}

/// What has norm 0 stays 0.
LogicalResult tenon::frontend::lowerLpNormalization(Lowering &L) {
  FailureOr<int64_t> P = L.N.integer("p", 2);
  FailureOr<int64_t> Given = L.N.integer("axis", -1);
  if (failed(P) || failed(Given))
    return failure();
  FailureOr<int64_t> Axis = L.axis(*Given, L.in(0).rank());
  if (failed(Axis))
    return failure();
  if (*P != 1 && *P != 2)
    return L.error() << "p is " << *P << ", expected 1 or 2";
  Value X = L.widened(L.in(0));
  Type Held = heldBy(X);
  Value Powers =
      *P == 2 ? squared(L, X)
              : L.each(X, Held,
                       [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                         return math::AbsFOp::create(B, Loc, E[0]);
                       });
  Value Norm = sumOver(L, Powers, *Axis);
  if (*P == 2)
    Norm = L.each(Norm, Held,
                  [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                    return math::SqrtOp::create(B, Loc, E[0]);
                  });
  Value Zero = L.number(Held, 0);
  FailureOr<Value> Result = L.pointwise(
      {X, Norm}, Held, [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        Value IsZero = arith::CmpFOp::create(B, Loc, arith::CmpFPredicate::OEQ,
                                             E[1], Zero);
        Value Quotient = arith::DivFOp::create(B, Loc, E[0], E[1]);
        return arith::SelectOp::create(B, Loc, IsZero, Zero, Quotient);
      });
  return failed(Result) ? failure()
                        : L.define(L.narrowed(*Result, L.in(0).Element));
}
