//===- CollapseLoops.cpp - One loop of several ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Tiles then have what is left of a row once, and not in each of many short
// ones, and threads one long loop to share.
//
//===----------------------------------------------------------------------===//

#include "CollapseLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

static bool isLoop(AffineExpr Expr, unsigned Loop) {
  return Expr == getAffineDimExpr(Loop, Expr.getContext());
}

/// The axis along which `Loop` goes, the next one being the next loop's; none
/// where either appears elsewhere.
static std::optional<unsigned> axisOfPair(AffineMap Map, unsigned Loop) {
  std::optional<unsigned> Found;
  ArrayRef<AffineExpr> Places = Map.getResults();
  for (unsigned Axis = 0; Axis < Places.size(); ++Axis) {
    if (!Places[Axis].isFunctionOfDim(Loop) &&
        !Places[Axis].isFunctionOfDim(Loop + 1))
      continue;
    if (Found || Axis + 1 == Places.size() || !isLoop(Places[Axis], Loop) ||
        !isLoop(Places[Axis + 1], Loop + 1))
      return std::nullopt;
    Found = Axis++;
  }
  return Found;
}

/// All axes, with `First` and the next one together.
static SmallVector<ReassociationIndices> together(int64_t Rank,
                                                  unsigned First) {
  SmallVector<ReassociationIndices> Axes;
  for (int64_t Axis = 0; Axis < Rank; ++Axis) {
    if (Axis == First + 1)
      Axes.back().push_back(Axis);
    else
      Axes.push_back({Axis});
  }
  return Axes;
}

static bool isOfPair(AffineMap Map, unsigned Loop) {
  return Map.isFunctionOfDim(Loop) || Map.isFunctionOfDim(Loop + 1);
}

/// Whether `Loop` and the next one can be one.
static bool canCollapse(linalg::GenericOp Op, unsigned Loop) {
  auto Kinds = Op.getIteratorTypesArray();
  if (Kinds[Loop] != utils::IteratorType::parallel ||
      Kinds[Loop + 1] != utils::IteratorType::parallel)
    return false;
  for (auto Index : Op.getBody()->getOps<linalg::IndexOp>())
    if (Index.getDim() == Loop || Index.getDim() == Loop + 1)
      return false;
  return llvm::all_of(Op->getOpOperands(), [&](OpOperand &Operand) {
    AffineMap Map = Op.getMatchingIndexingMap(&Operand);
    if (!isOfPair(Map, Loop))
      return true;
    auto Type = dyn_cast<MemRefType>(Operand.get().getType());
    auto Axis = axisOfPair(Map, Loop);
    return Type && Axis &&
           memref::CollapseShapeOp::isGuaranteedCollapsible(
               Type, together(Type.getRank(), *Axis));
  });
}

static linalg::GenericOp collapse(RewriterBase &B, linalg::GenericOp Op,
                                  unsigned Loop) {
  MLIRContext *Context = B.getContext();
  SmallVector<AffineExpr> Loops;
  for (unsigned I = 0; I < Op.getNumLoops(); ++I)
    Loops.push_back(getAffineDimExpr(I > Loop ? I - 1 : I, Context));
  SmallVector<Value> Operands;
  SmallVector<AffineMap> Maps;
  for (OpOperand &Operand : Op->getOpOperands()) {
    AffineMap Map = Op.getMatchingIndexingMap(&Operand);
    SmallVector<AffineExpr> Places(Map.getResults());
    Value V = Operand.get();
    if (isOfPair(Map, Loop)) {
      unsigned Axis = *axisOfPair(Map, Loop);
      V = memref::CollapseShapeOp::create(
          B, Op.getLoc(), V,
          together(cast<MemRefType>(V.getType()).getRank(), Axis));
      Places.erase(Places.begin() + Axis + 1);
    }
    Operands.push_back(V);
    for (AffineExpr &Place : Places)
      Place = Place.replaceDims(Loops);
    Maps.push_back(AffineMap::get(Loops.size() - 1, 0, Places, Context));
  }
  SmallVector<utils::IteratorType> Kinds = Op.getIteratorTypesArray();
  Kinds.erase(Kinds.begin() + Loop);
  ArrayRef All(Operands);
  auto New = linalg::GenericOp::create(
      B, Op.getLoc(), All.take_front(Op.getNumDpsInputs()),
      All.drop_front(Op.getNumDpsInputs()), Maps, Kinds);
  New->setDiscardableAttrs(Op->getDiscardableAttrDictionary());
  B.inlineRegionBefore(Op.getRegion(), New.getRegion(),
                       New.getRegion().begin());
  for (auto Index :
       llvm::make_early_inc_range(New.getBody()->getOps<linalg::IndexOp>()))
    if (Index.getDim() > Loop)
      Index.setDim(Index.getDim() - 1);
  B.eraseOp(Op);
  return New;
}

linalg::GenericOp tenon::collapseLoops(RewriterBase &B, linalg::GenericOp Op) {
  if (!Op.hasPureBufferSemantics())
    return Op;
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPoint(Op);
  // From the innermost on: what becomes one is looked at again.
  for (unsigned Loop = Op.getNumLoops(); Loop-- > 1;)
    if (canCollapse(Op, Loop - 1))
      Op = collapse(B, Op, Loop - 1);
  return Op;
}
