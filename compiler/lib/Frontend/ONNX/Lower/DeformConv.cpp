//===- DeformConv.cpp - Convolutions whose windows bend ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// First what every weight meets: a tensor [N, C, inside of a window..., windows
// ...] of samples between the elements of the input, which is 0 outside.  Then
// a product with the weights, group by group.
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "Statistics.h"
#include "WindowGeometry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

/// A sample is made of the elements at 2^n corners.
static constexpr size_t MostAxes = 6;

namespace {
/// The input and where it is sampled.
struct Samples {
  Lowering &L;
  Value X, Offsets, Mask; ///< no mask: null
  WindowAxes Axes;
  int64_t OffsetGroups;

  Value run();

  Value sample(ValueRange I);
  Value position(ValueRange I, Value Tap, size_t Axis);
  Value corner(ValueRange I, unsigned Which, ArrayRef<Value> Floors,
               ArrayRef<Value> Parts);
  Value at(int64_t Number) {
    return arith::ConstantIndexOp::create(L.B, Number);
  }
  Value plus(Value A, Value B) { return arith::AddIOp::create(L.B, A, B); }
  Value times(Value A, Value B) { return arith::MulIOp::create(L.B, A, B); }
  Value timesF(Value A, Value B) { return arith::MulFOp::create(L.B, A, B); }

  Type Held = heldBy(X);
  SmallVector<Value> Ends = {}, Lows = {};
  Value Channels = {}; ///< of a group of offsets
};
} // namespace

Value Samples::run() {
  Extents Of = {L.extentOf(X, 0), L.extentOf(X, 1)};
  for (const WindowAxis &Axis : Axes) {
    Of.push_back(L.extent(Axis.Kernel));
    Ends.push_back(L.index(Axis.In));
    Lows.push_back(L.index(Axis.Low));
  }
  for (const WindowAxis &Axis : Axes)
    Of.push_back(Axis.Out);
  Channels = L.index(L.floorDiv(Of[1], L.extent(OffsetGroups)));
  return L.generated(Of, Held, [&](OpBuilder &B, Location, ValueRange I) {
    OpBuilder::InsertionGuard Guard(L.B);
    L.B.restoreInsertionPoint(B.saveInsertionPoint());
    return sample(I);
  });
}

/// Where along `Axis` the sample lies, kept near the input: what is further
/// away meets zeros as well.
Value Samples::position(ValueRange I, Value Tap, size_t Axis) {
  size_t Count = Axes.size();
  Value Whole = arith::SubIOp::create(
      L.B,
      plus(times(I[2 + Count + Axis], at(Axes[Axis].Stride)),
           times(I[2 + Axis], at(Axes[Axis].Dilation))),
      Lows[Axis]);
  auto ToFloat = [&](Value Of) -> Value {
    return arith::SIToFPOp::create(
        L.B, Held, arith::IndexCastOp::create(L.B, L.B.getI64Type(), Of));
  };
  SmallVector<Value> Place = {I[0], plus(times(Tap, at(Count)), at(Axis))};
  llvm::append_range(Place, I.take_back(Count));
  Value Moved = arith::AddFOp::create(
      L.B, ToFloat(Whole), tensor::ExtractOp::create(L.B, Offsets, Place));
  Moved = arith::MinNumFOp::create(L.B, Moved, ToFloat(Ends[Axis]));
  return arith::MaxNumFOp::create(L.B, Moved, L.number(Held, -1));
}

/// One of the elements around the sample, times its share; bit n of `Which`:
/// the further one along axis n.
Value Samples::corner(ValueRange I, unsigned Which, ArrayRef<Value> Floors,
                      ArrayRef<Value> Parts) {
  SmallVector<Value> Place(I.take_front(2));
  Value Share = L.number(Held, 1), Zero = at(0), One = at(1);
  Value IsInside = L.integer(L.B.getI1Type(), 1);
  for (size_t Axis = 0; Axis < Axes.size(); ++Axis) {
    bool IsFar = Which >> Axis & 1;
    Value Index = IsFar ? plus(Floors[Axis], One) : Floors[Axis];
    // Less than zero is much, unsigned.
    Value Fits = arith::CmpIOp::create(L.B, arith::CmpIPredicate::ult, Index,
                                       Ends[Axis]);
    IsInside = arith::AndIOp::create(L.B, IsInside, Fits);
    Place.push_back(arith::SelectOp::create(L.B, Fits, Index, Zero));
    Value Own =
        IsFar
            ? Parts[Axis]
            : Value(arith::SubFOp::create(L.B, L.number(Held, 1), Parts[Axis]));
    Share = timesF(Share, Own);
  }
  Value Product = timesF(tensor::ExtractOp::create(L.B, X, Place), Share);
  // Infinity that has no share is none.
  Value Counts = arith::AndIOp::create(
      L.B, IsInside,
      arith::CmpFOp::create(L.B, arith::CmpFPredicate::UNE, Share,
                            L.number(Held, 0)));
  return arith::SelectOp::create(L.B, Counts, Product, L.number(Held, 0));
}

Value Samples::sample(ValueRange I) {
  size_t Count = Axes.size();
  // The tap, counted through all groups of offsets.
  Value Tap = arith::DivUIOp::create(L.B, I[1], Channels);
  for (size_t Axis = 0; Axis < Count; ++Axis)
    Tap = plus(times(Tap, at(Axes[Axis].Kernel)), I[2 + Axis]);
  SmallVector<Value> Floors, Parts;
  for (size_t Axis = 0; Axis < Count; ++Axis) {
    Value Position = position(I, Tap, Axis);
    Value Floor = math::FloorOp::create(L.B, Position);
    Parts.push_back(arith::SubFOp::create(L.B, Position, Floor));
    Floors.push_back(arith::IndexCastOp::create(
        L.B, L.B.getIndexType(),
        arith::FPToSIOp::create(L.B, L.B.getI64Type(), Floor)));
  }
  Value Sum = L.number(Held, 0);
  for (unsigned Which = 0; Which < 1u << Count; ++Which)
    Sum = arith::AddFOp::create(L.B, Sum, corner(I, Which, Floors, Parts));
  if (!Mask)
    return Sum;
  SmallVector<Value> Place = {I[0], Tap};
  llvm::append_range(Place, I.take_back(Count));
  return timesF(Sum, tensor::ExtractOp::create(L.B, Mask, Place));
}

/// The extents of input `Input`, offsets or mask: `Count` channels, and the
/// windows.
static LogicalResult checkShape(Lowering &L, int64_t Input, int64_t Count,
                                ArrayRef<WindowAxis> Axes) {
  Extents Of = {L.extentOf(L.in(0).Tensor, 0), L.extent(Count)};
  for (const WindowAxis &Axis : Axes)
    Of.push_back(Axis.Out);
  if (failed(L.checkRank(Input, Of.size())))
    return failure();
  for (auto [Axis, Extent] : llvm::enumerate(Of))
    if (failed(L.agreed(Extent, L.extentOf(L.in(Input).Tensor, Axis),
                        "its offsets or mask do not fit its windows")))
      return failure();
  return success();
}

/// Samples [N, C, taps..., windows...] by weights [M, C / groups, taps...].
static FailureOr<Value> product(Lowering &L, Value Samples, Value W,
                                int64_t Groups, int64_t Spatial,
                                ArrayRef<WindowAxis> Axes) {
  OpFoldResult Group = L.extent(Groups), Each = L.extentOf(W, 1);
  OpFoldResult Outputs = L.floorDiv(L.extentOf(W, 0), Group);
  if (failed(L.agreed(L.extentOf(Samples, 1), L.mul(Each, Group),
                      "the channels of its input are not those of its weights, "
                      "times its groups")) ||
      failed(L.agreed(L.mul(Outputs, Group), L.extentOf(W, 0),
                      "the outputs of its weights are no multiple of its "
                      "groups")))
    return failure();
  Samples = L.split(Samples, 1, {Group, Each});
  W = L.split(W, 0, {Group, Outputs});
  // Loops: n, group, output, windows, then channel, taps.
  unsigned Front = 3 + Spatial, Dims = Front + 1 + Spatial;
  auto Dim = [&](unsigned Index) { return L.B.getAffineDimExpr(Index); };
  SmallVector<AffineExpr> In = {Dim(0), Dim(1), Dim(Front)};
  SmallVector<AffineExpr> By = {Dim(1), Dim(2), Dim(Front)};
  for (int64_t Axis = 0; Axis < Spatial; ++Axis) {
    In.push_back(Dim(Front + 1 + Axis));
    By.push_back(Dim(Front + 1 + Axis));
  }
  Extents Of = {L.extentOf(Samples, 0), Group, Outputs};
  for (int64_t Axis = 0; Axis < Spatial; ++Axis) {
    In.push_back(Dim(3 + Axis));
    Of.push_back(Axes[Axis].Out);
  }
  MLIRContext *Context = L.B.getContext();
  SmallVector<AffineExpr> To;
  for (unsigned Index = 0; Index < Front; ++Index)
    To.push_back(Dim(Index));
  Value Result = L.contracted(Samples, W,
                              {AffineMap::get(Dims, 0, In, Context),
                               AffineMap::get(Dims, 0, By, Context),
                               AffineMap::get(Dims, 0, To, Context)},
                              Of);
  return L.merged(Result, 1, 2);
}

LogicalResult tenon::frontend::lowerDeformConv(Lowering &L) {
  Value X = L.widened(L.in(0)), W = L.widened(L.in(1));
  FailureOr<SmallVector<int64_t>> Kernel = kernelOf(L, W);
  FailureOr<int64_t> Groups = L.N.integer("group", 1);
  FailureOr<int64_t> OffsetGroups = L.N.integer("offset_group", 1);
  if (failed(Kernel) || failed(Groups) || failed(OffsetGroups))
    return failure();
  if (*Groups < 1 || *OffsetGroups < 1 || *OffsetGroups > INT16_MAX)
    return L.error() << "group is " << *Groups << " and offset_group "
                     << *OffsetGroups << ", expected 1 or more, and at most "
                     << INT16_MAX << " of the latter";
  FailureOr<WindowAxes> Axes = readWindows(L, X, *Kernel);
  if (failed(Axes))
    return failure();
  if (Axes->size() > MostAxes)
    return L.error() << "its windows have " << Axes->size()
                     << " spatial axes, expected at most " << MostAxes;
  int64_t Taps = 1, Spatial = Axes->size();
  for (int64_t Extent : *Kernel)
    Taps *= Extent;
  OpFoldResult Channels = L.extentOf(X, 1), Parts = L.extent(*OffsetGroups);
  if (failed(checkShape(L, 2, *OffsetGroups * Taps * Spatial, *Axes)) ||
      (L.has(4) && failed(checkShape(L, 4, *OffsetGroups * Taps, *Axes))) ||
      failed(L.agreed(L.mul(L.floorDiv(Channels, Parts), Parts), Channels,
                      "its channels are no multiple of offset_group")))
    return failure();
  Samples Of{L,
             X,
             L.widened(L.in(2)),
             L.has(4) ? L.widened(L.in(4)) : Value(),
             *Axes,
             *OffsetGroups};
  FailureOr<Value> Result = product(L, Of.run(), W, *Groups, Spatial, *Axes);
  if (failed(Result))
    return failure();
  Result = biased(L, *Result, 3);
  return failed(Result) ? failure()
                        : L.define(L.narrowed(*Result, L.in(0).Element));
}
