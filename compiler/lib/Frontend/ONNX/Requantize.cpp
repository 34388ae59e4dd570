//===- Requantize.cpp - From a float tensor's form to integers ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// One function a form; each emits the accumulators and one RESCALE with the
// zero point.  The clamp of Relu, Clip and a narrower type follows for all of
// them: quantisation is monotonic, so the quantised bounds clamp the quantised
// value.
//
//===----------------------------------------------------------------------===//

#include "ContractionSums.h"
#include "Importer.h"
#include "Window.h"
#include <cmath>

using namespace mlir;
using namespace tenon::frontend;

namespace {

/// Emits one form.  A result of another rank than the ONNX tensor is reshaped
/// by the caller.
class FormEmitter {
public:
  /// The result is to be clamped to [Low, High], held integers.
  FormEmitter(Emitter &Emit, const Node &N, const QuantizedType &Type,
              int64_t Low, int64_t High)
      : Emit(Emit), N(N), Type(Type), Low(Low), High(High) {}

  FailureOr<Stored> operator()(const Quantized &Q);
  FailureOr<Stored> operator()(const Contraction &C);
  FailureOr<Stored> operator()(const Addition &A);
  FailureOr<Stored> operator()(const Average &A);
  FailureOr<Stored> operator()(const Interpolation &P);
  FailureOr<Stored> operator()(const Concatenation &C);
  FailureOr<Stored> operator()(const Computed &C);
  FailureOr<Stored> operator()(const Product &P);
  FailureOr<Stored> operator()(const Multiplication &M);

private:
  FailureOr<Stored> contract(const Contraction &C, ArrayRef<double> Scales);
  FailureOr<Stored> contractPhases(const Contraction &C);
  FailureOr<MultiplierShift> multiplier(double Scale, bool IsFloatFactor);
  FailureOr<SmallVector<int32_t>> bias(const Contraction &C);
  Value centered(const Quantized &Q, const Order &Axes);

  Emitter &Emit;
  const Node &N;
  const QuantizedType &Type;
  int64_t Low, High;
};

} // namespace

/// From integers of `Scale` to those of the result.
FailureOr<MultiplierShift> FormEmitter::multiplier(double Scale,
                                                   bool IsFloatFactor) {
  double Ratio = Scale / Type.Scale;
  std::optional<MultiplierShift> Found =
      IsFloatFactor
          ? floatMultiplierShift(Ratio, float(Scale) / float(Type.Scale),
                                 INT8_MIN - Type.ZeroPoint,
                                 INT8_MAX - Type.ZeroPoint)
          : multiplierShift(Ratio);
  if (!Found)
    return N.error() << "the ratio of input to output scale is " << Ratio
                     << ", expected a positive number below 2^29";
  return *Found;
}

FailureOr<Stored> FormEmitter::operator()(const Quantized &Q) {
  if (Q.Scale == Type.Scale && Q.ZeroPoint == Type.ZeroPoint)
    return Q.Tensor;
  auto Scale = multiplier(Q.Scale, /*IsFloatFactor=*/false);
  if (failed(Scale))
    return failure();
  return Stored{Emit.rescaled(Q.Tensor.Value, Emit.i8(), *Scale, Q.ZeroPoint,
                              Type.ZeroPoint),
                Q.Tensor.Axes};
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<int32_t>> FormEmitter::bias(const Contraction &C) {
  SmallVector<int32_t> Bias;
  for (int64_t Value : C.Bias) {
    if (Value < INT32_MIN || Value > INT32_MAX)
      return N.error() << "the bias " << Value
                       << " does not fit the 32-bit accumulator";
    Bias.push_back(Value);
  }
  return Bias;
}

/// `Scales` are those of the sums, one an output channel.
FailureOr<Stored> FormEmitter::contract(const Contraction &C,
                                        ArrayRef<double> Scales) {
  SmallVector<MultiplierShift> Multipliers;
  for (double Scale : Scales) {
    auto Found = multiplier(Scale, C.HasFloatFactor);
    if (failed(Found))
      return failure();
    Multipliers.push_back(*Found);
  }
  FailureOr<SmallVector<int32_t>> Bias = bias(C);
  if (failed(Bias))
    return failure();
  Value Result = Emit.rescaled(sumsOf(Emit, C, *Bias), Emit.i8(), Multipliers,
                               0, Type.ZeroPoint, /*PerChannel=*/true);
  return Stored{Result, C.Win ? nhwcOrder() : identityOrder(4)};
}

/// Each phase is clamped, so that nothing stands between it and its place.
FailureOr<Stored> FormEmitter::contractPhases(const Contraction &C) {
  SmallVector<Value> Parts;
  for (const Contraction::Phase &Phase : C.Phases) {
    Contraction Part = C;
    Part.Phases.clear();
    Part.Weights = Phase.Weights;
    Part.WeightShape = Phase.WeightShape;
    Part.Win = Phase.Win;
    FailureOr<Stored> Made = contract(Part, C.Scales);
    if (failed(Made))
      return failure();
    Parts.push_back(Emit.clamped(Made->Value, Low, High));
  }
  if (Parts.size() == 1)
    return Stored{Parts.front(), nhwcOrder()};
  ArrayRef<int64_t> Size = C.Win->OutputSize;
  return Stored{Emit.interleaved(Parts,
                                 {C.Input.shape()[0], Size[0], Size[1],
                                  int64_t(C.Bias.size())},
                                 C.Win->Stride),
                nhwcOrder()};
}

FailureOr<Stored> FormEmitter::operator()(const Contraction &C) {
  return C.Phases.empty() ? contract(C, C.Scales) : contractPhases(C);
}

FailureOr<Stored> FormEmitter::operator()(const Product &P) {
  auto Scale = multiplier(P.Scale, P.HasFloatFactor);
  if (failed(Scale))
    return failure();
  return Stored{
      Emit.rescaled(sumsOf(Emit, P), Emit.i8(), *Scale, 0, Type.ZeroPoint),
      identityOrder(3)};
}

//===----------------------------------------------------------------------===//
// Addition, multiplication
//===----------------------------------------------------------------------===//

/// tensor - zero point in 32 bits.
Value FormEmitter::centered(const Quantized &Q, const Order &Axes) {
  Value Wide = Emit.cast(Emit.permuted(Q.Tensor, Axes), Emit.i32());
  Value Zero = Emit.integer(Q.ZeroPoint, Emit.i32(), Axes.size());
  return Emit.create<tosa::SubOp>(Wide.getType(), Wide, Zero);
}

/// The shape of two values that broadcast.
static SmallVector<int64_t> shapeOfBoth(Value First, Value Second) {
  SmallVector<int64_t> Dims;
  for (auto [A, B] :
       llvm::zip(cast<RankedTensorType>(First.getType()).getShape(),
                 cast<RankedTensorType>(Second.getType()).getShape()))
    Dims.push_back(A == 1 ? B : A);
  return Dims;
}

FailureOr<Stored> FormEmitter::operator()(const Addition &A) {
  double First = A.First.Scale / Type.Scale;
  double Second = A.Second.Scale / Type.Scale;
  std::optional<AdditionScale> Scale =
      additionScale(std::fabs(First), std::fabs(Second));
  if (!Scale)
    return N.error() << "the ratios of input to output scale are " << First
                     << " and " << Second
                     << ", expected positive numbers between 2^-41 and 2^19";
  const Order &Axes = A.First.Tensor.Axes;
  auto Addend = [&](const Quantized &Of, int32_t Factor) {
    return Emit.multiplied(
        centered(Of, Axes),
        Emit.integer(std::signbit(Of.Scale) ? -Factor : Factor, Emit.i32(),
                     Axes.size()));
  };
  Value Left = Addend(A.First, Scale->First);
  Value Right = Addend(A.Second, Scale->Second);
  Value Sum = Emit.create<tosa::AddOp>(
      Emit.type(shapeOfBoth(Left, Right), Emit.i32()), Left, Right);
  return Stored{Emit.rescaled(Sum, Emit.i8(), MultiplierShift{1, Scale->Shift},
                              0, Type.ZeroPoint),
                Axes};
}

FailureOr<Stored> FormEmitter::operator()(const Multiplication &M) {
  auto Scale = multiplier(M.First.Scale * M.Second.Scale,
                          /*IsFloatFactor=*/false);
  if (failed(Scale))
    return failure();
  const Order &Axes = M.First.Tensor.Axes;
  Value Left = centered(M.First, Axes), Right = centered(M.Second, Axes);
  Value Products =
      Emit.create<tosa::MulOp>(Emit.type(shapeOfBoth(Left, Right), Emit.i32()),
                               Left, Right, Emit.integer(0, Emit.i8()));
  return Stored{Emit.rescaled(Products, Emit.i8(), *Scale, 0, Type.ZeroPoint),
                Axes};
}

//===----------------------------------------------------------------------===//
// Average, interpolation, concatenation, computed values
//===----------------------------------------------------------------------===//

/// Ratios this near are the same scale: the file wrote it twice.
static constexpr double SameScale = 1e-9;

FailureOr<Stored> FormEmitter::operator()(const Average &A) {
  const Window &W = A.Win;
  Shape Dims = A.Input.Tensor.shape();
  double Ratio = A.Input.Scale / Type.Scale;
  bool IsConstantCount = W.Unpadded || A.CountsPadding;
  int64_t Count = W.Kernel[0] * W.Kernel[1];
  int64_t Farthest =
      std::max(A.Input.ZeroPoint - INT8_MIN, INT8_MAX - A.Input.ZeroPoint);
  if (Count > INT32_MAX / Farthest)
    return N.error() << "the sum of a window of " << describe(W.Kernel)
                     << " is up to " << Count << " times " << Farthest
                     << ", which does not fit 32 bits";
  if (std::fabs(Ratio - 1) < SameScale && (W.Unpadded || !A.CountsPadding)) {
    Value Input = imageOf(Emit, A.Input.Tensor);
    Input =
        Emit.sliced(Input, {Dims[0], W.InputSize[0], W.InputSize[1], Dims[1]});
    Value Result = Emit.create<tosa::AvgPool2dOp>(
        Emit.type({Dims[0], W.OutputSize[0], W.OutputSize[1], Dims[1]},
                  Emit.i8()),
        Input, Emit.integer(A.Input.ZeroPoint, Emit.i8()),
        Emit.integer(Type.ZeroPoint, Emit.i8()), ArrayRef<int64_t>(W.Kernel),
        ArrayRef<int64_t>(W.Stride), ArrayRef<int64_t>(W.Pad), Emit.i32());
    return Stored{Result, nhwcOrder()};
  }
  if (!IsConstantCount)
    return N.error() << "a padded average whose scale changes (by " << Ratio
                     << ") and that does not count the padding has no integer "
                        "form yet: give input and output the same scale";
  // A sum, as a depthwise convolution with ones, and one rescale.
  if (!elementCount({Count, Dims[1]}))
    return N.error() << "windows of " << describe(W.Kernel) << " over "
                     << Dims[1] << " channels are too large";
  Contraction Sum{A.Input.Tensor,
                  A.Input.ZeroPoint,
                  std::vector<int8_t>(Count * Dims[1], 1),
                  {W.Kernel[0], W.Kernel[1], Dims[1], 1},
                  0,
                  std::vector<int64_t>(Dims[1], 0),
                  {},
                  /*IsDepthwise=*/true,
                  /*Groups=*/1,
                  /*HasFloatFactor=*/false,
                  W,
                  /*Phases=*/{}};
  return contract(Sum, SmallVector<double>(Dims[1], A.Input.Scale / Count));
}

/// TOSA's sums are of Up.y * Up.x parts, and so many times the zero point.
FailureOr<Stored> FormEmitter::operator()(const Interpolation &P) {
  const Grid &Y = P.Rows, &X = P.Columns;
  int64_t Parts = Y.Up * X.Up;
  auto Scale = multiplier(P.Input.Scale / Parts, /*IsFloatFactor=*/false);
  if (failed(Scale))
    return failure();
  Shape Dims = P.Input.Tensor.shape();
  auto Border = [](const Grid &Of, int64_t In) {
    return (Of.Out - 1) * Of.Down - (In - 1) * Of.Up + Of.Offset;
  };
  Value Sums = Emit.create<tosa::ResizeOp>(
      Emit.type({Dims[0], Y.Out, X.Out, Dims[1]}, Emit.i32()),
      imageOf(Emit, P.Input.Tensor), Emit.shape({Y.Up, Y.Down, X.Up, X.Down}),
      Emit.shape({Y.Offset, X.Offset}),
      Emit.shape({Border(Y, Dims[2]), Border(X, Dims[3])}),
      tosa::ResizeMode::BILINEAR);
  if (P.Input.ZeroPoint)
    Sums = Emit.create<tosa::AddOp>(
        Sums.getType(), Sums,
        Emit.integer(-P.Input.ZeroPoint * Parts, Emit.i32(), 4));
  return Stored{Emit.rescaled(Sums, Emit.i8(), *Scale, 0, Type.ZeroPoint),
                nhwcOrder()};
}

FailureOr<Stored> FormEmitter::operator()(const Concatenation &C) {
  const Order Axes = C.Parts.front().Tensor.Axes;
  SmallVector<Value> Parts;
  SmallVector<int64_t> Dims;
  for (const Quantized &Part : C.Parts) {
    FailureOr<Stored> Scaled = (*this)(Part);
    if (failed(Scaled))
      return failure();
    Parts.push_back(Emit.permuted(*Scaled, Axes));
    auto PartDims = cast<RankedTensorType>(Parts.back().getType()).getShape();
    if (Dims.empty())
      Dims.assign(PartDims.begin(), PartDims.end());
    else
      Dims[Axes[C.Axis]] += PartDims[Axes[C.Axis]];
  }
  Value Result = Emit.create<tosa::ConcatOp>(Emit.type(Dims, Emit.i8()), Parts,
                                             uint32_t(Axes[C.Axis]));
  return Stored{Result, Axes};
}

/// Rounded to nearest even.  Clamped first in float, so that adding the zero
/// point to the 32-bit integer cannot wrap.
FailureOr<Stored> FormEmitter::operator()(const Computed &C) {
  int64_t Rank = C.Tensor.Axes.size();
  Value Steps =
      Emit.multiplied(C.Tensor.Value, Emit.real(float(1.0 / Type.Scale), Rank));
  OpBuilder &B = Emit.Builder;
  Steps = Emit.create<tosa::ClampOp>(
      Steps.getType(), Steps, B.getF32FloatAttr(INT8_MIN - Type.ZeroPoint),
      B.getF32FloatAttr(INT8_MAX - Type.ZeroPoint));
  Value Result = Emit.rescaled(Emit.cast(Steps, Emit.i32()), Emit.i8(),
                               UnitScale, 0, Type.ZeroPoint);
  return Stored{Result, C.Tensor.Axes};
}

//===----------------------------------------------------------------------===//
// The whole cluster
//===----------------------------------------------------------------------===//

/// The real bound as a held integer, within the type.
static int64_t quantizedBound(double Bound, const QuantizedType &Type) {
  double Steps = std::clamp(Bound / Type.Scale, -1e9, 1e9);
  return std::clamp<int64_t>(std::llrint(Steps) + Type.ZeroPoint, INT8_MIN,
                             INT8_MAX);
}

FailureOr<Stored> Importer::integersOf(const Node &N, const Real &Value,
                                       const QuantizedType &Type,
                                       StringRef Name) {
  SmallVector<Location> Places(Value.Places);
  Places.push_back(N.location());
  Emit.at(FusedLoc::get(Emit.Builder.getContext(), Places));
  int64_t High = quantizedBound(Value.High, Type);
  int64_t Low = std::min(quantizedBound(Value.Low, Type), High);
  FailureOr<Stored> Result =
      std::visit(FormEmitter(Emit, N, Type, Low, High), Value.Value);
  if (failed(Result))
    return failure();
  Result->IsUnsigned = Type.IsUnsigned;
  Result->Type = Type;
  const auto *C = std::get_if<Contraction>(&Value.Value);
  if (!C || C->Phases.empty())
    Result->Value = Emit.clamped(Result->Value, Low, High);
  if (!Name.empty())
    mark(*Result, Name, Value.Dims);
  if (Result->Axes == nhwcOrder() && Value.Dims.size() == 3)
    *Result = fromImage(Emit, *Result, 3);
  if (Result->shape() != Value.Dims) {
    Result->Value = Emit.reshaped(Result->Value, Value.Dims);
    Result->Axes = identityOrder(Value.Dims.size());
  }
  return Result;
}

LogicalResult Importer::requantize(const Node &N, const Real &Value,
                                   const QuantizedType &Type) {
  FailureOr<Stored> Result = integersOf(N, Value, Type, N.outputName(0));
  return failed(Result) ? failure() : define(N, *Result);
}

Computed Importer::dequantized(const Quantized &Value) {
  int64_t Rank = Value.Tensor.Axes.size();
  Stored Result = Value.Tensor;
  mlir::Value Float = Emit.cast(Result.Value, Emit.f32());
  Float = Emit.create<tosa::SubOp>(Float.getType(), Float,
                                   Emit.real(Value.ZeroPoint, Rank));
  Result.Value = Emit.multiplied(Float, Emit.real(Value.Scale, Rank));
  Result.IsUnsigned = false; // a float
  return Computed{Result};
}
