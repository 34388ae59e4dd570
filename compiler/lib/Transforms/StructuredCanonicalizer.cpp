//===- StructuredCanonicalizer.cpp - Canonicalisation of tensors ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Transforms/Passes.h"
#include "tenon/Transforms/RewriteConfig.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace tenon {
#define GEN_PASS_DEF_STRUCTUREDCANONICALIZER
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;

static bool hasNoElement(RankedTensorType Type) {
  return llvm::is_contained(Type.getShape(), 0);
}

namespace {

/// Before the pass ends, and upstream verifies what its folding has made.
struct EmptySlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp Slice,
                                PatternRewriter &B) const override {
    if (!hasNoElement(Slice.getSourceType()) && !hasNoElement(Slice.getType()))
      return failure();
    SmallVector<OpFoldResult> Sizes;
    const llvm::SmallBitVector Dropped = Slice.getDroppedDims();
    for (auto [Axis, Size] : llvm::enumerate(Slice.getMixedSizes()))
      if (!Dropped[Axis])
        Sizes.push_back(Size);
    auto Empty = tensor::EmptyOp::create(B, Slice.getLoc(), Sizes,
                                         Slice.getType().getElementType());
    B.replaceOpWithNewOp<tensor::CastOp>(Slice, Slice.getType(), Empty);
    return success();
  }
};

struct EmptyInsertion : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp Insert,
                                PatternRewriter &B) const override {
    if (!hasNoElement(Insert.getSourceType()) &&
        !hasNoElement(Insert.getDestType()))
      return failure();
    B.replaceOp(Insert, Insert.getDest());
    return success();
  }
};

/// Behind a check that fails: a shape that does not hold has been folded into
/// it.  Its lowering would be a slice that does not fit.
struct ShrinkingPad : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp Pad,
                                PatternRewriter &B) const override {
    auto Shrinks = [](auto Extents) {
      auto [From, To] = Extents;
      return !ShapedType::isDynamic(From) && !ShapedType::isDynamic(To) &&
             To < From;
    };
    if (llvm::none_of(llvm::zip(Pad.getSourceType().getShape(),
                                Pad.getResultType().getShape()),
                      Shrinks))
      return failure();
    auto Sizes = tensor::getMixedSizes(B, Pad.getLoc(), Pad.getSource());
    for (auto [Size, Extent] : llvm::zip(Sizes, Pad.getResultType().getShape()))
      if (!ShapedType::isDynamic(Extent))
        Size = B.getIndexAttr(Extent);
    auto Anything = tensor::EmptyOp::create(
        B, Pad.getLoc(), Sizes, Pad.getResultType().getElementType());
    B.replaceOpWithNewOp<tensor::CastOp>(Pad, Pad.getType(), Anything);
    return success();
  }
};

struct StructuredCanonicalizer
    : tenon::impl::StructuredCanonicalizerBase<StructuredCanonicalizer> {
  LogicalResult initialize(MLIRContext *Context) override {
    RewritePatternSet All(Context);
    for (Dialect *Loaded : Context->getLoadedDialects())
      Loaded->getCanonicalizationPatterns(All);
    for (RegisteredOperationName Op : Context->getRegisteredOperations())
      Op.getCanonicalizationPatterns(All, Context);
    All.add<EmptySlice, EmptyInsertion, ShrinkingPad>(Context);
    const std::string Disabled[] = {
        "(anonymous namespace)::FoldInsertPadIntoFill",
        "ConcatSliceOptimization"};
    Patterns =
        std::make_shared<FrozenRewritePatternSet>(std::move(All), Disabled);
    return success();
  }

  void runOnOperation() override {
    // As upstream's: where it does not converge, what there is holds.
    (void)applyPatternsGreedily(getOperation(), *Patterns,
                                tenon::structuredRewrite());
  }

  std::shared_ptr<const FrozenRewritePatternSet> Patterns;
};

} // namespace
