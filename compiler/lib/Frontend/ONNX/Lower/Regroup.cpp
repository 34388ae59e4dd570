//===- Regroup.cpp - The same elements in another shape ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tenon::frontend;

static RankedTensorType rankedType(Value Tensor) {
  return cast<RankedTensorType>(Tensor.getType());
}

/// Groups of `Count` axes: single ones, but for the `Middle` ones behind
/// `Front`.
static SmallVector<ReassociationIndices> groupsOf(int64_t Front, int64_t Middle,
                                                  int64_t Count) {
  SmallVector<ReassociationIndices> Groups;
  for (int64_t Axis = 0; Axis < Count;) {
    int64_t Size = Axis == Front ? Middle : 1;
    Groups.emplace_back(llvm::to_vector(llvm::seq(Axis, Axis + Size)));
    Axis += Size;
  }
  return Groups;
}

Value Lowering::retyped(Value Tensor, ArrayRef<int64_t> Dims) {
  RankedTensorType From = rankedType(Tensor);
  if (From.getShape() == Dims)
    return Tensor;
  return tensor::CastOp::create(
      B, RankedTensorType::get(Dims, From.getElementType()), Tensor);
}

Value Lowering::collapsed(Value Tensor, ArrayRef<ReassociationIndices> Groups) {
  if (int64_t(Groups.size()) == rankedType(Tensor).getRank())
    return Tensor;
  if (!llvm::is_contained(rankedType(Tensor).getShape(), 0))
    return tensor::CollapseShapeOp::create(B, Tensor, Groups);
  // A group of an open extent and of 0 is 0, which upstream's operation does
  // not say of its type.
  Extents Own = extentsOf(Tensor), Of;
  for (ArrayRef<int64_t> Group : Groups) {
    OpFoldResult &Extent = Of.emplace_back(extent(1));
    for (int64_t Axis : Group)
      Extent = hasNoElement({Extent, Own[Axis]}) ? extent(0)
                                                 : mul(Extent, Own[Axis]);
  }
  return empty(Of, rankedType(Tensor).getElementType());
}

/// The axes that stay as they are at the front and at the back, and what is
/// between them as one axis, which is what the new ones are made of.
Value Lowering::regrouped(Value Tensor, ArrayRef<OpFoldResult> Of) {
  RankedTensorType To = typeOf(Of, rankedType(Tensor).getElementType());
  Extents Own = extentsOf(Tensor);
  int64_t From = Own.size(), Count = Of.size(), Front = 0, Back = 0;
  int64_t Fewest = std::min(From, Count);
  while (Front < Fewest && surelyEqual(Own[Front], Of[Front]))
    ++Front;
  while (Back < Fewest - Front &&
         surelyEqual(Own[From - 1 - Back], Of[Count - 1 - Back]))
    ++Back;
  if (Front + Back == From && From == Count)
    return retyped(Tensor, To.getShape());
  if (Front + Back == Fewest) // axes of 1 come or go beside another
    --(Front ? Front : Back);
  int64_t Middle = Count - Front - Back;
  // Upstream expands one axis to one extent that is not known, not to more.
  if (llvm::count_if(To.getShape().slice(Front, Middle),
                     ShapedType::isDynamic) > 1) {
    SmallVector<Value> Shape;
    for (OpFoldResult Extent : Of)
      Shape.push_back(index(Extent));
    return tensor::ReshapeOp::create(B, To, Tensor,
                                     list(Shape, B.getIndexType(), 1));
  }
  Tensor = collapsed(Tensor, groupsOf(Front, From - Front - Back, From));
  if (Middle == 1)
    return retyped(Tensor, To.getShape());
  SmallVector<int64_t> Dims(rankedType(Tensor).getShape());
  Dims[Front] = 1;
  // Too large a result is refused where it is defined.
  for (int64_t Extent : To.getShape().slice(Front, Middle))
    if (ShapedType::isDynamic(Extent) || ShapedType::isDynamic(Dims[Front]) ||
        llvm::MulOverflow(Dims[Front], Extent, Dims[Front]))
      Dims[Front] = ShapedType::kDynamic;
  return tensor::ExpandShapeOp::create(B, To, retyped(Tensor, Dims),
                                       groupsOf(Front, Middle, Count),
                                       staticWhereKnown(Of));
}

Value Lowering::reshaped(Value Tensor, ArrayRef<OpFoldResult> Of) {
  RankedTensorType From = rankedType(Tensor);
  RankedTensorType To = typeOf(Of, From.getElementType());
  if (From == To && From.hasStaticShape())
    return Tensor;
  if (llvm::is_contained(From.getShape(), 0)) // and 3 may become 1
    return empty(Of, From.getElementType());
  if (auto Made = Tensor.getDefiningOp<tensor::FromElementsOp>();
      Made && To.hasStaticShape())
    return tensor::FromElementsOp::create(B, To, Made.getElements());
  if (From.hasStaticShape() && To.hasStaticShape())
    if (auto Groups = getReassociationIndicesForReshape(From, To)) {
      if (From.getRank() > To.getRank())
        return tensor::CollapseShapeOp::create(B, To, Tensor, *Groups);
      if (From.getRank() < To.getRank())
        return tensor::ExpandShapeOp::create(B, To, Tensor, *Groups);
    }
  if (From.getRank() == 0) {
    auto One = RankedTensorType::get(1, From.getElementType());
    Tensor = tensor::ExpandShapeOp::create(B, One, Tensor,
                                           ArrayRef<ReassociationIndices>());
  }
  if (To.getRank() == 0) {
    Tensor = retyped(Tensor, SmallVector<int64_t>(From.getRank(), 1));
    return tensor::CollapseShapeOp::create(B, To, Tensor,
                                           ArrayRef<ReassociationIndices>());
  }
  return regrouped(Tensor, Of);
}
