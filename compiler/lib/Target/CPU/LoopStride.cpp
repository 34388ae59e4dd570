//===- LoopStride.cpp - Steps along a loop --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "LoopStride.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;

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

bool tenon::isDenseAlong(linalg::GenericOp Op, OpOperand &Operand,
                         unsigned Dim) {
  auto Stride = strideAlong(Op.getMatchingIndexingMap(&Operand), Dim);
  if (Stride == 0)
    return !Op.isDpsInit(&Operand);
  auto Memory = dyn_cast<MemRefType>(Operand.get().getType());
  return Stride == 1 && (!Memory || Memory.isLastDimUnitStride());
}
