//===- Slice.cpp - Slice --------------------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// tosa.slice where the step is 1; TOSA has no steps, so others are
// tensor.extract_slice, behind tosa.reverse where they are negative.
//
//===----------------------------------------------------------------------===//

#include "Movement.h"
#include "Registry.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {

/// `Count` elements of one axis from `Start` on, `Step` apart; backwards when
/// `Reversed`: then the axis is reversed first and `Start` counts there.
struct Selection {
  int64_t Start = 0, Count = 0, Step = 1;
  bool Reversed = false;
};

/// What a Slice lists: as many of each.
struct Listed {
  Shape Starts, Ends, Axes, Steps;
};

} // namespace

/// Element `At` of an axis of `Dim`, negative ones counted from the end, within
/// [Low, High].
static int64_t bounded(int64_t At, int64_t Dim, int64_t Low, int64_t High) {
  if (At < 0)
    At = std::max(At, -Dim - 1) + Dim;
  return std::clamp(At, Low, High);
}

static Selection rangeOf(int64_t Dim, int64_t Start, int64_t End,
                         int64_t Step) {
  Selection Result;
  Result.Reversed = Step < 0;
  // A step beyond the axis takes one element, whatever its size.
  int64_t Longest = std::max<int64_t>(Dim, 1);
  Result.Step = Step < 0 ? -std::max(Step, -Longest) : std::min(Step, Longest);
  int64_t Length;
  if (Result.Reversed) {
    int64_t First = bounded(Start, Dim, 0, std::max<int64_t>(Dim - 1, 0));
    Length = First - bounded(End, Dim, -1, Dim - 1);
    Result.Start = Dim - 1 - First;
  } else {
    Result.Start = bounded(Start, Dim, 0, Dim);
    Length = bounded(End, Dim, 0, Dim) - Result.Start;
  }
  Result.Count = Length > 0 ? (Length - 1) / Result.Step + 1 : 0;
  return Result;
}

static FailureOr<SmallVector<Selection>>
rangesOf(const Node &N, ArrayRef<int64_t> Dims, const Listed &L) {
  size_t Count = L.Starts.size();
  if (L.Ends.size() != Count || L.Axes.size() != Count ||
      L.Steps.size() != Count)
    return N.error() << "starts, ends, axes and steps have " << Count << ", "
                     << L.Ends.size() << ", " << L.Axes.size() << " and "
                     << L.Steps.size() << " elements, expected as many of each";
  SmallVector<Selection> Ranges;
  for (int64_t Dim : Dims)
    Ranges.push_back(rangeOf(Dim, 0, Dim, 1));
  llvm::SmallBitVector Seen(Dims.size());
  for (size_t At = 0; At < Count; ++At) {
    FailureOr<int64_t> Axis = normalizedAxis(N, L.Axes[At], Dims.size());
    if (failed(Axis))
      return failure();
    if (Seen[*Axis])
      return N.error() << "axis " << *Axis << " is listed twice";
    Seen.set(*Axis);
    if (L.Steps[At] == 0)
      return N.error() << "the step of axis " << *Axis
                       << " is 0, expected another number";
    Ranges[*Axis] = rangeOf(Dims[*Axis], L.Starts[At], L.Ends[At], L.Steps[At]);
    if (Ranges[*Axis].Count == 0)
      return N.error() << "nothing is left of axis " << *Axis << ": from "
                       << L.Starts[At] << " to " << L.Ends[At] << " of "
                       << describe(Dims);
  }
  return Ranges;
}

static Stored taken(Importer &I, const Node &N, const Stored &Input,
                    ArrayRef<Selection> Ranges) {
  Stored Result = channelsLast(I, Input);
  Shape Starts, Counts, Steps;
  for (auto [Axis, R] : llvm::enumerate(Ranges)) {
    Starts.push_back(R.Start);
    Counts.push_back(R.Count);
    Steps.push_back(R.Step);
    if (R.Reversed)
      Result.Value = I.Emit.create<tosa::ReverseOp>(
          Result.Value.getType(), Result.Value, uint32_t(Result.Axes[Axis]));
  }
  Result.Value =
      I.Emit.extracted(Result.Value, heldOrder(Result, Starts),
                       heldOrder(Result, Counts), heldOrder(Result, Steps));
  markSelected(I, N, Result);
  return Result;
}

static LogicalResult slice(Importer &I, const Node &N, const Listed &L) {
  return move(I, N, [&](const Stored &Input) -> FailureOr<Stored> {
    auto Ranges = rangesOf(N, Input.shape(), L);
    if (failed(Ranges))
      return failure();
    return taken(I, N, Input, *Ranges);
  });
}

static Shape firstAxes(size_t Count) {
  return llvm::to_vector<4>(llvm::seq<int64_t>(0, Count));
}

LogicalResult tenon::frontend::buildSlice(Importer &I, const Node &N) {
  FailureOr<Shape> Starts = I.list(N, 1, {}), Ends = I.list(N, 2, {});
  if (failed(Starts) || failed(Ends))
    return failure();
  FailureOr<Shape> Axes = I.list(N, 3, firstAxes(Starts->size()));
  FailureOr<Shape> Steps = I.list(N, 4, Shape(Starts->size(), 1));
  if (failed(Axes) || failed(Steps))
    return failure();
  return slice(I, N, {*Starts, *Ends, *Axes, *Steps});
}
