//===- RotaryEmbedding.cpp - Positions as rotations ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Checks.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

/// The rows of input `Cache` at the positions that input 3 holds: [batch,
/// length, half].
static Value atPositions(Lowering &L, int64_t Cache) {
  Value Rows = L.widened(L.in(Cache)), Positions = L.in(3).Tensor;
  Value Count = L.index(L.extentOf(Rows, 0));
  Extents Of = L.extentsOf(Positions);
  Of.push_back(L.extentOf(Rows, 1));
  AffineMap Identity = L.B.getMultiDimIdentityMap(3);
  return L.mapped({Positions}, {Identity.getSubMap({0, 1})}, Of, heldBy(Rows),
                  [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                    Value Row = clampedIndex(B, Loc, E[0], Count);
                    Value Column = linalg::IndexOp::create(B, Loc, 2);
                    return tensor::ExtractOp::create(B, Loc, Rows,
                                                     ValueRange{Row, Column});
                  });
}

/// Cosines or sines, input `Input`, for each batch and position.
static FailureOr<Value> angles(Lowering &L, int64_t Input) {
  int64_t Expected = L.has(3) ? 2 : 3;
  if (L.in(Input).rank() != Expected)
    return L.error() << "its input " << Input << " has " << L.in(Input).rank()
                     << " dimensions, expected " << Expected;
  if (!L.has(3))
    return L.widened(L.in(Input));
  if (L.in(3).rank() != 2)
    return L.error() << "its position_ids have " << L.in(3).rank()
                     << " dimensions, expected 2";
  requireIndices(L, L.in(3).Tensor, L.extentOf(L.in(Input).Tensor, 0),
                 std::nullopt,
                 "a position is outside of the caches of cosines and sines");
  return atPositions(L, Input);
}

namespace {
/// X is [batch, length, heads, size] or, 4 axes given, [batch, heads, length,
/// size].
struct Rotation {
  Lowering &L;
  Value X, Cos, Sin;
  bool HeadsFirst, IsInterleaved;
  OpFoldResult Half; ///< pairs that are rotated

  Extents starts(OpFoldResult Last) const {
    return {L.extent(0), L.extent(0), L.extent(0), Last};
  }
  Extents counts() const {
    return {L.extentOf(X, 0), L.extentOf(X, 1), L.extentOf(X, 2), Half};
  }
  Extents steps() const {
    return {L.extent(1), L.extent(1), L.extent(1),
            L.extent(IsInterleaved ? 2 : 1)};
  }
  Extents second() const { return starts(IsInterleaved ? L.extent(1) : Half); }

  /// First * Cos - Second * Sin, or (`IsSecond`) First * Sin + Second * Cos.
  Value half(Value First, Value Second, bool IsSecond) const;
  Value run() const;
};
} // namespace

Value Rotation::half(Value First, Value Second, bool IsSecond) const {
  AffineMap Identity = L.B.getMultiDimIdentityMap(4);
  AffineMap Row = Identity.getSubMap({0, HeadsFirst ? 2u : 1u, 3});
  return L.mapped(
      {First, Second, Cos, Sin}, {Identity, Identity, Row, Row}, counts(),
      heldBy(X), [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        Value Along = arith::MulFOp::create(B, Loc, E[0], E[IsSecond ? 3 : 2]);
        Value Across = arith::MulFOp::create(B, Loc, E[1], E[IsSecond ? 2 : 3]);
        if (IsSecond)
          return arith::AddFOp::create(B, Loc, Along, Across);
        return arith::SubFOp::create(B, Loc, Along, Across);
      });
}

Value Rotation::run() const {
  Extents First = starts(L.extent(0));
  Value A = L.sliced(X, First, counts(), steps());
  Value B = L.sliced(X, second(), counts(), steps());
  // What is not rotated stays.
  Value Result =
      L.inserted(half(A, B, /*IsSecond=*/false), X, First, counts(), steps());
  return L.inserted(half(A, B, /*IsSecond=*/true), Result, second(), counts(),
                    steps());
}

LogicalResult tenon::frontend::lowerRotaryEmbedding(Lowering &L) {
  FailureOr<int64_t> Interleaved = L.N.integer("interleaved", 0);
  FailureOr<int64_t> Rotated = L.N.integer("rotary_embedding_dim", 0);
  FailureOr<int64_t> Heads = L.N.integer("num_heads", 0);
  FailureOr<Value> Cos = angles(L, 1), Sin = angles(L, 2);
  if (failed(Interleaved) || failed(Rotated) || failed(Heads) || failed(Cos) ||
      failed(Sin))
    return failure();
  bool HasHeads = L.in(0).rank() == 4;
  Value X = L.widened(L.in(0));
  if (!HasHeads) {
    if (L.in(0).rank() != 3)
      return L.error() << "its input has " << L.in(0).rank()
                       << " dimensions, expected 3 or 4";
    if (*Heads < 1)
      return L.error() << "an input of 3 dimensions needs num_heads";
    OpFoldResult Count = L.extent(*Heads), Whole = L.extentOf(X, 2);
    OpFoldResult Size = L.floorDiv(Whole, Count);
    if (failed(L.agreed(L.mul(Size, Count), Whole,
                        "the last extent of its input is no multiple of "
                        "num_heads")))
      return failure();
    X = L.split(X, 2, {Count, Size});
  }
  OpFoldResult Size = *Rotated ? L.extent(*Rotated) : L.extentOf(X, 3);
  OpFoldResult Half = L.floorDiv(Size, L.extent(2));
  Extents Own = {L.extentOf(X, 0), L.extentOf(X, HasHeads ? 2 : 1), Half};
  for (Value Angles : {*Cos, *Sin})
    for (auto [Mine, Extent] : llvm::zip(Own, L.extentsOf(Angles)))
      if (failed(L.agreed(Mine, Extent,
                          "the caches of cosines and sines do not fit its "
                          "input")))
        return failure();
  if (failed(L.agreed(L.min(Size, L.extentOf(X, 3)), Size,
                      "it rotates more than a head has")))
    return failure();
  Value Result =
      Rotation{L, X, *Cos, *Sin, HasHeads, *Interleaved != 0, Half}.run();
  if (!HasHeads)
    Result = L.merged(Result, 2, 2);
  return L.define(L.narrowed(Result, L.in(0).Element));
}
