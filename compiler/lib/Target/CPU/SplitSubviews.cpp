//===- SplitSubviews.cpp - First the step, then the lower rank ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Upstream tells the dimensions that a subview drops by the strides of what it
// is a view of (memref::SubViewOp::getDroppedDims). One with steps has others,
// and where the extents alone do not tell, upstream ends the process. Here it
// becomes two, of which the second has no steps.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace {

struct SplitSubviewsPass
    : PassWrapper<SplitSubviewsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitSubviewsPass)

  StringRef getArgument() const override { return "tenon-split-subviews"; }
  StringRef getDescription() const override {
    return "Make two subviews of one that has steps and drops dimensions";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<memref::MemRefDialect>();
  }
  void runOnOperation() override;
};

} // namespace

static bool hasSteps(memref::SubViewOp View) {
  return llvm::any_of(View.getMixedStrides(), [](OpFoldResult Stride) {
    return !isConstantIntValue(Stride, 1);
  });
}

static void split(memref::SubViewOp View) {
  OpBuilder B(View);
  auto Stepped = memref::SubViewOp::create(
      B, View.getLoc(), View.getSource(), View.getMixedOffsets(),
      View.getMixedSizes(), View.getMixedStrides());
  const size_t Rank = View.getMixedSizes().size();
  const SmallVector<OpFoldResult> Zeros(Rank, B.getIndexAttr(0));
  const SmallVector<OpFoldResult> Ones(Rank, B.getIndexAttr(1));
  View.replaceAllUsesWith(
      memref::SubViewOp::create(B, View.getLoc(), View.getType(), Stepped,
                                Zeros, View.getMixedSizes(), Ones)
          .getResult());
  View.erase();
}

void SplitSubviewsPass::runOnOperation() {
  SmallVector<memref::SubViewOp> Found;
  getOperation().walk([&](memref::SubViewOp View) {
    if (View.getType().getRank() < View.getSourceType().getRank() &&
        hasSteps(View))
      Found.push_back(View);
  });
  llvm::for_each(Found, split);
}

std::unique_ptr<Pass> tenon::createSplitSubviewsPass() {
  return std::make_unique<SplitSubviewsPass>();
}
