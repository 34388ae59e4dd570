//===- RunningSums.cpp - CumSum and CumProd -------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
struct ScanAttributes {
  bool IsExclusive, IsReversed;
};
} // namespace

/// The extents before the axis, along it and behind it, as three axes.  The
/// axis may be known to the run only.
static FailureOr<Extents> aroundAxis(Lowering &L) {
  Extents Of = L.extentsOf(L.in(0).Tensor);
  int64_t Rank = Of.size();
  Extents Result(3, L.extent(1));
  if (auto Given = L.integers(1)) {
    if (Given->size() != 1)
      return L.error() << "it has " << Given->size() << " axes, expected one";
    FailureOr<int64_t> Axis = L.axis(Given->front(), Rank);
    if (failed(Axis))
      return failure();
    Result[0] = L.product(ArrayRef(Of).take_front(*Axis));
    Result[1] = Of[*Axis];
    Result[2] = L.product(ArrayRef(Of).drop_front(*Axis + 1));
    return Result;
  }
  const Plain &Named = L.in(1);
  if (Named.rank() > 1 ||
      (Named.rank() == 1 && Named.type().getDimSize(0) != 1))
    return L.error() << "its axis is not one number, expected a scalar";
  FailureOr<Extents> Listed = L.listed(1);
  if (failed(Listed))
    return failure();
  Scalar Axis(L.B, L.B.getLoc(), L.index(Listed->front()), L.B.getIndexType());
  auto Number = [&](int64_t Of) {
    return Axis.of(L.index(Of), Axis.element());
  };
  auto Select = [&](Scalar If, OpFoldResult Then, OpFoldResult Else) {
    return OpFoldResult(
        arith::SelectOp::create(L.B, If.held(), L.index(Then), L.index(Else))
            .getResult());
  };
  L.require(((Axis >= Number(-Rank)) & (Axis < Number(Rank))).held(),
            "its axis is outside of its input's " + Twine(Rank) +
                " dimensions");
  Axis = choose(Axis < Number(0), Axis + Number(Rank), Axis);
  Axis = max(min(Axis, Number(Rank - 1)), Number(0));
  for (int64_t Each = 0; Each < Rank; ++Each) {
    Scalar At = Number(Each);
    Scalar Is[] = {At<Axis, At == Axis, At> Axis};
    for (int Part = 0; Part < 3; ++Part)
      Result[Part] =
          L.mul(Result[Part], Select(Is[Part], Of[Each], L.extent(1)));
  }
  return Result;
}

/// Row by row of `Tensor`, [before, along, behind].
static Value scanned(Lowering &L, Value Tensor, Type Element, Value Initial,
                     ScanAttributes How, Scalar (*Combine)(Scalar, Scalar)) {
  Extents Of = L.extentsOf(Tensor), RowOf = {Of[0], L.extent(1), Of[2]};
  Extents Ones(3, L.extent(1));
  Type Computed = arithmeticType(Element);
  Value Row = L.filled(RowOf, Initial);
  Value Space = L.empty(Of, heldType(Element));
  auto Loop = scf::ForOp::create(L.B, L.index(0), L.index(Of[1]), L.index(1),
                                 ValueRange{Row, Space});
  OpBuilder::InsertionGuard Guard(L.B);
  L.B.setInsertionPointToStart(Loop.getBody());
  OpFoldResult Step = Loop.getInductionVar();
  OpFoldResult At =
      How.IsReversed ? L.sub(L.sub(Of[1], L.extent(1)), Step) : Step;
  Extents Starts = {L.extent(0), At, L.extent(0)};
  Value Before = Loop.getRegionIterArg(0);
  AffineMap Same = L.B.getMultiDimIdentityMap(3);
  Value After = L.mapped(
      {L.sliced(Tensor, Starts, RowOf, Ones), Before}, {Same, Same}, RowOf,
      heldType(Computed), [&](OpBuilder &B, Location Loc, ValueRange X) {
        return Combine(Scalar(B, Loc, X[1], Computed),
                       Scalar(B, Loc, X[0], Element).as(Computed))
            .held();
      });
  Value Given =
      L.converted(How.IsExclusive ? Before : After, Computed, Element);
  Value Next = L.inserted(Given, Loop.getRegionIterArg(1), Starts, RowOf, Ones);
  scf::YieldOp::create(L.B, ValueRange{After, Next});
  return Loop.getResult(1);
}

static LogicalResult lowerScan(Lowering &L, double Initial,
                               Scalar (*Combine)(Scalar, Scalar)) {
  auto Exclusive = L.N.integer("exclusive", 0);
  auto Reverse = L.N.integer("reverse", 0);
  if (failed(Exclusive) || failed(Reverse))
    return failure();
  const Plain &In = L.in(0);
  if (In.rank() == 0)
    return L.error() << "its input is a scalar, which has no axis";
  FailureOr<Extents> Around = aroundAxis(L);
  if (failed(Around))
    return failure();
  // Of nothing there is neither a first element nor a last.
  if (L.hasNoElement(L.extentsOf(In.Tensor)))
    return L.define(In);
  Value First = L.number(heldType(arithmeticType(In.Element)), Initial);
  Value Result = scanned(L, L.reshaped(In.Tensor, *Around), In.Element, First,
                         {*Exclusive != 0, *Reverse != 0}, Combine);
  return L.define({L.reshaped(Result, L.extentsOf(In.Tensor)), In.Element});
}

static LogicalResult lowerCumSum(Lowering &L) {
  return lowerScan(L, 0, [](Scalar X, Scalar Y) { return X + Y; });
}

static LogicalResult lowerCumProd(Lowering &L) {
  return lowerScan(L, 1, [](Scalar X, Scalar Y) { return X * Y; });
}

ArrayRef<LoweredOperator> tenon::frontend::runningOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "CumProd", 26, lowerCumProd},
      {"", "CumSum", 11, lowerCumSum},
  };
  return Table;
}
