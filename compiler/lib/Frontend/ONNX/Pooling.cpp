//===- Pooling.cpp - Pools, and reductions of whole images ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Movement.h"
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

/// The window of all rows and columns.
static Window wholeImage(ArrayRef<int64_t> Dims) {
  Window W;
  W.Kernel = W.InputSize = {Dims.size() == 4 ? Dims[2] : 1, Dims.back()};
  W.Stride = W.Dilation = W.OutputSize = {1, 1};
  W.Pad = {0, 0, 0, 0};
  return W;
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
  return defineAverage(I, N, *Input, wholeImage(Dims), false);
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

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {

/// A reduction of all rows and columns of an image.
struct ImageReduction {
  SmallVector<int64_t> Perm; ///< the axes as batch, channels, rows, columns
  Shape Result;              ///< of the ONNX tensor
};

} // namespace

/// The reduced axes as rows and columns: two of four, or one of three.
static FailureOr<ImageReduction> readReduction(Importer &I, const Node &N,
                                               const Shape &Dims) {
  auto Keeps = N.integer("keepdims", 1);
  FailureOr<Shape> Axes = I.list(N, 1, {});
  if (failed(Keeps) || failed(Axes))
    return failure();
  int64_t Rank = Dims.size();
  llvm::SmallDenseSet<int64_t> Reduced;
  for (int64_t Axis : *Axes) {
    FailureOr<int64_t> Normal = normalizedAxis(N, Axis, Rank);
    if (failed(Normal))
      return failure();
    Reduced.insert(*Normal);
  }
  if (!isImageRank(Rank) || int64_t(Reduced.size()) != Rank - 2)
    return N.error() << "it reduces " << Reduced.size() << " axes of "
                     << describe(Dims)
                     << ": a layer reduces two axes of four, or one of three";
  ImageReduction Result;
  for (bool IsReduced : {false, true})
    for (int64_t Axis = 0; Axis < Rank; ++Axis)
      if (Reduced.contains(Axis) == IsReduced)
        Result.Perm.push_back(Axis);
  for (int64_t Axis = 0; Axis < Rank; ++Axis)
    if (*Keeps || !Reduced.contains(Axis))
      Result.Result.push_back(Reduced.contains(Axis) ? 1 : Dims[Axis]);
  return Result;
}

/// The image whose rows and columns are reduced.
static Stored imageFor(const Stored &Input, const ImageReduction &Of) {
  Stored Result = Input;
  for (auto [To, From] : llvm::zip(Result.Axes, Of.Perm))
    To = Input.Axes[From];
  return Result;
}

/// A sum is the mean of as many times the elements.
static LogicalResult buildMean(Importer &I, const Node &N, bool IsSum) {
  FailureOr<Quantized> Input = I.quantized(N, 0);
  if (failed(Input))
    return failure();
  FailureOr<ImageReduction> Of = readReduction(I, N, Input->Tensor.shape());
  if (failed(Of))
    return failure();
  Input->Tensor = imageFor(Input->Tensor, *Of);
  Window W = wholeImage(Input->Tensor.shape());
  if (IsSum)
    Input->Scale *= W.Kernel[0] * W.Kernel[1];
  Real Result{Average{*Input, W, /*CountsPadding=*/false}, Of->Result};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}

LogicalResult tenon::frontend::buildReduceMean(Importer &I, const Node &N) {
  return buildMean(I, N, /*IsSum=*/false);
}

LogicalResult tenon::frontend::buildReduceSum(Importer &I, const Node &N) {
  return buildMean(I, N, /*IsSum=*/true);
}

LogicalResult tenon::frontend::buildReduceMax(Importer &I, const Node &N) {
  return move(I, N, [&](const Stored &Input) -> FailureOr<Stored> {
    FailureOr<ImageReduction> Of = readReduction(I, N, Input.shape());
    if (failed(Of))
      return failure();
    Stored Image = imageFor(Input, *Of);
    Stored Result = pooledMaximum(I, Image, wholeImage(Image.shape()));
    I.mark(Result, N.outputName(0), Of->Result);
    Result.Value = I.Emit.reshaped(Result.Value, Of->Result);
    Result.Axes = identityOrder(Of->Result.size());
    return Result;
  });
}
