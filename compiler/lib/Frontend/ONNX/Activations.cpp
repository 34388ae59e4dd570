//===- Activations.cpp - LeakyRelu, HardSigmoid, HardSwish ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Activations that sums, products and clamps make.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "PerChannel.h"
#include "Registry.h"

using namespace mlir;
using namespace tenon::frontend;

/// max(0, min(1, Alpha * x + Beta)) of input 0, which is a layer's sum or was
/// dequantised.
static FailureOr<Real> hardSigmoid(Importer &I, const Node &N, double Alpha,
                                   double Beta) {
  if (!(Alpha > 0) || !std::isfinite(Alpha))
    return N.error() << "alpha is " << Alpha << ", expected a positive number";
  FailureOr<Real> Result = I.real(N, 0);
  if (failed(Result))
    return failure();
  if (!std::holds_alternative<Contraction>(Result->Value) ||
      Result->isClamped() || Result->IsInteger) {
    FailureOr<Quantized> Of = I.quantized(N, 0);
    if (failed(Of))
      return failure();
    if (Of->Tensor.Axes.empty())
      return N.error() << "its input is a scalar, expected a tensor with "
                          "channels";
    Result->Value = withFineBias(*Of, anyChannels(Of->Tensor), 1);
  }
  auto &Sum = std::get<Contraction>(Result->Value);
  for (double &Scale : Sum.Scales)
    Scale *= Alpha;
  if (failed(refineSteps(N, Sum)) || failed(shift(N, Sum, {Beta})))
    return failure();
  Result->Low = 0;
  Result->High = 1;
  Result->Places.push_back(N.location());
  return Result;
}

LogicalResult tenon::frontend::buildHardSigmoid(Importer &I, const Node &N) {
  auto Alpha = N.real("alpha", 0.2f), Beta = N.real("beta", 0.5);
  if (failed(Alpha) || failed(Beta))
    return failure();
  FailureOr<Real> Result = hardSigmoid(I, N, *Alpha, *Beta);
  return failed(Result) ? failure() : I.define(N, *Result);
}

/// x * HardSigmoid(x), the second with as fine steps as 8 bits have: half of
/// one is less than half of the product's.
LogicalResult tenon::frontend::buildHardSwish(Importer &I, const Node &N) {
  constexpr double Alpha = 1.0 / 6, Beta = 0.5;
  FailureOr<Quantized> Of = I.quantized(N, 0);
  if (failed(Of))
    return failure();
  FailureOr<Real> Sigmoid = hardSigmoid(I, N, Alpha, Beta);
  if (failed(Sigmoid))
    return failure();
  double Largest = Alpha * Of->Scale * double(INT8_MAX - Of->ZeroPoint) + Beta;
  QuantizedType Type{std::min(Largest, 1.0) / (INT8_MAX - INT8_MIN), INT8_MIN,
                     /*IsUnsigned=*/false};
  FailureOr<Stored> Gate = I.integersOf(N, *Sigmoid, Type, /*Name=*/"");
  if (failed(Gate))
    return failure();
  Real Result{Multiplication{*Of, {*Gate, Type.Scale, Type.ZeroPoint}},
              Of->Tensor.shape()};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}

/// alpha * x + (1 - alpha) * max(x, 0).
LogicalResult tenon::frontend::buildLeakyRelu(Importer &I, const Node &N) {
  auto Alpha = N.real("alpha", 0.01f);
  FailureOr<Quantized> Of = I.quantized(N, 0);
  if (failed(Alpha) || failed(Of))
    return failure();
  Quantized Positive = *Of, All = *Of;
  Positive.Tensor.Value =
      I.Emit.clamped(Of->Tensor.Value, Of->ZeroPoint, INT8_MAX);
  Positive.Scale *= 1 - *Alpha;
  All.Scale *= *Alpha;
  Real Result{Addition{Positive, All}, Of->Tensor.shape()};
  if (*Alpha == 0 || *Alpha == 1)
    Result.Value = *Alpha == 0 ? Positive : All;
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}
