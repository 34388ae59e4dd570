//===- Elementwise.cpp - Add, Mul, Cast, Relu, Clip -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"
#include "ElementTypes.h"
#include "Registry.h"

using namespace mlir;
using namespace tenon::frontend;

static bool isConstant(const Tensor &Value) {
  return std::holds_alternative<TensorData>(Value) ||
         std::holds_alternative<RealConstant>(Value);
}

static Shape constantShape(const Tensor &Value) {
  if (const auto *Plain = std::get_if<TensorData>(&Value))
    return Shape(Plain->shape());
  return Shape(std::get<RealConstant>(Value).Integers.shape());
}

//===----------------------------------------------------------------------===//
// Add
//===----------------------------------------------------------------------===//

/// Whether a constant of `Dims` has at most one value an output channel of a
/// result with `Rank` axes.
static bool isPerChannel(ArrayRef<int64_t> Dims, int64_t Rank,
                         int64_t ChannelAxis) {
  if (int64_t(Dims.size()) > Rank)
    return false;
  int64_t First = Rank - Dims.size();
  for (auto [Axis, Dim] : llvm::enumerate(Dims))
    if (Dim != 1 && First + int64_t(Axis) != ChannelAxis)
      return false;
  return true;
}

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
  if (failed(Value->IsInteger ? setIntegerBias(I, N, ConstantIndex, *C)
                              : setRealBias(I, N, ConstantIndex, *C)))
    return failure();
  Value->Places.push_back(N.location());
  return I.define(N, *Value);
}

LogicalResult tenon::frontend::buildAdd(Importer &I, const Node &N) {
  const Tensor *First = I.input(N, 0);
  const Tensor *Second = First ? I.input(N, 1) : nullptr;
  if (!Second)
    return failure();
  for (int Index : {0, 1}) {
    const auto *Other = std::get_if<Real>(Index ? First : Second);
    if (isConstant(Index ? *Second : *First) && Other &&
        std::holds_alternative<Contraction>(Other->Value))
      return addBias(I, N, Index);
  }
  FailureOr<Quantized> A = I.quantized(N, 0);
  if (failed(A))
    return failure();
  FailureOr<Quantized> B = I.quantized(N, 1);
  if (failed(B))
    return failure();
  Shape DimsA = A->Tensor.shape(), DimsB = B->Tensor.shape();
  if (DimsA != DimsB)
    return N.error() << "its inputs are of " << describe(DimsA) << " and "
                     << describe(DimsB)
                     << "; broadcasting a quantised addition is not supported";
  Real Result{Addition{*A, *B}, DimsA};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}

//===----------------------------------------------------------------------===//
// Mul and Cast: the steps from an integer product to reals
//===----------------------------------------------------------------------===//

LogicalResult tenon::frontend::buildMul(Importer &I, const Node &N) {
  const Tensor *First = I.input(N, 0);
  const Tensor *Second = First ? I.input(N, 1) : nullptr;
  if (!Second)
    return failure();
  int Index = isConstant(*First) ? 0 : 1;
  if (!isConstant(Index ? *Second : *First))
    return N.error() << "a product of two activations is not supported";
  FailureOr<Real> Value = I.real(N, 1 - Index);
  if (failed(Value))
    return failure();
  FailureOr<std::vector<double>> Factors = I.scales(N, Index);
  if (failed(Factors))
    return failure();
  auto *C = std::get_if<Contraction>(&Value->Value);
  auto *Q = std::get_if<Quantized>(&Value->Value);
  int64_t Rank = Value->Dims.size();
  Shape Dims = constantShape(Index ? *Second : *First);
  bool Fits =
      C ? (Factors->size() == 1 || Factors->size() == C->Scales.size()) &&
              isPerChannel(Dims, Rank, C->Win ? 1 : Rank - 1)
        : Factors->size() == 1 && int64_t(Dims.size()) <= Rank;
  if ((!C && !Q) || !Fits || Value->isClamped() || Value->IsInteger)
    return N.error() << "a factor of " << describe(Dims)
                     << " can scale only a dequantised tensor (one value) or "
                        "the float result of a convolution or matrix product "
                        "(one value, or one an output channel)";
  if (Q)
    Q->Scale *= Factors->front();
  else
    for (auto [Channel, Scale] : llvm::enumerate(C->Scales))
      Scale *= (*Factors)[Factors->size() == 1 ? 0 : Channel];
  Value->Places.push_back(N.location());
  return I.define(N, *Value);
}

LogicalResult tenon::frontend::buildCast(Importer &I, const Node &N) {
  auto To = N.integer("to", 0);
  const Tensor *Input = I.input(N, 0);
  if (failed(To) || !Input)
    return failure();
  if (elementType(N.op().getContext(), *To) != I.Emit.f32())
    return N.error() << "a cast to " << describeElement(*To)
                     << " is not supported, only to FLOAT";
  if (const auto *Held = std::get_if<Stored>(Input))
    return I.define(N, Real{Quantized{*Held, 1.0, Held->IsUnsigned ? -128 : 0},
                            Held->shape()});
  FailureOr<Real> Value = I.real(N, 0);
  if (failed(Value))
    return failure();
  Value->IsInteger = false;
  Value->Places.push_back(N.location());
  return I.define(N, *Value);
}

//===----------------------------------------------------------------------===//
// Relu and Clip
//===----------------------------------------------------------------------===//

/// min(max(input, Low), High), on top of the input's own bounds.
static LogicalResult clamp(Importer &I, const Node &N, double Low,
                           double High) {
  FailureOr<Real> Value = I.real(N, 0);
  if (failed(Value))
    return failure();
  if (Value->IsInteger)
    return N.error() << "input 0 ('" << N.inputName(0)
                     << "') is an INT32 tensor";
  if (std::isnan(Low) || std::isnan(High))
    return N.error() << "a bound is not a number";
  Value->Low = std::min(std::max(Value->Low, Low), High);
  Value->High = std::min(std::max(Value->High, Low), High);
  Value->Places.push_back(N.location());
  return I.define(N, *Value);
}

LogicalResult tenon::frontend::buildRelu(Importer &I, const Node &N) {
  return clamp(I, N, 0, HUGE_VAL);
}

/// The optional scalar at input `Index`.
static FailureOr<double> bound(Importer &I, const Node &N, int Index,
                               double Default) {
  if (!N.hasInput(Index))
    return Default;
  FailureOr<std::vector<double>> Values = I.reals(N, Index);
  if (failed(Values))
    return failure();
  if (Values->size() != 1)
    return N.error() << "the bound '" << N.inputName(Index) << "' has "
                     << Values->size() << " values, expected one";
  return Values->front();
}

LogicalResult tenon::frontend::buildClip(Importer &I, const Node &N) {
  auto Low = bound(I, N, 1, -HUGE_VAL);
  auto High = bound(I, N, 2, HUGE_VAL);
  if (failed(Low) || failed(High))
    return failure();
  return clamp(I, N, *Low, *High);
}
