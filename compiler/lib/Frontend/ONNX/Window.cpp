//===- Window.cpp - Strides and pads of convolutions and pools ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

using namespace mlir;
using namespace tenon::frontend;

/// Largest stride, dilation, window or pad: keeps all sums in 64 bits.
static constexpr int64_t MaxWindow = 1 << 20;

/// `Count` values between `Least` and MaxWindow.
static LogicalResult checkValues(const Node &N, StringRef Name,
                                 ArrayRef<int64_t> Values, size_t Count,
                                 int64_t Least) {
  if (Values.size() != Count)
    return N.error() << "attribute '" << Name << "' has " << Values.size()
                     << " values, expected " << Count
                     << (Count > 2 ? ", a begin and an end for each axis"
                                   : ", one for each axis");
  for (int64_t Value : Values)
    if (Value < Least || Value > MaxWindow)
      return N.error() << "attribute '" << Name << "' has the value " << Value
                       << ", expected " << Least << " to " << MaxWindow;
  return success();
}

namespace {
/// One axis of a window.
struct Axis {
  int64_t Input, Extent, Stride; // Extent: of the dilated window
  int64_t Begin, End;            // pads
};
} // namespace

/// The pads of auto_pad SAME: as many outputs as strides fit the input.
static void padSame(Axis &A, bool IsUpper) {
  int64_t Outputs = (A.Input + A.Stride - 1) / A.Stride;
  int64_t Total =
      std::max<int64_t>(0, (Outputs - 1) * A.Stride + A.Extent - A.Input);
  A.Begin = IsUpper ? Total / 2 : Total - Total / 2;
  A.End = Total - A.Begin;
}

/// The outputs along the axis; 0 where the window does not fit.
static int64_t outputs(const Axis &A, bool Ceil) {
  int64_t Room = A.Input + A.Begin + A.End - A.Extent;
  if (Room < 0)
    return 0;
  int64_t Count = Room / A.Stride + 1;
  // A last window that begins inside of the input or its begin padding.
  if (Ceil && Room % A.Stride != 0 && Count * A.Stride < A.Input + A.Begin)
    ++Count;
  return Count;
}

/// Puts an axis of one element before the only one.
static void addRow(Window &W) {
  W.Pad.insert(W.Pad.begin(), {0, 0});
  for (SmallVector<int64_t, 2> *Of :
       {&W.Kernel, &W.Stride, &W.Dilation, &W.InputSize, &W.OutputSize})
    Of->insert(Of->begin(), 1);
}

FailureOr<Window> tenon::frontend::readWindow(const Node &N,
                                              ArrayRef<int64_t> Input,
                                              ArrayRef<int64_t> Kernel) {
  size_t Rank = Input.size();
  SmallVector<int64_t> Ones(Rank, 1), Zeros(2 * Rank, 0);
  auto Shape = N.integers("kernel_shape", Kernel);
  auto Strides = N.integers("strides", Ones);
  auto Dilations = N.integers("dilations", Ones);
  auto Pads = N.integers("pads", Zeros);
  auto Mode = N.string("auto_pad", "NOTSET");
  auto Ceil = N.integer("ceil_mode", 0);
  if (failed(Shape) || failed(Strides) || failed(Dilations) || failed(Pads) ||
      failed(Mode) || failed(Ceil))
    return failure();
  if (failed(checkValues(N, "kernel_shape", *Shape, Rank, 1)) ||
      failed(checkValues(N, "strides", *Strides, Rank, 1)) ||
      failed(checkValues(N, "dilations", *Dilations, Rank, 1)) ||
      failed(checkValues(N, "pads", *Pads, 2 * Rank, 0)))
    return failure();
  if (!Kernel.empty() && ArrayRef<int64_t>(*Shape) != Kernel)
    return N.error() << "kernel_shape is " << describe(*Shape)
                     << ", but the weights have " << describe(Kernel);
  if (*Mode != "NOTSET" && *Mode != "VALID" && *Mode != "SAME_UPPER" &&
      *Mode != "SAME_LOWER")
    return N.error() << "auto_pad is '" << *Mode
                     << "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER";
  Window W;
  W.Kernel.assign(Shape->begin(), Shape->end());
  W.Stride.assign(Strides->begin(), Strides->end());
  W.Dilation.assign(Dilations->begin(), Dilations->end());
  for (size_t D = 0; D < Rank; ++D) {
    Axis A{Input[D], (W.Kernel[D] - 1) * W.Dilation[D] + 1, W.Stride[D],
           (*Pads)[D], (*Pads)[D + Rank]};
    if (*Mode == "VALID")
      A.Begin = A.End = 0;
    else if (*Mode != "NOTSET")
      padSame(A, *Mode == "SAME_UPPER");
    int64_t Outputs = outputs(A, *Ceil != 0);
    if (Outputs < 1)
      return N.error() << "the window covers " << A.Extent
                       << " elements, but the input has only " << A.Input
                       << " and " << A.Begin + A.End << " of padding";
    // TOSA: input + pads - window is a multiple of the stride, exactly.
    int64_t End = (Outputs - 1) * A.Stride + A.Extent - A.Input - A.Begin;
    W.ExtendsPad |= End > A.End;
    W.Pad.append({A.Begin, std::max<int64_t>(End, 0)});
    W.InputSize.push_back(A.Input + std::min<int64_t>(End, 0));
    W.OutputSize.push_back(Outputs);
  }
  W.Unpadded = llvm::all_of(W.Pad, [](int64_t Pad) { return Pad == 0; });
  if (Rank == 1)
    addRow(W);
  return W;
}

Shape tenon::frontend::imageShape(ArrayRef<int64_t> Input, int64_t Channels,
                                  const Window &W) {
  Shape Result{Input[0], Channels};
  Result.append(W.OutputSize.end() - (Input.size() - 2), W.OutputSize.end());
  return Result;
}

Value tenon::frontend::imageOf(Emitter &Emit, const Stored &Tensor) {
  if (Tensor.Axes.size() == 4)
    return Emit.permuted(Tensor, nhwcOrder());
  auto Dims = Tensor.shape(); // N, C, W
  return Emit.reshaped(Emit.permuted(Tensor, nwcOrder()),
                       {Dims[0], 1, Dims[2], Dims[1]});
}

Stored tenon::frontend::fromImage(Emitter &Emit, const Stored &Image,
                                  size_t Rank) {
  if (Rank == 4)
    return Image;
  auto Dims = Image.shape(); // N, C, 1, W
  Stored Result = Image;
  Result.Value = Emit.reshaped(Image.Value, {Dims[0], Dims[3], Dims[1]});
  Result.Axes = nwcOrder();
  return Result;
}
