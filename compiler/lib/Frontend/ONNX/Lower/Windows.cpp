//===- Windows.cpp - Pooling ---------------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Pooling.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

static Value sum(OpBuilder &B, Location Loc, Value X, Value Y, bool) {
  return arith::AddFOp::create(B, Loc, X, Y);
}

//===----------------------------------------------------------------------===//
// AveragePool
//===----------------------------------------------------------------------===//

/// How many elements of [Begin, End), counted from X's first one, each window
/// along an axis has: a tensor of floats, one for each window.
static Value countsOf(Lowering &L, const WindowAxis &Axis, OpFoldResult Begin,
                      OpFoldResult End, Type Held) {
  Value First = L.index(Begin), Last = L.index(End), Low = L.index(Axis.Low);
  Value Stride = L.index(Axis.Stride), Dilation = L.index(Axis.Dilation);
  Value Kernel = L.index(Axis.Kernel), Zero = L.index(int64_t(0));
  return L.generated(
      Axis.Out, Held, [&](OpBuilder &B, Location Loc, ValueRange I) -> Value {
        Value At = arith::SubIOp::create(
            B, Loc, arith::MulIOp::create(B, Loc, I[0], Stride), Low);
        // The window's elements before `Of`.
        auto Before = [&](Value Of) -> Value {
          Value Count = arith::CeilDivSIOp::create(
              B, Loc, arith::SubIOp::create(B, Loc, Of, At), Dilation);
          Count = arith::MaxSIOp::create(B, Loc, Count, Zero);
          return arith::MinSIOp::create(B, Loc, Count, Kernel);
        };
        Value Count =
            arith::SubIOp::create(B, Loc, Before(Last), Before(First));
        Count = arith::IndexCastOp::create(B, Loc, B.getI64Type(), Count);
        return arith::SIToFPOp::create(B, Loc, Held, Count);
      });
}

/// Sums divided by how many elements each is of.
static Value divided(Lowering &L, Value Sums, ArrayRef<WindowAxis> Axes,
                     bool CountsPads) {
  Extents Of = L.extentsOf(Sums);
  Type Held = cast<RankedTensorType>(Sums.getType()).getElementType();
  AffineMap Identity = L.B.getMultiDimIdentityMap(Of.size());
  SmallVector<Value> Tensors = {Sums};
  SmallVector<AffineMap> Maps = {Identity};
  int64_t Fixed = 1;
  OpFoldResult Zero = L.extent(0);
  for (auto [Index, Axis] : llvm::enumerate(Axes)) {
    OpFoldResult Begin = CountsPads ? L.sub(Zero, Axis.Low) : Zero;
    OpFoldResult End = CountsPads ? L.add(Axis.In, Axis.High) : Axis.In;
    // Whether every window lies between: the common case.
    OpFoldResult Reached =
        L.add(L.sub(L.mul(L.sub(Axis.Out, L.extent(1)), L.extent(Axis.Stride)),
                    Axis.Low),
              L.extent(Axis.reach()));
    std::optional<int64_t> Room = getConstantIntValue(L.sub(End, Reached));
    bool IsWhole = CountsPads || getConstantIntValue(Axis.Low) == 0;
    if (IsWhole && Room && *Room >= 0) {
      Fixed *= Axis.Kernel;
      continue;
    }
    Tensors.push_back(countsOf(L, Axis, Begin, End, Held));
    Maps.push_back(Identity.getSubMap({unsigned(2 + Index)}));
  }
  Value Count = L.number(Held, double(Fixed));
  return L.mapped(Tensors, Maps, Of, Held,
                  [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                    Value By = Count;
                    for (Value Each : E.drop_front())
                      By = arith::MulFOp::create(B, Loc, By, Each);
                    return arith::DivFOp::create(B, Loc, E[0], By);
                  });
}

static LogicalResult lowerAveragePool(Lowering &L) {
  Value X = L.widened(L.in(0));
  FailureOr<WindowAxes> Axes = readWindows(L, X);
  FailureOr<int64_t> CountsPads = L.N.integer("count_include_pad", 0);
  if (failed(Axes) || failed(CountsPads))
    return failure();
  Value Zero = L.number(heldType(arithmeticType(L.in(0).Element)), 0);
  Value Sums = pooled(L, paddedFor(L, X, *Axes, Zero), *Axes, Zero, sum,
                      /*IsUnsigned=*/false);
  return L.define(
      L.narrowed(divided(L, Sums, *Axes, *CountsPads != 0), L.in(0).Element));
}

//===----------------------------------------------------------------------===//
// LpPool
//===----------------------------------------------------------------------===//

/// |x|^P or, `IsRoot`, x^(1/P) of each element.
static Value power(Lowering &L, Value X, double P, bool IsRoot) {
  Type Held = cast<RankedTensorType>(X.getType()).getElementType();
  Value By = L.number(Held, IsRoot ? 1 / P : P);
  return L.each(
      X, Held, [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        if (P == 2)
          return IsRoot ? Value(math::SqrtOp::create(B, Loc, E[0]))
                        : Value(arith::MulFOp::create(B, Loc, E[0], E[0]));
        Value Size = math::AbsFOp::create(B, Loc, E[0]);
        return P == 1 ? Size : Value(math::PowFOp::create(B, Loc, Size, By));
      });
}

static FailureOr<int64_t> readPower(Lowering &L) {
  FailureOr<int64_t> P = L.N.integer("p", 2);
  if (succeeded(P) && *P < 1)
    return L.error() << "p is " << *P << ", expected 1 or more";
  return P;
}

static LogicalResult lowerLpPool(Lowering &L) {
  Value X = L.widened(L.in(0));
  FailureOr<WindowAxes> Axes = readWindows(L, X);
  FailureOr<int64_t> P = readPower(L);
  if (failed(Axes) || failed(P))
    return failure();
  Value Zero = L.number(heldType(arithmeticType(L.in(0).Element)), 0);
  Value Powers = paddedFor(L, power(L, X, *P, /*IsRoot=*/false), *Axes, Zero);
  Value Sums = pooled(L, Powers, *Axes, Zero, sum, /*IsUnsigned=*/false);
  return L.define(
      L.narrowed(power(L, Sums, *P, /*IsRoot=*/true), L.in(0).Element));
}

//===----------------------------------------------------------------------===//
// Over all of the spatial axes
//===----------------------------------------------------------------------===//

static Value globally(Lowering &L, Value X, Value Initial, Combine By) {
  int64_t Rank = cast<RankedTensorType>(X.getType()).getRank();
  auto Axes = llvm::to_vector(llvm::seq<int64_t>(2, Rank));
  return L.reduced(X, Axes, /*Keeps=*/true, Initial,
                   [&](OpBuilder &B, Location Loc, ValueRange E) {
                     return By(B, Loc, E[1], E[0], /*IsUnsigned=*/false);
                   });
}

static LogicalResult lowerGlobalMaxPool(Lowering &L) {
  if (failed(checkChannels(L, 2)))
    return failure();
  const Plain &X = L.in(0);
  return L.define(
      {globally(L, X.Tensor, least(L, X.Element), larger), X.Element});
}

static LogicalResult lowerGlobalAveragePool(Lowering &L) {
  if (failed(checkChannels(L, 2)))
    return failure();
  Value X = L.widened(L.in(0));
  Type Held = cast<RankedTensorType>(X.getType()).getElementType();
  Value Sums = globally(L, X, L.number(Held, 0), sum);
  Value Count = arith::IndexCastOp::create(
      L.B, L.B.getI64Type(),
      L.index(L.product(ArrayRef(L.extentsOf(X)).drop_front(2))));
  Value By = arith::SIToFPOp::create(L.B, Held, Count);
  Value Means = L.each(Sums, Held,
                       [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                         return arith::DivFOp::create(B, Loc, E[0], By);
                       });
  return L.define(L.narrowed(Means, L.in(0).Element));
}

static LogicalResult lowerGlobalLpPool(Lowering &L) {
  FailureOr<int64_t> P = readPower(L);
  if (failed(P) || failed(checkChannels(L, 2)))
    return failure();
  Value Powers = power(L, L.widened(L.in(0)), *P, /*IsRoot=*/false);
  Value Zero = L.number(heldType(arithmeticType(L.in(0).Element)), 0);
  Value Sums = globally(L, Powers, Zero, sum);
  return L.define(
      L.narrowed(power(L, Sums, *P, /*IsRoot=*/true), L.in(0).Element));
}

ArrayRef<LoweredOperator> tenon::frontend::poolingOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "AveragePool", 1, lowerAveragePool},
      {"", "GlobalAveragePool", 1, lowerGlobalAveragePool},
      {"", "GlobalLpPool", 2, lowerGlobalLpPool},
      {"", "GlobalMaxPool", 1, lowerGlobalMaxPool},
      {"", "LpPool", 2, lowerLpPool},
      {"", "MaxPool", 1, lowerMaxPool},
  };
  return Table;
}
