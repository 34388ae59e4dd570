//===- FromWindows.cpp - Tensors from what their windows held ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "Indices.h"
#include "Operators.h"
#include "WindowGeometry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// Col2Im
//===----------------------------------------------------------------------===//

namespace {
/// One axis of an image that is made of blocks.
struct BlockAxis {
  OpFoldResult Image, Kernel; ///< extents of the image and of a block
  int64_t Stride, Dilation, Low;
  OpFoldResult Count; ///< of blocks
};
} // namespace

static FailureOr<SmallVector<BlockAxis>> readBlocks(Lowering &L) {
  FailureOr<Extents> Image = L.listed(1), Kernel = L.listed(2);
  if (failed(Image) || failed(Kernel))
    return failure();
  int64_t Spatial = Image->size();
  if (int64_t(Kernel->size()) != Spatial)
    return L.error() << "its image has " << Spatial << " axes and its block "
                     << Kernel->size() << ", expected as many";
  auto Strides = perAxis(L, "strides", Spatial, 1, 1);
  auto Dilations = perAxis(L, "dilations", Spatial, 1, 1);
  auto Pads = perAxis(L, "pads", 2 * Spatial, 0, 0);
  if (failed(Strides) || failed(Dilations) || failed(Pads))
    return failure();
  Scalars S(L.B, L.B.getLoc());
  OpFoldResult One = L.extent(1);
  SmallVector<BlockAxis> Axes;
  for (int64_t Index = 0; Index < Spatial; ++Index) {
    for (OpFoldResult *Extent : {&(*Image)[Index], &(*Kernel)[Index]}) {
      L.require(S.atMost(S.index(1), L.index(*Extent)),
                "its image or its block is empty");
      *Extent = L.max(*Extent, One);
    }
    BlockAxis Axis{(*Image)[Index],     (*Kernel)[Index], (*Strides)[Index],
                   (*Dilations)[Index], (*Pads)[Index],   {}};
    OpFoldResult Reach =
        L.mul(L.sub(Axis.Kernel, One), L.extent(Axis.Dilation));
    OpFoldResult Padded = L.extent(Axis.Low + (*Pads)[Index + Spatial] - 1);
    OpFoldResult Room = L.sub(L.add(Axis.Image, Padded), Reach);
    Axis.Count =
        L.max(L.add(L.floorDiv(Room, L.extent(Axis.Stride)), One), L.extent(0));
    Axes.push_back(Axis);
  }
  return Axes;
}

/// Which of the blocks, counted through all axes, has its element `Tap` at `At`
/// of the image, and whether one has.
static std::pair<Value, Value> blockAt(Scalars &S, ArrayRef<BlockAxis> Axes,
                                       ArrayRef<Value> Counts, ValueRange At,
                                       ValueRange Tap) {
  Value Flat = S.index(0), IsOne = S.truth(true);
  for (auto [Index, Axis] : llvm::enumerate(Axes)) {
    Value From = S.sub(S.add(At[Index], S.index(Axis.Low)),
                       S.mul(Tap[Index], S.index(Axis.Dilation)));
    Value Block = S.floorDiv(From, S.index(Axis.Stride));
    Value IsFirst = S.equal(S.mul(Block, S.index(Axis.Stride)), From);
    IsOne = S.both(IsOne, S.both(IsFirst, S.isWithin(Block, Counts[Index])));
    Flat = S.add(S.mul(Flat, Counts[Index]), S.within(Block, Counts[Index]));
  }
  return {Flat, IsOne};
}

/// Every element of the image is the sum of what lies over it in the blocks,
/// which X [N, channels * elements of a block, blocks] has as columns.
static Value summedBlocks(Lowering &L, Value X, OpFoldResult Channels,
                          ArrayRef<BlockAxis> Axes) {
  Type Held = getElementTypeOrSelf(X.getType());
  Extents Of = {L.extentOf(X, 0), Channels}, Tap;
  SmallVector<Value> Counts, Kernel;
  for (const BlockAxis &Axis : Axes) {
    Of.push_back(Axis.Image);
    Tap.push_back(Axis.Kernel);
    Counts.push_back(L.index(Axis.Count));
    Kernel.push_back(L.index(Axis.Kernel));
  }
  X = L.neverEmpty(X);
  Value RowCount = L.index(L.extentOf(X, 1));
  Value ColumnCount = L.index(L.extentOf(X, 2));
  unsigned Spatial = Axes.size(), Rank = Of.size();
  AffineMap All = L.B.getMultiDimIdentityMap(Rank + Spatial);
  return L.accumulated(
      L.empty(Tap, Held), // its shape alone is read
      {All.getMinorSubMap(Spatial), All.getMajorSubMap(Rank)},
      L.filled(Of, L.number(Held, 0)),
      [&](OpBuilder &B, Location Loc, ValueRange E) {
        Scalars S(B, Loc);
        SmallVector<Value> Loops = loopIndices(B, Loc, Rank + Spatial);
        ValueRange At(Loops), Tap = At.drop_front(Rank);
        auto [Column, IsOne] =
            blockAt(S, Axes, Counts, At.slice(2, Spatial), Tap);
        Value Row = Loops[1];
        for (auto [Extent, Index] : llvm::zip(Kernel, Tap))
          Row = S.add(S.mul(Row, Extent), Index);
        Value Read = S.at(X, {Loops[0], S.within(Row, RowCount),
                              S.within(Column, ColumnCount)});
        return S.add(E[1], S.choose(IsOne, Read, S.like(Read, 0)));
      });
}

static LogicalResult lowerCol2Im(Lowering &L) {
  const Plain &X = L.in(0);
  FailureOr<SmallVector<BlockAxis>> Axes = readBlocks(L);
  if (failed(Axes))
    return failure();
  if (X.rank() != 3)
    return L.error() << "its input has " << X.rank()
                     << " dimensions, expected 3";
  OpFoldResult Taps = L.extent(1), Blocks = L.extent(1);
  for (const BlockAxis &Axis : *Axes) {
    Taps = L.mul(Taps, Axis.Kernel);
    Blocks = L.mul(Blocks, Axis.Count);
  }
  OpFoldResult Rows = L.extentOf(X.Tensor, 1);
  OpFoldResult Channels = L.floorDiv(Rows, Taps);
  if (failed(L.agreed(L.mul(Channels, Taps), Rows,
                      "dimension 1 of its input is no multiple of a block")) ||
      failed(L.agreed(Blocks, L.extentOf(X.Tensor, 2),
                      "its input has not one column for each block")))
    return failure();
  Value Image = summedBlocks(L, L.widened(X), Channels, *Axes);
  return L.define(L.narrowed(Image, X.Element));
}

//===----------------------------------------------------------------------===//
// MaxUnpool
//===----------------------------------------------------------------------===//

/// The shape that MaxPool made `X` of, were its windows to fill it.
static FailureOr<Extents> unpooledExtents(Lowering &L, Value X) {
  int64_t Spatial = cast<RankedTensorType>(X.getType()).getRank() - 2;
  FailureOr<WindowAxes> Axes = readSteps(L, Spatial, {});
  auto Pads = perAxis(L, "pads", 2 * Spatial, 0, 0);
  if (failed(Axes) || failed(Pads))
    return failure();
  Extents Of = {L.extentOf(X, 0), L.extentOf(X, 1)};
  for (auto [Index, Axis] : llvm::enumerate(*Axes)) {
    OpFoldResult Steps = L.sub(L.extentOf(X, 2 + Index), L.extent(1));
    OpFoldResult Whole =
        L.add(L.mul(Steps, L.extent(Axis.Stride)), L.extent(Axis.Kernel));
    OpFoldResult Padded = L.extent((*Pads)[Index] + (*Pads)[Index + Spatial]);
    Of.push_back(L.max(L.sub(Whole, Padded), L.extent(0)));
  }
  return Of;
}

/// Zeros behind each axis up to the shape that input 2 says.
static FailureOr<Value> grown(Lowering &L, Value Tensor) {
  FailureOr<Extents> Asked = L.listed(2);
  if (failed(Asked))
    return failure();
  Extents Own = L.extentsOf(Tensor), High;
  if (Asked->size() != Own.size())
    return L.error() << "its output_shape has " << Asked->size()
                     << " numbers, expected " << Own.size();
  Scalars S(L.B, L.B.getLoc());
  for (auto [Wanted, Extent] : llvm::zip(*Asked, Own)) {
    OpFoldResult Missing = L.sub(Wanted, Extent);
    Value Fits = S.atMost(S.index(0), L.index(Missing));
    constexpr StringLiteral Message =
        "its output_shape is less than what its windows cover";
    if (getConstantIntValue(Fits) == 0)
      return L.error() << Message;
    L.require(Fits, Message);
    High.push_back(L.max(Missing, L.extent(0)));
  }
  Type Held = getElementTypeOrSelf(Tensor.getType());
  return L.padded(Tensor, Extents(Own.size(), L.extent(0)), High,
                  arith::ConstantOp::create(L.B, L.B.getZeroAttr(Held)));
}

/// Each element where MaxPool's second output says it was, zeros elsewhere.
static LogicalResult lowerMaxUnpool(Lowering &L) {
  const Plain &X = L.in(0), &Places = L.in(1);
  if (X.rank() < 3 || Places.rank() != X.rank())
    return L.error() << "its input has " << X.rank()
                     << " dimensions and its indices " << Places.rank()
                     << "; as many are needed, 3 or more";
  FailureOr<Extents> Of = unpooledExtents(L, X.Tensor);
  if (failed(Of))
    return failure();
  for (int64_t Axis = 0; Axis < X.rank(); ++Axis)
    if (failed(L.agreed(L.extentOf(X.Tensor, Axis),
                        L.extentOf(Places.Tensor, Axis),
                        "its indices differ in a dimension from its input")))
      return failure();
  OpFoldResult Count = L.product(*Of);
  requireIndices(L, Places.Tensor, Count, std::nullopt,
                 "an index is outside of its output");
  Type Held = X.type().getElementType();
  Value Zero = arith::ConstantOp::create(L.B, L.B.getZeroAttr(Held));
  Value From = L.merged(X.Tensor, 0, X.rank());
  Value To = L.neverEmpty(L.merged(Places.Tensor, 0, X.rank()));
  Value Limit = L.index(Count), Flat = L.filled(Count, Zero);
  // Nothing is written where there is no place for it.
  Scalars Outer(L.B, L.B.getLoc());
  Value Elements =
      Outer.choose(Outer.equal(Limit, Outer.index(0)), Outer.index(0),
                   L.index(L.min(L.extentOf(From, 0), L.extentOf(To, 0))));
  auto Loop = scf::ForOp::create(
      L.B, L.index(0), Elements, L.index(1), Flat,
      [&](OpBuilder &B, Location Loc, Value At, ValueRange Carried) {
        Value Place = clampedIndex(B, Loc, Scalars(B, Loc).at(To, At), Limit);
        Value Next = tensor::InsertOp::create(
            B, Loc, Scalars(B, Loc).at(From, At), Carried[0], Place);
        scf::YieldOp::create(B, Loc, Next);
      });
  FailureOr<Value> Result = L.reshaped(Loop.getResult(0), *Of);
  if (L.has(2))
    Result = grown(L, *Result);
  return failed(Result) ? failure() : L.define({*Result, X.Element});
}

ArrayRef<LoweredOperator> tenon::frontend::fromWindowsOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Col2Im", 18, lowerCol2Im},
      {"", "MaxUnpool", 9, lowerMaxUnpool},
  };
  return Table;
}
