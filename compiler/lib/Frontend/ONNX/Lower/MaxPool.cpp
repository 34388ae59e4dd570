//===- MaxPool.cpp - The largest element of each window ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Pooling.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tenon::frontend;

/// Where in X, flat, the padded element lies that the body of a loop over
/// windows reads, and whether it lies in X at all.
static std::pair<Value, Value> positionInX(OpBuilder &B, Location Loc,
                                           ArrayRef<WindowAxis> Axes,
                                           ArrayRef<Value> Lows,
                                           ArrayRef<Value> Sizes,
                                           ArrayRef<Value> Weights) {
  auto Loop = [&](int64_t Index) -> Value {
    return linalg::IndexOp::create(B, Loc, Index);
  };
  auto Times = [&](Value X, Value Y) -> Value {
    return arith::MulIOp::create(B, Loc, X, Y);
  };
  auto Plus = [&](Value X, Value Y) -> Value {
    return arith::AddIOp::create(B, Loc, X, Y);
  };
  Value Flat = Plus(Times(Loop(0), Weights[0]), Times(Loop(1), Weights[1]));
  Value IsInside = arith::ConstantIntOp::create(B, Loc, 1, 1);
  for (auto [Index, Axis] : llvm::enumerate(Axes)) {
    Value Stride = arith::ConstantIndexOp::create(B, Loc, Axis.Stride);
    Value Dilation = arith::ConstantIndexOp::create(B, Loc, Axis.Dilation);
    Value At = Plus(Times(Loop(2 + Index), Stride),
                    Times(Loop(2 + Axes.size() + Index), Dilation));
    At = arith::SubIOp::create(B, Loc, At, Lows[Index]);
    // Less than zero is much, unsigned.
    Value Fits = arith::CmpIOp::create(B, Loc, arith::CmpIPredicate::ult, At,
                                       Sizes[Index]);
    IsInside = arith::AndIOp::create(B, Loc, IsInside, Fits);
    Flat = Plus(Flat, Times(At, Weights[2 + Index]));
  }
  return {Flat, IsInside};
}

/// How far apart neighbours of each axis lie in the flat index that output 1
/// gives.
static SmallVector<Value> flatWeights(Lowering &L, bool IsColumnMajor) {
  Extents Of = L.extentsOf(L.in(0).Tensor);
  Extents Weights(Of.size(), L.extent(1));
  for (int64_t Axis = int64_t(Of.size()) - 2; Axis >= 0; --Axis)
    Weights[Axis] = L.mul(Weights[Axis + 1], Of[Axis + 1]);
  if (IsColumnMajor) {
    OpFoldResult Weight = L.extent(1);
    for (size_t Axis = 2; Axis < Of.size(); ++Axis) {
      Weights[Axis] = Weight;
      Weight = L.mul(Weight, Of[Axis]);
    }
  }
  return llvm::map_to_vector(Weights,
                             [&](OpFoldResult Each) { return L.index(Each); });
}

/// MaxPool's both outputs: the first largest element of X in each window, and
/// where it is.
static std::pair<Value, Value> largestAndWhere(Lowering &L, Value Padded,
                                               ArrayRef<WindowAxis> Axes,
                                               Value Initial,
                                               bool IsColumnMajor) {
  Extents Of = windowedExtents(L, Padded, Axes);
  Type Element = L.in(0).Element;
  SmallVector<Value> Lows, Sizes, Weights = flatWeights(L, IsColumnMajor);
  for (const WindowAxis &Axis : Axes) {
    Lows.push_back(L.index(Axis.Low));
    Sizes.push_back(L.index(Axis.In));
  }
  Type Place = L.B.getI64Type();
  Value Largest = L.filled(Of, Initial);
  Value Where = L.filled(Of, L.integer(Place, -1));
  SmallVector<AffineMap> Maps = windowMaps(L, Axes);
  Maps.push_back(Maps.back());
  SmallVector<utils::IteratorType> Loops(Of.size(),
                                         utils::IteratorType::parallel);
  Loops.append(Axes.size(), utils::IteratorType::reduction);
  auto Loop = linalg::GenericOp::create(
      L.B, TypeRange{Largest.getType(), Where.getType()},
      ValueRange{Padded, windowShape(L, Axes, Initial.getType())},
      ValueRange{Largest, Where}, Maps, Loops,
      [&](OpBuilder &B, Location Loc, ValueRange E) {
        auto [Flat, IsInside] = positionInX(B, Loc, Axes, Lows, Sizes, Weights);
        Value None = arith::ConstantIntOp::create(B, Loc, Place, -1);
        Value IsFirst =
            arith::CmpIOp::create(B, Loc, arith::CmpIPredicate::eq, E[3], None);
        Scalar X(B, Loc, E[0], Element), Best(B, Loc, E[2], Element);
        Scalar IsLarger = X > Best;
        if (X.isFloat()) // NaN is what is larger than any number
          IsLarger = IsLarger | (isNaN(X) & ~isNaN(Best));
        Value Takes = arith::OrIOp::create(B, Loc, IsFirst, IsLarger.held());
        Takes = arith::AndIOp::create(B, Loc, IsInside, Takes);
        Value At = arith::IndexCastOp::create(B, Loc, Place, Flat);
        linalg::YieldOp::create(
            B, Loc,
            ValueRange{arith::SelectOp::create(B, Loc, Takes, E[0], E[2]),
                       arith::SelectOp::create(B, Loc, Takes, At, E[3])});
      });
  return {Loop.getResult(0), Loop.getResult(1)};
}

LogicalResult tenon::frontend::lowerMaxPool(Lowering &L) {
  const Plain &X = L.in(0);
  FailureOr<WindowAxes> Axes = readWindows(L, X.Tensor);
  FailureOr<int64_t> Order = L.N.integer("storage_order", 0);
  if (failed(Axes) || failed(Order))
    return failure();
  // The largest of floats is one of them: in their own type.
  Value Initial = least(L, X.Element);
  Value Padded = paddedFor(L, X.Tensor, *Axes, Initial);
  bool IsAsked = L.N.outputCount() > 1 && !L.N.outputName(1).empty();
  if (!IsAsked)
    return L.define(
        {pooled(L, Padded, *Axes, Initial, larger, X.isUnsigned()), X.Element});
  auto [Largest, Where] =
      largestAndWhere(L, Padded, *Axes, Initial, *Order != 0);
  if (failed(L.define({Largest, X.Element})))
    return failure();
  return L.define(1, Where, L.B.getI64Type());
}
