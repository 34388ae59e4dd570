//===- PadPointwise.cpp - Pads of depthwise convolutions of one point -----===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Upstream turns a depthwise convolution whose kernel is one point into a
// product, and gives the pads of a quantised one the wrong type. Here they
// become an operation of their own, which pads by the input's zero point.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace {

struct PadPointwisePass
    : PassWrapper<PadPointwisePass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PadPointwisePass)

  StringRef getArgument() const override { return "tenon-pad-pointwise"; }
  StringRef getDescription() const override {
    return "Pad the inputs of depthwise convolutions of one point beforehand";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<tosa::TosaDialect>();
  }
  void runOnOperation() override;
};

} // namespace

static bool isPaddedPoint(tosa::DepthwiseConv2DOp Op) {
  auto Weights = cast<ShapedType>(Op.getWeight().getType());
  return Weights.hasRank() && Weights.getDimSize(0) == 1 &&
         Weights.getDimSize(1) == 1 &&
         llvm::any_of(Op.getPad(), [](int64_t Pad) { return Pad != 0; });
}

static void padBefore(tosa::DepthwiseConv2DOp Op) {
  ImplicitLocOpBuilder B(Op.getLoc(), Op);
  ArrayRef<int64_t> Pad = Op.getPad(); // top, bottom, left, right
  auto Type = cast<RankedTensorType>(Op.getInput().getType());
  SmallVector<int64_t> Dims(Type.getShape());
  for (int64_t Axis : {1, 2})
    if (!ShapedType::isDynamic(Dims[Axis]))
      Dims[Axis] += Pad[2 * Axis - 2] + Pad[2 * Axis - 1];
  Value Pads =
      tosa::getTosaConstShape(B, {0, 0, Pad[0], Pad[1], Pad[2], Pad[3], 0, 0});
  Op.getInputMutable().assign(tosa::PadOp::create(
      B, Op.getLoc(), Type.clone(Dims), Op.getInput(), Pads, Op.getInputZp()));
  Op.setPad({0, 0, 0, 0});
}

void PadPointwisePass::runOnOperation() {
  getOperation().walk([](tosa::DepthwiseConv2DOp Op) {
    if (isPaddedPoint(Op) && isa<RankedTensorType>(Op.getInput().getType()))
      padBefore(Op);
  });
}

std::unique_ptr<Pass> tenon::createPadPointwisePass() {
  return std::make_unique<PadPointwisePass>();
}
