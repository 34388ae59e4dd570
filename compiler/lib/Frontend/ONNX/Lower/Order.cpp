//===- Order.cpp - Sorting and selecting by computed conditions ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Order.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

Value tenon::frontend::isLess(Scalars &S, Type Element, Value A, Value B) {
  if (!Element.isUnsignedInteger() && !Element.isInteger(1))
    return S.less(A, B);
  // With the highest bit flipped, unsigned numbers compare as signed ones.
  auto Held = cast<IntegerType>(A.getType());
  APInt Sign = APInt::getSignMask(Held.getWidth());
  return S.less(S.flipped(A, Sign), S.flipped(B, Sign));
}

/// One pass: runs of `Width` sorted indices become runs of twice as many, in
/// the place of `Into`.
static Value mergeRuns(Lowering &L, Value Runs, Value Into, Value Count,
                       Value Width, Precedes Before) {
  OpBuilder &B = L.B;
  Location Loc = L.B.getLoc();
  Scalars S(B, Loc);
  Value Zero = S.index(0), One = S.index(1);
  Value Twice = S.mul(Width, S.index(2));
  // Position by position; the heads of both runs are carried along.
  auto Loop = scf::ForOp::create(
      B, Loc, Zero, Count, One, ValueRange{Into, Zero, Zero},
      [&](OpBuilder &B, Location Loc, Value At, ValueRange Carried) {
        Scalars S(B, Loc);
        Value First = S.mul(S.floorDiv(At, Twice), Twice);
        Value Middle = S.min(S.add(First, Width), Count);
        Value End = S.min(S.add(First, Twice), Count);
        Value Begins = S.equal(At, First);
        Value Left = S.choose(Begins, First, Carried[1]);
        Value Right = S.choose(Begins, Middle, Carried[2]);
        Value OfLeft = S.at(Runs, S.within(Left, Count));
        Value OfRight = S.at(Runs, S.within(Right, Count));
        Value IsRightFirst = S.either(
            S.isNot(S.less(Left, Middle)),
            S.both(S.less(Right, End), Before(B, Loc, OfRight, OfLeft)));
        Value Next = tensor::InsertOp::create(
            B, Loc, S.choose(IsRightFirst, OfRight, OfLeft), Carried[0], At);
        Value NextLeft = S.choose(IsRightFirst, Left, S.add(Left, S.index(1)));
        Value NextRight =
            S.choose(IsRightFirst, S.add(Right, S.index(1)), Right);
        scf::YieldOp::create(B, Loc, ValueRange{Next, NextLeft, NextRight});
      });
  return Loop.getResult(0);
}

Value tenon::frontend::sortedIndices(Lowering &L, Value Count,
                                     Precedes Before) {
  Scalars S(L.B, L.B.getLoc());
  Value Start = L.generated(
      OpFoldResult(Count), L.B.getIndexType(),
      [](OpBuilder &, Location, ValueRange Loops) { return Loops[0]; });
  Value Width = S.index(1);
  Value Room = L.empty(OpFoldResult(Count), L.B.getIndexType());
  auto Passes = scf::WhileOp::create(
      L.B, TypeRange{Start.getType(), Room.getType(), Width.getType()},
      ValueRange{Start, Room, Width},
      [&](OpBuilder &B, Location Loc, ValueRange Carried) {
        Value IsUnsorted = Scalars(B, Loc).less(Carried[2], Count);
        scf::ConditionOp::create(B, Loc, IsUnsorted, Carried);
      },
      [&](OpBuilder &B, Location Loc, ValueRange Carried) {
        OpBuilder::InsertionGuard Guard(L.B);
        L.B.restoreInsertionPoint(B.saveInsertionPoint());
        Value Merged =
            mergeRuns(L, Carried[0], Carried[1], Count, Carried[2], Before);
        Value Back =
            linalg::CopyOp::create(L.B, Merged, Carried[0]).getResult(0);
        Value Twice = Scalars(L.B, Loc).mul(Carried[2], L.index(2));
        scf::YieldOp::create(L.B, Loc, ValueRange{Back, Merged, Twice});
      });
  return Passes.getResult(0);
}

Selected tenon::frontend::selectTrue(Lowering &L, Value Flags) {
  Scalars S(L.B, L.B.getLoc());
  Value Zero = S.index(0), Count = L.index(L.extentOf(Flags, 0));
  Value Places = L.empty(L.extentOf(Flags, 0), L.B.getIndexType());
  auto Loop = scf::ForOp::create(
      L.B, Zero, Count, S.index(1), ValueRange{Places, Zero},
      [&](OpBuilder &B, Location Loc, Value At, ValueRange Carried) {
        Scalars S(B, Loc);
        // Written whether it counts or not: the next one overwrites it.
        Value Next =
            tensor::InsertOp::create(B, Loc, At, Carried[0], Carried[1]);
        Value Found = S.add(Carried[1],
                            S.choose(S.at(Flags, At), S.index(1), S.index(0)));
        scf::YieldOp::create(B, Loc, ValueRange{Next, Found});
      });
  return {Loop.getResult(0), Loop.getResult(1)};
}
