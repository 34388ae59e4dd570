//===- PerChannel.cpp - A tensor and a constant, element by element -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "PerChannel.h"
#include "Window.h"

using namespace mlir;
using namespace tenon::frontend;

Shape tenon::frontend::constantShape(const Tensor &Value) {
  if (const auto *Plain = std::get_if<TensorData>(&Value))
    return Shape(Plain->shape());
  return Shape(std::get<RealConstant>(Value).Integers.shape());
}

bool tenon::frontend::isPerChannel(ArrayRef<int64_t> Dims, int64_t Rank,
                                   int64_t ChannelAxis) {
  if (int64_t(Dims.size()) > Rank)
    return false;
  int64_t First = Rank - Dims.size();
  for (auto [Axis, Dim] : llvm::enumerate(Dims))
    if (Dim != 1 && First + int64_t(Axis) != ChannelAxis)
      return false;
  return true;
}

int64_t tenon::frontend::anyChannels(const Stored &Of) {
  int64_t Rank = Of.Axes.size();
  bool IsImage = Rank == 4 || (Rank == 3 && Of.Axes == nwcOrder());
  return IsImage ? 1 : Rank - 1;
}

FailureOr<int64_t> tenon::frontend::channelsFor(Importer &I, const Node &N,
                                                int Index, const Stored &Of) {
  Shape Dims = Of.shape(), Given = constantShape(*I.input(N, Index));
  int64_t Rank = Dims.size(), First = Rank - int64_t(Given.size());
  int64_t Axis = anyChannels(Of);
  for (auto [At, Dim] : llvm::enumerate(Given))
    if (Dim != 1)
      Axis = First + int64_t(At);
  bool Exists = Rank > 0 && isPerChannel(Given, Rank, Axis) &&
                (Axis == Rank - 1 || (Axis == 1 && isImageRank(Rank)));
  if (!Exists ||
      (*elementCount(Given) != 1 && Dims[Axis] != Given[Axis - First]))
    return N.error() << "a constant of " << describe(Given)
                     << " for a tensor of " << describe(Dims)
                     << ": a layer takes one value, or one a channel (the last "
                        "axis, or an image's second)";
  return Axis;
}

/// A window of one element.
static Window pixelWindow(ArrayRef<int64_t> Dims) {
  Window W;
  W.Kernel = W.Stride = W.Dilation = {1, 1};
  W.Pad = {0, 0, 0, 0};
  W.InputSize = W.OutputSize = {Dims.size() == 4 ? Dims[2] : 1, Dims.back()};
  return W;
}

Contraction tenon::frontend::eachChannel(const Quantized &Of, int64_t Axis,
                                         ArrayRef<int8_t> Taps) {
  Shape Dims = Of.Tensor.shape();
  int64_t Channels = Dims[Axis];
  Contraction C;
  C.Input = Of.Tensor;
  C.InputZeroPoint = Of.ZeroPoint;
  C.IsDepthwise = true;
  C.WeightShape = {1, 1, Channels, 1};
  C.Bias.assign(Channels, 0);
  for (int64_t Channel = 0; Channel < Channels; ++Channel) {
    C.Weights.push_back(Taps[Taps.size() == 1 ? 0 : Channel]);
    C.Scales.push_back(Of.Scale / std::max(1, std::abs(C.Weights.back())));
  }
  if (Axis == 1 && Axis != int64_t(Dims.size()) - 1)
    C.Win = pixelWindow(Dims);
  return C;
}

/// Times 255 and beside MostSteps it fits 32 bits.
static constexpr int32_t FineSteps = 1 << 16;

/// All taps become `Sign` times FineSteps.
static void useFineSteps(Contraction &C, int Sign) {
  C.Weights.clear();
  C.Factor = Sign * FineSteps;
  for (double &Scale : C.Scales)
    Scale /= FineSteps;
}

Contraction tenon::frontend::withFineBias(const Quantized &Of, int64_t Axis,
                                          int Sign) {
  Contraction C = eachChannel(Of, Axis, {1});
  useFineSteps(C, Sign);
  return C;
}

LogicalResult tenon::frontend::refineSteps(const Node &N, Contraction &C) {
  if (!C.HasCoarseSteps || C.Weights.empty())
    return success();
  int Sign = C.Weights.front();
  if (!Sign || !llvm::all_equal(C.Weights))
    return N.error() << "its input was multiplied by factors that are not all "
                        "positive or all negative: put QuantizeLinear and "
                        "DequantizeLinear between the two operators";
  useFineSteps(C, Sign);
  C.HasCoarseSteps = false;
  return success();
}

LogicalResult tenon::frontend::shift(const Node &N, Contraction &C,
                                     ArrayRef<double> Values) {
  for (auto [Channel, Bias] : llvm::enumerate(C.Bias)) {
    double Value = Values[Values.size() == 1 ? 0 : Channel];
    double Steps = Value / C.Scales[Channel];
    if (!(std::fabs(double(Bias) + Steps) <= MostSteps))
      return N.error() << "the constant " << Value << " is " << Steps
                       << " steps of what it is added to, which has 32 bits";
    Bias += std::llrint(Steps);
  }
  return success();
}
