//===- ShortFourier.cpp - Fourier transforms of frames -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Fourier.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

/// [batch, frames, length, parts] of a signal [batch, n, parts].
static Value framesOf(Lowering &L, Value Signal, OpFoldResult Step,
                      OpFoldResult Frames, OpFoldResult Length) {
  Extents Of = {L.extentOf(Signal, 0), Frames, Length, L.extentOf(Signal, 2)};
  Type Held = heldBy(Signal);
  if (auto Static = getConstantIntValue(Step)) {
    AffineExpr Batch, Frame, At, Part;
    bindDims(L.B.getContext(), Batch, Frame, At, Part);
    return L.mapped({Signal},
                    {AffineMap::get(4, 0, {Batch, Frame * *Static + At, Part},
                                    L.B.getContext())},
                    Of, Held,
                    [](OpBuilder &, Location, ValueRange E) { return E[0]; });
  }
  Value By = L.index(Step);
  Value Last = L.index(L.sub(L.extentOf(Signal, 1), L.extent(1)));
  return L.generated(
      Of, Held, [&](OpBuilder &B, Location Loc, ValueRange I) -> Value {
        Value At = arith::AddIOp::create(
            B, Loc, arith::MulIOp::create(B, Loc, I[1], By), I[2]);
        At = arith::MinUIOp::create(B, Loc, At, Last);
        return tensor::ExtractOp::create(B, Loc, Signal,
                                         ValueRange{I[0], At, I[3]});
      });
}

LogicalResult tenon::frontend::lowerSTFT(Lowering &L) {
  FailureOr<int64_t> OneSided = L.N.integer("onesided", 1);
  if (failed(OneSided))
    return failure();
  if (failed(L.checkRank(0, 3)) || (L.has(2) && failed(L.checkRank(2, 1))))
    return failure();
  Value Signal = L.widened(L.in(0));
  OpFoldResult Length = L.extentOf(Signal, 1);
  FailureOr<OpFoldResult> By = numberIn(L, 1);
  FailureOr<OpFoldResult> Given =
      L.has(3) ? numberIn(L, 3) : FailureOr<OpFoldResult>(Length);
  if (failed(By) || failed(Given))
    return failure();
  OpFoldResult Step = *By;
  Length = *Given;
  if (L.has(2)) {
    OpFoldResult Window = L.extentOf(L.in(2).Tensor, 0);
    FailureOr<OpFoldResult> Same =
        L.has(3)
            ? L.agreed(Length, Window, "frame_length is not that of its window")
            : FailureOr<OpFoldResult>(Window);
    if (failed(Same))
      return failure();
    Length = *Same;
  }
  if (failed(requirePositive(L, Step, "frame_step")) ||
      failed(requirePositive(L, Length, "frame_length")) ||
      failed(checkLength(L, Length, "frame_length")))
    return failure();
  OpFoldResult Frames = L.add(
      L.floorDiv(L.sub(L.extentOf(Signal, 1), Length), Step), L.extent(1));
  Value X = framesOf(L, Signal, Step, L.max(Frames, L.extent(0)), Length);
  if (L.has(2)) {
    AffineMap Identity = L.B.getMultiDimIdentityMap(4);
    X = L.mapped({X, L.widened(L.in(2))}, {Identity, Identity.getSubMap({2})},
                 L.extentsOf(X), heldBy(X),
                 [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                   return arith::MulFOp::create(B, Loc, E[0], E[1]);
                 });
  }
  Transform Of{L, Length, /*IsInverse=*/false, *OneSided != 0};
  return L.define(L.narrowed(Of.apply(X, 2), L.in(0).Element));
}
