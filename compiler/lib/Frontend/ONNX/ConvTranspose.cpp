//===- ConvTranspose.cpp - ConvTranspose ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Outputs a stride apart meet the same weights: output i*s + p sums x[j] times
// weight k where i*s + p + pad = j*s + k, so k = r, r + s, r + 2s and so on
// with r = (p + pad) mod s. Each such phase is a convolution without a stride.
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"
#include "Registry.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tenon::frontend;

/// Largest stride, dilation, window, pad or result: keeps all sums in 64 bits.
static constexpr int64_t MaxWindow = 1 << 20;

namespace {
/// One axis: `Low` of padding is cut off before `Out` results.
struct Spread {
  int64_t In = 1, Taps = 1, Dilation = 1, Stride = 1, Low = 0, Out = 1;

  int64_t reach() const { return (Taps - 1) * Dilation + 1; }
};

/// A phase along one axis: tap t of its window is the weight at `Tap[t]`, or 0
/// where that is -1.
struct AxisPhase {
  SmallVector<int64_t> Tap;
  int64_t Low = 0, High = 0, Out = 1;
};
} // namespace

static AxisPhase phaseOf(const Spread &A, int64_t Phase) {
  int64_t First = (Phase + A.Low) % A.Stride, Last = (Phase + A.Low) / A.Stride;
  AxisPhase Result;
  // Taps that read x[i + Last], x[i + Last - 1] and so on, mirrored below.
  for (int64_t At = First; At < A.reach(); At += A.Stride)
    Result.Tap.push_back(At % A.Dilation ? -1 : At / A.Dilation);
  if (Result.Tap.empty()) {
    Result.Tap.push_back(-1);
    Last = 0;
  }
  while (int64_t(Result.Tap.size()) <= Last) // its window begins behind x[0]
    Result.Tap.push_back(-1);
  std::reverse(Result.Tap.begin(), Result.Tap.end());
  Result.Out = llvm::divideCeil(A.Out - Phase, A.Stride);
  Result.Low = int64_t(Result.Tap.size()) - 1 - Last;
  Result.High = Result.Out + Last - A.In;
  // A longer window leaves out what no output meets; a slice would be a copy.
  for (; Result.High < 0; ++Result.High)
    Result.Tap.push_back(-1);
  return Result;
}

/// Low and Out by pads, auto_pad, output_padding and output_shape.
static LogicalResult readResult(const Node &N, MutableArrayRef<Spread> Axes) {
  size_t Rank = Axes.size();
  SmallVector<int64_t> Zeros(2 * Rank, 0);
  auto Pads = N.integers("pads", Zeros);
  auto Extra = N.integers("output_padding", ArrayRef(Zeros).take_front(Rank));
  auto Size = N.integers("output_shape", {});
  auto Mode = N.string("auto_pad", "NOTSET");
  if (failed(Pads) || failed(Extra) || failed(Size) || failed(Mode))
    return failure();
  if (Size->size() == Rank + 2) // as some write it: all axes
    Size->erase(Size->begin(), Size->begin() + 2);
  if (Pads->size() != 2 * Rank || Extra->size() != Rank ||
      (!Size->empty() && Size->size() != Rank))
    return N.error() << "pads, output_padding or output_shape do not have the "
                     << Rank << " spatial axes of its input";
  bool IsSame = StringRef(*Mode).starts_with("SAME");
  for (auto [Index, A] : llvm::enumerate(Axes)) {
    int64_t Natural = (A.In - 1) * A.Stride + A.reach() + (*Extra)[Index];
    int64_t High = 0;
    if (Size->empty() && !IsSame) {
      A.Low = *Mode == "NOTSET" ? (*Pads)[Index] : 0;
      High = *Mode == "NOTSET" ? (*Pads)[Rank + Index] : 0;
      A.Out = Natural - A.Low - High;
    } else {
      A.Out = Size->empty() ? A.In * A.Stride : (*Size)[Index];
      int64_t Total = std::max<int64_t>(Natural - A.Out, 0);
      A.Low = *Mode == "SAME_UPPER" ? Total / 2 : Total - Total / 2;
    }
    if (A.Low < 0 || High < 0 || A.Low > MaxWindow || A.Out < A.Stride ||
        A.Out > MaxWindow)
      return N.error() << "its result has " << A.Out << " elements along axis "
                       << Index + 2 << " and " << A.Low
                       << " cut off before them, expected one a phase, "
                       << A.Stride << " to " << MaxWindow
                       << ", and none or more";
  }
  return success();
}

static FailureOr<SmallVector<Spread, 2>>
readAxes(const Node &N, ArrayRef<int64_t> Input, ArrayRef<int64_t> Taps) {
  SmallVector<int64_t> Ones(Taps.size(), 1);
  auto Strides = N.integers("strides", Ones);
  auto Dilations = N.integers("dilations", Ones);
  auto Kernel = N.integers("kernel_shape", Taps);
  if (failed(Strides) || failed(Dilations) || failed(Kernel))
    return failure();
  auto IsStep = [](int64_t Step) { return Step >= 1 && Step <= MaxWindow; };
  if (Strides->size() != Taps.size() || Dilations->size() != Taps.size() ||
      !llvm::all_of(*Strides, IsStep) || !llvm::all_of(*Dilations, IsStep) ||
      ArrayRef<int64_t>(*Kernel) != Taps || !llvm::all_of(Taps, IsStep))
    return N.error() << "strides, dilations or kernel_shape do not fit weights "
                        "with windows of "
                     << describe(Taps);
  SmallVector<Spread, 2> Axes;
  for (auto [In, Tap, Dilation, Stride] :
       llvm::zip(Input, Taps, *Dilations, *Strides))
    Axes.push_back({In, Tap, Dilation, Stride});
  if (failed(readResult(N, Axes)))
    return failure();
  if (Axes.size() == 1)
    Axes.insert(Axes.begin(), Spread());
  return Axes;
}

/// Of weights C,M,KH,KW (or C,M,KW) what a phase multiplies with, as
/// `setWeights` of a convolution has it.
static Contraction::Phase phaseOf(const Contraction &C,
                                  const ConstantWeights &W, const AxisPhase &Y,
                                  const AxisPhase &X) {
  ArrayRef<int64_t> From = W.Integers.shape();
  int64_t KH = From.size() == 4 ? From[2] : 1, KW = From.back();
  int64_t M = From[1], Groups = C.IsDepthwise ? From[0] : C.Groups;
  int64_t In = From[0] / Groups, O = Groups * M;
  int64_t Rows = Y.Tap.size(), Columns = X.Tap.size();
  const std::vector<int8_t> Held = W.held();
  Contraction::Phase Result;
  Result.Weights.assign(O * Rows * Columns * In, W.ZeroPoint);
  for (int64_t o = 0; o < O; ++o)
    for (int64_t i = 0; i < In; ++i)
      for (int64_t y = 0; y < Rows; ++y)
        for (int64_t x = 0; x < Columns; ++x) {
          if (Y.Tap[y] < 0 || X.Tap[x] < 0)
            continue;
          int64_t Channel = o / M * In + i;
          int64_t At = ((Channel * M + o % M) * KH + Y.Tap[y]) * KW + X.Tap[x];
          int64_t To = C.IsDepthwise ? (y * Columns + x) * O + o
                                     : ((o * Rows + y) * Columns + x) * In + i;
          Result.Weights[To] = Held[At];
        }
  Result.WeightShape = C.IsDepthwise ? Shape{Rows, Columns, From[0], M}
                                     : Shape{O, Rows, Columns, In};
  Window &Win = Result.Win;
  Win.Kernel = {Rows, Columns};
  Win.Stride = Win.Dilation = {1, 1};
  Win.Pad = {Y.Low, Y.High, X.Low, X.High};
  Shape Dims = C.Input.shape();
  Win.InputSize = {Dims.size() == 4 ? Dims[2] : 1, Dims.back()};
  Win.OutputSize = {Y.Out, X.Out};
  Win.Unpadded = llvm::all_of(Win.Pad, [](int64_t Pad) { return Pad == 0; });
  return Result;
}

/// The scales of M weight channels are those of each group's.
static void repeatScales(ConstantWeights &W, int64_t Groups) {
  size_t Count = W.Scales.size();
  for (size_t I = Count; Count > 1 && I < Count * Groups; ++I)
    W.Scales.push_back(W.Scales[I - Count]);
}

LogicalResult tenon::frontend::buildConvTranspose(Importer &I, const Node &N) {
  FailureOr<Quantized> Input = I.quantized(N, 0);
  if (failed(Input))
    return failure();
  FailureOr<ConstantWeights> Weights = dequantizedWeights(I, N, 1, 1);
  auto Groups = N.integer("group", 1);
  if (failed(Weights) || failed(Groups))
    return failure();
  Shape Dims = Input->Tensor.shape();
  ArrayRef<int64_t> Taps = Weights->Integers.shape();
  if (!isImageRank(Dims.size()) || Taps.size() != Dims.size() || *Groups < 1 ||
      Taps[0] != Dims[1] || Taps[0] % *Groups || Weights->Integers.size() == 0)
    return N.error() << "the input is of " << describe(Dims)
                     << ", the weights of " << describe(Taps) << " in "
                     << *Groups
                     << " groups: expected one or two spatial axes, and a row "
                        "of weights an input channel";
  auto Axes =
      readAxes(N, ArrayRef<int64_t>(Dims).drop_front(2), Taps.drop_front(2));
  if (failed(Axes))
    return failure();
  const Spread &Y = (*Axes)[0], &X = (*Axes)[1];
  Contraction C;
  C.Input = Input->Tensor;
  C.InputZeroPoint = Input->ZeroPoint;
  C.IsDepthwise = *Groups == Dims[1] && Dims[1] > 1;
  C.Groups = C.IsDepthwise ? 1 : *Groups;
  C.WeightZeroPoint = Weights->ZeroPoint;
  C.Win.emplace();
  C.Win->Stride = {Y.Stride, X.Stride};
  C.Win->OutputSize = {Y.Out, X.Out};
  for (int64_t y = 0; y < Y.Stride; ++y)
    for (int64_t x = 0; x < X.Stride; ++x)
      C.Phases.push_back(phaseOf(C, *Weights, phaseOf(Y, y), phaseOf(X, x)));
  C.WeightShape = C.Phases.front().WeightShape;
  repeatScales(*Weights, *Groups);
  if (failed(setScales(C, *Weights, Input->Scale)) ||
      failed(setRealBias(I, N, 2, C)))
    return failure();
  Real Result{C, imageShape(Dims, C.Bias.size(), *C.Win)};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}
