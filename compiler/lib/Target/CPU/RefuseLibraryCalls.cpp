//===- RefuseLibraryCalls.cpp - Nothing of C's mathematics library --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {

/// Whether every target has instructions for it, or ExpandOperations.cpp has;
/// what the library has is a call by now.
bool hasInstructions(Operation *Op) {
  if (isa<math::FmaOp>(Op))
    return getElementTypeOrSelf(Op->getResult(0)).isF32();
  return isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp,
             math::RoundEvenOp, math::AbsFOp, math::AbsIOp, math::CopySignOp,
             math::SqrtOp, math::RsqrtOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::ClampFOp>(
      Op);
}

struct RefuseLibraryCallsPass
    : PassWrapper<RefuseLibraryCallsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RefuseLibraryCallsPass)

  StringRef getArgument() const override {
    return "tenon-refuse-library-calls";
  }
  StringRef getDescription() const override {
    return "Refuse operations that would call C's mathematics library";
  }
  void runOnOperation() override {
    getOperation().walk([&](Operation *Op) {
      bool IsMath = isa_and_nonnull<math::MathDialect>(Op->getDialect());
      if (!isa<arith::RemFOp>(Op) && (!IsMath || hasInstructions(Op)))
        return;
      Op->emitOpError() << "on " << Op->getResult(0).getType()
                        << " would call C's mathematics library, whose results "
                           "differ from host to host";
      signalPassFailure();
    });
  }
};

} // namespace

std::unique_ptr<Pass> tenon::createRefuseLibraryCallsPass() {
  return std::make_unique<RefuseLibraryCallsPass>();
}
