//===- Unique.cpp - What differs along an axis ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The slices along the axis are sorted, equal ones are neighbours then.  How
// many there are, only the run tells.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Order.h"
#include "Statistics.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// A tensor as slices: [slices, elements of one].
struct Slices {
  Value Rows;
  Type Element; ///< in which they are compared
  Value Count, Length;
};

/// Equal slices as one group; all tensors<?xindex>, of which the first `Count`
/// elements count (GroupOf: all).
struct Groups {
  Value First; ///< the first slice of each
  Value Sizes;
  Value GroupOf; ///< of each slice
  Value Count;
};
} // namespace

/// NaN comes last, and is equal to itself.
static Value precedes(Scalars &S, Type Element, Value A, Value B) {
  Value IsBefore = isLess(S, Element, A, B);
  if (!isa<FloatType>(Element))
    return IsBefore;
  Value IsNumber = S.equal(A, A), IsNone = S.isNot(S.equal(B, B));
  return S.either(IsBefore, S.both(IsNumber, IsNone));
}

/// Whether slice `A` comes before slice `Other`: by the first element in which
/// they differ.
static Value comesBefore(OpBuilder &B, Location Loc, const Slices &Of, Value A,
                         Value Other) {
  Scalars S(B, Loc);
  Value False = S.truth(false);
  auto Loop = scf::ForOp::create(
      B, Loc, S.index(0), Of.Length, S.index(1), ValueRange{False, False},
      [&](OpBuilder &B, Location Loc, Value At, ValueRange Carried) {
        Scalars S(B, Loc);
        Value First = S.at(Of.Rows, {A, At}),
              Second = S.at(Of.Rows, {Other, At});
        Value IsBefore = precedes(S, Of.Element, First, Second);
        Value Differs =
            S.either(IsBefore, precedes(S, Of.Element, Second, First));
        Value Result = S.choose(Carried[1], Carried[0], IsBefore);
        scf::YieldOp::create(B, Loc,
                             ValueRange{Result, S.either(Carried[1], Differs)});
      });
  return Loop.getResult(0);
}

static Value room(Lowering &L, Value Count) {
  return L.empty(OpFoldResult(Count), L.B.getIndexType());
}

/// The groups in the order of their elements.
static Groups sortedGroups(Lowering &L, const Slices &Of) {
  Value Order = sortedIndices(
      L, Of.Count, [&](OpBuilder &B, Location Loc, Value A, Value Other) {
        return comesBefore(B, Loc, Of, A, Other);
      });
  Scalars Outer(L.B, L.B.getLoc());
  Value Zero = Outer.index(0);
  Value None = room(L, Of.Count);
  auto Loop = scf::ForOp::create(
      L.B, Zero, Of.Count, Outer.index(1), ValueRange{None, None, None, Zero},
      [&](OpBuilder &B, Location Loc, Value At, ValueRange Carried) {
        Scalars S(B, Loc);
        Value One = S.index(1), Found = Carried[3];
        Value Slice = S.within(S.at(Order, At), Of.Count);
        Value Before =
            S.within(S.at(Order, S.max(S.sub(At, One), S.index(0))), Of.Count);
        // In order, what is not less than its neighbour equals it.
        Value IsNew = S.either(S.equal(At, S.index(0)),
                               comesBefore(B, Loc, Of, Before, Slice));
        Value Count = S.add(Found, S.choose(IsNew, One, S.index(0)));
        Value Group = S.sub(Count, One);
        auto put = [&](Value Into, Value What, Value Place) -> Value {
          return tensor::InsertOp::create(B, Loc, What, Into, Place);
        };
        Value First = S.choose(IsNew, Slice, S.at(Carried[0], Group));
        Value Size = S.choose(IsNew, One, S.add(S.at(Carried[1], Group), One));
        scf::YieldOp::create(B, Loc,
                             ValueRange{put(Carried[0], First, Group),
                                        put(Carried[1], Size, Group),
                                        put(Carried[2], Group, Slice), Count});
      });
  return {Loop.getResult(0), Loop.getResult(1), Loop.getResult(2),
          Loop.getResult(3)};
}

/// The same groups in the order in which the slices have them first.
static Groups byAppearance(Lowering &L, const Groups &Of, Value SliceCount) {
  Value Order = sortedIndices(
      L, Of.Count, [&](OpBuilder &B, Location Loc, Value A, Value Other) {
        Scalars S(B, Loc);
        return S.less(S.at(Of.First, A), S.at(Of.First, Other));
      });
  auto gathered = [&](Value From, Value By, Value Count) {
    return L.generated(OpFoldResult(Count), L.B.getIndexType(),
                       [&](OpBuilder &B, Location Loc, ValueRange Loops) {
                         Scalars S(B, Loc);
                         return S.at(From, S.at(By, Loops[0]));
                       });
  };
  auto Ranks = scf::ForOp::create(
      L.B, L.index(int64_t(0)), Of.Count, L.index(1), room(L, Of.Count),
      [&](OpBuilder &B, Location Loc, Value At, ValueRange Carried) {
        Value Group = Scalars(B, Loc).at(Order, At);
        Value Next = tensor::InsertOp::create(B, Loc, At, Carried[0], Group);
        scf::YieldOp::create(B, Loc, Next);
      });
  return {gathered(Of.First, Order, Of.Count),
          gathered(Of.Sizes, Order, Of.Count),
          gathered(Ranks.getResult(0), Of.GroupOf, SliceCount), Of.Count};
}

/// The axis first, and the others as one behind it.
static Value asSlices(Lowering &L, std::optional<int64_t> Axis) {
  Value Tensor = L.in(0).Tensor;
  int64_t Rank = L.in(0).rank();
  if (!Axis)
    return L.reshaped(Tensor, {L.product(L.extentsOf(Tensor)), L.extent(1)});
  SmallVector<int64_t> Order = {*Axis};
  for (int64_t At = 0; At < Rank; ++At)
    if (At != *Axis)
      Order.push_back(At);
  Value First = *Axis ? L.transposed(Tensor, Order) : Tensor;
  if (Rank > 1)
    return L.merged(First, 1, Rank - 1);
  return L.reshaped(First, {L.extentOf(Tensor, 0), L.extent(1)});
}

/// One slice a group, in the shape of the input with `Count` along the axis.
static Value uniqueSlices(Lowering &L, Value Rows, const Groups &Of,
                          std::optional<int64_t> Axis) {
  Type Held = getElementTypeOrSelf(Rows.getType());
  Value Chosen =
      L.generated({Of.Count, L.extentOf(Rows, 1)}, Held,
                  [&](OpBuilder &B, Location Loc, ValueRange Loops) {
                    Scalars S(B, Loc);
                    return S.at(Rows, {S.at(Of.First, Loops[0]), Loops[1]});
                  });
  if (!Axis)
    return L.reshaped(Chosen, {OpFoldResult(Of.Count)});
  Extents Shape = {Of.Count};
  SmallVector<int64_t> Back;
  for (int64_t At = 0; At < L.in(0).rank(); ++At) {
    Back.push_back(At == *Axis ? 0 : At < *Axis ? At + 1 : At);
    if (At != *Axis)
      Shape.push_back(L.extentOf(L.in(0).Tensor, At));
  }
  Value Result = L.reshaped(Chosen, Shape);
  return *Axis ? L.transposed(Result, Back) : Result;
}

static LogicalResult lowerUnique(Lowering &L) {
  const Plain &Data = L.in(0);
  FailureOr<int64_t> IsSorted = L.N.integer("sorted", 1);
  FailureOr<int64_t> Given = L.N.integer("axis", 0);
  if (failed(IsSorted) || failed(Given))
    return failure();
  std::optional<int64_t> Axis;
  if (L.N.hasAttribute("axis")) {
    FailureOr<int64_t> At = L.axis(*Given, Data.rank());
    if (failed(At))
      return failure();
    Axis = *At;
  }
  Value Rows = asSlices(L, Axis);
  Type Compared = arithmeticType(Data.Element);
  Slices Of{L.converted(Rows, Data.Element, Compared), Compared,
            L.index(L.extentOf(Rows, 0)), L.index(L.extentOf(Rows, 1))};
  Groups Found = sortedGroups(L, Of);
  if (!*IsSorted)
    Found = byAppearance(L, Found, Of.Count);
  if (failed(L.define({uniqueSlices(L, Rows, Found, Axis), Data.Element})))
    return failure();
  Type Int64 = L.B.getI64Type();
  auto defineList = [&](int64_t Index, Value List, Value Count) {
    if (!isAsked(L, Index))
      return success();
    Value Integers =
        L.generated(OpFoldResult(Count), Int64,
                    [&](OpBuilder &B, Location Loc, ValueRange Loops) {
                      Scalars S(B, Loc);
                      return S.fromIndex(S.at(List, Loops[0]), Int64);
                    });
    return L.define(Index, Integers, Int64);
  };
  return success(succeeded(defineList(1, Found.First, Found.Count)) &&
                 succeeded(defineList(2, Found.GroupOf, Of.Count)) &&
                 succeeded(defineList(3, Found.Sizes, Found.Count)));
}

ArrayRef<LoweredOperator> tenon::frontend::uniqueOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Unique", 11, lowerUnique},
  };
  return Table;
}
