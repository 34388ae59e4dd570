//===- Indices.cpp - Indices that come from data -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

static constexpr llvm::StringLiteral OutsideMessage =
    "an index is outside of the tensor";

static Value fromFront(Scalars &S, Value Element, const Plain &Indices,
                       Value Extent) {
  Value Index = S.toIndex(Element, Indices.isUnsigned());
  return S.choose(S.less(Index, S.index(0)), S.add(Index, Extent), Index);
}

void tenon::frontend::requireWithin(Lowering &L, const Plain &Indices,
                                    Value Extent) {
  auto Axes = llvm::to_vector(llvm::seq<int64_t>(0, Indices.rank()));
  Scalars Outer(L.B, L.B.getLoc());
  Value All = L.reduced(
      Indices.Tensor, Axes, /*Keeps=*/false, Outer.truth(true),
      [&](OpBuilder &B, Location Loc, ValueRange X) {
        Scalars S(B, Loc);
        return S.both(X[1],
                      S.isWithin(fromFront(S, X[0], Indices, Extent), Extent));
      });
  L.require(Outer.at(All, {}), OutsideMessage);
}

void tenon::frontend::requireTuplesWithin(Lowering &L, const Plain &Indices,
                                          const Plain &Data, int64_t Batch) {
  int64_t Depth = Indices.type().getShape().back();
  Extents Of = L.extentsOf(Indices.Tensor);
  Extents Starts(Of.size(), L.extent(0)), Steps(Of.size(), L.extent(1));
  Of.back() = L.extent(1);
  for (int64_t Part = 0; Part < Depth; ++Part) {
    Starts.back() = L.extent(Part);
    Value One = L.sliced(Indices.Tensor, Starts, Of, Steps);
    requireWithin(L, {One, Indices.Element},
                  L.index(L.extentOf(Data.Tensor, Batch + Part)));
  }
}

FailureOr<int64_t> tenon::frontend::tupleSize(Lowering &L,
                                              const Plain &Indices) {
  if (Indices.rank() == 0 || Indices.type().isDynamicDim(Indices.rank() - 1))
    return L.error() << "how many indices make a place is not known before the "
                        "run: give the last dimension of its indices a fixed "
                        "extent";
  return Indices.type().getShape().back();
}

Value tenon::frontend::unlessEmpty(Lowering &L, const Plain &Data,
                                   const Extents &Of,
                                   llvm::function_ref<Value()> Make) {
  Scalars S(L.B, L.B.getLoc());
  Value IsAny = S.truth(true);
  for (OpFoldResult Extent : L.extentsOf(Data.Tensor))
    IsAny = S.both(IsAny, S.less(S.index(0), L.index(Extent)));
  auto Known = getConstantIntValue(IsAny);
  if (Known && *Known != 0)
    return Make();
  Type Held = Data.type().getElementType();
  auto If = scf::IfOp::create(L.B, L.typeOf(Of, Held), IsAny,
                              /*withElseRegion=*/true);
  OpBuilder::InsertionGuard Guard(L.B);
  L.B.setInsertionPointToStart(If.thenBlock());
  scf::YieldOp::create(L.B, Make());
  L.B.setInsertionPointToStart(If.elseBlock());
  Value Zero = arith::ConstantOp::create(L.B, L.B.getZeroAttr(Held));
  scf::YieldOp::create(L.B, L.filled(Of, Zero));
  return If.getResult(0);
}

Value tenon::frontend::keptIndex(Scalars &S, Value Element,
                                 const Plain &Indices, Value Extent) {
  return S.within(fromFront(S, Element, Indices, Extent), Extent);
}

SmallVector<Value> tenon::frontend::loopIndices(OpBuilder &B, Location Loc,
                                                int64_t Count) {
  SmallVector<Value> Loops;
  for (int64_t Axis = 0; Axis < Count; ++Axis)
    Loops.push_back(linalg::IndexOp::create(B, Loc, Axis));
  return Loops;
}
