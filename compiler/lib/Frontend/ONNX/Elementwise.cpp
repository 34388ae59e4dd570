//===- Elementwise.cpp - Cast and clamps ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "PerChannel.h"
#include "Registry.h"
#include "tenon/Frontend/ONNX/CheckSchemas.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::frontend;

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
// Clamps: Relu, Clip, and Max and Min with constants
//===----------------------------------------------------------------------===//

namespace {

/// min(max(x, Low), High).
struct Bounds {
  double Low = -HUGE_VAL;
  double High = HUGE_VAL;
};

} // namespace

/// Null where an input is absent.
static Type elementOf(Importer &I, const Tensor *Input) {
  if (!Input)
    return Type();
  if (const auto *Held = std::get_if<Stored>(Input))
    return I.Emit.byte(Held->IsUnsigned);
  if (const auto *Plain = std::get_if<TensorData>(Input))
    return Plain->elementType();
  const auto *Float = std::get_if<Real>(Input);
  return Float && Float->IsInteger ? I.Emit.i32() : I.Emit.f32();
}

/// Bounds are read as numbers: that they are of the tensor's type is not seen
/// from them.
static LogicalResult checkBoundTypes(Importer &I, const Node &N) {
  SmallVector<Type> Elements;
  for (int Index = 0; Index < N.inputCount(); ++Index)
    Elements.push_back(
        elementOf(I, N.hasInput(Index) ? I.input(N, Index) : nullptr));
  return checkElements(N, Elements);
}

/// Of quantised integers: in their own steps, whatever they stand for.
static LogicalResult clampIntegers(Importer &I, const Node &N, Stored Held,
                                   Bounds To) {
  double Offset = Held.IsUnsigned ? -128 : 0;
  auto HeldBound = [&](double Bound) {
    return int64_t(std::clamp<double>(Bound + Offset, INT8_MIN, INT8_MAX));
  };
  int64_t High = HeldBound(To.High);
  int64_t Low = std::min(HeldBound(To.Low), High);
  Held.Value = I.Emit.clamped(Held.Value, Low, High);
  I.mark(Held, N.outputName(0), Held.shape());
  return I.define(N, Held);
}

/// Input `Index`, on top of its own bounds.
static LogicalResult clamp(Importer &I, const Node &N, int Index, Bounds To) {
  const Tensor *Input = I.input(N, Index);
  if (!Input || failed(checkBoundTypes(I, N)))
    return failure();
  if (std::isnan(To.Low) || std::isnan(To.High))
    return N.error() << "a bound is not a number";
  if (const auto *Held = std::get_if<Stored>(Input))
    return clampIntegers(I, N, *Held, To);
  FailureOr<Real> Value = I.real(N, Index);
  if (failed(Value))
    return failure();
  if (Value->IsInteger)
    return N.error() << "input " << Index << " ('" << N.inputName(Index)
                     << "') is an INT32 tensor";
  Value->Low = std::min(std::max(Value->Low, To.Low), To.High);
  Value->High = std::min(std::max(Value->High, To.Low), To.High);
  Value->Places.push_back(N.location());
  return I.define(N, *Value);
}

LogicalResult tenon::frontend::buildRelu(Importer &I, const Node &N) {
  return clamp(I, N, 0, {0, HUGE_VAL});
}

/// The one value of the constant at input `Index`.
static FailureOr<double> bound(Importer &I, const Node &N, int Index) {
  const Tensor *Input = I.input(N, Index);
  if (!Input)
    return failure();
  std::vector<double> Values;
  const auto *Plain = std::get_if<TensorData>(Input);
  if (Plain && Plain->isInteger()) {
    for (int64_t At = 0; At < Plain->size(); ++At)
      Values.push_back(Plain->integer(At));
  } else {
    FailureOr<std::vector<double>> Reals = I.reals(N, Index);
    if (failed(Reals))
      return failure();
    Values = *Reals;
  }
  if (Values.size() != 1)
    return N.error() << "the bound '" << N.inputName(Index) << "' has "
                     << Values.size() << " values, expected one";
  return Values.front();
}

LogicalResult tenon::frontend::buildClip(Importer &I, const Node &N) {
  Bounds To;
  for (auto [Index, Bound] : {std::pair(1, &To.Low), std::pair(2, &To.High)}) {
    if (!N.hasInput(Index))
      continue;
    FailureOr<double> Given = bound(I, N, Index);
    if (failed(Given))
      return failure();
    *Bound = *Given;
  }
  return clamp(I, N, 0, To);
}

/// Max and Min of one activation and of constants with one value each.
static LogicalResult clampByConstants(Importer &I, const Node &N,
                                      bool FromBelow) {
  Bounds To;
  std::optional<int> Activation;
  size_t Rank = 0;
  for (int Index = 0; Index < N.inputCount(); ++Index) {
    const Tensor *Input = I.input(N, Index);
    if (!Input)
      return failure();
    if (!isConstant(*Input)) {
      if (Activation)
        return N.error() << "its inputs " << *Activation << " and " << Index
                         << " are both computed: only bounds that are "
                            "constants clamp a quantised tensor";
      Activation = Index;
      continue;
    }
    FailureOr<double> Given = bound(I, N, Index);
    if (failed(Given))
      return failure();
    (FromBelow ? To.Low : To.High) =
        FromBelow ? std::max(To.Low, *Given) : std::min(To.High, *Given);
    Rank = std::max(Rank, constantShape(*Input).size());
  }
  if (!Activation)
    return N.error() << "all its inputs are constants";
  const Tensor &Input = *I.input(N, *Activation);
  const auto *Held = std::get_if<Stored>(&Input);
  const auto *Float = std::get_if<Real>(&Input);
  if ((Held && Held->shape().size() < Rank) ||
      (Float && Float->Dims.size() < Rank))
    return N.error() << "a bound with " << Rank
                     << " dimensions gives the tensor more of them";
  return clamp(I, N, *Activation, To);
}

LogicalResult tenon::frontend::buildMax(Importer &I, const Node &N) {
  return clampByConstants(I, N, /*FromBelow=*/true);
}

LogicalResult tenon::frontend::buildMin(Importer &I, const Node &N) {
  return clampByConstants(I, N, /*FromBelow=*/false);
}
