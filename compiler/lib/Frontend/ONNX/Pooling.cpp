//===- Pooling.cpp - AveragePool, GlobalAveragePool, MaxPool --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Registry.h"
#include "Window.h"

using namespace mlir;
using namespace tenon::frontend;

/// The window of a pool over an image, within what TOSA has.
static FailureOr<Window> poolWindow(const Node &N, ArrayRef<int64_t> Dims) {
  if (!isImageRank(Dims.size()))
    return N.error() << "the input is of " << describe(Dims)
                     << ", expected four dimensions (two-dimensional pooling) "
                        "or three (one-dimensional)";
  FailureOr<Window> W = readWindow(N, Dims.drop_front(2), {});
  if (failed(W))
    return failure();
  if (W->Dilation[0] != 1 || W->Dilation[1] != 1)
    return N.error() << "dilations " << describe(W->Dilation)
                     << " are not supported: TOSA's pooling has none";
  for (int Side = 0; Side < 4; ++Side)
    if (W->Pad[Side] >= W->Kernel[Side / 2])
      return N.error() << "a pad of " << W->Pad[Side] << " makes windows of "
                       << W->Kernel[Side / 2] << " that cover padding only";
  return W;
}

static Shape resultShape(ArrayRef<int64_t> Dims, const Window &W) {
  return imageShape(Dims, Dims[1], W);
}

static LogicalResult defineAverage(Importer &I, const Node &N,
                                   const Quantized &Input, const Window &W,
                                   bool CountsPadding) {
  Real Result{Average{Input, W, CountsPadding},
              resultShape(Input.Tensor.shape(), W)};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}

LogicalResult tenon::frontend::buildAveragePool(Importer &I, const Node &N) {
  FailureOr<Quantized> Input = I.quantized(N, 0);
  auto Counts = N.integer("count_include_pad", 0);
  if (failed(Input) || failed(Counts))
    return failure();
  FailureOr<Window> W = poolWindow(N, Input->Tensor.shape());
  if (failed(W))
    return failure();
  if (*Counts && W->ExtendsPad)
    return N.error() << "ceil_mode with count_include_pad is not supported "
                        "where the last windows reach beyond the padding";
  return defineAverage(I, N, *Input, *W, *Counts != 0);
}

LogicalResult tenon::frontend::buildGlobalAveragePool(Importer &I,
                                                      const Node &N) {
  FailureOr<Quantized> Input = I.quantized(N, 0);
  if (failed(Input))
    return failure();
  Shape Dims = Input->Tensor.shape();
  if (!isImageRank(Dims.size()))
    return N.error() << "the input is of " << describe(Dims)
                     << ", expected four dimensions, or three";
  Window W;
  W.Kernel = W.InputSize = {Dims.size() == 4 ? Dims[2] : 1, Dims.back()};
  W.Stride = W.Dilation = W.OutputSize = {1, 1};
  W.Pad = {0, 0, 0, 0};
  return defineAverage(I, N, *Input, W, false);
}

/// The maximum of held integers, channels last.
static Stored pooledMaximum(Importer &I, const Stored &Input, const Window &W) {
  Shape Dims = Input.shape();
  Value Held = imageOf(I.Emit, Input);
  Held =
      I.Emit.sliced(Held, {Dims[0], W.InputSize[0], W.InputSize[1], Dims[1]});
  Value Result = I.Emit.create<tosa::MaxPool2dOp>(
      I.Emit.type({Dims[0], W.OutputSize[0], W.OutputSize[1], Dims[1]},
                  I.Emit.i8()),
      Held, ArrayRef<int64_t>(W.Kernel), ArrayRef<int64_t>(W.Stride),
      ArrayRef<int64_t>(W.Pad));
  return Stored{Result, nhwcOrder(), Input.IsUnsigned};
}

/// Quantisation is monotonic: the maximum of reals is that of their integers,
/// with the same scale.
LogicalResult tenon::frontend::buildMaxPool(Importer &I, const Node &N) {
  const Tensor *Found = I.input(N, 0);
  if (!Found)
    return failure();
  if (std::holds_alternative<Stored>(*Found)) {
    Stored Input = std::get<Stored>(*Found);
    FailureOr<Window> W = poolWindow(N, Input.shape());
    if (failed(W))
      return failure();
    Stored Result = pooledMaximum(I, Input, *W);
    I.mark(Result, N.outputName(0), resultShape(Input.shape(), *W));
    return I.define(N, fromImage(I.Emit, Result, Input.Axes.size()));
  }
  FailureOr<Quantized> Input = I.quantized(N, 0);
  if (failed(Input))
    return failure();
  Shape Dims = Input->Tensor.shape();
  FailureOr<Window> W = poolWindow(N, Dims);
  if (failed(W))
    return failure();
  Stored Maximum = fromImage(I.Emit, pooledMaximum(I, Input->Tensor, *W),
                             Input->Tensor.Axes.size());
  Real Result{Quantized{Maximum, Input->Scale, Input->ZeroPoint},
              resultShape(Dims, *W)};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}
