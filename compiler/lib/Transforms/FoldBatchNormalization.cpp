//===- FoldBatchNormalization.cpp - Scales behind products into weights ---===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A batch normalisation is x * s + t with a factor and a summand for each
// channel.  Behind a convolution or a product with constant weights the factors
// move into those:
//   (conv(x, w) + b) * s + t == conv(x, w * s) + (b * s + t)
// Both sides round differently.  The new weights and summands stay expressions,
// which constant folding evaluates.
//
//===----------------------------------------------------------------------===//

#include "ConstantExpression.h"
#include "tenon/Transforms/CountingPass.h"
#include "tenon/Transforms/Loops.h"
#include "tenon/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <optional>

namespace tenon {
#define GEN_PASS_DEF_FOLDBATCHNORMALIZATION
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;

namespace {
/// `x op c`, where c is a constant expression with an element for each position
/// along one axis of the result.
struct ChannelOp {
  linalg::GenericOp Op;
  Value X;
  Value Constant;
  AffineMap Map; ///< of the constant; every result is the axis or 0
  unsigned Axis = 0;
};
} // namespace

/// The one axis that `Map` reads by; none where there are several, or none.
static std::optional<unsigned> axisOf(AffineMap Map) {
  std::optional<unsigned> Axis;
  for (AffineExpr Result : Map.getResults()) {
    if (auto Dim = dyn_cast<AffineDimExpr>(Result)) {
      if (Axis)
        return std::nullopt;
      Axis = Dim.getPosition();
    } else if (auto Zero = dyn_cast<AffineConstantExpr>(Result);
               !Zero || Zero.getValue() != 0) {
      return std::nullopt;
    }
  }
  return Axis;
}

/// Whether the body is one `Scalar` of both inputs.
template <typename Scalar> static bool computes(linalg::GenericOp Op) {
  Block &Body = *Op.getBody();
  auto Only = dyn_cast<Scalar>(Body.front());
  return Only && Body.getOperations().size() == 2 &&
         Body.getTerminator()->getOperand(0) == Only.getResult() &&
         llvm::is_contained(Only->getOperands(), Body.getArgument(0)) &&
         llvm::is_contained(Only->getOperands(), Body.getArgument(1));
}

template <typename Scalar>
static std::optional<ChannelOp> readChannelOp(Value V) {
  auto Op = V.getDefiningOp<linalg::GenericOp>();
  if (!Op || Op.getNumDpsInputs() != 2 || Op.getNumDpsInits() != 1 ||
      Op.getNumLoops() != Op.getNumParallelLoops() || !computes<Scalar>(Op) ||
      !Op.getMatchingIndexingMap(Op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  for (unsigned I : {0u, 1u}) {
    OpOperand *X = Op.getDpsInputOperand(I);
    OpOperand *Constant = Op.getDpsInputOperand(1 - I);
    AffineMap Map = Op.getMatchingIndexingMap(Constant);
    std::optional<unsigned> Axis = axisOf(Map);
    if (Axis && Op.getMatchingIndexingMap(X).isIdentity() &&
        X->get().getType() == V.getType() &&
        isConstantExpression(Constant->get()))
      return ChannelOp{Op, X->get(), Constant->get(), Map, *Axis};
  }
  return std::nullopt;
}

/// out + input * weights, summed from zero.
static bool isProduct(linalg::LinalgOp Op) {
  if (Op.getNumDpsInputs() != 2 || Op.getNumDpsInits() != 1 ||
      !Op.hasPureTensorSemantics() || !Op->hasOneUse())
    return false;
  auto Fill = Op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!Fill || !matchPattern(Fill.value(), m_AnyZeroFloat()))
    return false;
  Block &Body = *Op.getBlock();
  auto Sum = Body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!Sum || Body.getOperations().size() != 3)
    return false;
  auto Product = dyn_cast<arith::MulFOp>(Body.front());
  return Product &&
         llvm::is_contained(Sum->getOperands(), Product.getResult()) &&
         llvm::is_contained(Sum->getOperands(), Body.getArgument(2)) &&
         llvm::is_contained(Product->getOperands(), Body.getArgument(0)) &&
         llvm::is_contained(Product->getOperands(), Body.getArgument(1));
}

/// The axis of weights `W` that runs along `Axis` of the result.
static std::optional<unsigned> weightAxis(linalg::LinalgOp Op, OpOperand *W,
                                          unsigned Axis) {
  AffineExpr Loop =
      Op.getMatchingIndexingMap(Op.getDpsInitOperand(0)).getResult(Axis);
  return isa<AffineDimExpr>(Loop)
             ? Op.getMatchingIndexingMap(W).getResultPosition(Loop)
             : std::nullopt;
}

/// `Map` of an axis as one of axis `To` among `Rank` loops.
static AffineMap alongAxis(AffineMap Map, unsigned To, unsigned Rank) {
  Builder B(Map.getContext());
  SmallVector<AffineExpr> Results;
  for (AffineExpr Result : Map.getResults())
    Results.push_back(isa<AffineDimExpr>(Result) ? B.getAffineDimExpr(To)
                                                 : Result);
  return AffineMap::get(Rank, 0, Results, B.getContext());
}

/// `Scalar` of two tensors, element by element, in the place of `Init`.
template <typename Scalar>
static Value elementwise(PatternRewriter &B, Location Loc, ValueRange Inputs,
                         AffineMap Left, AffineMap Right, Value Init) {
  auto Type = cast<RankedTensorType>(Init.getType());
  unsigned Rank = Type.getRank();
  SmallVector<utils::IteratorType> Loops(Rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             B, Loc, Type, Inputs, Init,
             ArrayRef<AffineMap>{Left, Right, B.getMultiDimIdentityMap(Rank)},
             Loops,
             [](OpBuilder &B, Location Loc, ValueRange E) {
               Value Result = Scalar::create(B, Loc, E[0], E[1]);
               linalg::YieldOp::create(B, Loc, Result);
             })
      .getResult(0);
}

/// `Scalar` of both constants, one element a channel.
template <typename Scalar>
static Value combined(PatternRewriter &B, Location Loc, const ChannelOp &Left,
                      const ChannelOp &Right) {
  auto Of = cast<RankedTensorType>(Left.X.getType());
  Value Empty = tensor::EmptyOp::create(
      B, Loc, ArrayRef{Of.getDimSize(Left.Axis)}, Of.getElementType());
  return elementwise<Scalar>(B, Loc, {Left.Constant, Right.Constant},
                             alongAxis(Left.Map, 0, 1),
                             alongAxis(Right.Map, 0, 1), Empty);
}

/// x + b, `Summand` with an element a channel, in the place of `Init`.
static Value plus(PatternRewriter &B, Location Loc, Value X, Value Summand,
                  const ChannelOp &Like, Value Init) {
  unsigned Rank = Like.Map.getNumDims();
  AffineMap Channels =
      AffineMap::get(Rank, 0, B.getAffineDimExpr(Like.Axis), B.getContext());
  return elementwise<arith::AddFOp>(
      B, Loc, {X, Summand}, B.getMultiDimIdentityMap(Rank), Channels, Init);
}

/// The product whose weights can take factors along `Axis` of its result, and
/// its weights. It may move to `Reader`.
static std::optional<std::pair<linalg::LinalgOp, OpOperand *>>
readScalable(Value V, unsigned Axis, Operation *Reader) {
  auto Product = V.getDefiningOp<linalg::LinalgOp>();
  if (!Product || !isProduct(Product) || !isInSameLoop(Product, Reader))
    return std::nullopt;
  for (OpOperand *W : Product.getDpsInputOperands())
    if (isConstantExpression(W->get()) && weightAxis(Product, W, Axis))
      return std::make_pair(Product, W);
  return std::nullopt;
}

namespace {

/// conv(x, w) * s == conv(x, w * s)
struct ScaleWeights : OpRewritePattern<linalg::GenericOp> {
  ScaleWeights(MLIRContext *Context, uint64_t &Count)
      : OpRewritePattern(Context), Count(Count) {}

  LogicalResult matchAndRewrite(linalg::GenericOp Op,
                                PatternRewriter &B) const override {
    auto Scale = readChannelOp<arith::MulFOp>(Op.getResult(0));
    if (!Scale)
      return failure();
    auto Found = readScalable(Scale->X, Scale->Axis, Op);
    if (!Found)
      return failure();
    auto [Product, W] = *Found;
    auto Type = cast<RankedTensorType>(W->get().getType());
    Value Empty = tensor::EmptyOp::create(B, Op.getLoc(), Type.getShape(),
                                          Type.getElementType());
    Value Scaled = elementwise<arith::MulFOp>(
        B, Op.getLoc(), {W->get(), Scale->Constant},
        B.getMultiDimIdentityMap(Type.getRank()),
        alongAxis(Scale->Map, *weightAxis(Product, W, Scale->Axis),
                  Type.getRank()),
        Empty);
    // What the factors are made of may stand behind the product.
    Operation *Moved = B.clone(*Product);
    Moved->setOperand(W->getOperandNumber(), Scaled);
    Moved->setLoc(B.getFusedLoc({Product.getLoc(), Op.getLoc()}));
    B.replaceOp(Op, Moved);
    B.eraseOp(Product);
    ++Count;
    return success();
  }

private:
  uint64_t &Count;
};

/// (conv + b) * s == conv * s + b * s
struct ScaleSummand : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp Op,
                                PatternRewriter &B) const override {
    auto Scale = readChannelOp<arith::MulFOp>(Op.getResult(0));
    auto Sum = Scale ? readChannelOp<arith::AddFOp>(Scale->X) : std::nullopt;
    if (!Sum || Sum->Axis != Scale->Axis || !Sum->Op->hasOneUse() ||
        !readScalable(Sum->X, Scale->Axis, Op))
      return failure();
    Location Loc = B.getFusedLoc({Sum->Op.getLoc(), Op.getLoc()});
    Value Summand = combined<arith::MulFOp>(B, Loc, *Sum, *Scale);
    Value Scaled = elementwise<arith::MulFOp>(
        B, Op.getLoc(), {Sum->X, Scale->Constant},
        B.getMultiDimIdentityMap(Scale->Map.getNumDims()), Scale->Map,
        Op.getDpsInits()[0]);
    B.replaceOp(Op, plus(B, Loc, Scaled, Summand, *Scale, Op.getDpsInits()[0]));
    return success();
  }
};

/// (conv + b) + t == conv + (b + t)
struct MergeSummands : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp Op,
                                PatternRewriter &B) const override {
    auto Outer = readChannelOp<arith::AddFOp>(Op.getResult(0));
    auto Inner = Outer ? readChannelOp<arith::AddFOp>(Outer->X) : std::nullopt;
    if (!Inner || Inner->Axis != Outer->Axis || !Inner->Op->hasOneUse() ||
        !readScalable(Inner->X, Outer->Axis, Op))
      return failure();
    Location Loc = B.getFusedLoc({Inner->Op.getLoc(), Op.getLoc()});
    Value Summand = combined<arith::AddFOp>(B, Loc, *Inner, *Outer);
    B.replaceOp(Op,
                plus(B, Loc, Inner->X, Summand, *Outer, Op.getDpsInits()[0]));
    return success();
  }
};

struct FoldBatchNormalization
    : tenon::impl::FoldBatchNormalizationBase<FoldBatchNormalization>,
      CountingPass {
  void runOnOperation() override {
    uint64_t Folded = 0;
    RewritePatternSet Patterns(&getContext());
    Patterns.add<ScaleWeights>(&getContext(), Folded);
    Patterns.add<ScaleSummand, MergeSummands>(&getContext());
    // Who asks for an extent of a tensor is not one who reads it.
    memref::populateResolveRankedShapedTypeResultDimsPatterns(Patterns);
    // Of integers nothing changes: a quantised tensor that nobody reads, or
    // that folding would leave out, is a result of the reference.
    FrozenRewritePatternSet Frozen(std::move(Patterns));
    auto Config =
        GreedyRewriteConfig()
            .setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
            .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    for (bool Changed = true; Changed;) {
      SmallVector<Operation *> Ops;
      getOperation().walk([&](Operation *Op) {
        if (isa<linalg::GenericOp, tensor::DimOp>(Op))
          Ops.push_back(Op);
      });
      if (failed(applyOpPatternsGreedily(Ops, Frozen, Config, &Changed)))
        return signalPassFailure();
    }
    count("batch norms folded", Folded);
  }
};

} // namespace
