//===- Softmax.cpp - Softmax in float32 -----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Registry.h"

using namespace mlir;
using namespace tenon::frontend;

/// exp(x - max) / sum along `Axis` of the value.
static Value softmax(Emitter &Emit, Value X, int64_t Axis) {
  auto Type = cast<RankedTensorType>(X.getType());
  SmallVector<int64_t> Dims(Type.getShape());
  Dims[Axis] = 1;
  RankedTensorType Reduced = Emit.type(Dims, Emit.f32());
  Value Largest = Emit.create<tosa::ReduceMaxOp>(Reduced, X, uint32_t(Axis));
  Value Shifted = Emit.create<tosa::SubOp>(Type, X, Largest);
  Value Powers = Emit.create<tosa::ExpOp>(Type, Shifted);
  Value Sum = Emit.create<tosa::ReduceSumOp>(Reduced, Powers, uint32_t(Axis));
  Value Inverse = Emit.create<tosa::ReciprocalOp>(Reduced, Sum);
  return Emit.multiplied(Powers, Inverse);
}

/// The float values behind input 0, in ONNX order.
static FailureOr<Stored> values(Importer &I, const Node &N) {
  FailureOr<Real> Input = I.real(N, 0);
  if (failed(Input))
    return failure();
  Stored Held;
  const auto *Float = std::get_if<Computed>(&Input->Value);
  if (Float && !Input->isClamped()) {
    Held = Float->Tensor;
  } else {
    FailureOr<Quantized> Q = I.quantized(N, 0);
    if (failed(Q))
      return failure();
    Held = I.dequantized(*Q).Tensor;
  }
  int64_t Rank = Held.Axes.size();
  Held.Value = I.Emit.permuted(Held, identityOrder(Rank));
  Held.Axes = identityOrder(Rank);
  return Held;
}

static LogicalResult defineResult(Importer &I, const Node &N,
                                  const Stored &Held) {
  Real Result{Computed{Held}, Held.shape()};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}

LogicalResult tenon::frontend::buildSoftmax(Importer &I, const Node &N) {
  auto Listed = N.integer("axis", -1);
  FailureOr<Stored> Held = values(I, N);
  if (failed(Listed) || failed(Held))
    return failure();
  FailureOr<int64_t> Axis = normalizedAxis(N, *Listed, Held->Axes.size());
  if (failed(Axis))
    return failure();
  Held->Value = softmax(I.Emit, Held->Value, *Axis);
  return defineResult(I, N, *Held);
}
