//===- OptimizeGraph.cpp - Integer TOSA in the form layers are read from --===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Every pattern keeps all integer results bit for bit.
//
//===----------------------------------------------------------------------===//

#include "CandidateReading.h"
#include "GraphPatterns.h"
#include "PatternCount.h"
#include "tenon/Transforms/CountingPass.h"
#include "tenon/Transforms/Passes.h"
#include "tenon/Transforms/RewriteConfig.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tenon {
#define GEN_PASS_DEF_OPTIMIZEGRAPH
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;

static ArrayRef<int64_t> shapeOf(Value V) {
  return cast<RankedTensorType>(V.getType()).getShape();
}

/// A constant tensor of one type, all elements equal.
static Value splat(PatternRewriter &B, Location Loc, ArrayRef<int64_t> Shape,
                   unsigned Width, int64_t Value) {
  auto Type = RankedTensorType::get(Shape, B.getIntegerType(Width));
  APInt Bits(Width, Value, /*isSigned=*/true);
  return tosa::ConstOp::create(B, Loc, Type,
                               DenseElementsAttr::get(Type, Bits));
}

namespace {

/// conv(pad(x, zero point), pads) == conv(x, pads + more pads).
template <typename ConvOp> struct FoldPad : OpRewritePattern<ConvOp> {
  using OpRewritePattern<ConvOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp Op, PatternRewriter &B) const override {
    auto Pad = Op.getInput().template getDefiningOp<tosa::PadOp>();
    if (!Pad || shapeOf(Op.getInput()).size() != 4)
      return failure();
    auto Padding =
        Pad.getPadding().template getDefiningOp<tosa::ConstShapeOp>();
    auto Value = readSplat(Pad.getPadConst());
    auto Zero = readSplat(Op.getInputZp());
    if (!Padding || !Value || !Zero || *Value != *Zero)
      return failure();
    SmallVector<int64_t> P;
    for (const APInt &V : Padding.getValues().template getValues<APInt>())
      P.push_back(V.getSExtValue());
    if (P.size() != 8 || P[0] || P[1] || P[6] || P[7] ||
        llvm::any_of(P, [](int64_t V) { return V < 0; }))
      return failure();
    SmallVector<int64_t> Sum(Op.getPad());
    for (int I = 0; I < 4; ++I)
      Sum[I] += P[2 + I];
    B.modifyOpInPlace(Op, [&] {
      Op.setPad(Sum);
      Op.getInputMutable().assign(Pad.getInput1());
    });
    return success();
  }
};

/// A sum over height and width of a widened int8 tensor is a depthwise
/// convolution with ones over the whole image:
///   reduce_sum(reduce_sum(x - zp, 1), 2).
struct SpatialSum : OpRewritePattern<tosa::ReduceSumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::ReduceSumOp Outer,
                                PatternRewriter &B) const override {
    auto Inner = Outer.getInput().getDefiningOp<tosa::ReduceSumOp>();
    if (!Inner || Outer.getAxis() + Inner.getAxis() != 3 ||
        std::min(Outer.getAxis(), Inner.getAxis()) != 1 ||
        shapeOf(Inner.getInput()).size() != 4)
      return failure();
    int64_t Zero = 0;
    Value Source = widened(Inner.getInput(), Zero);
    if (!Source || Zero < -128 || Zero > 127)
      return failure();
    ArrayRef<int64_t> Shape = shapeOf(Source);
    Location Loc = Outer.getLoc();
    Value Ones = splat(B, Loc, {Shape[1], Shape[2], Shape[3], 1}, 8, 1);
    Value Bias = splat(B, Loc, {Shape[3]}, 32, 0);
    Value InputZero = splat(B, Loc, {1}, 8, Zero);
    Value WeightZero = splat(B, Loc, {1}, 8, 0);
    B.replaceOpWithNewOp<tosa::DepthwiseConv2DOp>(
        Outer, Outer.getType(), Source, Ones, Bias, InputZero, WeightZero,
        B.getDenseI64ArrayAttr({0, 0, 0, 0}), B.getDenseI64ArrayAttr({1, 1}),
        B.getDenseI64ArrayAttr({1, 1}), TypeAttr::get(B.getI32Type()),
        BoolAttr());
    return success();
  }

private:
  /// The int8 tensor behind a widening to int32; its zero point is subtracted.
  static Value widened(Value V, int64_t &Zero) {
    if (auto Sub = V.getDefiningOp<tosa::SubOp>()) {
      auto Constant = readSplat(Sub.getInput2());
      if (!Constant)
        return {};
      Zero += *Constant;
      V = Sub.getInput1();
    }
    Value Source;
    if (auto Cast = V.getDefiningOp<tosa::CastOp>()) {
      Source = Cast.getInput();
    } else if (auto Rescale = V.getDefiningOp<tosa::RescaleOp>()) {
      Refusal Ignored;
      auto R = readRescale(Rescale, Ignored);
      if (!R || !R->isIdentity() || Rescale.getInputUnsigned())
        return {};
      Zero += R->InputZeroPoint - R->OutputZeroPoint;
      Source = Rescale.getInput();
    }
    bool Widens = getElementTypeOrSelf(V.getType()).isInteger(32);
    return Source && Widens && isInt8(Source.getType()) ? Source : Value();
  }
};

struct OptimizeGraph : tenon::impl::OptimizeGraphBase<OptimizeGraph>,
                       CountingPass {
  void runOnOperation() override {
    PatternCount Rewritten;
    RewritePatternSet Patterns(&getContext());
    Patterns.add<FoldPad<tosa::Conv2DOp>, FoldPad<tosa::DepthwiseConv2DOp>,
                 SpatialSum>(&getContext());
    populateFlattenIntoWeights(Patterns);
    populateRescaleBeforeReshape(Patterns);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(Patterns),
                                  structuredRewrite().setListener(&Rewritten))))
      signalPassFailure();
    count("layers brought into form", Rewritten.applied());
  }
};

} // namespace
