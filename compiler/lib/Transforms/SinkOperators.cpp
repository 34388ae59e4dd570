//===- SinkOperators.cpp - Compute only what a slice takes ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An operation on tensors sinks below a slice of its result, except into a
// loop: whole it may be faster than its slices one by one, or read more than
// once. Every element that is left is computed as before.
//
// Below linalg it is tiled to the slice. Upstream's pattern for it is not used:
// it leaves an index in the body as it is, which then counts from the slice's
// first element.
//
//===----------------------------------------------------------------------===//

#include "PatternCount.h"
#include "tenon/Transforms/CountingPass.h"
#include "tenon/Transforms/Loops.h"
#include "tenon/Transforms/Passes.h"
#include "tenon/Transforms/RewriteConfig.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tenon {
#define GEN_PASS_DEF_SINKOPERATORS
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;

namespace {

/// Where nothing else reads the result. What asks where it is (linalg.index)
/// stays: with an offset added to the index no later pass knows it for what it
/// is, a gather or a running sum.
struct SinkBelowSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp Slice,
                                PatternRewriter &B) const override {
    auto Op = Slice.getSource().getDefiningOp<linalg::LinalgOp>();
    if (!Op || Op.hasIndexSemantics() || !Op->hasOneUse() ||
        Op->getNumResults() != 1 || !Op.hasPureTensorSemantics() ||
        !isInSameLoop(Op, Slice))
      return failure();
    if (Slice.getType().getRank() != Slice.getSourceType().getRank())
      return failure();
    auto Tiled = tensor::replaceExtractSliceWithTiledProducer(B, Slice,
                                                              Op->getResult(0));
    if (failed(Tiled))
      return failure();
    B.replaceOp(Slice, Tiled->tiledValues);
    return success();
  }
};

struct SinkOperators : tenon::impl::SinkOperatorsBase<SinkOperators>,
                       CountingPass {
  void runOnOperation() override {
    PatternCount Sunk;
    RewritePatternSet Patterns(&getContext());
    Patterns.add<SinkBelowSlice>(&getContext());
    tensor::populateBubbleUpExtractSliceOpPatterns(Patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(Patterns),
                                     structuredRewrite().setListener(&Sunk))))
      signalPassFailure();
    count("operators sunk", Sunk.applied());
  }
};

} // namespace
