//===- Selection.cpp - Slice and Pad --------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// TOSA has neither a slice with steps nor a pad that the accelerator takes.
// Both select: each element of the result is one element of the input or the
// padding value. So over an NCHW activation they are a 1x1 convolution whose
// weights are a selection matrix (one 1 a row; a row of zeros for a channel of
// padding), whose strides are the steps, whose padding is the pad, and whose
// zero points are the padding value, so that (x - v) * 1 + v = x and 0 + v = v,
// exactly. Rows and columns in front of a Slice are cut off by tosa.slice,
// which also serves other ranks.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "Registry.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tenon::frontend;
using ::onnx::TensorProto;

namespace {

/// What an operator selects along one axis: `Count` elements from `Start` on,
/// `Step` apart; `Before` and `After` elements of padding around them.
struct Range {
  int64_t Start = 0, Step = 1, Count = 0, Before = 0, After = 0;

  int64_t size() const { return Before + Count + After; }
};

/// The input of a selection, and what makes a result of the same kind.
struct Selected {
  Stored Tensor;
  std::optional<Quantized> Type; // absent: plain integers
};

} // namespace

static FailureOr<Selected> selectedInput(Importer &I, const Node &N) {
  const Tensor *Found = I.input(N, 0);
  if (!Found)
    return failure();
  if (const auto *Held = std::get_if<Stored>(Found))
    return Selected{*Held, std::nullopt};
  FailureOr<Quantized> Held = I.quantized(N, 0);
  if (failed(Held))
    return failure();
  return Selected{Held->Tensor, *Held};
}

static LogicalResult defineSelected(Importer &I, const Node &N,
                                    const Selected &From, Stored Result) {
  Result.IsUnsigned = From.Tensor.IsUnsigned;
  I.mark(Result, N.Proto->output(0), Result.shape());
  if (!From.Type)
    return I.define(N, Result);
  Real Value{Quantized{Result, From.Type->Scale, From.Type->ZeroPoint},
             Result.shape()};
  Value.Places.push_back(I.locationOf(N));
  return I.define(N, Value);
}

/// The 1x1 convolution of the file's head; `Ranges` are those of N, C, H, W.
static FailureOr<Stored> convolved(Importer &I, const Node &N,
                                   const Stored &Input, ArrayRef<Range> Ranges,
                                   int64_t PadValue) {
  Contraction C;
  C.Input = Input;
  C.InputZeroPoint = PadValue;
  const Range &Channels = Ranges[1];
  int64_t Depth = Input.shape()[1];
  C.WeightShape = {Channels.size(), 1, 1, Depth};
  if (!elementCount(C.WeightShape))
    return I.error(N) << "its selection of " << Channels.size() << " from "
                      << Depth << " channels is too large";
  C.Weights.assign(Channels.size() * Depth, 0);
  for (int64_t To = 0; To < Channels.Count; ++To)
    C.Weights[(Channels.Before + To) * Depth + Channels.Start +
              To * Channels.Step] = 1;
  C.Bias.assign(Channels.size(), 0);
  C.Scales.assign(Channels.size(), 1.0);
  Window Win;
  Win.Kernel = Win.Dilation = {1, 1};
  Win.Unpadded = true;
  for (const Range &Axis : Ranges.drop_front(2)) {
    Win.Stride.push_back(Axis.Step);
    Win.Pad.append({Axis.Before, Axis.After});
    Win.InputSize.push_back((Axis.Count - 1) * Axis.Step + 1);
    Win.OutputSize.push_back(Axis.size());
    Win.Unpadded &= Axis.Before + Axis.After == 0;
  }
  C.Win = Win;
  Shape Dims = {Input.shape()[0], Channels.size(), Ranges[2].size(),
                Ranges[3].size()};
  I.Emit.at(I.locationOf(N));
  return I.emitted(N, Real{C, Dims}, {1.0, PadValue, false});
}

/// The elements [Start, Start + Dims) of each axis.
static Stored contiguous(Importer &I, const Node &N, const Stored &Input,
                         ArrayRef<int64_t> Start, ArrayRef<int64_t> Dims) {
  auto Held = cast<RankedTensorType>(Input.Value.getType());
  Shape HeldStart(Start.size()), HeldDims(Dims.size());
  for (auto [Onnx, At] : llvm::enumerate(Input.Axes)) {
    HeldStart[At] = Start[Onnx];
    HeldDims[At] = Dims[Onnx];
  }
  if (Held.getShape() == ArrayRef<int64_t>(HeldDims))
    return Input;
  I.Emit.at(I.locationOf(N));
  Stored Result = Input;
  Result.Value = I.Emit.create<tosa::SliceOp>(
      I.Emit.type(HeldDims, Held.getElementType()), Input.Value,
      I.Emit.shape(HeldStart), I.Emit.shape(HeldDims));
  return Result;
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// The INT64 or INT32 list at input `Index`; `Default` when it is absent.
static FailureOr<Shape> listAt(Importer &I, const Node &N, int Index,
                               ArrayRef<int64_t> Default) {
  if (N.input(Index).empty())
    return Shape(Default);
  const Constant *Listed = I.constant(N, Index);
  if (!Listed)
    return failure();
  if ((Listed->type() != TensorProto::INT64 &&
       Listed->type() != TensorProto::INT32) ||
      Listed->shape().size() > 1)
    return I.error(N) << "input " << Index << " ('" << N.input(Index)
                      << "') is " << describeType(Listed->type()) << " of "
                      << describe(Listed->shape())
                      << ", expected a list of INT64";
  Shape Result;
  for (int64_t At = 0; At < Listed->size(); ++At)
    Result.push_back(Listed->integer(At));
  return Result;
}

/// ONNX: negative bounds count from the end, then they are clamped.
static Range sliced(int64_t Dim, int64_t Start, int64_t End, int64_t Step) {
  auto Bound = [&](int64_t At) {
    return std::clamp<int64_t>(At < 0 ? At + Dim : At, 0, Dim);
  };
  Range Result;
  Result.Start = Bound(Start);
  Result.Step = Step;
  int64_t Length = std::max<int64_t>(Bound(End) - Result.Start, 0);
  Result.Count = Length ? (Length - 1) / Step + 1 : 0;
  return Result;
}

static FailureOr<SmallVector<Range>>
slicedRanges(Importer &I, const Node &N, ArrayRef<int64_t> Dims,
             ArrayRef<int64_t> Starts, ArrayRef<int64_t> Ends,
             ArrayRef<int64_t> Axes, ArrayRef<int64_t> Steps) {
  if (Ends.size() != Starts.size() || Axes.size() != Starts.size() ||
      Steps.size() != Starts.size())
    return I.error(N) << "starts, ends, axes and steps have " << Starts.size()
                      << ", " << Ends.size() << ", " << Axes.size() << " and "
                      << Steps.size() << " elements, expected as many of each";
  SmallVector<Range> Ranges;
  for (int64_t Dim : Dims)
    Ranges.push_back(sliced(Dim, 0, Dim, 1));
  llvm::SmallBitVector Seen(Dims.size());
  for (size_t At = 0; At < Starts.size(); ++At) {
    FailureOr<int64_t> Axis = normalizedAxis(I, N, Axes[At], Dims.size());
    if (failed(Axis))
      return failure();
    if (Seen[*Axis])
      return I.error(N) << "axis " << *Axis << " is listed twice";
    Seen.set(*Axis);
    if (Steps[At] < 1)
      return I.error(N) << "the step " << Steps[At] << " of axis " << *Axis
                        << " is not supported: it would need a reversal; "
                           "expected 1 or more";
    Ranges[*Axis] = sliced(Dims[*Axis], Starts[At], Ends[At], Steps[At]);
    if (Ranges[*Axis].Count == 0)
      return I.error(N) << "nothing is left of axis " << *Axis << ": from "
                        << Starts[At] << " to " << Ends[At] << " of "
                        << describe(Dims);
  }
  return Ranges;
}

static LogicalResult slice(Importer &I, const Node &N, ArrayRef<int64_t> Starts,
                           ArrayRef<int64_t> Ends, ArrayRef<int64_t> Axes,
                           ArrayRef<int64_t> Steps) {
  FailureOr<Selected> Input = selectedInput(I, N);
  if (failed(Input))
    return failure();
  Shape Dims = Input->Tensor.shape();
  auto Ranges = slicedRanges(I, N, Dims, Starts, Ends, Axes, Steps);
  if (failed(Ranges))
    return failure();
  // What the convolution does not do: offsets of rows and columns, batches,
  // other ranks.
  bool IsImage = Dims.size() == 4;
  Shape Start, Length;
  bool Convolves = false;
  for (auto [Axis, Of] : llvm::enumerate(*Ranges)) {
    bool Selects = IsImage && Axis > 0;
    if (Of.Step > 1 && !Selects)
      return I.error(N) << "a step over axis " << Axis << " of "
                        << describe(Dims)
                        << " is not supported: it would need a gather; "
                           "expected four dimensions, and steps in the last "
                           "three";
    bool ByRows = !Selects || (Axis > 1 && Of.Start > 0);
    Start.push_back(ByRows ? Of.Start : 0);
    Length.push_back(ByRows ? (Of.Count - 1) * Of.Step + 1 : Dims[Axis]);
    Of.Start -= Start.back();
    Convolves |= Selects && (Of.Start > 0 || Of.Count != Length.back());
  }
  Stored Result = contiguous(I, N, Input->Tensor, Start, Length);
  if (Convolves) {
    FailureOr<Stored> Selection = convolved(I, N, Result, *Ranges, 0);
    if (failed(Selection))
      return failure();
    Result = *Selection;
  }
  return defineSelected(I, N, *Input, Result);
}

LogicalResult tenon::frontend::buildSlice1(Importer &I, const Node &N) {
  auto Starts = integersAttribute(I, N, "starts", {});
  auto Ends = integersAttribute(I, N, "ends", {});
  if (failed(Starts) || failed(Ends))
    return failure();
  auto All = llvm::to_vector<4>(llvm::seq<int64_t>(0, Starts->size()));
  auto Axes = integersAttribute(I, N, "axes", All);
  if (failed(Axes))
    return failure();
  return slice(I, N, *Starts, *Ends, *Axes, Shape(Starts->size(), 1));
}

LogicalResult tenon::frontend::buildSlice10(Importer &I, const Node &N) {
  FailureOr<Shape> Starts = listAt(I, N, 1, {}), Ends = listAt(I, N, 2, {});
  if (failed(Starts) || failed(Ends))
    return failure();
  auto All = llvm::to_vector<4>(llvm::seq<int64_t>(0, Starts->size()));
  FailureOr<Shape> Axes = listAt(I, N, 3, All);
  FailureOr<Shape> Steps = listAt(I, N, 4, Shape(Starts->size(), 1));
  if (failed(Axes) || failed(Steps))
    return failure();
  return slice(I, N, *Starts, *Ends, *Axes, *Steps);
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

/// Largest pad: keeps all sums in 64 bits.
static constexpr int64_t MaxPad = 1 << 20;

/// `Value` (real for a dequantised input) as the held integer.
static FailureOr<int64_t> heldPadding(Importer &I, const Node &N,
                                      const Selected &Input, double Value) {
  double Held = Value - (Input.Tensor.IsUnsigned ? 128 : 0);
  if (Input.Type)
    Held = Value / Input.Type->Scale + Input.Type->ZeroPoint;
  int64_t Nearest = std::llrint(std::clamp(Held, -1e6, 1e6));
  // Within float32's precision of the file's numbers.
  if (std::abs(Held - Nearest) > 1e-4 || Nearest < INT8_MIN ||
      Nearest > INT8_MAX)
    return I.error(N) << "the padding value " << Value
                      << " is none of the input's quantised values: quantise "
                         "after the Pad, or pad with one of them";
  return Nearest;
}

/// `Pads`: before each of `Axes`, then after each.
static LogicalResult pad(Importer &I, const Node &N, ArrayRef<int64_t> Pads,
                         ArrayRef<int64_t> Axes, double Value) {
  auto Mode = stringAttribute(I, N, "mode", "constant");
  FailureOr<Selected> Input = selectedInput(I, N);
  if (failed(Mode) || failed(Input))
    return failure();
  if (*Mode != "constant")
    return I.error(N) << "mode '" << *Mode
                      << "' is not supported: it would need a gather; expected "
                         "'constant'";
  Shape Dims = Input->Tensor.shape();
  if (Pads.size() != 2 * Axes.size())
    return I.error(N) << "there are " << Pads.size() << " pads for "
                      << Axes.size() << " axes, expected two for each";
  SmallVector<Range> Ranges;
  for (int64_t Dim : Dims)
    Ranges.push_back(sliced(Dim, 0, Dim, 1));
  for (size_t At = 0; At < Axes.size(); ++At) {
    FailureOr<int64_t> Axis = normalizedAxis(I, N, Axes[At], Dims.size());
    if (failed(Axis))
      return failure();
    Ranges[*Axis].Before = Pads[At];
    Ranges[*Axis].After = Pads[Axes.size() + At];
    if (std::min(Ranges[*Axis].Before, Ranges[*Axis].After) < 0)
      return I.error(N) << "a pad of axis " << *Axis
                        << " is negative, which is not supported: use Slice";
    if (std::max(Ranges[*Axis].Before, Ranges[*Axis].After) > MaxPad)
      return I.error(N) << "a pad of axis " << *Axis << " is larger than "
                        << MaxPad;
  }
  if (Dims.size() != 4 || Ranges[0].size() != Dims[0])
    return I.error(N) << "padding " << describe(Dims)
                      << " is not supported: it would need tosa.pad on the "
                         "host; expected four dimensions, and no padding of "
                         "the first";
  FailureOr<int64_t> Held = heldPadding(I, N, *Input, Value);
  if (failed(Held))
    return failure();
  FailureOr<Stored> Result = convolved(I, N, Input->Tensor, Ranges, *Held);
  if (failed(Result))
    return failure();
  return defineSelected(I, N, *Input, *Result);
}

LogicalResult tenon::frontend::buildPad2(Importer &I, const Node &N) {
  auto Pads = integersAttribute(I, N, "pads", {});
  auto Value = realAttribute(I, N, "value", 0);
  if (failed(Pads) || failed(Value))
    return failure();
  return pad(I, N, *Pads,
             llvm::to_vector<4>(llvm::seq<int64_t>(0, Pads->size() / 2)),
             *Value);
}

LogicalResult tenon::frontend::buildPad11(Importer &I, const Node &N) {
  FailureOr<Shape> Pads = listAt(I, N, 1, {});
  if (failed(Pads))
    return failure();
  double Value = 0;
  if (!N.input(2).empty()) {
    const Constant *Given = I.constant(N, 2);
    if (!Given)
      return failure();
    if (Given->size() != 1)
      return I.error(N) << "the padding value '" << N.input(2) << "' is of "
                        << describe(Given->shape()) << ", expected one element";
    Value = Given->real(0);
  }
  auto All = llvm::to_vector<4>(llvm::seq<int64_t>(0, Pads->size() / 2));
  FailureOr<Shape> Axes = listAt(I, N, 3, All);
  return failed(Axes) ? failure() : pad(I, N, *Pads, *Axes, Value);
}
