//===- Scales.cpp - Which scale an element has ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Quantizations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

/// A scale whose extents only the run tells, at the full size of `Of`: indices
/// are kept within it whatever they are.
static Followed stretched(Lowering &L, Value Scale, ArrayRef<OpFoldResult> Of,
                          int64_t Axis, int64_t Block) {
  Scale = L.neverEmpty(Scale);
  Extents Own = L.extentsOf(Scale);
  bool IsVector = Own.size() == 1;
  auto Type = cast<RankedTensorType>(Scale.getType());
  SmallVector<Value> Last;
  for (OpFoldResult Extent : Own)
    Last.push_back(L.index(L.sub(Extent, L.extent(1))));
  Value Size = L.index(std::max<int64_t>(Block, 1));
  Value Result =
      L.generated(Of, Type.getElementType(),
                  [&](OpBuilder &B, Location Loc, ValueRange Indices) -> Value {
                    SmallVector<Value> At(Indices);
                    if (IsVector)
                      At = {Indices[Axis]};
                    Value &Along = At[IsVector ? 0 : Axis];
                    Along = arith::DivUIOp::create(B, Loc, Along, Size);
                    for (auto [Index, End] : llvm::zip(At, Last))
                      Index = arith::MinSIOp::create(B, Loc, Index, End);
                    return tensor::ExtractOp::create(B, Loc, Scale, At);
                  });
  return {Result, L.B.getMultiDimIdentityMap(Of.size())};
}

/// The extents that the scale has to have.
static LogicalResult checkScale(Lowering &L, Value Scale,
                                ArrayRef<OpFoldResult> Expected,
                                bool &IsStatic) {
  Extents Own = L.extentsOf(Scale);
  IsStatic = true;
  for (auto [Axis, Extent, Want] : llvm::enumerate(Own, Expected)) {
    auto Have = getConstantIntValue(Extent), Needs = getConstantIntValue(Want);
    if (Have && Needs && *Have == *Needs)
      continue;
    if (Have && Needs)
      return L.error() << "dimension " << Axis << " of a scale is " << *Have
                       << ", expected " << *Needs
                       << " for its input's shape and its axis";
    IsStatic = false;
    L.require(arith::CmpIOp::create(L.B, arith::CmpIPredicate::eq,
                                    L.index(Extent), L.index(Want)),
              "the shape of a scale does not fit its input's");
  }
  return success();
}

FailureOr<Followed> tenon::frontend::followScale(Lowering &L,
                                                 const Plain &Scale, Value Of,
                                                 int64_t Axis, int64_t Block) {
  Extents Full = L.extentsOf(Of);
  int64_t Rank = Full.size();
  RankedTensorType Type = Scale.type();
  bool IsOne = Type.hasStaticShape() && Type.getNumElements() == 1;
  if (Type.getRank() == 0 || IsOne)
    return Followed{L.reshaped(Scale.Tensor, {}),
                    AffineMap::get(Rank, 0, {}, L.B.getContext())};
  bool IsVector = Block == 0;
  if (Type.getRank() != (IsVector ? 1 : Rank))
    return L.error() << "a scale has " << Type.getRank()
                     << " dimensions, expected "
                     << (IsVector ? "none, or one along its axis"
                                  : "those of its input");
  FailureOr<int64_t> At = L.axis(Axis, Rank);
  if (failed(At))
    return failure();
  Extents Expected = Full;
  if (!IsVector)
    Expected[*At] = L.ceilDiv(Full[*At], L.extent(Block));
  else
    Expected = {Full[*At]};
  bool IsStatic;
  if (failed(checkScale(L, Scale.Tensor, Expected, IsStatic)))
    return failure();
  if (!IsStatic)
    return stretched(L, Scale.Tensor, Full, *At, Block);
  SmallVector<AffineExpr> Indices;
  for (int64_t Each = 0; Each < Rank; ++Each)
    Indices.push_back(L.B.getAffineDimExpr(Each));
  if (IsVector)
    Indices = {Indices[*At]};
  else
    Indices[*At] = Indices[*At].floorDiv(Block);
  return Followed{Scale.Tensor,
                  AffineMap::get(Rank, 0, Indices, L.B.getContext())};
}
