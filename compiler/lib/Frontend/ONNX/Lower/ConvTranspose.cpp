//===- ConvTranspose.cpp - Transposed convolutions --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//
// A transposed convolution is a convolution of what lies between the elements
// of its input, zeros, with mirrored weights: each output gathers.
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "WindowGeometry.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

/// X with `Stride - 1` zeros between its elements, then zeros around (or
/// elements cut off) as `Low` and `Count` say.
static Value spread(Lowering &L, Value X, ArrayRef<WindowAxis> Axes,
                    ArrayRef<OpFoldResult> Low, ArrayRef<OpFoldResult> Count) {
  Extents In = L.extentsOf(X), Whole(In), Starts(2, L.extent(0)), Cut(Starts);
  Extents Ones(In.size(), L.extent(1)), Strides(2, L.extent(1));
  OpFoldResult Zero = L.extent(0), One = L.extent(1);
  bool IsCut = false;
  for (auto [Index, Axis] : llvm::enumerate(Axes)) {
    OpFoldResult Stride = L.extent(Axis.Stride);
    OpFoldResult Wide =
        L.max(L.add(L.mul(L.sub(Axis.In, One), Stride), One), Zero);
    Starts.push_back(L.max(Low[Index], Zero));
    Cut.push_back(L.max(L.sub(Zero, Low[Index]), Zero));
    Strides.push_back(Stride);
    OpFoldResult Needs = L.add(Cut.back(), Count[Index]);
    Whole[2 + Index] = L.max(L.add(Starts.back(), Wide), Needs);
    IsCut |= !L.surelyEqual(Whole[2 + Index], Count[Index]);
  }
  Value Into = L.filled(
      Whole, L.number(cast<RankedTensorType>(X.getType()).getElementType(), 0));
  Value Result = L.inserted(X, Into, Starts, In, Strides);
  if (!IsCut)
    return Result;
  Extents Kept = {In[0], In[1]};
  llvm::append_range(Kept, Count);
  return L.sliced(Result, Cut, Kept, Ones);
}

/// Weights [C, M / groups, ...] as those of the convolution that gathers:
/// [M, C / groups, ...], mirrored.
static Value mirrored(Lowering &L, Value W, ArrayRef<int64_t> Kernel,
                      int64_t Groups) {
  OpFoldResult Group = L.extent(Groups);
  OpFoldResult Channels = L.floorDiv(L.extentOf(W, 0), Group);
  Extents Of = {Group, L.extentOf(W, 1), Channels};
  SmallVector<AffineExpr> From = {L.B.getAffineDimExpr(0),
                                  L.B.getAffineDimExpr(2),
                                  L.B.getAffineDimExpr(1)};
  for (auto [Axis, Extent] : llvm::enumerate(Kernel)) {
    Of.push_back(L.extent(Extent));
    From.push_back(Extent - 1 - L.B.getAffineDimExpr(3 + Axis));
  }
  Value Result =
      L.mapped(L.split(W, 0, {Group, Channels}),
               AffineMap::get(Of.size(), 0, From, L.B.getContext()), Of,
               cast<RankedTensorType>(W.getType()).getElementType(),
               [](OpBuilder &, Location, ValueRange E) { return E[0]; });
  return L.merged(Result, 0, 2);
}

/// Low and Out of each axis, by pads, auto_pad, output_padding and
/// output_shape.
static LogicalResult readResult(Lowering &L, WindowAxes &Axes) {
  int64_t Count = Axes.size();
  SmallVector<int64_t> Zeros(2 * Count, 0);
  auto Pads = smallIntegers(L, "pads", Zeros);
  auto Extra =
      smallIntegers(L, "output_padding", ArrayRef(Zeros).take_front(Count));
  auto Shape = smallIntegers(L, "output_shape", {});
  FailureOr<std::string> Auto = L.N.string("auto_pad", "NOTSET");
  if (failed(Pads) || failed(Extra) || failed(Shape) || failed(Auto))
    return failure();
  if (int64_t(Shape->size()) == Count + 2) // as some write it: all axes
    Shape->erase(Shape->begin(), Shape->begin() + 2);
  bool IsSame = StringRef(*Auto).starts_with("SAME");
  if (int64_t(Pads->size()) != 2 * Count || int64_t(Extra->size()) != Count ||
      (!Shape->empty() && int64_t(Shape->size()) != Count))
    return L.error() << "pads, output_padding or output_shape do not have the "
                     << Count << " spatial axes of its input";
  for (auto [Index, Axis] : llvm::enumerate(Axes)) {
    OpFoldResult Stride = L.extent(Axis.Stride);
    OpFoldResult Natural = L.add(L.mul(L.sub(Axis.In, L.extent(1)), Stride),
                                 L.extent((*Extra)[Index] + Axis.reach()));
    if (Shape->empty() && !IsSame) {
      bool IsGiven = *Auto == "NOTSET";
      Axis.Low = L.extent(IsGiven ? (*Pads)[Index] : 0);
      Axis.High = L.extent(IsGiven ? (*Pads)[Count + Index] : 0);
      Axis.Out = L.max(L.sub(L.sub(Natural, Axis.Low), Axis.High), L.extent(0));
      continue;
    }
    Axis.Out =
        Shape->empty() ? L.mul(Axis.In, Stride) : L.extent((*Shape)[Index]);
    OpFoldResult Total = L.max(L.sub(Natural, Axis.Out), L.extent(0));
    OpFoldResult Half = L.floorDiv(Total, L.extent(2));
    Axis.Low = *Auto == "SAME_UPPER" ? Half : L.sub(Total, Half);
  }
  return success();
}

LogicalResult tenon::frontend::lowerConvTranspose(Lowering &L) {
  Value X = L.widened(L.in(0)), W = L.widened(L.in(1));
  FailureOr<SmallVector<int64_t>> Kernel = kernelOf(L, W);
  FailureOr<int64_t> Groups = L.N.integer("group", 1);
  if (failed(Kernel) || failed(Groups))
    return failure();
  if (L.in(0).rank() != int64_t(Kernel->size()) + 2 || *Groups < 1)
    return L.error() << "its input has " << L.in(0).rank()
                     << " dimensions, its weights " << Kernel->size() + 2
                     << ", and group is " << *Groups
                     << ": expected as many, and 1 or more";
  FailureOr<WindowAxes> Axes = readSteps(L, Kernel->size(), *Kernel);
  if (failed(Axes))
    return failure();
  for (auto [Index, Axis] : llvm::enumerate(*Axes))
    Axis.In = L.extentOf(X, 2 + Index);
  if (failed(readResult(L, *Axes)))
    return failure();
  SmallVector<Step> Steps;
  Extents Low, Count, Spatial;
  for (const WindowAxis &Axis : *Axes) {
    Steps.push_back({1, Axis.Dilation});
    Low.push_back(L.sub(L.extent(Axis.reach() - 1), Axis.Low));
    Count.push_back(L.add(Axis.Out, L.extent(Axis.reach() - 1)));
    Spatial.push_back(Axis.Out);
  }
  if (failed(L.agreed(L.mul(L.floorDiv(L.extentOf(W, 0), L.extent(*Groups)),
                            L.extent(*Groups)),
                      L.extentOf(W, 0),
                      "the channels of its weights are no multiple of its "
                      "groups")))
    return failure();
  FailureOr<Value> Result =
      convolutionOf(L, spread(L, X, *Axes, Low, Count),
                    mirrored(L, W, *Kernel, *Groups), *Groups, Steps, Spatial);
  return failed(Result) ? failure() : defineBiased(L, *Result);
}
