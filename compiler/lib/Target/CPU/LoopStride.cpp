//===- LoopStride.cpp - Steps along a loop --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "LoopStride.h"

#include "DotProduct.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace tenon;

std::optional<int64_t> tenon::strideAlong(AffineMap Map, unsigned Dim) {
  int64_t Stride = 0;
  for (auto [Axis, Result] : llvm::enumerate(Map.getResults())) {
    if (!Result.isFunctionOfDim(Dim))
      continue;
    if (Axis + 1 != Map.getNumResults())
      return std::nullopt;
    // The difference of two neighbours.
    MLIRContext *Context = Map.getContext();
    AffineExpr Next = Result.replace(getAffineDimExpr(Dim, Context),
                                     getAffineDimExpr(Dim, Context) + 1);
    auto Step = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(Next - Result, Map.getNumDims(), 0));
    if (!Step)
      return std::nullopt;
    Stride = Step.getValue();
  }
  return Stride;
}

/// Whether `Map` goes along `Dim` as [Dim / Panel, ..., Dim % Panel].
static bool isInPanels(AffineMap Map, unsigned Dim) {
  if (Map.getNumResults() < 2)
    return false;
  AffineExpr Along = getAffineDimExpr(Dim, Map.getContext());
  return Map.getResults().front() == Along.floorDiv(DotProduct::Panel) &&
         Map.getResults().back() == Along % DotProduct::Panel &&
         llvm::none_of(
             Map.getResults().drop_front().drop_back(),
             [&](AffineExpr Other) { return Other.isFunctionOfDim(Dim); });
}

bool tenon::isDenseAlong(linalg::GenericOp Op, OpOperand &Operand,
                         unsigned Dim) {
  AffineMap Map = Op.getMatchingIndexingMap(&Operand);
  auto Stride = strideAlong(Map, Dim);
  if (Stride == 0)
    return !Op.isDpsInit(&Operand);
  auto Memory = dyn_cast<MemRefType>(Operand.get().getType());
  return (Stride == 1 || isInPanels(Map, Dim)) &&
         (!Memory || Memory.isLastDimUnitStride());
}
