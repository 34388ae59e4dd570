//===- ChooseByBranch.cpp - One of two tensors of open extents ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A branch that only chooses between two tensors is canonicalised to a select,
// which upstream then takes for an elementwise operation: it has the extents of
// the first tensor, and reads as many elements of the second one. Extents that
// are open may differ, so that such a select becomes a branch again.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace {

struct ChooseByBranchPass
    : PassWrapper<ChooseByBranchPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChooseByBranchPass)

  StringRef getArgument() const override { return "tenon-choose-by-branch"; }
  StringRef getDescription() const override {
    return "Choose between tensors of open extents by a branch";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<scf::SCFDialect>();
  }
  void runOnOperation() override;
};

} // namespace

/// One condition for tensors that may have different extents.
static bool isChoice(arith::SelectOp Op) {
  auto Tensor = dyn_cast<RankedTensorType>(Op.getType());
  return Tensor && !Tensor.hasStaticShape() &&
         Op.getCondition().getType().isInteger(1);
}

void ChooseByBranchPass::runOnOperation() {
  getOperation().walk([](arith::SelectOp Op) {
    if (!isChoice(Op))
      return;
    OpBuilder B(Op);
    auto Yields = [](Value Of) {
      return [Of](OpBuilder &Body, Location Loc) {
        scf::YieldOp::create(Body, Loc, Of);
      };
    };
    auto If = scf::IfOp::create(B, Op.getLoc(), Op.getCondition(),
                                Yields(Op.getTrueValue()),
                                Yields(Op.getFalseValue()));
    Op.replaceAllUsesWith(If);
    Op.erase();
  });
}

std::unique_ptr<Pass> tenon::createChooseByBranchPass() {
  return std::make_unique<ChooseByBranchPass>();
}
