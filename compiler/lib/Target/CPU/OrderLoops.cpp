//===- OrderLoops.cpp - Loops in an order that vectorises -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A reduction as the innermost loop is one chain of additions, each waiting for
// the one before. A parallel loop inside of it that walks through rows is as
// many chains, and LLVM makes vectors of them. Every element still sums in the
// same order: the bits stay.
//
//===----------------------------------------------------------------------===//

#include "LoopStride.h"
#include "Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

/// The parallel loop that walks through rows of the result, and of the operands
/// or not at all; none where there is no such loop, or it is a short one.
static std::optional<unsigned> rowLoop(linalg::GenericOp Op) {
  constexpr int64_t Shortest = 4;
  std::optional<unsigned> Best;
  int64_t BestCost = 0;
  SmallVector<int64_t> Extents = Op.getStaticLoopRanges();
  SmallVector<unsigned> Loops;
  Op.getParallelDims(Loops);
  for (unsigned Loop : Loops) {
    if (!ShapedType::isDynamic(Extents[Loop]) && Extents[Loop] < Shortest)
      continue;
    int64_t Cost = 0;
    bool Fits = true;
    for (OpOperand &Operand : Op->getOpOperands()) {
      auto Stride =
          tenon::strideAlong(Op.getMatchingIndexingMap(&Operand), Loop);
      Fits &= Stride && (*Stride == 1 || !Op.isDpsInit(&Operand));
      Cost += Stride.value_or(0) > 1;
    }
    if (Fits && (!Best || Cost < BestCost)) {
      Best = Loop;
      BestCost = Cost;
    }
  }
  return Best;
}

/// Parallel loops, then reductions, each in their order, then the row's.
static void orderLoops(RewriterBase &Rewriter, linalg::GenericOp Op) {
  if (Op.getNumReductionLoops() == 0 || Op.hasIndexSemantics())
    return;
  std::optional<unsigned> Row = rowLoop(Op);
  if (!Row)
    return;
  SmallVector<unsigned> Order, Reductions;
  Op.getParallelDims(Order);
  Op.getReductionDims(Reductions);
  llvm::erase(Order, *Row);
  llvm::append_range(Order, Reductions);
  Order.push_back(*Row);
  Rewriter.setInsertionPoint(Op);
  (void)linalg::interchangeGenericOp(Rewriter, Op, Order);
}

namespace {
struct OrderLoopsPass
    : PassWrapper<OrderLoopsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderLoopsPass)

  StringRef getArgument() const override { return "tenon-order-loops"; }
  StringRef getDescription() const override {
    return "Make a parallel loop through rows the innermost one of reductions";
  }
  void runOnOperation() override {
    IRRewriter Rewriter(&getContext());
    SmallVector<linalg::LinalgOp> Ops;
    getOperation().walk([&](linalg::LinalgOp Op) { Ops.push_back(Op); });
    for (linalg::LinalgOp Op : Ops) {
      if (Op.getNumReductionLoops() == 0)
        continue;
      auto Generic = dyn_cast<linalg::GenericOp>(Op.getOperation());
      Rewriter.setInsertionPoint(Op);
      if (!Generic)
        if (auto General = linalg::generalizeNamedOp(Rewriter, Op);
            succeeded(General))
          Generic = *General;
      if (Generic)
        orderLoops(Rewriter, Generic);
    }
  }
};
} // namespace

std::unique_ptr<Pass> tenon::createOrderLoopsPass() {
  return std::make_unique<OrderLoopsPass>();
}
