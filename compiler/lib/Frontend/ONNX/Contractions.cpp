//===- Contractions.cpp - Weights and biases ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"
#include "ElementTypes.h"
#include "PerChannel.h"
#include <cmath>

using namespace mlir;
using namespace tenon::frontend;

std::vector<int8_t> ConstantWeights::held() const {
  SmallVector<char> Scratch;
  ArrayRef<char> Bytes = Integers.bytes(Scratch);
  std::vector<int8_t> Result(Bytes.begin(), Bytes.end());
  for (int8_t &Value : Result) // of 8 bits: the offset wraps
    Value = int8_t(Value - Offset);
  return Result;
}

/// One zero point in held values; reports several that differ.
static FailureOr<int64_t> singleZeroPoint(Importer &I, const Node &N, int Index,
                                          ArrayRef<int64_t> Values,
                                          int64_t Offset) {
  for (int64_t Value : Values)
    if (Value != Values.front())
      return N.error() << "the weights '" << N.inputName(Index)
                       << "' have zero points that differ between channels ("
                       << Values.front() << " and " << Value
                       << "): TOSA and the accelerator have one weight zero "
                          "point; quantise the weights symmetrically";
  return (Values.empty() ? 0 : Values.front()) - Offset;
}

static FailureOr<ConstantWeights> checked(Importer &I, const Node &N, int Index,
                                          const TensorData &Integers,
                                          std::vector<double> Scales,
                                          ArrayRef<int64_t> ZeroPoints,
                                          int64_t ChannelAxis) {
  mlir::Type Type = Integers.elementType();
  if (!Type.isInteger(8))
    return N.error() << "the weights '" << N.inputName(Index) << "' are "
                     << describeType(Type) << ", expected INT8 or UINT8";
  ArrayRef<int64_t> Dims = Integers.shape();
  int64_t Count = Scales.size();
  if (Count > 1 &&
      (int64_t(Dims.size()) <= ChannelAxis || Dims[ChannelAxis] != Count))
    return N.error() << "the weights '" << N.inputName(Index) << "' of "
                     << describe(Dims) << " have " << Count
                     << " scales, expected one, or one for each output channel "
                        "(axis "
                     << ChannelAxis << ")";
  int64_t Offset = Type.isUnsignedInteger() ? 128 : 0;
  FailureOr<int64_t> Zero = singleZeroPoint(I, N, Index, ZeroPoints, Offset);
  if (failed(Zero))
    return failure();
  return ConstantWeights{Integers, Offset, *Zero, std::move(Scales)};
}

FailureOr<ConstantWeights>
tenon::frontend::dequantizedWeights(Importer &I, const Node &N, int Index,
                                    int64_t ChannelAxis) {
  const Tensor *Found = I.input(N, Index);
  if (!Found)
    return failure();
  const auto *Value = std::get_if<RealConstant>(Found);
  if (!Value && !std::holds_alternative<TensorData>(*Found))
    return N.error() << "the weights '" << N.inputName(Index)
                     << "' are computed: a product of two activations is not "
                        "supported";
  if (!Value)
    return N.error() << "the weights '" << N.inputName(Index)
                     << "' are not a dequantised constant: quantise the model "
                        "first";
  if (Value->Scales.size() > 1 && Value->Axis != ChannelAxis)
    return N.error() << "the weights '" << N.inputName(Index)
                     << "' have scales along axis " << Value->Axis
                     << ", expected the output channels (axis " << ChannelAxis
                     << ")";
  return checked(I, N, Index, Value->Integers, Value->Scales, Value->ZeroPoints,
                 ChannelAxis);
}

/// The values of an optional zero point of the type of `Integers`.
static FailureOr<SmallVector<int64_t>>
zeroPoints(Importer &I, const Node &N, int Index, const TensorData &Integers) {
  SmallVector<int64_t> Result;
  if (!N.hasInput(Index))
    return Result;
  std::optional<TensorData> Zero = I.constant(N, Index);
  if (!Zero)
    return failure();
  if (Zero->elementType() != Integers.elementType() || Zero->size() == 0)
    return N.error() << "the zero point '" << N.inputName(Index) << "' has "
                     << Zero->size() << " values of "
                     << describeType(Zero->elementType()) << ", expected "
                     << describeType(Integers.elementType());
  for (int64_t I = 0; I < Zero->size(); ++I)
    Result.push_back(Zero->integer(I));
  return Result;
}

FailureOr<ConstantWeights> tenon::frontend::storedWeights(Importer &I,
                                                          const Node &N,
                                                          int Index,
                                                          int64_t ChannelAxis) {
  std::optional<TensorData> Integers = I.constant(N, Index);
  if (!Integers)
    return failure();
  FailureOr<std::vector<double>> Scales = I.scales(N, Index + 1);
  if (failed(Scales))
    return failure();
  if (!Integers->isInteger())
    return checked(I, N, Index, *Integers, *Scales, {}, ChannelAxis);
  auto Zeros = zeroPoints(I, N, Index + 2, *Integers);
  if (failed(Zeros))
    return failure();
  return checked(I, N, Index, *Integers, *Scales, *Zeros, ChannelAxis);
}

FailureOr<ConstantWeights>
tenon::frontend::integerWeights(Importer &I, const Node &N, int Index,
                                int ZeroIndex, int64_t ChannelAxis) {
  std::optional<TensorData> Integers = I.constant(N, Index);
  if (!Integers)
    return failure();
  if (!Integers->isInteger())
    return checked(I, N, Index, *Integers, {1.0}, {}, ChannelAxis);
  auto Zeros = zeroPoints(I, N, ZeroIndex, *Integers);
  if (failed(Zeros))
    return failure();
  return checked(I, N, Index, *Integers, {1.0}, *Zeros, ChannelAxis);
}

LogicalResult tenon::frontend::setScales(Contraction &C,
                                         const ConstantWeights &Weights,
                                         double InputScale) {
  int64_t Channels =
      C.IsDepthwise ? C.WeightShape[2] * C.WeightShape[3] : C.WeightShape[0];
  C.Bias.assign(Channels, 0);
  for (int64_t Index = 0; Index < Channels; ++Index)
    C.Scales.push_back(Weights.Scales[Weights.Scales.size() == 1 ? 0 : Index] *
                       InputScale);
  return success();
}

/// A bias has one value, or one an output channel, along its last axis.
static LogicalResult checkBiasSize(Importer &I, const Node &N, int Index,
                                   int64_t Size, const Contraction &C) {
  if (Size == 1 || Size == int64_t(C.Bias.size()))
    return success();
  return N.error() << "the bias '" << N.inputName(Index) << "' has " << Size
                   << " values for " << C.Bias.size() << " output channels";
}

LogicalResult tenon::frontend::setIntegerBias(Importer &I, const Node &N,
                                              int Index, Contraction &C) {
  if (!N.hasInput(Index))
    return success();
  std::optional<TensorData> Bias = I.constant(N, Index);
  if (!Bias)
    return failure();
  if (!Bias->elementType().isSignlessInteger(32))
    return N.error() << "the bias '" << N.inputName(Index) << "' is "
                     << describeType(Bias->elementType()) << ", expected INT32";
  if (failed(checkBiasSize(I, N, Index, Bias->size(), C)))
    return failure();
  for (auto [Channel, Value] : llvm::enumerate(C.Bias))
    Value += Bias->integer(Bias->size() == 1 ? 0 : Channel);
  return success();
}

/// The bias in the file's integers when its scale is the accumulator's: then no
/// rounding may touch it.
static constexpr double SameScale = 1e-5;

LogicalResult tenon::frontend::setRealBias(Importer &I, const Node &N,
                                           int Index, Contraction &C) {
  if (!N.hasInput(Index))
    return success();
  FailureOr<std::vector<double>> Values = I.reals(N, Index);
  if (failed(Values) || failed(checkBiasSize(I, N, Index, Values->size(), C)))
    return failure();
  const auto *Held = std::get_if<RealConstant>(I.input(N, Index));
  // Scales along one of several axes belong to no single element.
  if (Held && Held->Scales.size() > 1 && Held->Scales.size() != Values->size())
    Held = nullptr;
  for (auto [Channel, Sum] : llvm::enumerate(C.Bias)) {
    int64_t From = Values->size() == 1 ? 0 : Channel;
    double Scale = C.Scales[Channel];
    if (Held) {
      bool PerChannel = Held->Scales.size() > 1;
      double Own = Held->Scales[PerChannel ? From : 0];
      if (std::fabs(Own / Scale - 1) < SameScale) {
        Sum += Held->Integers.integer(From) -
               Held->ZeroPoints[PerChannel ? From : 0];
        continue;
      }
    }
    double Steps = (*Values)[From] / Scale;
    if (!(std::fabs(double(Sum) + Steps) <= (C.Factor ? MostSteps : INT32_MAX)))
      return N.error() << "the bias " << (*Values)[From] << " of channel "
                       << Channel << " is " << Steps
                       << " steps of the accumulator, which has 32 bits";
    Sum += std::llrint(Steps);
  }
  return success();
}
