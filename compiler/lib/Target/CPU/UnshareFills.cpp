//===- UnshareFills.cpp - A constant tensor for each who overwrites it ----===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Common subexpressions are computed once: a tensor of zeros that many products
// begin with would be alive through the whole network, to be copied for each of
// them. Filling costs no more than a copy.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace {

struct UnshareFillsPass
    : PassWrapper<UnshareFillsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnshareFillsPass)

  StringRef getArgument() const override { return "tenon-unshare-fills"; }
  StringRef getDescription() const override {
    return "Fill a tensor for each operation that overwrites it";
  }
  void runOnOperation() override {
    SmallVector<linalg::FillOp> Fills;
    getOperation().walk([&](linalg::FillOp Fill) { Fills.push_back(Fill); });
    for (linalg::FillOp Fill : Fills)
      unshare(Fill);
  }

private:
  static void unshare(linalg::FillOp Fill);
};

} // namespace

static bool isOverwritten(OpOperand &Use) {
  auto Style = dyn_cast<DestinationStyleOpInterface>(Use.getOwner());
  return Style && Style.isDpsInit(&Use);
}

void UnshareFillsPass::unshare(linalg::FillOp Fill) {
  if (Fill.getNumResults() != 1)
    return;
  Value Filled = Fill->getResult(0);
  for (OpOperand &Use : llvm::make_early_inc_range(Filled.getUses())) {
    if (Filled.hasOneUse())
      return;
    if (!isOverwritten(Use))
      continue;
    OpBuilder B(Use.getOwner());
    Use.set(B.clone(*Fill)->getResult(0));
  }
}

std::unique_ptr<Pass> tenon::createUnshareFillsPass() {
  return std::make_unique<UnshareFillsPass>();
}
