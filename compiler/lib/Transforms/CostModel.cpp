//===- CostModel.cpp - What a layer costs, here and there -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Estimates to place layers with, not to report: the accelerator's cycles are
// the bound of an ideal schedule, the host is an embedded core that runs
// compiled scalar code.
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"

#include "Reduction.h"
#include "tenon/Transforms/HostSpeed.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tenon;

/// What a transcendental function costs.
static constexpr double TranscendentalOperations = 40;
/// A launch with its two cache flushes.
static constexpr double LaunchMs = 0.05;

static int64_t product(ArrayRef<int64_t> Values) {
  int64_t P = 1;
  for (int64_t V : Values)
    P *= V;
  return P;
}

int64_t tenon::acceleratorCycles(const Layer &L, const isa::Configuration &C) {
  int64_t Vectors =
      llvm::divideCeil(L.ResultShape[0] * L.ResultShape[1] * L.ResultShape[2],
                       C.batch()) *
      llvm::divideCeil(L.channels(), C.block_out());
  int64_t Window = product(L.Kernel);
  int64_t Passes =
      llvm::divideCeil(uint64_t(C.batch()) * C.block_out(), C.alu_lanes());
  // A QUANT is one pass, or with an addition three; wider products are slower.
  int64_t Alu = Vectors * Passes * C.alu_multiply_cycles() * (L.Add ? 3 : 1);
  int64_t Gemm = 0;
  if (L.Kind == LayerKind::Contract)
    Gemm = Vectors * Window * llvm::divideCeil(L.InputShape[3], C.block_in());
  else if (L.Kind != LayerKind::Concat)
    Alu += Vectors * Window * Passes;
  int64_t BeatBytes = C.bus_bits() / 8;
  int64_t Read = product(L.InputShape) + L.Weights.size() +
                 (L.Residual ? product(L.ResultShape) : 0) + 9 * L.channels();
  return std::max({Gemm, Alu, Read / BeatBytes,
                   product(L.ResultShape) / BeatBytes, int64_t(1)});
}

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

double tenon::crossingMilliseconds(const Layer &L) {
  double Bytes = product(L.InputShape) + product(L.ResultShape) +
                 (L.Residual ? product(L.ResultShape) : 0);
  return LaunchMs + Bytes / PackBytesPerMs;
}
