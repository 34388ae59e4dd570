//===- Depthwise.cpp - Sums of products of bytes, channel by channel ------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Depthwise.h"

#include "LoopStride.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tenon;

/// An input of bytes, dense along the channels, less a constant of 8 bits.
static OpOperand *readFactor(linalg::GenericOp Op, Value V, unsigned Channels,
                             int32_t &Offset) {
  auto [Extended, Less] = readOffset(V);
  auto Ext = Extended.getDefiningOp<arith::ExtSIOp>();
  OpOperand *Input = Ext ? operandOf(Op, Ext.getIn()) : nullptr;
  if (!Input || !Ext.getIn().getType().isInteger(8) || Less < INT8_MIN ||
      Less > INT8_MAX || !isDenseAlong(Op, *Input, Channels) ||
      strideAlong(Op.getMatchingIndexingMap(Input), Channels) != 1)
    return nullptr;
  Offset = Less;
  return Input;
}

/// The first reduction that no axis of x is reached by together with `Row`.
static unsigned together(linalg::GenericOp Op, OpOperand *X,
                         std::optional<unsigned> Row) {
  SmallVector<unsigned> Reductions;
  Op.getReductionDims(Reductions);
  AffineMap Map = Op.getMatchingIndexingMap(X);
  for (unsigned Loop : Reductions)
    if (!Row || llvm::none_of(Map.getResults(), [&](AffineExpr Expr) {
          return Expr.isFunctionOfDim(Loop) && Expr.isFunctionOfDim(*Row);
        }))
      return Loop;
  return Reductions.front();
}

std::optional<Depthwise> tenon::readDepthwise(linalg::GenericOp Op,
                                              unsigned Channels,
                                              std::optional<unsigned> Row) {
  constexpr int64_t MostTaps = 49;
  auto S = readSumOfProducts(Op);
  if (!S)
    return std::nullopt;
  int64_t Taps = 1;
  for (auto [Kind, Extent] :
       llvm::zip(Op.getIteratorTypesArray(), Op.getStaticLoopRanges()))
    if (Kind == utils::IteratorType::reduction) {
      if (ShapedType::isDynamic(Extent) || Extent < 1 || Extent > MostTaps)
        return std::nullopt;
      Taps *= Extent;
    }
  if (Taps < 2 || Taps > MostTaps)
    return std::nullopt;
  Depthwise D;
  D.X = readFactor(Op, S->Factors[0], Channels, D.OffsetX);
  D.W = readFactor(Op, S->Factors[1], Channels, D.OffsetW);
  if (!D.X || !D.W || D.X == D.W)
    return std::nullopt;
  auto IsOfRows = [&](OpOperand *Input) {
    return Row && Op.getMatchingIndexingMap(Input).isFunctionOfDim(*Row);
  };
  if (IsOfRows(D.W)) {
    std::swap(D.X, D.W);
    std::swap(D.OffsetX, D.OffsetW);
  }
  if (IsOfRows(D.W))
    return std::nullopt;
  D.Together = together(Op, D.X, Row);
  D.Sum = *std::move(S);
  return D;
}
