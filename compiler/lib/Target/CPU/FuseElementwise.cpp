//===- FuseElementwise.cpp - Chains of elementwise operations -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Upstream's fusion, where it computes nothing twice: a value goes into what
// reads it only if each of its elements is read once, by no loop around the
// reader alone, or nothing is computed for it. Constants that are the same for
// every element (zero points) go into bodies, too: vectors have no other place
// for them.
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
#include "tenon/Transforms/Loops.h"
#include "tenon/Transforms/RewriteConfig.h"

using namespace mlir;

/// Whether an operation of `Op`'s body is a call later: loops of such are
/// vectorised where nothing is summed in them.
static bool callsFunctions(linalg::GenericOp Op) {
  return llvm::any_of(*Op.getBody(), [](Operation &Inner) {
    return isa_and_nonnull<math::MathDialect>(Inner.getDialect());
  });
}

/// The last operation with reductions that `V` is the result of or, where
/// `Made`, what an elementwise one makes of it for one reader; null where there
/// is none.
static linalg::LinalgOp sumsOf(Value V, bool Made) {
  auto Op = V.getDefiningOp<linalg::LinalgOp>();
  if (!Op || Op.getNumReductionLoops())
    return Op;
  linalg::LinalgOp Last;
  if (Made && Op->hasOneUse())
    for (Value Input : Op.getDpsInputs())
      if (linalg::LinalgOp Sums = sumsOf(Input, /*Made=*/false);
          Sums && (!Last || Last->getBlock() != Sums->getBlock() ||
                   Last->isBeforeInBlock(Sums)))
        Last = Sums;
  return Last;
}

/// Whether `Op` reads what is made of sums that come later than `Own`.
static bool readsLaterSums(linalg::GenericOp Op, linalg::LinalgOp Own) {
  return llvm::any_of(Op.getDpsInputs(), [&](Value Input) {
    linalg::LinalgOp Other = sumsOf(Input, /*Made=*/true);
    return Other && Other->getBlock() == Own->getBlock() &&
           Own->isBeforeInBlock(Other);
  });
}

/// What reads sums is fused last, when it is known how much of it there is. It
/// stays the epilogue of its own sums where its reader is that of later ones:
/// sums of two operations that are added are rescaled each behind its own.
static bool isWorthwhile(OpOperand *Read, bool IsLast) {
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
  if (!Producer->hasOneUse() || !tenon::isInSameLoop(Producer, Consumer))
    return false;
  if (linalg::LinalgOp Own = sumsOf(Read->get(), /*Made=*/true);
      Own && (!IsLast || readsLaterSums(Consumer, Own)))
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
    for (bool IsLast : {false, true}) {
      RewritePatternSet Patterns(&getContext());
      linalg::populateInlineConstantOperandsPatterns(Patterns);
      linalg::populateElementwiseOpsFusionPatterns(
          Patterns, [=](OpOperand *Read) {
            if (!isWorthwhile(Read, IsLast))
              return false;
            // The pattern's next step is to fuse, at the reader's location.
            Operation *Reader = Read->getOwner();
            Reader->setLoc(FusedLoc::get(
                Reader->getContext(),
                {Read->get().getDefiningOp()->getLoc(), Reader->getLoc()}));
            return true;
          });
      linalg::GenericOp::getCanonicalizationPatterns(Patterns, &getContext());
      linalg::populateEraseUnusedOperandsAndResultsPatterns(Patterns);
      if (failed(applyPatternsGreedily(
              getOperation(), std::move(Patterns),
              tenon::structuredRewrite().setUseTopDownTraversal())))
        return signalPassFailure();
    }
    count("operations fused", Before - Generics());
  }
};
} // namespace

std::unique_ptr<Pass> tenon::createFuseElementwisePass() {
  return std::make_unique<FuseElementwisePass>();
}
