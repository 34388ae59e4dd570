//===- Sums.cpp - Add and Sub ---------------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"
#include "Operations.h"
#include "PerChannel.h"
#include "Registry.h"

using namespace mlir;
using namespace tenon::frontend;

/// A constant added to a contraction is its bias.
static LogicalResult addBias(Importer &I, const Node &N, int ConstantIndex) {
  FailureOr<Real> Value = I.real(N, 1 - ConstantIndex);
  if (failed(Value))
    return failure();
  auto *C = std::get_if<Contraction>(&Value->Value);
  Shape Dims = constantShape(*I.input(N, ConstantIndex));
  int64_t Rank = Value->Dims.size();
  if (!C || Value->isClamped() ||
      !isPerChannel(Dims, Rank, C->Win ? 1 : Rank - 1))
    return N.error() << "a constant of " << describe(Dims)
                     << " can be added only to the result of a convolution or "
                        "matrix product, one value an output channel";
  if (failed(refineSteps(N, *C)) ||
      failed(Value->IsInteger ? setIntegerBias(I, N, ConstantIndex, *C)
                              : setRealBias(I, N, ConstantIndex, *C)))
    return failure();
  Value->Places.push_back(N.location());
  return I.define(N, *Value);
}

/// Tensor * Sign + constant * ConstantSign.
static LogicalResult addChannels(Importer &I, const Node &N, int ConstantIndex,
                                 int Sign, int ConstantSign) {
  FailureOr<Quantized> Of = I.quantized(N, 1 - ConstantIndex);
  if (failed(Of))
    return failure();
  FailureOr<int64_t> Axis = channelsFor(I, N, ConstantIndex, Of->Tensor);
  FailureOr<std::vector<double>> Values = I.reals(N, ConstantIndex);
  if (failed(Axis) || failed(Values))
    return failure();
  for (double &Value : *Values)
    Value *= ConstantSign;
  Contraction Sum = withFineBias(*Of, *Axis, Sign);
  if (failed(shift(N, Sum, *Values)))
    return failure();
  Real Result{Sum, Of->Tensor.shape()};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}

/// First + Second * Sign of two tensors, of which one may be a constant of the
/// other's shape.
static LogicalResult addTensors(Importer &I, const Node &N, int Sign) {
  FailureOr<Quantized> A = I.quantized(N, 0);
  if (failed(A))
    return failure();
  FailureOr<Quantized> B = I.quantized(N, 1);
  if (failed(B))
    return failure();
  B->Scale *= Sign;
  FailureOr<Shape> Dims = spread(I, N, *A, *B);
  if (failed(Dims))
    return failure();
  Real Result{Addition{*A, *B}, *Dims};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}

/// Whether input `Index` is a constant that no addend of the other's shape is.
static bool isAddedPerChannel(const Tensor &Constant, const Tensor &Other) {
  const auto *Float = std::get_if<Real>(&Other);
  return isConstant(Constant) && Float && !Float->IsInteger &&
         (std::holds_alternative<TensorData>(Constant) ||
          constantShape(Constant) != Float->Dims);
}

static LogicalResult buildSum(Importer &I, const Node &N, int Sign) {
  const Tensor *Inputs[] = {I.input(N, 0), nullptr};
  if (!Inputs[0] || !(Inputs[1] = I.input(N, 1)))
    return failure();
  for (int Index : {0, 1}) {
    const auto *Other = std::get_if<Real>(Inputs[1 - Index]);
    if (isConstant(*Inputs[Index]) && Other && Sign > 0 &&
        std::holds_alternative<Contraction>(Other->Value))
      return addBias(I, N, Index);
    if (isAddedPerChannel(*Inputs[Index], *Inputs[1 - Index]))
      return addChannels(I, N, Index, Index == 0 ? Sign : 1,
                         Index == 0 ? 1 : Sign);
  }
  return addTensors(I, N, Sign);
}

LogicalResult tenon::frontend::buildAdd(Importer &I, const Node &N) {
  return buildSum(I, N, 1);
}

LogicalResult tenon::frontend::buildSub(Importer &I, const Node &N) {
  return buildSum(I, N, -1);
}
