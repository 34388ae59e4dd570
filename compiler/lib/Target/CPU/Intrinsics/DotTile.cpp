//===- DotTile.cpp - Tiles of dot products of bytes -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "DotTile.h"

#include "HostIntrinsic.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tenon;

TileShape DotTile::shape(linalg::GenericOp Op, const DotProduct &Product,
                         const RegisterFile &Registers) {
  TileChooser Chooser(Op, Registers);
  TileShape T;
  T.Vector = Product.Results;
  T.Lanes = DotWriter::lanes(Registers);
  T.HasMasks = Chooser.hasMasks();
  T.Row = Chooser.rowLoop(T.Vector);
  if (Chooser.depends(Product.W, T.Row))
    T.Row = std::nullopt; // all rows of a tile have the same weights
  int64_t Most = T.Row ? int64_t(Registers.Vectors) : Chains;
  T.Vectors = Chooser.vectors(std::min<int64_t>(Most, Registers.Accumulators),
                              *T.Vector, T.Lanes);
  if (!T.Row)
    return T;
  int64_t Beside = DotWriter::sumsActivations(Registers.Dot, Product.ZeroPoint);
  T.Rows = Chooser.rows(
      std::max<int64_t>(Registers.Accumulators / (T.Vectors + Beside), 1),
      *T.Row);
  return T;
}

std::unique_ptr<TileLoops>
tenon::matchDotProducts(OpBuilder &B, linalg::GenericOp Op,
                        const RegisterFile &Registers) {
  auto Product = readDotProduct(Op);
  if (!Product)
    return nullptr;
  return std::make_unique<DotTile>(
      B, Op, DotTile::shape(Op, *Product, Registers), *Product, Registers.Dot);
}

void DotTile::begin() {
  llvm::erase(Reductions, Product.InFour);
  At[Product.InFour] = index(0);
  int64_t Rank = cast<MemRefType>(Product.W->get().getType()).getRank();
  SmallVector<ReassociationIndices> Axes;
  for (int64_t Axis = 0; Axis + 2 < Rank; ++Axis)
    Axes.push_back({Axis});
  Axes.push_back({Rank - 2, Rank - 1});
  Weights = memref::CollapseShapeOp::create(B, Loc, Product.W->get(), Axes);
}

void DotTile::sumWeights(Part P) {
  DotWriter Dot = dot(P);
  WeightSums =
      reduce(Reductions, SmallVector<Value>(P.Vectors, Dot.zero()),
             [&](ValueRange Sums) {
               SmallVector<Value> Next;
               for (auto [Vector, Sum] : llvm::enumerate(Sums))
                 Next.push_back(Dot.offsets(Sum, loadWeights(Vector, P)));
               return Next;
             });
}

/// Once for all of `Others`, unless they have weights of their own.
void DotTile::othersWithSums(ArrayRef<unsigned> Others, Part P, Body Inner) {
  bool HasGroups = llvm::any_of(
      Others, [&](unsigned Loop) { return depends(*Product.W, Loop); });
  if (!HasGroups)
    sumWeights(P);
  others(Others, [&] {
    if (HasGroups)
      sumWeights(P);
    Inner();
  });
}

void DotTile::nest(ArrayRef<unsigned> Others) {
  if (!T.Row)
    return TileLoops::nest(Others);
  vectors([&](Part P) {
    auto Tiles = [&] { rows([&](int64_t Rows) { tile(P.withRows(Rows)); }); };
    if (dot(P).lacksOffsets())
      othersWithSums(Others, P, Tiles);
    else
      others(Others, Tiles);
  });
}

SmallVector<Value> DotTile::placeOfWeights(int64_t Vector, Part P) {
  SmallVector<Value> Where = place(*Product.W, 0, Vector, P);
  Where.pop_back(); // the first of four
  Where.back() = bound(affine::makeComposedFoldedAffineApply(
      B, Loc, B.getAffineDimExpr(0) * DotProduct::Depth, {Where.back()}));
  return Where;
}

Value DotTile::loadWeights(int64_t Vector, Part P) {
  return loadVector(Weights, placeOfWeights(Vector, P),
                    DotProduct::Depth * P.Lanes,
                    mask(Vector, P, DotProduct::Depth));
}

SmallVector<Value> DotTile::step(Part P, ValueRange Sums) {
  DotWriter Dot = dot(P);
  SmallVector<Value> W, Results;
  for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
    W.push_back(Dot.weights(loadWeights(Vector, P)));
  auto Sum = Sums.begin();
  SmallVector<Value> X;
  for (int64_t Row = 0; Row < P.Rows; ++Row) {
    X.push_back(Row == 0 || depends(*Product.X, T.Row)
                    ? Dot.activations(loadVector(Product.X->get(),
                                                 place(*Product.X, Row, 0, P),
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

void DotTile::tile(Part P) {
  if (dot(P).lacksOffsets() && !T.Row)
    sumWeights(P);
  // Of all results, then of the activations of all rows.
  int64_t Count = P.Rows * P.Vectors + (dot(P).sumsActivations() ? P.Rows : 0);
  SmallVector<Value> Sums(Count, dot(P).zero());
  Sums = reduce(Reductions, std::move(Sums),
                [&](ValueRange Before) { return step(P, Before); });
  Loads Loaded;
  for (int64_t Row = 0; Row < P.Rows; ++Row)
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector) {
      Value OfActivations =
          dot(P).sumsActivations() ? Sums[P.Rows * P.Vectors + Row] : Value();
      Value Sum = arith::AddIOp::create(
          B, Loc, read(*Product.Sum.Start, Row, Vector, P, Loaded),
          dot(P).finish(Sums[Row * P.Vectors + Vector], OfActivations));
      if (dot(P).lacksOffsets())
        Sum = arith::AddIOp::create(B, Loc, Sum, WeightSums[Vector]);
      finish(Product.Sum, Sum, Row, Vector, P, Loaded);
    }
}
