//===- HostCost.cpp - What operations cost on the host --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "HostCost.h"

#include "Reduction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tenon;

/// What a transcendental function costs.
static constexpr double TranscendentalOperations = 40;

static double extent(int64_t Extent) {
  return ShapedType::isDynamic(Extent) ? UnknownExtent : Extent;
}

static double elements(Type T) {
  auto Shaped = dyn_cast<RankedTensorType>(T);
  double Count = 1;
  if (Shaped)
    for (int64_t Extent : Shaped.getShape())
      Count *= extent(Extent);
  return Count;
}

static bool isTranscendental(Operation *Op) {
  return llvm::isa<tosa::ExpOp, tosa::TanhOp, tosa::SigmoidOp, tosa::ErfOp,
                   tosa::LogOp, tosa::SinOp, tosa::CosOp, tosa::PowOp>(Op) ||
         (llvm::isa_and_nonnull<math::MathDialect>(Op->getDialect()) &&
          !llvm::isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp,
                     math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp,
                     math::RoundEvenOp, math::SqrtOp>(Op));
}

static double operations(Operation *Op);

/// Of an operation's regions, once through.
static double operationsInside(Operation *Op) {
  double Work = 0;
  for (Region &R : Op->getRegions())
    for (Operation &Inner : R.getOps())
      if (!Inner.hasTrait<OpTrait::IsTerminator>())
        Work += operations(&Inner);
  return std::max(Work, 1.0);
}

static double operations(Operation *Op) {
  if (auto Linalg = dyn_cast<linalg::LinalgOp>(Op)) {
    double Work = operationsInside(Op);
    for (int64_t Extent : Linalg.getStaticLoopRanges())
      Work *= extent(Extent);
    return Work;
  }
  if (llvm::isa<LoopLikeOpInterface>(Op))
    return UnknownExtent * operationsInside(Op);
  if (Op->getNumRegions())
    return operationsInside(Op);
  if (auto Insert = dyn_cast<tensor::InsertSliceOp>(Op)) // in place
    return elements(Insert.getSourceType());
  double Work = 0;
  for (Type T : Op->getResultTypes())
    Work = std::max(Work, elements(T));
  // What only looks at a tensor costs nothing of its size.
  if (!llvm::isa<tensor::DimOp, tensor::ExtractOp>(Op))
    for (Value V : Op->getOperands())
      if (!isConstant(V))
        Work = std::max(Work, elements(V.getType()));
  if (isTranscendental(Op))
    Work *= TranscendentalOperations;
  if (auto Product = dyn_cast<tosa::MatMulOp>(Op))
    return elements(Product.getType()) *
           extent(cast<ShapedType>(Product.getA().getType()).getShape().back());
  // A product with weights costs each output every weight of its channel.
  if (llvm::isa<tosa::Conv2DOp, tosa::DepthwiseConv2DOp>(Op)) {
    auto Result = dyn_cast<RankedTensorType>(Op->getResult(0).getType());
    if (Result && llvm::isa<RankedTensorType>(Op->getOperand(1).getType()))
      Work = elements(Result) * elements(Op->getOperand(1).getType()) /
             std::max(1.0, extent(Result.getShape().back()));
  }
  return Work;
}

bool tenon::hasOpenDimensions(Block &Body) {
  auto IsOpen = [](Type T) {
    auto Shaped = dyn_cast<ShapedType>(T);
    return Shaped && !Shaped.hasStaticShape();
  };
  return llvm::any_of(Body.getArgumentTypes(), IsOpen) ||
         llvm::any_of(Body, [&](Operation &Op) {
           return llvm::any_of(Op.getResultTypes(), IsOpen);
         });
}

double tenon::hostMilliseconds(Operation *Op, const HostSpeed &Host) {
  return operations(Op) / Host.OperationsPerMs;
}

double tenon::moveMilliseconds(int64_t Elements, const HostSpeed &Host) {
  return Elements / Host.PackedBytesPerMs;
}
