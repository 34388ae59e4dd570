//===- Elementwise.cpp - Add, Mul, Cast, and clamps -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"
#include "ElementTypes.h"
#include "Registry.h"
#include "tenon/Frontend/ONNX/CheckSchemas.h"

using namespace mlir;
using namespace tenon;
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
  auto *P = std::get_if<Product>(&Value->Value);
  int64_t Rank = Value->Dims.size();
  Shape Dims = constantShape(Index ? *Second : *First);
  bool Fits =
      C ? (Factors->size() == 1 || Factors->size() == C->Scales.size()) &&
              isPerChannel(Dims, Rank, C->Win ? 1 : Rank - 1)
        : Factors->size() == 1 && int64_t(Dims.size()) <= Rank;
  if ((!C && !Q && !P) || !Fits || Value->isClamped() || Value->IsInteger)
    return N.error() << "a factor of " << describe(Dims)
                     << " can scale only a dequantised tensor (one value) or "
                        "the float result of a convolution or matrix product "
                        "(one value, or one an output channel)";
  if (Q)
    Q->Scale *= Factors->front();
  else if (P)
    P->Scale *= Factors->front();
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
