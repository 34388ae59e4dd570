//===- Statistics.cpp - What normalisations are made of ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

Value tenon::frontend::sumOver(Lowering &L, Value X, ArrayRef<int64_t> Axes) {
  return L.reduced(X, Axes, /*Keeps=*/true, L.number(heldBy(X), 0),
                   [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                     return arith::AddFOp::create(B, Loc, E[1], E[0]);
                   });
}

Value tenon::frontend::maxOver(Lowering &L, Value X, ArrayRef<int64_t> Axes) {
  Value Least = L.number(heldBy(X), -std::numeric_limits<double>::infinity());
  return L.reduced(X, Axes, /*Keeps=*/true, Least,
                   [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                     return arith::MaximumFOp::create(B, Loc, E[1], E[0]);
                   });
}

/// The product of the extents of X along `Axes`, as an element of it.
static Value countOver(Lowering &L, Value X, ArrayRef<int64_t> Axes) {
  Extents Of;
  for (int64_t Axis : Axes)
    Of.push_back(L.extentOf(X, Axis));
  OpFoldResult Count = L.product(Of);
  if (auto Static = getConstantIntValue(Count))
    return L.number(heldBy(X), double(*Static));
  return arith::SIToFPOp::create(
      L.B, heldBy(X),
      arith::IndexCastOp::create(L.B, L.B.getI64Type(), L.index(Count)));
}

Value tenon::frontend::meanOver(Lowering &L, Value X, ArrayRef<int64_t> Axes) {
  Value Count = countOver(L, X, Axes);
  return L.each(sumOver(L, X, Axes), heldBy(X),
                [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                  return arith::DivFOp::create(B, Loc, E[0], Count);
                });
}

Value tenon::frontend::squared(Lowering &L, Value X) {
  return L.each(X, heldBy(X),
                [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                  return arith::MulFOp::create(B, Loc, E[0], E[0]);
                });
}

Value tenon::frontend::inverseRoot(Lowering &L, Value X, double Epsilon) {
  Value Above = L.number(heldBy(X), Epsilon), One = L.number(heldBy(X), 1);
  return L.each(X, heldBy(X),
                [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                  Value Root = math::SqrtOp::create(
                      B, Loc, arith::AddFOp::create(B, Loc, E[0], Above));
                  return arith::DivFOp::create(B, Loc, One, Root);
                });
}

Value tenon::frontend::channelwise(Lowering &L, Value X, int64_t Rank) {
  Extents Of = {L.extentOf(X, 0)};
  Of.append(std::max<int64_t>(Rank - 2, 0), L.extent(1));
  return L.split(X, 0, Of);
}

FailureOr<Value> tenon::frontend::scaled(Lowering &L, Value X, Value Scale,
                                         Value Bias) {
  FailureOr<Value> Result = X;
  if (Scale)
    Result = broadcastBy<arith::MulFOp>(L, *Result, Scale);
  if (succeeded(Result) && Bias)
    Result = broadcastBy<arith::AddFOp>(L, *Result, Bias);
  return Result;
}

LogicalResult tenon::frontend::checkChannels(Lowering &L, int64_t Least) {
  if (L.in(0).rank() < Least)
    return L.error() << "its input has " << L.in(0).rank()
                     << " dimensions, expected " << Least << " or more";
  return success();
}

bool tenon::frontend::isAsked(Lowering &L, int64_t Output) {
  return L.N.outputCount() > Output && !L.N.outputName(Output).empty();
}
