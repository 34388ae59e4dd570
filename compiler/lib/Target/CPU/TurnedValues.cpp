//===- TurnedValues.cpp - Tensors with axes in another order -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "TurnedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tenon;

static SmallVector<OpFoldResult> extents(OpBuilder &B, Value V,
                                         ArrayRef<int64_t> Axes) {
  auto Extents = tensor::getMixedSizes(B, V.getLoc(), V);
  applyPermutationToVector(Extents, Axes);
  return Extents;
}

Value TurnedValues::constant(Value V, ArrayRef<int64_t> Axes) {
  ElementsAttr Elements;
  if (matchPattern(V, m_Constant(&Elements)))
    if (ElementsAttr Folded = Constants.get(Elements, Axes))
      return arith::ConstantOp::create(B, V.getLoc(), cast<TypedAttr>(Folded));
  return nullptr;
}

Value TurnedValues::copied(Value V, ArrayRef<int64_t> Axes) {
  if (Value Constant = constant(V, Axes))
    return Constant;
  auto T = cast<RankedTensorType>(V.getType());
  Value Into = tensor::EmptyOp::create(B, V.getLoc(), extents(B, V, Axes),
                                       T.getElementType());
  return linalg::TransposeOp::create(B, V.getLoc(), V, Into, Axes)
      ->getResult(0);
}

Value TurnedValues::inOrder(Value V, ArrayRef<int64_t> Axes) {
  const Turned *Stored = find(V);
  if (!Stored)
    return isIdentityPermutation(Axes) ? V : copied(V, Axes);
  SmallVector<int64_t> From = invertPermutationVector(Stored->Axes);
  SmallVector<int64_t> Order = applyPermutation(From, Axes);
  return isIdentityPermutation(Order) ? Stored->V : copied(Stored->V, Order);
}

void TurnedValues::settle(Value V) {
  const Turned *Stored = find(V);
  if (!Stored)
    return;
  Turned Now = *Stored;
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointAfterValue(Now.V);
  Value Copy = copied(Now.V, invertPermutationVector(Now.Axes));
  if (Copy.getType() != V.getType()) // the one knows an extent more
    Copy = tensor::CastOp::create(B, V.getLoc(), V.getType(), Copy);
  Known.erase(V);
  V.replaceAllUsesWith(Copy);
  Known[Copy] = Now;
}

void TurnedValues::replace(Value Old, Value New, ArrayRef<int64_t> Axes) {
  if (isIdentityPermutation(Axes) && Old.getType() != New.getType())
    New = tensor::CastOp::create(B, New.getLoc(), Old.getType(), New);
  if (isIdentityPermutation(Axes))
    Old.replaceAllUsesWith(New);
  else
    Known[Old] = {New, llvm::to_vector(Axes)};
}

Value TurnedValues::destination(Value V, ArrayRef<int64_t> Axes) {
  if (isIdentityPermutation(Axes) || find(V))
    return inOrder(V, Axes);
  auto Empty = [&](Value Of) -> Value {
    return tensor::EmptyOp::create(B, Of.getLoc(), extents(B, Of, Axes),
                                   getElementTypeOrSelf(Of.getType()));
  };
  if (V.getDefiningOp<tensor::EmptyOp>())
    return Empty(V);
  if (auto Fill = V.getDefiningOp<linalg::FillOp>())
    return linalg::FillOp::create(B, Fill.getLoc(), Fill.getInputs(), Empty(V))
        .getResult(0);
  return copied(V, Axes);
}
