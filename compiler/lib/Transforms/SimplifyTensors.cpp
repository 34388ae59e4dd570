//===- SimplifyTensors.cpp - Operations that do nothing, or could do less -===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Upstream's patterns that no canonicalisation contains, and what they lack.
// All keep every bit.
//
//===----------------------------------------------------------------------===//

#include "PatternCount.h"
#include "tenon/Transforms/CountingPass.h"
#include "tenon/Transforms/Passes.h"
#include "tenon/Transforms/RewriteConfig.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tenon {
#define GEN_PASS_DEF_SIMPLIFYTENSORS
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;

namespace {

/// x / 2^k == x * 2^-k: both round the same number.
struct DivideByPowerOfTwo : OpRewritePattern<arith::DivFOp> {
  DivideByPowerOfTwo(MLIRContext *Context, uint64_t &Count)
      : OpRewritePattern(Context), Count(Count) {}

  LogicalResult matchAndRewrite(arith::DivFOp Op,
                                PatternRewriter &B) const override {
    FloatAttr Divisor;
    if (!matchPattern(Op.getRhs(), m_Constant(&Divisor)))
      return failure();
    APFloat Inverse(Divisor.getValue().getSemantics());
    if (!Divisor.getValue().getExactInverse(&Inverse))
      return failure();
    Value Factor = arith::ConstantOp::create(
        B, Op.getLoc(), B.getFloatAttr(Op.getType(), Inverse));
    B.replaceOpWithNewOp<arith::MulFOp>(Op, Op.getLhs(), Factor,
                                        Op.getFastmath());
    ++Count;
    return success();
  }

private:
  uint64_t &Count;
};

struct SimplifyTensors : tenon::impl::SimplifyTensorsBase<SimplifyTensors>,
                         CountingPass {
  void runOnOperation() override {
    uint64_t Divisions = 0;
    PatternCount Rewritten;
    MLIRContext *Context = &getContext();
    RewritePatternSet Patterns(Context);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(Patterns);
    tensor::populateFoldTensorEmptyPatterns(Patterns);
    tensor::populateReassociativeReshapeFoldingPatterns(Patterns);
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(Patterns);
    tensor::populateDropRedundantInsertSliceRankExpansionPatterns(Patterns);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(Patterns);
    linalg::populateInlineConstantOperandsPatterns(Patterns);
    linalg::populateSwapExtractSliceWithFillPatterns(Patterns);
    Patterns.add<DivideByPowerOfTwo>(Context, Divisions);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(Patterns),
                                  structuredRewrite().setListener(&Rewritten))))
      signalPassFailure();
    count("simplifications", Rewritten.applied() - Divisions);
    count("divisions multiplied", Divisions);
  }
};

} // namespace
