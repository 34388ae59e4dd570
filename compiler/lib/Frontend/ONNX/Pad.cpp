//===- Pad.cpp - Pad ------------------------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// tosa.pad of the held values; what a negative pad cuts off is tosa.slice.
//
//===----------------------------------------------------------------------===//

#include "Movement.h"
#include "Registry.h"

using namespace mlir;
using namespace tenon::frontend;

/// Largest pad: keeps all sums in 64 bits.
static constexpr int64_t MaxPad = 1 << 20;

namespace {

/// Elements in front of and behind each axis; negative ones are cut off.
struct Pads {
  Shape Before, After;
};

} // namespace

/// `Listed`: before each of `Axes`, then after each.
static FailureOr<Pads> padsOf(const Node &N, int64_t Rank,
                              ArrayRef<int64_t> Listed,
                              ArrayRef<int64_t> Axes) {
  if (Listed.size() != 2 * Axes.size())
    return N.error() << "there are " << Listed.size() << " pads for "
                     << Axes.size() << " axes, expected two for each";
  Pads Result{Shape(Rank, 0), Shape(Rank, 0)};
  for (auto [At, Given] : llvm::enumerate(Axes)) {
    FailureOr<int64_t> Axis = normalizedAxis(N, Given, Rank);
    if (failed(Axis))
      return failure();
    int64_t Before = Listed[At], After = Listed[Axes.size() + At];
    for (int64_t Pad : {Before, After})
      if (Pad > MaxPad || Pad < -MaxPad)
        return N.error() << "a pad of axis " << *Axis << " is larger than "
                         << MaxPad;
    Result.Before[*Axis] = Before;
    Result.After[*Axis] = After;
  }
  return Result;
}

/// What negative pads leave of `Input`.
static FailureOr<Stored> cropped(Importer &I, const Node &N,
                                 const Stored &Input, const Pads &P) {
  Shape Dims = Input.shape(), Starts(Dims.size()), Counts(Dims.size());
  for (auto [Axis, Dim] : llvm::enumerate(Dims)) {
    Starts[Axis] = std::max<int64_t>(-P.Before[Axis], 0);
    Counts[Axis] = Dim - Starts[Axis] - std::max<int64_t>(-P.After[Axis], 0);
    if (Counts[Axis] < 1)
      return N.error() << "nothing is left of axis " << Axis << " of "
                       << describe(Dims) << " by pads of " << P.Before[Axis]
                       << " and " << P.After[Axis];
  }
  Stored Result = Input;
  Result.Value =
      I.Emit.extracted(Input.Value, heldOrder(Input, Starts),
                       heldOrder(Input, Counts), Shape(Dims.size(), 1));
  return Result;
}

static FailureOr<Stored> padded(Importer &I, const Node &N, const Stored &Input,
                                const Pads &P, Value Filling) {
  FailureOr<Stored> Result = cropped(I, N, channelsLast(I, Input), P);
  if (failed(Result))
    return failure();
  Shape Dims = Result->shape(), Before, After;
  for (auto [Dim, First, Last] : llvm::zip(Dims, P.Before, P.After)) {
    Before.push_back(std::max<int64_t>(First, 0));
    After.push_back(std::max<int64_t>(Last, 0));
    Dim += Before.back() + After.back();
  }
  if (!elementCount(Dims))
    return N.error() << "its result of " << describe(Dims) << " is too large";
  if (Dims == Result->shape())
    return Result;
  Shape Both;
  for (auto [First, Last] :
       llvm::zip(heldOrder(*Result, Before), heldOrder(*Result, After)))
    Both.append({First, Last});
  auto Type = cast<RankedTensorType>(Result->Value.getType());
  Result->Value = I.Emit.create<tosa::PadOp>(
      I.Emit.type(heldOrder(*Result, Dims), Type.getElementType()),
      Result->Value, I.Emit.shape(Both), Filling);
  markSelected(I, N, *Result);
  return Result;
}

/// `Value` (real for a dequantised input) as the held integer.
static FailureOr<int64_t> heldPadding(const Node &N, double Held,
                                      double Value) {
  int64_t Nearest = std::llrint(std::clamp(Held, -1e6, 1e6));
  // Within float32's precision of the file's numbers.
  if (std::abs(Held - Nearest) > 1e-4 || Nearest < INT8_MIN ||
      Nearest > INT8_MAX)
    return N.error() << "the padding value " << Value
                     << " is none of the input's quantised values: quantise "
                        "after the Pad, or pad with one of them";
  return Nearest;
}

/// Pads the integers behind input 0, or floats that are computed.
static LogicalResult pad(Importer &I, const Node &N, ArrayRef<int64_t> Listed,
                         ArrayRef<int64_t> Axes, double Value) {
  auto Mode = N.string("mode", "constant");
  if (failed(Mode))
    return failure();
  if (*Mode != "constant")
    return N.error() << "mode '" << *Mode
                     << "' is not supported, only 'constant'";
  auto Apply = [&](const Stored &Input, mlir::Value Filling) {
    FailureOr<Pads> P = padsOf(N, Input.Axes.size(), Listed, Axes);
    return failed(P) ? FailureOr<Stored>(failure())
                     : padded(I, N, Input, *P, Filling);
  };
  const Tensor *Found = I.input(N, 0);
  if (!Found)
    return failure();
  const auto *Float = std::get_if<Real>(Found);
  if (!Float ||
      (std::holds_alternative<Computed>(Float->Value) && !Float->isClamped()))
    return move(I, N, [&](const Stored &Input) -> FailureOr<Stored> {
      if (Float)
        return Apply(Input, I.Emit.real(Value, 1));
      FailureOr<int64_t> Held =
          heldPadding(N, Value - (Input.IsUnsigned ? 128 : 0), Value);
      if (failed(Held))
        return failure();
      return Apply(Input, I.Emit.integer(*Held, I.Emit.i8()));
    });
  FailureOr<Quantized> Input = I.quantized(N, 0);
  if (failed(Input))
    return failure();
  FailureOr<int64_t> Held =
      heldPadding(N, Value / Input->Scale + Input->ZeroPoint, Value);
  if (failed(Held))
    return failure();
  FailureOr<Stored> Result =
      Apply(Input->Tensor, I.Emit.integer(*Held, I.Emit.i8()));
  if (failed(Result))
    return failure();
  Input->Tensor = *Result;
  Real Padded{*Input, Result->shape()};
  Padded.Places.push_back(N.location());
  return I.define(N, Padded);
}

LogicalResult tenon::frontend::buildPad(Importer &I, const Node &N) {
  FailureOr<Shape> Pads = I.list(N, 1, {});
  if (failed(Pads))
    return failure();
  double Value = 0;
  if (N.hasInput(2)) {
    std::optional<TensorData> Given = I.constant(N, 2);
    if (!Given)
      return failure();
    if (Given->size() != 1)
      return N.error() << "the padding value '" << N.inputName(2) << "' is of "
                       << describe(Given->shape()) << ", expected one element";
    Value = Given->real(0);
  }
  auto All = llvm::to_vector<4>(llvm::seq<int64_t>(0, Pads->size() / 2));
  FailureOr<Shape> Axes = I.list(N, 3, All);
  return failed(Axes) ? failure() : pad(I, N, *Pads, *Axes, Value);
}
