//===- HostCost.cpp - What operations cost on the host --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "HostCost.h"

#include "Reduction.h"
#include "tenon/Scheduling/HostSpeed.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace tenon;

/// What a transcendental function costs.
static constexpr double TranscendentalOperations = 40;

static int64_t elements(Type T) {
  auto Shaped = dyn_cast<ShapedType>(T);
  return Shaped && Shaped.hasStaticShape() ? Shaped.getNumElements() : 1;
}

double tenon::hostMilliseconds(Operation *Op) {
  double Work = 0;
  for (Type T : Op->getResultTypes())
    Work = std::max<double>(Work, elements(T));
  for (Value V : Op->getOperands())
    if (!isConstant(V))
      Work = std::max<double>(Work, elements(V.getType()));
  if (llvm::isa<tosa::ExpOp, tosa::TanhOp, tosa::SigmoidOp, tosa::ErfOp,
                tosa::LogOp, tosa::SinOp, tosa::CosOp, tosa::PowOp>(Op))
    Work *= TranscendentalOperations;
  // A product with weights costs each output every weight of its channel.
  if (llvm::isa<tosa::Conv2DOp, tosa::DepthwiseConv2DOp, tosa::MatMulOp>(Op))
    if (auto Weights =
            dyn_cast<RankedTensorType>(Op->getOperand(1).getType())) {
      auto Result = cast<RankedTensorType>(Op->getResult(0).getType());
      Work = double(Result.getNumElements()) * Weights.getNumElements() /
             std::max<int64_t>(1, Result.getShape().back());
    }
  return Work / HostOperationsPerMs;
}

double tenon::moveMilliseconds(int64_t Elements) {
  return Elements / PackBytesPerMs;
}
