//===- ContractionSums.cpp - The sums of a contraction --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ContractionSums.h"
#include "Window.h"

using namespace mlir;
using namespace tenon::frontend;

/// Rows of the last axis with weights O,1,1,I.
static Value matrixProduct(Emitter &Emit, const Contraction &C,
                           ArrayRef<int32_t> Bias) {
  Shape Dims = C.Input.shape();
  int64_t Depth = Dims.back(), Channels = Bias.size();
  int64_t Rows = *elementCount(Dims) / Depth;
  Value Flat = Emit.permuted(C.Input, identityOrder(C.Input.Axes.size()));
  Flat = Emit.reshaped(Flat, {1, 1, Rows, Depth});
  return Emit.create<tosa::Conv2DOp>(
      Emit.type({1, 1, Rows, Channels}, Emit.i32()), Flat,
      Emit.bytes(C.Weights, C.WeightShape), Emit.words(Bias, Channels),
      Emit.integer(C.InputZeroPoint, Emit.i8()),
      Emit.integer(C.WeightZeroPoint, Emit.i8()), ArrayRef<int64_t>{0, 0, 0, 0},
      ArrayRef<int64_t>{1, 1}, ArrayRef<int64_t>{1, 1}, Emit.i32());
}

/// (Image - zero point) * Factor + bias.
static Value scaled(Emitter &Emit, const Contraction &C, Value Image,
                    ArrayRef<int32_t> Bias) {
  auto Number = [&](int64_t Value) {
    return Emit.integer(Value, Emit.i32(), /*Rank=*/4);
  };
  Value Wide = Emit.cast(Image, Emit.i32());
  Value Difference =
      Emit.create<tosa::SubOp>(Wide.getType(), Wide, Number(C.InputZeroPoint));
  return Emit.create<tosa::AddOp>(
      Wide.getType(), Emit.multiplied(Difference, Number(C.Factor)),
      Emit.words(Bias, {1, 1, 1, int64_t(Bias.size())}));
}

/// Rows of the last axis, each element with a tap of its own.
static Value scaledRows(Emitter &Emit, const Contraction &C,
                        ArrayRef<int32_t> Bias) {
  Shape Dims = C.Input.shape();
  int64_t Channels = Dims.back(), Rows = *elementCount(Dims) / Channels;
  Value Flat =
      Emit.reshaped(Emit.permuted(C.Input, identityOrder(C.Input.Axes.size())),
                    {1, 1, Rows, Channels});
  if (C.Factor)
    return scaled(Emit, C, Flat, Bias);
  return Emit.create<tosa::DepthwiseConv2DOp>(
      Emit.type({1, 1, Rows, Channels}, Emit.i32()), Flat,
      Emit.bytes(C.Weights, C.WeightShape), Emit.words(Bias, Channels),
      Emit.integer(C.InputZeroPoint, Emit.i8()),
      Emit.integer(C.WeightZeroPoint, Emit.i8()), ArrayRef<int64_t>{0, 0, 0, 0},
      ArrayRef<int64_t>{1, 1}, ArrayRef<int64_t>{1, 1}, Emit.i32());
}

/// One convolution of all channels of `Input`.
template <typename Convolution>
static Value convolve(Emitter &Emit, const Contraction &C, Value Input,
                      ArrayRef<int8_t> Weights, ArrayRef<int64_t> WeightShape,
                      ArrayRef<int32_t> Bias, ArrayRef<int64_t> Pad) {
  const Window &W = *C.Win;
  int64_t Channels = Bias.size();
  return Emit.create<Convolution>(
      Emit.type(
          {C.Input.shape()[0], W.OutputSize[0], W.OutputSize[1], Channels},
          Emit.i32()),
      Input, Emit.bytes(Weights, WeightShape), Emit.words(Bias, Channels),
      Emit.integer(C.InputZeroPoint, Emit.i8()),
      Emit.integer(C.WeightZeroPoint, Emit.i8()), Pad,
      ArrayRef<int64_t>(W.Stride), ArrayRef<int64_t>(W.Dilation), Emit.i32());
}

/// TOSA has no groups: a convolution of each one's channels, and their sums
/// side by side.
static Value convolveGroups(Emitter &Emit, const Contraction &C, Value Input,
                            ArrayRef<int32_t> Bias) {
  SmallVector<int64_t> Dims(cast<RankedTensorType>(Input.getType()).getShape());
  int64_t Depth = Dims[3] /= C.Groups, Channels = Bias.size() / C.Groups;
  int64_t Size = C.Weights.size() / C.Groups;
  Shape WeightShape = C.WeightShape;
  WeightShape[0] = Channels;
  SmallVector<Value> Sums;
  for (int64_t Group = 0; Group < C.Groups; ++Group)
    Sums.push_back(convolve<tosa::Conv2DOp>(
        Emit, C,
        Emit.extracted(Input, {0, 0, 0, Group * Depth}, Dims, {1, 1, 1, 1}),
        ArrayRef(C.Weights).slice(Group * Size, Size), WeightShape,
        Bias.slice(Group * Channels, Channels), C.Win->Pad));
  SmallVector<int64_t> Result(
      cast<RankedTensorType>(Sums.front().getType()).getShape());
  Result[3] *= C.Groups;
  return Emit.create<tosa::ConcatOp>(Emit.type(Result, Emit.i32()), Sums,
                                     /*axis=*/3u);
}

static Value padded(Emitter &Emit, Value Image, ArrayRef<int64_t> Pad,
                    int64_t ZeroPoint) {
  SmallVector<int64_t> Dims(cast<RankedTensorType>(Image.getType()).getShape());
  Dims[1] += Pad[0] + Pad[1];
  Dims[2] += Pad[2] + Pad[3];
  return Emit.create<tosa::PadOp>(
      Emit.type(Dims, Emit.i8()), Image,
      Emit.shape({0, 0, Pad[0], Pad[1], Pad[2], Pad[3], 0, 0}),
      Emit.integer(ZeroPoint, Emit.i8()));
}

/// Upstream makes a product of a depthwise convolution of one element, and pads
/// 32-bit values with the 8-bit zero point there: its padding stands before it.
static Value convolveChannels(Emitter &Emit, const Contraction &C, Value Input,
                              ArrayRef<int32_t> Bias) {
  SmallVector<int64_t> Pad(C.Win->Pad.begin(), C.Win->Pad.end());
  if (C.WeightShape[0] == 1 && C.WeightShape[1] == 1 && !C.Win->Unpadded) {
    Input = padded(Emit, Input, Pad, C.InputZeroPoint);
    Pad.assign(4, 0);
  }
  return convolve<tosa::DepthwiseConv2DOp>(Emit, C, Input, C.Weights,
                                           C.WeightShape, Bias, Pad);
}

Value tenon::frontend::sumsOf(Emitter &Emit, const Product &P) {
  auto Matrices = [&](const Stored &From, int64_t Rows, int64_t Columns) {
    return Emit.reshaped(Emit.permuted(From, identityOrder(From.Axes.size())),
                         {P.Batch, Rows, Columns});
  };
  return Emit.create<tosa::MatMulOp>(
      Emit.type({P.Batch, P.Rows, P.Columns}, Emit.i32()),
      Matrices(P.Left, P.Rows, P.Depth), Matrices(P.Right, P.Depth, P.Columns),
      Emit.integer(P.LeftZeroPoint, Emit.i8()),
      Emit.integer(P.RightZeroPoint, Emit.i8()));
}

Value tenon::frontend::sumsOf(Emitter &Emit, const Contraction &C,
                              ArrayRef<int32_t> Bias) {
  if (!C.Win)
    return C.IsDepthwise ? scaledRows(Emit, C, Bias)
                         : matrixProduct(Emit, C, Bias);
  Shape Dims = C.Input.shape();
  Value Input = imageOf(Emit, C.Input);
  if (C.Factor)
    return scaled(Emit, C, Input, Bias);
  Input = Emit.sliced(
      Input, {Dims[0], C.Win->InputSize[0], C.Win->InputSize[1], Dims[1]});
  if (C.Groups > 1)
    return convolveGroups(Emit, C, Input, Bias);
  if (C.IsDepthwise)
    return convolveChannels(Emit, C, Input, Bias);
  return convolve<tosa::Conv2DOp>(Emit, C, Input, C.Weights, C.WeightShape,
                                  Bias, C.Win->Pad);
}
