//===- RepeatFirstPixels.cpp - Resizes that begin before the image --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A linear resize may begin before the first pixel, which TOSA repeats there.
// Upstream rounds such places towards zero, and weighs the second pixel with a
// negative part. Here the first row and column are repeated beforehand, so that
// no place is negative.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace {

struct RepeatFirstPixelsPass
    : PassWrapper<RepeatFirstPixelsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RepeatFirstPixelsPass)

  StringRef getArgument() const override { return "tenon-repeat-first-pixels"; }
  StringRef getDescription() const override {
    return "Repeat the first row and column where linear resizes begin before "
           "them";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<tosa::TosaDialect>();
  }
  void runOnOperation() override;
};

} // namespace

/// `Image` with its first element along `Axis` so many times more.
static Value repeated(ImplicitLocOpBuilder &B, Value Image, int64_t Axis,
                      int64_t Times) {
  auto Type = cast<RankedTensorType>(Image.getType());
  SmallVector<int64_t> Dims(Type.getShape()), Start(Dims.size(), 0);
  Dims[Axis] = 1;
  Value First = tosa::SliceOp::create(B, Type.clone(Dims), Image,
                                      tosa::getTosaConstShape(B, Start),
                                      tosa::getTosaConstShape(B, Dims));
  SmallVector<Value> Parts(Times, First);
  Parts.push_back(Image);
  Dims[Axis] = Type.getDimSize(Axis) + Times;
  return tosa::ConcatOp::create(B, Type.clone(Dims), Parts,
                                B.getI32IntegerAttr(Axis));
}

static void repeatFirst(tosa::ResizeOp Op) {
  SmallVector<int64_t> Scale, Offset;
  auto Type = dyn_cast<RankedTensorType>(Op.getInput().getType());
  if (!Type || !Type.hasStaticShape() ||
      !tosa::getConstShapeValues(Op.getScale().getDefiningOp(), Scale) ||
      !tosa::getConstShapeValues(Op.getOffset().getDefiningOp(), Offset))
    return;
  ImplicitLocOpBuilder B(Op.getLoc(), Op);
  Value Image = Op.getInput();
  for (int64_t Axis : {0, 1}) {
    int64_t Parts = Scale[2 * Axis]; // between two pixels
    int64_t Times = Offset[Axis] < 0 ? (Parts - 1 - Offset[Axis]) / Parts : 0;
    Offset[Axis] += Times * Parts;
    if (Times)
      Image = repeated(B, Image, 1 + Axis, Times);
  }
  Op.getInputMutable().assign(Image);
  Op.getOffsetMutable().assign(tosa::getTosaConstShape(B, Offset));
}

void RepeatFirstPixelsPass::runOnOperation() {
  getOperation().walk([](tosa::ResizeOp Op) {
    if (Op.getMode() == tosa::ResizeMode::BILINEAR)
      repeatFirst(Op);
  });
}

std::unique_ptr<Pass> tenon::createRepeatFirstPixelsPass() {
  return std::make_unique<RepeatFirstPixelsPass>();
}
