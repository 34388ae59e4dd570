//===- FoldConstants.cpp - Tensors that constants determine ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Upstream folds operations on scalars and some on tensors with attributes of
// their own; what networks have are element-wise bodies over weights that lie
// in the model file.
//
//===----------------------------------------------------------------------===//

#include "ConstantExpression.h"
#include "tenon/Transforms/CountingPass.h"
#include "tenon/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace tenon {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;

namespace {
struct FoldConstants : tenon::impl::FoldConstantsBase<FoldConstants>,
                       CountingPass {
  void runOnOperation() override;
};
} // namespace

/// Operations come behind those that they read: one walk sees through chains.
void FoldConstants::runOnOperation() {
  IRRewriter Rewriter(&getContext());
  SmallVector<Operation *> Folded;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *Op) {
    ElementsAttr Value = canEvaluate(Op) ? evaluate(Op) : ElementsAttr();
    if (!Value)
      return;
    Rewriter.setInsertionPoint(Op);
    auto Constant = arith::ConstantOp::create(Rewriter, Op->getLoc(), Value);
    Op->getResult(0).replaceAllUsesWith(Constant);
    Folded.push_back(Op);
  });
  llvm::SmallSetVector<Operation *, 16> Sources;
  for (Operation *Op : llvm::reverse(Folded)) {
    for (Value Operand : Op->getOperands())
      if (Operation *Source = Operand.getDefiningOp();
          Source && Source->hasTrait<OpTrait::ConstantLike>())
        Sources.insert(Source);
    Rewriter.eraseOp(Op);
  }
  for (Operation *Source : Sources)
    if (Source->use_empty())
      Rewriter.eraseOp(Source);
  count("tensors folded", Folded.size());
}
