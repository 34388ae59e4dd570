//===- ArgReductions.cpp - Where extremes are -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tenon::frontend;
using mlir::utils::IteratorType;

//===----------------------------------------------------------------------===//
// ArgMax, ArgMin
//===----------------------------------------------------------------------===//

/// Whether `X` takes the place of `Best`, which stands before it.  NaN is more
/// extreme than any number.
static Scalar replaces(Scalar X, Scalar Best, bool IsMax, bool TakesLast) {
  Scalar Better = IsMax ? X > Best : X < Best;
  if (TakesLast)
    Better = IsMax ? X >= Best : X <= Best;
  if (!X.isFloat())
    return Better;
  return Better | (TakesLast ? isNaN(X) : isNaN(X) & ~isNaN(Best));
}

template <bool IsMax> static LogicalResult lowerArg(Lowering &L) {
  auto Given = L.N.integer("axis", 0), Kept = L.N.integer("keepdims", 1),
       Last = L.N.integer("select_last_index", 0);
  if (failed(Given) || failed(Kept) || failed(Last))
    return failure();
  const Plain &In = L.in(0);
  FailureOr<int64_t> Axis = L.axis(*Given, In.rank());
  if (failed(Axis))
    return failure();
  Extents Left;
  SmallVector<AffineExpr> Results;
  SmallVector<IteratorType> Loops(In.rank(), IteratorType::parallel);
  Loops[*Axis] = IteratorType::reduction;
  for (int64_t Each = 0; Each < In.rank(); ++Each) {
    if (Each == *Axis && !*Kept)
      continue;
    Left.push_back(Each == *Axis ? L.extent(1) : L.extentOf(In.Tensor, Each));
    Results.push_back(Each == *Axis ? L.B.getAffineConstantExpr(0)
                                    : L.B.getAffineDimExpr(Each));
  }
  AffineMap Out = AffineMap::get(In.rank(), 0, Results, L.B.getContext());
  Scalar Any(L.B, L.B.getLoc(), L.number(heldType(In.Element), 0), In.Element);
  Value Worst = L.filled(Left, (IsMax ? Any.lowest() : Any.highest()).held());
  Value First = L.filled(Left, L.integer(L.B.getI64Type(), 0));
  auto Loop = linalg::GenericOp::create(
      L.B, TypeRange{Worst.getType(), First.getType()}, In.Tensor,
      ValueRange{Worst, First},
      {L.B.getMultiDimIdentityMap(In.rank()), Out, Out}, Loops,
      [&](OpBuilder &B, Location Loc, ValueRange Held) {
        Scalar X(B, Loc, Held[0], In.Element),
            Best(B, Loc, Held[1], In.Element);
        Scalar At(B, Loc, Held[2], B.getI64Type());
        Value Here = arith::IndexCastOp::create(
            B, Loc, B.getI64Type(), linalg::IndexOp::create(B, Loc, *Axis));
        Scalar Takes = replaces(X, Best, IsMax, *Last != 0);
        linalg::YieldOp::create(
            B, Loc,
            ValueRange{choose(Takes, X, Best).held(),
                       choose(Takes, At.of(Here, At.element()), At).held()});
      });
  return L.define({Loop.getResult(1), L.B.getI64Type()});
}

ArrayRef<LoweredOperator> tenon::frontend::argReductionOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "ArgMax", 1, lowerArg<true>},
      {"", "ArgMin", 1, lowerArg<false>},
  };
  return Table;
}
