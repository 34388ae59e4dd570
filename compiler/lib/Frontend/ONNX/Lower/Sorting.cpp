//===- Sorting.cpp - Operators that order elements -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Order.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

/// `Axis` last, and the other axes as one before it.
static Value asRows(Lowering &L, Value Tensor, int64_t Axis,
                    SmallVectorImpl<int64_t> &Order) {
  int64_t Rank = cast<RankedTensorType>(Tensor.getType()).getRank();
  for (int64_t At = 0; At < Rank; ++At)
    if (At != Axis)
      Order.push_back(At);
  Order.push_back(Axis);
  Value Last = Axis == Rank - 1 ? Tensor : L.transposed(Tensor, Order);
  if (Rank > 1)
    return L.merged(Last, 0, Rank - 1);
  Extents Of = L.extentsOf(Tensor);
  return L.reshaped(Last, {L.extent(1), Of[0]});
}

/// Back to the shape of `Like`, with `Count` along `Axis`.
static Value fromRows(Lowering &L, Value Rows, Value Like, int64_t Axis,
                      OpFoldResult Count, ArrayRef<int64_t> Order) {
  Extents Of;
  SmallVector<int64_t> Back(Order.size());
  for (auto [To, From] : llvm::enumerate(Order)) {
    Of.push_back(From == Axis ? Count : L.extentOf(Like, From));
    Back[From] = To;
  }
  Value Last = L.reshaped(Rows, Of);
  return Axis == int64_t(Order.size()) - 1 ? Last : L.transposed(Last, Back);
}

/// The first `Count` indices of each row in order.
static Value rankedRows(Lowering &L, Value Rows, Type Element, bool IsLargest,
                        OpFoldResult Count) {
  OpFoldResult RowCount = L.extentOf(Rows, 0);
  Value Length = L.index(L.extentOf(Rows, 1));
  Value Result = L.empty({RowCount, Count}, L.B.getIndexType());
  auto Loop = scf::ForOp::create(L.B, L.index(0), L.index(RowCount), L.index(1),
                                 Result);
  OpBuilder::InsertionGuard Guard(L.B);
  L.B.setInsertionPointToStart(Loop.getBody());
  Value Row = Loop.getInductionVar();
  Value Sorted = sortedIndices(
      L, Length, [&](OpBuilder &B, Location Loc, Value A, Value Other) {
        Scalars S(B, Loc);
        Value First = S.at(Rows, {Row, A}), Second = S.at(Rows, {Row, Other});
        return IsLargest ? isLess(S, Element, Second, First)
                         : isLess(S, Element, First, Second);
      });
  Value Best = L.sliced(Sorted, L.extent(0), Count, L.extent(1));
  Value Next = L.inserted(Best, Loop.getRegionIterArg(0), {Row, L.extent(0)},
                          {L.extent(1), Count}, {L.extent(1), L.extent(1)});
  scf::YieldOp::create(L.B, Next);
  return Loop.getResult(0);
}

static LogicalResult lowerTopK(Lowering &L) {
  const Plain &Data = L.in(0);
  FailureOr<int64_t> Given = L.N.integer("axis", -1),
                     IsLargest = L.N.integer("largest", 1);
  FailureOr<Extents> Asked = L.listed(1);
  if (failed(Given) || failed(IsLargest) || failed(Asked))
    return failure();
  FailureOr<int64_t> Axis = L.axis(*Given, Data.rank());
  if (failed(Axis))
    return failure();
  if (Asked->size() != 1 ||
      (Data.isFloat() && !isa<FloatType>(Data.type().getElementType())))
    return L.error() << "it needs one number of elements to give, and numbers "
                        "of 16 bits or more, or integers";
  OpFoldResult Whole = L.extentOf(Data.Tensor, *Axis);
  Scalars S(L.B, L.B.getLoc());
  Value Fits = S.both(S.atMost(S.index(0), L.index((*Asked)[0])),
                      S.atMost(L.index((*Asked)[0]), L.index(Whole)));
  constexpr StringLiteral Message =
      "it is asked for more elements than the axis has, or for less than none";
  if (getConstantIntValue(Fits) == 0)
    return L.error() << Message;
  L.require(Fits, Message);
  OpFoldResult Count =
      L.staticWhereKnown(L.max(L.min((*Asked)[0], Whole), L.extent(0)))[0];
  SmallVector<int64_t> Order;
  Value Rows = asRows(L, Data.Tensor, *Axis, Order);
  Value Ranked = rankedRows(L, Rows, Data.Element, *IsLargest, Count);
  Extents Of = L.extentsOf(Ranked);
  AffineMap Same = L.B.getMultiDimIdentityMap(2);
  Value Length = L.index(Whole);
  Value Values = L.generated(Of, Data.type().getElementType(),
                             [&](OpBuilder &B, Location Loc, ValueRange Loops) {
                               Scalars S(B, Loc);
                               Value Place =
                                   S.within(S.at(Ranked, Loops), Length);
                               return S.at(Rows, {Loops[0], Place});
                             });
  Value Places =
      L.mapped(Ranked, Same, Of, L.B.getI64Type(),
               [&](OpBuilder &B, Location Loc, ValueRange X) {
                 return Scalars(B, Loc).fromIndex(X[0], B.getI64Type());
               });
  if (failed(L.define(0, fromRows(L, Values, Data.Tensor, *Axis, Count, Order),
                      Data.Element)))
    return failure();
  if (L.N.outputCount() < 2)
    return success();
  return L.define(1, fromRows(L, Places, Data.Tensor, *Axis, Count, Order),
                  L.B.getI64Type());
}

ArrayRef<LoweredOperator> tenon::frontend::sortingOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "TopK", 10, lowerTopK},
  };
  return Table;
}
