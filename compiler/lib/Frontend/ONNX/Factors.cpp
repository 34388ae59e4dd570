//===- Factors.cpp - Mul and Div ------------------------------------------===//
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

namespace {

/// Multiplies what a form stands for by one positive number; false where the
/// form is computed already.
struct Scaling {
  double Factor;

  bool operator()(Quantized &Q) const {
    Q.Scale *= Factor;
    return true;
  }
  bool operator()(Contraction &C) const {
    for (double &Scale : C.Scales)
      Scale *= Factor;
    return true;
  }
  bool operator()(Addition &A) const {
    return (*this)(A.First) && (*this)(A.Second);
  }
  bool operator()(Average &A) const { return (*this)(A.Input); }
  bool operator()(Interpolation &I) const { return (*this)(I.Input); }
  bool operator()(Concatenation &C) const {
    return llvm::all_of(C.Parts, *this);
  }
  bool operator()(Computed &) const { return false; }
  bool operator()(Product &P) const {
    P.Scale *= Factor;
    return true;
  }
  bool operator()(Multiplication &M) const { return (*this)(M.First); }
};

} // namespace

/// The numbers that input `Index` multiplies by, or divides by.
static FailureOr<std::vector<double>> factorsOf(Importer &I, const Node &N,
                                                int Index, bool Divides) {
  FailureOr<std::vector<double>> Values = I.reals(N, Index);
  if (failed(Values))
    return failure();
  for (double &Value : *Values) {
    Value = Divides ? 1 / Value : Value;
    if (!std::isfinite(Value))
      return N.error() << "the factor '" << N.inputName(Index)
                       << "' is not finite";
  }
  if (Values->empty())
    return N.error() << "the factor '" << N.inputName(Index)
                     << "' has no value";
  return Values;
}

/// The one positive number that all factors are, in no more axes than the
/// tensor has.
static std::optional<double> onlyFactor(ArrayRef<double> Factors,
                                        const Shape &Dims, size_t Rank) {
  if (Factors.size() != 1 || !(Factors[0] > 0) || Dims.size() > Rank)
    return std::nullopt;
  return Factors[0];
}

static LogicalResult scale(Importer &I, const Node &N, Real Value,
                           double Factor) {
  if (Value.IsInteger || !std::visit(Scaling{Factor}, Value.Value))
    return N.error() << "a factor scales integers only where they have been "
                        "dequantised or are a layer's sums";
  Value.Low *= Factor;
  Value.High *= Factor;
  Value.Places.push_back(N.location());
  return I.define(N, Value);
}

/// One factor an output channel of a contraction.
static LogicalResult scaleSums(Importer &I, const Node &N, Real Value,
                               ArrayRef<double> Factors, const Shape &Dims) {
  auto &C = std::get<Contraction>(Value.Value);
  int64_t Rank = Value.Dims.size();
  if (Factors.size() != C.Scales.size() ||
      !isPerChannel(Dims, Rank, C.Win ? 1 : Rank - 1) || Value.isClamped() ||
      Value.IsInteger || llvm::any_of(Factors, [](double F) { return F <= 0; }))
    return N.error() << "a factor of " << describe(Dims)
                     << " can scale the result of a convolution or matrix "
                        "product only by positive numbers, one or one an "
                        "output channel";
  for (auto [Scale, Factor] : llvm::zip(C.Scales, Factors))
    Scale *= Factor;
  Value.Places.push_back(N.location());
  return I.define(N, Value);
}

/// The factor as taps with the scale of their steps, where it was quantised
/// with one scale and zero point.
static void takeTaps(Contraction &C, const RealConstant &Factor) {
  const TensorData &Held = Factor.Integers;
  int64_t Offset = Held.elementType().isUnsignedInteger() ? 128 : 0;
  C.WeightZeroPoint = Factor.ZeroPoints[0] - Offset;
  for (auto [Channel, Tap] : llvm::enumerate(C.Weights)) {
    Tap = Held.integer(Held.size() == 1 ? 0 : Channel) - Offset;
    C.Scales[Channel] *= Factor.Scales[0];
  }
}

/// Of a float factor the sign is the tap.
static void takeSigns(Contraction &C, ArrayRef<double> Factors) {
  C.HasCoarseSteps = true;
  for (auto [Channel, Tap] : llvm::enumerate(C.Weights)) {
    double Factor = Factors[Factors.size() == 1 ? 0 : Channel];
    Tap = Factor > 0 ? 1 : Factor < 0 ? -1 : 0;
    C.Scales[Channel] *= Factor == 0 ? 1 : std::fabs(Factor);
  }
}

/// One factor a channel of a tensor.
static LogicalResult scaleChannels(Importer &I, const Node &N, int Index,
                                   ArrayRef<double> Factors, bool Divides) {
  FailureOr<Quantized> Of = I.quantized(N, 1 - Index);
  if (failed(Of))
    return failure();
  FailureOr<int64_t> Axis = channelsFor(I, N, Index, Of->Tensor);
  if (failed(Axis))
    return failure();
  Contraction Result = eachChannel(*Of, *Axis, {1});
  const auto *Held = std::get_if<RealConstant>(I.input(N, Index));
  if (Held && !Divides && Held->Scales.size() == 1 &&
      Held->Integers.elementType().isInteger(8))
    takeTaps(Result, *Held);
  else
    takeSigns(Result, Factors);
  Real Value{Result, Of->Tensor.shape()};
  Value.Places.push_back(N.location());
  return I.define(N, Value);
}

static LogicalResult multiplyTensors(Importer &I, const Node &N) {
  FailureOr<Quantized> A = I.quantized(N, 0);
  if (failed(A))
    return failure();
  FailureOr<Quantized> B = I.quantized(N, 1);
  if (failed(B))
    return failure();
  FailureOr<Shape> Dims = spread(I, N, *A, *B);
  if (failed(Dims))
    return failure();
  Real Result{Multiplication{*A, *B}, *Dims};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}

static LogicalResult multiplyBy(Importer &I, const Node &N, int Index,
                                bool Divides) {
  FailureOr<Real> Value = I.real(N, 1 - Index);
  if (failed(Value))
    return failure();
  FailureOr<std::vector<double>> Factors = factorsOf(I, N, Index, Divides);
  if (failed(Factors))
    return failure();
  Shape Dims = constantShape(*I.input(N, Index));
  if (auto Factor = onlyFactor(*Factors, Dims, Value->Dims.size()))
    return scale(I, N, *Value, *Factor);
  if (std::holds_alternative<Contraction>(Value->Value))
    return scaleSums(I, N, *Value, *Factors, Dims);
  return scaleChannels(I, N, Index, *Factors, Divides);
}

LogicalResult tenon::frontend::buildMul(Importer &I, const Node &N) {
  const Tensor *First = I.input(N, 0);
  const Tensor *Second = First ? I.input(N, 1) : nullptr;
  if (!Second)
    return failure();
  if (isConstant(*First) || isConstant(*Second))
    return multiplyBy(I, N, isConstant(*First) ? 0 : 1, /*Divides=*/false);
  return multiplyTensors(I, N);
}

LogicalResult tenon::frontend::buildDiv(Importer &I, const Node &N) {
  const Tensor *Divisor = I.input(N, 1);
  if (!Divisor)
    return failure();
  if (!isConstant(*Divisor))
    return N.error() << "its divisor is computed: a quantised tensor is "
                        "divided by constants only";
  return multiplyBy(I, N, 1, /*Divides=*/true);
}
