//===- Convolution.cpp - Conv and QLinearConv -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"
#include "Registry.h"

using namespace mlir;
using namespace tenon::frontend;

/// O,I,KH,KW (or O,I,KW: KH is 1) to TOSA's O,KH,KW,I, or to KH,KW,C,M where
/// each of C input channels has its own M filters (output channel c*M + m).
static void setWeights(Contraction &C, const ConstantWeights &W,
                       int64_t InputChannels) {
  ArrayRef<int64_t> From = W.Integers.shape();
  int64_t O = From[0], In = From[1], KW = From.back();
  int64_t KH = From.size() == 4 ? From[2] : 1;
  const std::vector<int8_t> Held = W.held();
  C.Weights.resize(Held.size());
  // Where each channel has its own filters, In is 1.
  const int64_t Taps = KH * KW, Outer = C.IsDepthwise ? 1 : O;
  const int64_t Filters = C.IsDepthwise ? O : In;
  auto *To = C.Weights.data();
  for (int64_t o = 0; o < Outer; ++o)
    for (int64_t Tap = 0; Tap < Taps; ++Tap)
      for (int64_t i = 0; i < Filters; ++i)
        *To++ = Held[(o * Filters + i) * Taps + Tap];
  C.WeightShape = C.IsDepthwise
                      ? Shape{KH, KW, InputChannels, O / InputChannels}
                      : Shape{O, KH, KW, In};
  C.WeightZeroPoint = W.ZeroPoint;
}

/// Everything but bias and scales.
static FailureOr<Contraction> convolution(Importer &I, const Node &N,
                                          const Stored &Input,
                                          int64_t InputZeroPoint,
                                          const ConstantWeights &Weights) {
  Shape Dims = Input.shape();
  ArrayRef<int64_t> Taps = Weights.Integers.shape();
  if (!isImageRank(Dims.size()) || Taps.size() != Dims.size())
    return N.error() << "the input is of " << describe(Dims)
                     << " and the weights of " << describe(Taps)
                     << ", expected four dimensions each (two-dimensional "
                        "convolution) or three (one-dimensional): no form "
                        "sums over the depth of a third";
  auto Groups = N.integer("group", 1);
  if (failed(Groups))
    return failure();
  int64_t Channels = Dims[1];
  if (*Groups < 1 || Channels % *Groups != 0 || Taps[0] % *Groups != 0 ||
      Taps[1] != Channels / *Groups || Weights.Integers.size() == 0)
    return N.error() << "weights of " << describe(Taps) << " and group "
                     << *Groups << " do not fit an input of " << describe(Dims);
  Contraction C;
  C.IsDepthwise = *Groups == Channels && Channels > 1;
  C.Groups = C.IsDepthwise ? 1 : *Groups;
  FailureOr<Window> Win = readWindow(N, ArrayRef<int64_t>(Dims).drop_front(2),
                                     ArrayRef<int64_t>(Taps).drop_front(2));
  if (failed(Win))
    return failure();
  C.Input = Input;
  C.InputZeroPoint = InputZeroPoint;
  C.Win = *Win;
  setWeights(C, Weights, Channels);
  return C;
}

static Shape resultShape(const Contraction &C) {
  return imageShape(C.Input.shape(), C.Bias.size(), *C.Win);
}

LogicalResult tenon::frontend::buildConv(Importer &I, const Node &N) {
  FailureOr<Quantized> Input = I.quantized(N, 0);
  if (failed(Input))
    return failure();
  FailureOr<ConstantWeights> Weights = dequantizedWeights(I, N, 1, 0);
  if (failed(Weights))
    return failure();
  FailureOr<Contraction> C =
      convolution(I, N, Input->Tensor, Input->ZeroPoint, *Weights);
  if (failed(C) || failed(setScales(*C, *Weights, Input->Scale)) ||
      failed(setRealBias(I, N, 2, *C)))
    return failure();
  Real Result{*C, resultShape(*C)};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}

LogicalResult tenon::frontend::buildQLinearConv(Importer &I, const Node &N) {
  FailureOr<Stored> Input = I.stored(N, 0);
  if (failed(Input))
    return failure();
  FailureOr<QuantizedType> From = I.quantizedType(N, 1);
  if (failed(From))
    return failure();
  FailureOr<ConstantWeights> Weights = storedWeights(I, N, 3, 0);
  if (failed(Weights))
    return failure();
  FailureOr<QuantizedType> To = I.quantizedType(N, 6);
  if (failed(To))
    return failure();
  if (From->IsUnsigned != Input->IsUnsigned)
    return N.error() << "the input's zero point has another type than the "
                        "input";
  FailureOr<Contraction> C =
      convolution(I, N, *Input, From->ZeroPoint, *Weights);
  if (failed(C) || failed(setScales(*C, *Weights, From->Scale)) ||
      failed(setIntegerBias(I, N, 8, *C)))
    return failure();
  C->HasFloatFactor = true;
  return I.requantize(N, Real{*C, resultShape(*C)}, *To);
}
