//===- FuseElementwise.cpp - Chains of elementwise operations -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Upstream's fusion, where it computes nothing twice: a value goes into what
// reads it only if each of its elements is read once, or nothing is computed
// for it. Constants that are the same for every element (zero points) go into
// bodies, too: vectors have no other place for them.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tenon/Transforms/CountingPass.h"
#include "tenon/Transforms/RewriteConfig.h"

using namespace mlir;

/// Whether an operation of `Op`'s body is a call later: loops of such are
/// vectorised where nothing is summed in them.
static bool callsFunctions(linalg::GenericOp Op) {
  return llvm::any_of(*Op.getBody(), [](Operation &Inner) {
    return isa_and_nonnull<math::MathDialect>(Inner.getDialect());
  });
}

static bool isWorthwhile(OpOperand *Read) {
  auto Producer = Read->get().getDefiningOp<linalg::GenericOp>();
  auto Consumer = dyn_cast<linalg::GenericOp>(Read->getOwner());
  if (!Producer || !Consumer)
    return false;
  // What no registers hold is written to memory one way or the other, and every
  // fusion copies the body: a chain of n takes n * n steps.
  constexpr size_t Most = 64;
  if (Producer.getBody()->getOperations().size() +
          Consumer.getBody()->getOperations().size() >
      Most)
    return false;
  if (Producer.getBody()->without_terminator().empty())
    return true;
  if (!Producer->hasOneUse())
    return false;
  AffineMap Map = Consumer.getMatchingIndexingMap(Read);
  bool ReadsOnce = Map.isPermutation();
  bool Sums = Consumer.getNumReductionLoops();
  return ReadsOnce && !(Sums && callsFunctions(Producer));
}

/// Whether a number is an operand beside the arrays: products of quantised
/// arrays have their zero points there.
static bool readsNumbers(linalg::LinalgOp Op) {
  return llvm::any_of(Op.getDpsInputs(), [](Value V) {
    return !llvm::isa<ShapedType>(V.getType());
  });
}

namespace {
struct FuseElementwisePass
    : PassWrapper<FuseElementwisePass, OperationPass<func::FuncOp>>,
      tenon::CountingPass {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseElementwisePass)

  StringRef getArgument() const override { return "tenon-fuse-elementwise"; }
  StringRef getDescription() const override {
    return "Fuse elementwise operations where nothing is computed twice";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<affine::AffineDialect, linalg::LinalgDialect>();
  }
  void runOnOperation() override {
    auto Generics = [&] {
      uint64_t Number = 0;
      getOperation().walk([&](linalg::GenericOp) { ++Number; });
      return Number;
    };
    uint64_t Before = Generics();
    IRRewriter Rewriter(&getContext());
    getOperation().walk([&](linalg::LinalgOp Op) {
      Rewriter.setInsertionPoint(Op);
      if (!llvm::isa<linalg::GenericOp, linalg::FillOp>(Op) && readsNumbers(Op))
        (void)linalg::generalizeNamedOp(Rewriter, Op);
    });
    RewritePatternSet Patterns(&getContext());
    linalg::populateInlineConstantOperandsPatterns(Patterns);
    linalg::populateElementwiseOpsFusionPatterns(Patterns, isWorthwhile);
    linalg::GenericOp::getCanonicalizationPatterns(Patterns, &getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(Patterns);
    if (failed(applyPatternsGreedily(
            getOperation(), std::move(Patterns),
            tenon::structuredRewrite().setUseTopDownTraversal())))
      return signalPassFailure();
    count("operations fused", Before - Generics());
  }
};
} // namespace

std::unique_ptr<Pass> tenon::createFuseElementwisePass() {
  return std::make_unique<FuseElementwisePass>();
}
