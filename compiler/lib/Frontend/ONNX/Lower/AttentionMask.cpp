//===- AttentionMask.cpp - Which keys a query attends to -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Attend.h"
#include "Scalars.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tenon::frontend;

static constexpr double Infinity = std::numeric_limits<double>::infinity();

/// The mask as what is added to the scores, as long as the keys; null where
/// there is none.
FailureOr<Value> Attend::mask() {
  if (!L.has(3))
    return Value();
  const Plain &Given = L.in(3);
  Value Mask = Given.Tensor;
  if (Given.rank() < 1 || Given.rank() > 4)
    return L.error() << "its mask has " << Given.rank()
                     << " dimensions, expected 1 to 4";
  Type Held = heldType(Sum);
  Value Away = L.number(Held, -Infinity), Zero = L.number(Held, 0);
  if (Given.Element.isInteger(1))
    Mask = L.each(Mask, Held,
                  [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                    return arith::SelectOp::create(B, Loc, E[0], Zero, Away);
                  });
  else
    Mask = L.converted(Mask, Given.Element, Sum);
  // Keys behind its end are masked.
  int64_t Last = Given.rank() - 1;
  OpFoldResult Length = L.extentOf(Given.Tensor, Last),
               Missing = L.sub(L.extentOf(K, 2), Length);
  if (failed(L.agreed(L.max(Length, L.extentOf(K, 2)), L.extentOf(K, 2),
                      "its mask is longer than its keys")))
    return failure();
  if (L.surelyEqual(Length, L.extentOf(K, 2)))
    return Mask;
  Extents Low(Given.rank(), L.extent(0)), High(Low);
  High[Last] = L.max(Missing, L.extent(0));
  return L.padded(Mask, Low, High, Away);
}

/// Whether the element of the scores that a loop stands at may count, but for
/// the mask.  `Valid`: how many keys there are; null where all are.
Value Attend::isAllowed(OpBuilder &B, Location Loc, Value Valid) {
  auto At = [&](int64_t Axis) -> Value {
    return linalg::IndexOp::create(B, Loc, Axis);
  };
  auto Is = [&](arith::CmpIPredicate How, Value X, Value Y) -> Value {
    return arith::CmpIOp::create(B, Loc, How, X, Y);
  };
  Value Allowed = arith::ConstantIntOp::create(B, Loc, 1, 1);
  auto And = [&](Value Condition) {
    Allowed = arith::AndIOp::create(B, Loc, Allowed, Condition);
  };
  Value Key = At(3), Before = getValueOrCreateConstantIndexOp(B, Loc, Offset);
  if (Valid && !L.has(4))
    Before = arith::SubIOp::create(
        B, Loc, Valid, getValueOrCreateConstantIndexOp(B, Loc, Queries));
  Value Query = arith::AddIOp::create(B, Loc, At(2), Before);
  Value Far = arith::SubIOp::create(B, Loc, Query, Key);
  auto Number = [&](int64_t Of) -> Value {
    return arith::ConstantIndexOp::create(B, Loc, Of);
  };
  if (IsCausal)
    And(Is(arith::CmpIPredicate::sge, Far, Number(0)));
  if (Left >= 0)
    And(Is(arith::CmpIPredicate::sle, Far, Number(Left)));
  if (Right >= 0)
    And(Is(arith::CmpIPredicate::sge, Far, Number(-Right)));
  if (Valid)
    And(Is(arith::CmpIPredicate::slt, Key, Valid));
  return Allowed;
}

/// An error where the mask cannot be broadcast to scores of the extents `Of`;
/// its length is that of the keys.
LogicalResult Attend::checkMask(ArrayRef<OpFoldResult> Of) {
  constexpr StringLiteral Message =
      "its mask cannot be broadcast to its queries and keys";
  Scalars S(L.B, L.B.getLoc());
  Extents Own = L.extentsOf(L.in(3).Tensor);
  for (auto [Extent, Full] :
       llvm::zip(ArrayRef(Own).drop_back(), Of.take_back(Own.size()))) {
    auto Known = getConstantIntValue(Extent),
         Wanted = getConstantIntValue(Full);
    if (Known == 1 || L.surelyEqual(Extent, Full))
      continue;
    if (Known && Wanted)
      return L.error() << Message << ": " << *Known << " and " << *Wanted;
    Value Here = L.index(Extent);
    L.require(S.either(S.equal(Here, S.index(1)), S.equal(Here, L.index(Full))),
              Message);
  }
  return success();
}

FailureOr<Value> Attend::masked(Value Scores) {
  FailureOr<Value> Mask = mask();
  Extents Of = L.extentsOf(Scores);
  if (failed(Mask) || (*Mask && failed(checkMask(Of))))
    return failure();
  AffineMap Identity = L.B.getMultiDimIdentityMap(4);
  SmallVector<Value> Tensors = {Scores};
  SmallVector<AffineMap> Maps = {Identity};
  if (*Mask) {
    Tensors.push_back(L.expanded(*Mask, Of));
    Maps.push_back(Identity);
  }
  if (L.has(6)) {
    if (failed(L.checkRank(6, 1)) ||
        failed(L.agreed(Of[0], L.extentOf(L.in(6).Tensor, 0),
                        "its nonpad_kv_seqlen has not one number for each "
                        "element of the batch")))
      return failure();
    Tensors.push_back(L.in(6).Tensor);
    Maps.push_back(Identity.getSubMap({0}));
  }
  Type Held = heldBy(Scores);
  Value Away = L.number(Held, -Infinity);
  return L.mapped(
      Tensors, Maps, Of, Held,
      [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        Value Score = E[0];
        if (*Mask) {
          // Not by addition alone: an infinite score and -inf make NaN.
          Value IsAway = arith::CmpFOp::create(
              B, Loc, arith::CmpFPredicate::OEQ, E[1], Away);
          Score = arith::AddFOp::create(B, Loc, Score, E[1]);
          Score = arith::SelectOp::create(B, Loc, IsAway, Away, Score);
        }
        Value Valid;
        if (L.has(6))
          Valid =
              arith::IndexCastOp::create(B, Loc, B.getIndexType(), E.back());
        return arith::SelectOp::create(B, Loc, isAllowed(B, Loc, Valid), Score,
                                       Away);
      });
}
