//===- SinkOperators.cpp - Compute only what a slice takes ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Upstream's patterns: an operation on tensors sinks below a slice of its
// result. Every element that is left is computed as before.
//
//===----------------------------------------------------------------------===//

#include "PatternCount.h"
#include "tenon/Transforms/CountingPass.h"
#include "tenon/Transforms/Passes.h"
#include "tenon/Transforms/RewriteConfig.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tenon {
#define GEN_PASS_DEF_SINKOPERATORS
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;

namespace {
struct SinkOperators : tenon::impl::SinkOperatorsBase<SinkOperators>,
                       CountingPass {
  void runOnOperation() override {
    PatternCount Sunk;
    RewritePatternSet Patterns(&getContext());
    linalg::populateBubbleUpExtractSliceOpPatterns(Patterns);
    tensor::populateBubbleUpExtractSliceOpPatterns(Patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(Patterns),
                                     structuredRewrite().setListener(&Sunk))))
      signalPassFailure();
    count("operators sunk", Sunk.applied());
  }
};
} // namespace
