//===- Boxes.cpp - NonMaxSuppression -------------------------------------===//
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

namespace {
/// The corners of one box, and its area.
struct Box {
  Value Top, Left, Bottom, Right, Area;
};
/// What the loops read.
struct Suppression {
  Value Boxes, Scores;
  bool IsCentred;
  Value Most, Overlap, LeastScore; ///< LeastScore: null where all count
  Value BoxCount;
};
} // namespace

static Box boxAt(Scalars &S, const Suppression &From, Value Batch, Value At) {
  auto part = [&](int64_t Index) {
    return S.at(From.Boxes, {Batch, At, S.index(Index)});
  };
  Value A = part(0), B = part(1), C = part(2), D = part(3);
  Box Result;
  if (From.IsCentred) { // x, y, width, height
    Value Width = S.div(C, S.like(C, 2)), Height = S.div(D, S.like(D, 2));
    Result = {S.sub(B, Height),
              S.sub(A, Width),
              S.add(B, Height),
              S.add(A, Width),
              {}};
  } else { // y, x of two opposite corners
    Result = {S.min(A, C), S.min(B, D), S.max(A, C), S.max(B, D), {}};
  }
  Result.Area =
      S.mul(S.sub(Result.Bottom, Result.Top), S.sub(Result.Right, Result.Left));
  return Result;
}

/// Whether the intersection is more than `Most` of the union.
static Value overlaps(Scalars &S, const Box &A, const Box &B, Value Most) {
  Value Zero = S.like(A.Area, 0);
  Value Height = S.sub(S.min(A.Bottom, B.Bottom), S.max(A.Top, B.Top));
  Value Width = S.sub(S.min(A.Right, B.Right), S.max(A.Left, B.Left));
  Value Shared = S.mul(S.max(Height, Zero), S.max(Width, Zero));
  Value Union = S.sub(S.add(A.Area, B.Area), Shared);
  Value IsAny = S.both(S.less(Zero, Shared), S.less(Zero, Union));
  return S.both(IsAny, S.less(Most, S.div(Shared, S.choose(IsAny, Union,
                                                           S.like(Union, 1)))));
}

/// The boxes of one class of one batch, appended to `Rows` behind `Count`.
static std::pair<Value, Value> suppressClass(Lowering &L,
                                             const Suppression &From,
                                             Value Batch, Value Class,
                                             Value Rows, Value Count) {
  Type Int64 = L.B.getI64Type();
  Value Sorted = sortedIndices(
      L, From.BoxCount, [&](OpBuilder &B, Location Loc, Value A, Value Other) {
        Scalars S(B, Loc);
        return S.less(S.at(From.Scores, {Batch, Class, Other}),
                      S.at(From.Scores, {Batch, Class, A}));
      });
  Value First = Count;
  auto Loop = scf::ForOp::create(L.B, L.index(0), From.BoxCount, L.index(1),
                                 ValueRange{Rows, Count});
  OpBuilder::InsertionGuard Guard(L.B);
  L.B.setInsertionPointToStart(Loop.getBody());
  Location Loc = L.B.getLoc();
  Scalars S(L.B, Loc);
  Value Held = Loop.getRegionIterArg(0), Found = Loop.getRegionIterArg(1);
  Value At = S.within(S.at(Sorted, Loop.getInductionVar()), From.BoxCount);
  Value Counts = S.less(S.sub(Found, First), From.Most);
  if (From.LeastScore)
    Counts = S.both(
        Counts, S.less(From.LeastScore, S.at(From.Scores, {Batch, Class, At})));
  Box Candidate = boxAt(S, From, Batch, At);
  auto Others = scf::ForOp::create(
      L.B, First, Found, S.index(1), Counts,
      [&](OpBuilder &B, Location Loc, Value Row, ValueRange Carried) {
        Scalars S(B, Loc);
        Value Place =
            S.within(S.toIndex(S.at(Held, {Row, S.index(2)})), From.BoxCount);
        Box Other = boxAt(S, From, Batch, Place);
        Value Stays = S.both(
            Carried[0], S.isNot(overlaps(S, Candidate, Other, From.Overlap)));
        scf::YieldOp::create(B, Loc, Stays);
      });
  // Written whether it counts or not: the next one overwrites it.
  Value Next = Held;
  const Value Row[] = {Batch, Class, At};
  for (auto [Column, Number] : llvm::enumerate(Row))
    Next = tensor::InsertOp::create(L.B, S.fromIndex(Number, Int64), Next,
                                    ValueRange{Found, S.index(Column)});
  Value Grown =
      S.add(Found, S.choose(Others.getResult(0), S.index(1), S.index(0)));
  scf::YieldOp::create(L.B, ValueRange{Next, Grown});
  return {Loop.getResult(0), Loop.getResult(1)};
}

static Value suppressed(Lowering &L, const Suppression &From) {
  Type Int64 = L.B.getI64Type();
  Extents Of = L.extentsOf(From.Scores);
  Value Rows = L.empty({L.product(Of), L.extent(3)}, Int64);
  auto Batches = scf::ForOp::create(L.B, L.index(0), L.index(Of[0]), L.index(1),
                                    ValueRange{Rows, L.index(0)});
  {
    OpBuilder::InsertionGuard Guard(L.B);
    L.B.setInsertionPointToStart(Batches.getBody());
    auto Classes = scf::ForOp::create(L.B, L.index(0), L.index(Of[1]),
                                      L.index(1), Batches.getRegionIterArgs());
    {
      OpBuilder::InsertionGuard Inner(L.B);
      L.B.setInsertionPointToStart(Classes.getBody());
      auto [Next, Count] = suppressClass(
          L, From, Batches.getInductionVar(), Classes.getInductionVar(),
          Classes.getRegionIterArg(0), Classes.getRegionIterArg(1));
      scf::YieldOp::create(L.B, ValueRange{Next, Count});
    }
    scf::YieldOp::create(L.B, Classes.getResults());
  }
  return L.sliced(Batches.getResult(0), {L.extent(0), L.extent(0)},
                  {Batches.getResult(1), L.extent(3)},
                  {L.extent(1), L.extent(1)});
}

/// The one number of input `Index`; null where it is left out.
static FailureOr<Value> single(Lowering &L, int64_t Index) {
  if (!L.has(Index))
    return Value();
  const Plain &Held = L.in(Index);
  if (!Held.type().hasStaticShape() || Held.type().getNumElements() != 1)
    return L.error() << "its input '" << L.N.inputName(Index)
                     << "' is not one number";
  Scalars S(L.B, L.B.getLoc());
  return S.at(Held.Tensor, SmallVector<Value>(Held.rank(), S.index(0)));
}

static LogicalResult lowerNonMaxSuppression(Lowering &L) {
  const Plain &Boxes = L.in(0), &Scores = L.in(1);
  FailureOr<int64_t> IsCentred = L.N.integer("center_point_box", 0);
  FailureOr<Value> Most = single(L, 2), Overlap = single(L, 3),
                   Least = single(L, 4);
  if (failed(IsCentred) || failed(Most) || failed(Overlap) || failed(Least))
    return failure();
  if (Boxes.rank() != 3 || Scores.rank() != 3)
    return L.error() << "its boxes and scores are to have 3 dimensions";
  Extents Of = L.extentsOf(Boxes.Tensor), Wanted = L.extentsOf(Scores.Tensor);
  Scalars S(L.B, L.B.getLoc());
  Value Fit = S.truth(true);
  for (auto [Own, Other] : {std::make_pair(Of[0], Wanted[0]),
                            {Of[1], Wanted[2]},
                            {Of[2], L.extent(4)}}) {
    if (failed(L.agreed(Own, Other,
                        "its boxes are not one of 4 numbers for "
                        "each score")))
      return failure();
    Fit = S.both(Fit, S.equal(L.index(Own), L.index(Other)));
  }
  // Boxes and scores that do not fit are as none.
  Value Count = S.choose(Fit, L.index(Wanted[2]), S.index(0));
  Suppression From{Boxes.Tensor,
                   Scores.Tensor,
                   *IsCentred != 0,
                   *Most ? S.toIndex(*Most) : S.index(0),
                   *Overlap ? *Overlap : L.number(L.B.getF32Type(), 0),
                   *Least,
                   Count};
  return L.define({suppressed(L, From), L.B.getI64Type()});
}

ArrayRef<LoweredOperator> tenon::frontend::boxOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "NonMaxSuppression", 10, lowerNonMaxSuppression},
  };
  return Table;
}
