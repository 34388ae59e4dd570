//===- RescaleBeforeReshape.cpp - Rescale before channels are split -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Where channels are split into heads, a rescale of every element alike stands
// before it: there it reads what a layer stores, and the split can stay a view
// of what it stores itself. Where channels are merged it stands behind that for
// the same reason.
//
//===----------------------------------------------------------------------===//

#include "CandidateReading.h"
#include "GraphPatterns.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace tenon;

static constexpr StringLiteral TensorAttr = "tenon.tensor";

/// Of the ONNX tensor that the rescale made, the elements stand in the same
/// order; where that was another one than the tensor's, there is no way to say
/// it with the axes that there are now.
static void keepName(Operation *Rescale, int64_t Rank) {
  auto Tensor = Rescale->getAttrOfType<DictionaryAttr>(TensorAttr);
  if (!Tensor)
    return;
  auto Perm = Tensor.getAs<DenseI64ArrayAttr>("perm");
  if (Perm && !llvm::is_sorted(Perm.asArrayRef())) {
    Rescale->removeAttr(TensorAttr);
    return;
  }
  NamedAttrList List(Tensor);
  List.set("perm", DenseI64ArrayAttr::get(
                       Rescale->getContext(),
                       llvm::to_vector(llvm::seq<int64_t>(0, Rank))));
  Rescale->setAttr(TensorAttr, List.getDictionary(Rescale->getContext()));
}

/// The axes that have more than one element.
static SmallVector<int64_t> extents(ShapedType Type) {
  return llvm::to_vector(llvm::make_filter_range(
      Type.getShape(), [](int64_t Extent) { return Extent != 1; }));
}

namespace {

/// rescale(reshape(x)) == reshape(rescale(x)), of channels that are split.
struct RescaleBeforeReshape : OpRewritePattern<tosa::RescaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::RescaleOp Op,
                                PatternRewriter &B) const override {
    auto Reshape = Op.getInput().getDefiningOp<tosa::ReshapeOp>();
    if (!Reshape || Op.getPerChannel() || !isInt8(Op.getType()) ||
        !isInt8(Reshape.getInput1().getType()) || !Reshape->hasOneUse())
      return failure();
    auto From = cast<RankedTensorType>(Reshape.getInput1().getType());
    // The last axis alone becomes two.
    SmallVector<int64_t> Before = extents(From), After = extents(Op.getType());
    if (After.size() < 2 || Before.size() + 1 != After.size() ||
        ArrayRef(After).drop_back(2) != ArrayRef(Before).drop_back())
      return failure();
    IRMapping Map;
    Map.map(Op.getInput(), Reshape.getInput1());
    auto Rescale = cast<tosa::RescaleOp>(B.clone(*Op, Map));
    Rescale.getOutput().setType(
        cast<TypedValue<RankedTensorType>>(Rescale.getOutput())
            .getType()
            .clone(From.getShape()));
    keepName(Rescale, From.getRank());
    B.replaceOpWithNewOp<tosa::ReshapeOp>(Op, Op.getType(), Rescale,
                                          Reshape.getShape());
    return success();
  }
};

} // namespace

void tenon::populateRescaleBeforeReshape(RewritePatternSet &Patterns) {
  Patterns.add<RescaleBeforeReshape>(Patterns.getContext());
}
