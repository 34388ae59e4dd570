//===- Determinant.cpp - Det ---------------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Gaussian elimination, with the largest element of a column as its pivot: the
// determinant is the product of the pivots, its sign that of the exchanges.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Scalars.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tenon::frontend;

static Value magnitude(Scalars &S, Value X) {
  return S.max(X, S.sub(S.like(X, 0), X));
}

/// The row from `Step` on whose element of column `Step` is the largest.
static Value pivotRow(OpBuilder &B, Location Loc, Value Matrix, Value Step,
                      Value Size) {
  Scalars S(B, Loc);
  auto Loop = scf::ForOp::create(
      B, Loc, Step, Size, S.index(1), Step,
      [&](OpBuilder &B, Location Loc, Value Row, ValueRange Carried) {
        Scalars S(B, Loc);
        Value Best = magnitude(S, S.at(Matrix, {Carried[0], Step}));
        Value Here = magnitude(S, S.at(Matrix, {Row, Step}));
        scf::YieldOp::create(B, Loc,
                             S.choose(S.less(Best, Here), Row, Carried[0]));
      });
  return Loop.getResult(0);
}

/// The matrix with rows `Step` and `Pivot` exchanged and zeros, in thought,
/// below the pivot.
static Value eliminated(Lowering &L, Value Matrix, Value Step, Value Pivot,
                        Value By) {
  return L.generated(
      L.extentsOf(Matrix), getElementTypeOrSelf(Matrix.getType()),
      [&](OpBuilder &B, Location Loc, ValueRange I) {
        Scalars S(B, Loc);
        Value Row = S.choose(S.equal(I[0], Step), Pivot,
                             S.choose(S.equal(I[0], Pivot), Step, I[0]));
        Value Own = S.at(Matrix, {Row, I[1]});
        Value Factor = S.div(S.at(Matrix, {Row, Step}), By);
        Value Less = S.sub(Own, S.mul(Factor, S.at(Matrix, {Pivot, I[1]})));
        return S.choose(S.less(Step, I[0]), Less, Own);
      });
}

static Value determinant(Lowering &L, Value Matrix, Value Size) {
  Type Held = getElementTypeOrSelf(Matrix.getType());
  auto Loop = scf::ForOp::create(L.B, L.index(0), Size, L.index(1),
                                 ValueRange{Matrix, L.number(Held, 1)});
  OpBuilder::InsertionGuard Guard(L.B);
  L.B.setInsertionPointToStart(Loop.getBody());
  Scalars S(L.B, L.B.getLoc());
  Value Step = Loop.getInductionVar(), Now = Loop.getRegionIterArg(0);
  Value Pivot = pivotRow(L.B, L.B.getLoc(), Now, Step, Size);
  Value Largest = S.at(Now, {Pivot, Step}), Zero = S.like(Largest, 0);
  // Without a pivot the product is 0, whatever follows.
  Value By = S.choose(S.equal(Largest, Zero), S.like(Largest, 1), Largest);
  Value Next = eliminated(L, Now, Step, Pivot, By);
  Value Factor = S.choose(S.equal(Pivot, Step), Largest, S.sub(Zero, Largest));
  scf::YieldOp::create(
      L.B, ValueRange{Next, S.mul(Loop.getRegionIterArg(1), Factor)});
  return Loop.getResult(1);
}

static LogicalResult lowerDet(Lowering &L) {
  const Plain &X = L.in(0);
  int64_t Rank = X.rank();
  if (Rank < 2)
    return L.error() << "its input has " << Rank
                     << " dimensions, expected 2 or more";
  FailureOr<OpFoldResult> Size =
      L.agreed(L.extentOf(X.Tensor, Rank - 2), L.extentOf(X.Tensor, Rank - 1),
               "its matrices are not square");
  if (failed(Size))
    return failure();
  Extents Batch = L.extentsOf(X.Tensor);
  Batch.truncate(Rank - 2);
  OpFoldResult Count = L.product(Batch);
  // Where the run finds them not to be square, none of their elements is read.
  OpFoldResult Least =
      L.min(L.extentOf(X.Tensor, Rank - 2), L.extentOf(X.Tensor, Rank - 1));
  Value Matrices =
      L.reshaped(L.widened(X), {Count, L.extentOf(X.Tensor, Rank - 2),
                                L.extentOf(X.Tensor, Rank - 1)});
  Type Held = getElementTypeOrSelf(Matrices.getType());
  auto Loop = scf::ForOp::create(L.B, L.index(0), L.index(Count), L.index(1),
                                 L.empty(Count, Held));
  {
    OpBuilder::InsertionGuard Guard(L.B);
    L.B.setInsertionPointToStart(Loop.getBody());
    Value At = Loop.getInductionVar();
    Extents Starts = {At, L.extent(0), L.extent(0)};
    Extents Counts = {L.extent(1), Least, Least};
    Value Matrix = L.merged(
        L.sliced(Matrices, Starts, Counts, Extents(3, L.extent(1))), 0, 2);
    Value Next =
        tensor::InsertOp::create(L.B, determinant(L, Matrix, L.index(Least)),
                                 Loop.getRegionIterArg(0), At);
    scf::YieldOp::create(L.B, Next);
  }
  return L.define(L.narrowed(L.reshaped(Loop.getResult(0), Batch), X.Element));
}

ArrayRef<LoweredOperator> tenon::frontend::determinantOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Det", 11, lowerDet},
  };
  return Table;
}
