//===- UnshareDestinations.cpp - One tensor for each who overwrites it ----===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Common subexpressions are computed once: a tensor of zeros that many products
// begin with would be alive through the whole network, to be copied for each of
// them. Filling costs no more than a copy. One that is empty ties all that is
// written to it together, and bufferisation compares each of them with each.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace {

struct UnshareDestinationsPass
    : PassWrapper<UnshareDestinationsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnshareDestinationsPass)

  StringRef getArgument() const override {
    return "tenon-unshare-destinations";
  }
  StringRef getDescription() const override {
    return "Make a tensor for each operation that overwrites one";
  }
  void runOnOperation() override {
    // A copy of a fill is another that writes to what the fill wrote to.
    unshare<linalg::FillOp>();
    unshare<tensor::EmptyOp>();
  }

private:
  template <typename Source> void unshare();
};

} // namespace

static bool isOverwritten(OpOperand &Use) {
  auto Style = dyn_cast<DestinationStyleOpInterface>(Use.getOwner());
  return Style && Style.isDpsInit(&Use);
}

static void unshareOne(Operation *Source) {
  if (Source->getNumResults() != 1)
    return;
  Value Made = Source->getResult(0);
  for (OpOperand &Use : llvm::make_early_inc_range(Made.getUses())) {
    if (Made.hasOneUse())
      return;
    if (!isOverwritten(Use))
      continue;
    OpBuilder B(Use.getOwner());
    Use.set(B.clone(*Source)->getResult(0));
  }
}

template <typename Source> void UnshareDestinationsPass::unshare() {
  SmallVector<Operation *> Sources;
  getOperation().walk([&](Source Op) { Sources.push_back(Op); });
  llvm::for_each(Sources, unshareOne);
}

std::unique_ptr<Pass> tenon::createUnshareDestinationsPass() {
  return std::make_unique<UnshareDestinationsPass>();
}
