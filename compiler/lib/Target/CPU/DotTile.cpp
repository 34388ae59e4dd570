//===- DotTile.cpp - Tiles of dot products of bytes -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "TileWriter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tenon;

/// The weights of a dot product with what is loaded at once in one axis.
Value TileWriter::rowsOfWeights(Value Packed) {
  int64_t Rank = cast<MemRefType>(Packed.getType()).getRank();
  SmallVector<ReassociationIndices> Axes;
  for (int64_t Axis = 0; Axis + 2 < Rank; ++Axis)
    Axes.push_back({Axis});
  Axes.push_back({Rank - 2, Rank - 1});
  return memref::CollapseShapeOp::create(B, Loc, Packed, Axes);
}

Value TileWriter::loadBytes(Value Memory, ValueRange Where, int64_t Count) {
  return vector::LoadOp::create(B, Loc, VectorType::get({Count}, B.getI8Type()),
                                Memory, Where);
}

SmallVector<Value> TileWriter::placeOfWeights(int64_t Vector, Part P) {
  SmallVector<Value> Where = place(*T.Dot->W, 0, Vector, P);
  Where.pop_back(); // the first of four
  Where.back() = bound(affine::makeComposedFoldedAffineApply(
      B, Loc, B.getAffineDimExpr(0) * DotProduct::Depth, {Where.back()}));
  return Where;
}

Value TileWriter::loadWeights(int64_t Vector, Part P) {
  return loadBytes(Weights, placeOfWeights(Vector, P),
                   DotProduct::Depth * P.Lanes);
}

SmallVector<Value> TileWriter::dotStep(Part P, ValueRange Sums) {
  DotWriter Dot = dot(P);
  SmallVector<Value> W, Results;
  for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
    W.push_back(Dot.weights(loadWeights(Vector, P)));
  auto Sum = Sums.begin();
  SmallVector<Value> X;
  for (int64_t Row = 0; Row < P.Rows; ++Row) {
    X.push_back(Row == 0 || depends(*T.Dot->X, T.Row)
                    ? Dot.activations(loadBytes(T.Dot->X->get(),
                                                place(*T.Dot->X, Row, 0, P),
                                                DotProduct::Depth))
                    : X.front());
    for (Value Of : W)
      Results.push_back(Dot.step(*Sum++, X.back(), Of));
  }
  if (Dot.sumsActivations())
    for (Value Of : X)
      Results.push_back(Dot.step(*Sum++, Of));
  return Results;
}

void TileWriter::dotTile(Part P) {
  // Of all results, then of the activations of all rows.
  int64_t Count = P.Rows * P.Vectors + (dot(P).sumsActivations() ? P.Rows : 0);
  SmallVector<Value> Sums(Count, dot(P).zero());
  Sums = reduce(Reductions, std::move(Sums),
                [&](ValueRange Before) { return dotStep(P, Before); });
  Loads Loaded;
  for (int64_t Row = 0; Row < P.Rows; ++Row)
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector) {
      Value OfActivations =
          dot(P).sumsActivations() ? Sums[P.Rows * P.Vectors + Row] : Value();
      Value Sum = arith::AddIOp::create(
          B, Loc, read(*T.Dot->Sum.Start, Row, Vector, P, Loaded),
          dot(P).finish(Sums[Row * P.Vectors + Vector], OfActivations));
      finish(T.Dot->Sum, Sum, Row, Vector, P, Loaded);
    }
}
