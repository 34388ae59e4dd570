//===- Softmax.cpp - Softmax, its logarithm, and Hardmax -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Softmax.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

/// `Each` of x and what its row was reduced to (extent 1 along the row).
static Value byRow(Lowering &L, Value X, Value Row, Lowering::Body Each) {
  Extents Of = L.extentsOf(X);
  auto Rows = cast<RankedTensorType>(Row.getType());
  SmallVector<AffineExpr> From;
  for (int64_t Axis = 0; Axis < Rows.getRank(); ++Axis)
    From.push_back(Rows.getDimSize(Axis) == 1 ? L.B.getAffineConstantExpr(0)
                                              : L.B.getAffineDimExpr(Axis));
  return L.mapped({X, Row},
                  {L.B.getMultiDimIdentityMap(Of.size()),
                   AffineMap::get(Of.size(), 0, From, L.B.getContext())},
                  Of, heldBy(X), Each);
}

Value tenon::frontend::softmax(Lowering &L, Value X, int64_t Axis,
                               bool RowsMayBeEmpty) {
  Type Held = heldBy(X);
  Value Zero = L.number(Held, 0), One = L.number(Held, 1);
  Value Least = L.number(Held, -std::numeric_limits<double>::infinity());
  // `Of`, or `Else` where it is `Is`.
  auto Unless = [&](OpBuilder &B, Location Loc, Value Of, Value Is,
                    Value Else) -> Value {
    if (!RowsMayBeEmpty)
      return Of;
    Value Equals =
        arith::CmpFOp::create(B, Loc, arith::CmpFPredicate::OEQ, Of, Is);
    return arith::SelectOp::create(B, Loc, Equals, Else, Of);
  };
  Value Powers =
      byRow(L, X, maxOver(L, X, Axis),
            [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
              return math::ExpOp::create(
                  B, Loc,
                  arith::SubFOp::create(B, Loc, E[0],
                                        Unless(B, Loc, E[1], Least, Zero)));
            });
  return byRow(L, Powers, sumOver(L, Powers, Axis),
               [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                 return arith::DivFOp::create(B, Loc, E[0],
                                              Unless(B, Loc, E[1], Zero, One));
               });
}

Value tenon::frontend::logSoftmax(Lowering &L, Value X, int64_t Axis) {
  auto Minus = [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
    return arith::SubFOp::create(B, Loc, E[0], E[1]);
  };
  Value Below = byRow(L, X, maxOver(L, X, Axis), Minus);
  Value Powers = L.each(Below, heldBy(X),
                        [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                          return math::ExpOp::create(B, Loc, E[0]);
                        });
  Value Logs = L.each(sumOver(L, Powers, Axis), heldBy(X),
                      [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                        return math::LogOp::create(B, Loc, E[0]);
                      });
  return byRow(L, Below, Logs, Minus);
}

static Value softmaxOf(Lowering &L, Value X, int64_t Axis) {
  return softmax(L, X, Axis);
}

template <Value (*Compute)(Lowering &, Value, int64_t)>
static LogicalResult lowerBy(Lowering &L) {
  // Before 13 everything from the axis on is one row; normalisation rewrites
  // that only where it knows the rank.
  bool IsFlattened = L.N.opset() < 13;
  FailureOr<int64_t> Given = L.N.integer("axis", IsFlattened ? 1 : -1);
  if (failed(Given))
    return failure();
  FailureOr<int64_t> Axis = L.axis(*Given, L.in(0).rank());
  if (failed(Axis))
    return failure();
  Value X = L.widened(L.in(0));
  if (!IsFlattened)
    return L.define(L.narrowed(Compute(L, X, *Axis), L.in(0).Element));
  Extents Of = L.extentsOf(X);
  ArrayRef<OpFoldResult> All = Of;
  Value Rows = L.reshaped(
      X, {L.product(All.take_front(*Axis)), L.product(All.drop_front(*Axis))});
  return L.define(
      L.narrowed(L.reshaped(Compute(L, Rows, 1), Of), L.in(0).Element));
}

LogicalResult tenon::frontend::lowerSoftmax(Lowering &L) {
  return lowerBy<softmaxOf>(L);
}

LogicalResult tenon::frontend::lowerLogSoftmax(Lowering &L) {
  return lowerBy<logSoftmax>(L);
}

/// 1 at the first largest element of each row.
static Value hardmax(Lowering &L, Value X, int64_t Axis) {
  Type Place = L.B.getI64Type();
  Value None = L.integer(Place, std::numeric_limits<int64_t>::max());
  Extents Of = L.extentsOf(X);
  auto At = [Axis](OpBuilder &B, Location Loc) -> Value {
    return arith::IndexCastOp::create(B, Loc, B.getI64Type(),
                                      linalg::IndexOp::create(B, Loc, Axis));
  };
  SmallVector<AffineExpr> Row;
  for (int64_t Each = 0; Each < int64_t(Of.size()); ++Each)
    Row.push_back(Each == Axis ? L.B.getAffineConstantExpr(0)
                               : L.B.getAffineDimExpr(Each));
  AffineMap Identity = L.B.getMultiDimIdentityMap(Of.size());
  AffineMap ToRow = AffineMap::get(Of.size(), 0, Row, L.B.getContext());
  Extents OfRows(Of);
  OfRows[Axis] = L.extent(1);
  Value First =
      L.accumulated({X, maxOver(L, X, Axis)}, {Identity, ToRow, ToRow},
                    L.filled(OfRows, None),
                    [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                      Value IsLargest = arith::CmpFOp::create(
                          B, Loc, arith::CmpFPredicate::OEQ, E[0], E[1]);
                      Value Here = arith::SelectOp::create(B, Loc, IsLargest,
                                                           At(B, Loc), None);
                      return arith::MinSIOp::create(B, Loc, Here, E[2]);
                    });
  Value One = L.number(heldBy(X), 1), Zero = L.number(heldBy(X), 0);
  return L.mapped({First}, {ToRow}, Of, heldBy(X),
                  [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                    Value IsFirst = arith::CmpIOp::create(
                        B, Loc, arith::CmpIPredicate::eq, E[0], At(B, Loc));
                    return arith::SelectOp::create(B, Loc, IsFirst, One, Zero);
                  });
}

LogicalResult tenon::frontend::lowerHardmax(Lowering &L) {
  return lowerBy<hardmax>(L);
}
