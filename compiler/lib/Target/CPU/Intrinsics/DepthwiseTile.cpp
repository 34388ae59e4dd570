//===- DepthwiseTile.cpp - Tiles of depthwise convolutions of bytes -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Bytes of the same channels of two or four taps are interleaved, so that those
// of a channel lie together, and multiplied at once. What was interleaved of x
// serves all rows whose windows it lies in; of w, all rows.
//
// Two of 16 bits hold what is less a zero point. Four bytes do not, and where
// the instruction asks for x without a sign, it has u = x + s, s = 128, else 0:
//   sum (x - a) * (w - b) = sum u * w - b * sum u - (s + a) * sum (w - b).
//
//===----------------------------------------------------------------------===//

#include "DotInstruction.h"
#include "HostIntrinsic.h"
#include "VectorTile.h"

#include "../LoopStride.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tenon;

namespace {

/// sum (x[.., c] - OffsetX) * (w[.., c] - OffsetW) over a window, as in a
/// depthwise convolution. What multiplies neighbouring bytes takes those of
/// several taps, once they lie together.
struct Depthwise {
  OpOperand *X = nullptr, *W = nullptr;
  int32_t OffsetX = 0, OffsetW = 0; ///< of 8 bits
  /// The reduction whose taps are multiplied together. Where there is another,
  /// none of those that move along with `Row`: then tiles share the taps of
  /// neighbouring rows.
  unsigned Together = 0;
  SumOfProducts Sum;
};

} // namespace

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

/// `Op` on buffers with its channels along loop `Channels`, of a window so
/// small that all of its taps are written out.
static std::optional<Depthwise> readDepthwise(linalg::GenericOp Op,
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

namespace {

class DepthwiseTile : public VectorTile {
public:
  DepthwiseTile(OpBuilder &B, linalg::GenericOp Op, const TileShape &T,
                const Depthwise &D, DotInstruction Instruction)
      : VectorTile(B, Op, T,
                   D.Sum.hasEpilogue() ? std::optional(D.Sum) : std::nullopt),
        D(D), Instruction(Instruction),
        Offset(Instruction == DotInstruction::Quads ? 128 : 0),
        IsQuads(multipliesBytes(Instruction)), Depth(IsQuads ? 4 : 2) {}

protected:
  void tile(Part Whole) override;

private:
  int64_t extent(unsigned Loop) const {
    return *getConstantIntValue(Extents[Loop]);
  }
  VectorType vector(int64_t Count, unsigned Bits) {
    return VectorType::get({Count}, B.getIntegerType(Bits));
  }
  Value filled(int64_t Count, unsigned Bits, int64_t Number) {
    return arith::ConstantOp::create(
        B, Loc,
        DenseElementsAttr::get(vector(Count, Bits),
                               APInt(Bits, Number, /*isSigned=*/true)));
  }
  Value interleaved(ArrayRef<Value> Taps);
  Value taps(OpOperand &Of, int64_t Row, int64_t Group, int32_t Absent);
  Value activations(int64_t Row, int64_t Group);
  Value weights(int64_t Group);
  Value ones(int64_t Group);
  void step(int64_t Group);
  void steps(ArrayRef<unsigned> Loops);
  Value add(Value Sum, Value X, Value W) {
    return multiplyNeighbours(B, Loc, Instruction, Sum, X, W);
  }
  bool sumsActivations() const { return IsQuads && D.OffsetW; }
  bool sumsWeights() const { return IsQuads && Offset + D.OffsetX != 0; }
  Value wholeSum(int64_t Row, Value Start);

  Depthwise D;
  DotInstruction Instruction;
  int32_t Offset; ///< of what is multiplied from x
  bool IsQuads;
  int64_t Depth; ///< taps that are multiplied at once

  // Of the tile that is being written.
  Part P = {};
  /// By where it begins in x, but for what all rows have in common.
  std::map<std::vector<int64_t>, Value> Activations;
  SmallVector<Value> Sums, OfActivations; ///< of each row
  Value OfWeights;
};

} // namespace

std::unique_ptr<TileLoops>
tenon::matchDepthwise(OpBuilder &B, linalg::GenericOp Op,
                      const RegisterFile &Registers) {
  auto Fused = readFused(Op);
  if (!Fused && !isPlain(Op))
    return nullptr;
  TileChooser Chooser(Op, Registers);
  TileShape T;
  T.Vector = Chooser.vectorLoop();
  T.Row = Chooser.rowLoop(T.Vector);
  auto D = T.Vector ? readDepthwise(Op, *T.Vector, T.Row) : std::nullopt;
  if (!D)
    return nullptr;
  T.Lanes = lanesOf(Op, Fused, Registers);
  T.HasMasks = Chooser.hasMasks();
  if (T.Row) {
    // One register of sums a row; the others are for weights.
    int64_t Beside = DotWriter::sumsActivations(Registers.Dot, D->OffsetW);
    T.Rows = Chooser.rows(
        std::min<int64_t>(Registers.Accumulators / (1 + Beside), Chains),
        *T.Row);
  }
  return std::make_unique<DepthwiseTile>(B, Op, T, *D, Registers.Dot);
}

/// The bytes of a channel of all taps, then of the next.
Value DepthwiseTile::interleaved(ArrayRef<Value> Taps) {
  auto Join = [&](Value A, Value C, int64_t Bytes) {
    int64_t Count = cast<VectorType>(A.getType()).getNumElements();
    SmallVector<int64_t> Order;
    for (int64_t I = 0; I < Count; I += Bytes)
      for (int64_t From : {I, Count + I})
        for (int64_t K = 0; K < Bytes; ++K)
          Order.push_back(From + K);
    return vector::ShuffleOp::create(B, Loc, A, C, Order).getResult();
  };
  if (Taps.size() == 2)
    return Join(Taps[0], Taps[1], 1);
  return Join(Join(Taps[0], Taps[1], 1), Join(Taps[2], Taps[3], 1), 2);
}

/// Of a group of taps of the row; behind the last one, `Absent`.
Value DepthwiseTile::taps(OpOperand &Of, int64_t Row, int64_t Group,
                          int32_t Absent) {
  SmallVector<Value> Taps;
  for (int64_t K = 0; K < Depth; ++K) {
    int64_t Tap = Group * Depth + K;
    if (Tap >= extent(D.Together)) {
      Taps.push_back(filled(P.Lanes, 8, Absent));
      continue;
    }
    At[D.Together] = index(Tap);
    Taps.push_back(load(Of, Row, 0, P));
  }
  return interleaved(Taps);
}

Value DepthwiseTile::activations(int64_t Row, int64_t Group) {
  AffineMap Map = Op.getMatchingIndexingMap(D.X);
  At[D.Together] = index(Group * Depth);
  SmallVector<AffineExpr> Loops;
  for (unsigned Loop = 0; Loop < Map.getNumDims(); ++Loop) {
    bool IsReduction = llvm::is_contained(Reductions, Loop);
    Loops.push_back(B.getAffineConstantExpr(IsReduction
                                                ? *getConstantIntValue(At[Loop])
                                            : Loop == T.Row ? Row
                                                            : 0));
  }
  std::vector<int64_t> Where;
  for (AffineExpr Expr :
       Map.replaceDimsAndSymbols(Loops, {}, 0, 0).getResults())
    Where.push_back(cast<AffineConstantExpr>(Expr).getValue());
  Value &V = Activations[Where];
  if (V)
    return V;
  V = taps(*D.X, Row, Group, 0);
  if (IsQuads && !Offset)
    return V;
  if (IsQuads)
    return V = arith::XOrIOp::create(B, Loc, V, filled(4 * P.Lanes, 8, -128));
  V = arith::ExtSIOp::create(B, Loc, vector(2 * P.Lanes, 16), V);
  if (D.OffsetX)
    V = arith::SubIOp::create(B, Loc, V, filled(2 * P.Lanes, 16, D.OffsetX));
  return V;
}

Value DepthwiseTile::weights(int64_t Group) {
  if (IsQuads)
    return taps(*D.W, 0, Group, 0);
  Value V = taps(*D.W, 0, Group, D.OffsetW);
  V = arith::ExtSIOp::create(B, Loc, vector(2 * P.Lanes, 16), V);
  if (D.OffsetW)
    V = arith::SubIOp::create(B, Loc, V, filled(2 * P.Lanes, 16, D.OffsetW));
  return V;
}

/// A weight of 1 for each tap that there is.
Value DepthwiseTile::ones(int64_t Group) {
  SmallVector<APInt> Ones;
  for (int64_t I = 0; I < P.Lanes * Depth; ++I)
    Ones.push_back(APInt(8, Group * Depth + I % Depth < extent(D.Together)));
  return arith::ConstantOp::create(
      B, Loc, DenseElementsAttr::get(vector(P.Lanes * Depth, 8), Ones));
}

void DepthwiseTile::step(int64_t Group) {
  Value W = weights(Group);
  if (sumsWeights())
    OfWeights = add(OfWeights, filled(4 * P.Lanes, 8, 1), W);
  for (int64_t Row = 0; Row < P.Rows; ++Row) {
    Value X = activations(Row, Group);
    Sums[Row] = add(Sums[Row], X, W);
    if (sumsActivations())
      OfActivations[Row] = add(OfActivations[Row], X, ones(Group));
  }
}

/// All taps, `Loops` being the reductions that are not open.
void DepthwiseTile::steps(ArrayRef<unsigned> Loops) {
  if (Loops.empty()) {
    for (int64_t Group = 0; Group * Depth < extent(D.Together); ++Group)
      step(Group);
    return;
  }
  for (int64_t Tap = 0; Tap < extent(Loops.front()); ++Tap) {
    At[Loops.front()] = index(Tap);
    steps(Loops.drop_front());
  }
}

/// The whole sum of a row.
Value DepthwiseTile::wholeSum(int64_t Row, Value Start) {
  auto minus = [&](Value From, Value Of, int64_t Times) {
    if (!Times)
      return From;
    Value Less = arith::MulIOp::create(B, Loc, Of, filled(P.Lanes, 32, Times));
    return arith::SubIOp::create(B, Loc, From, Less).getResult();
  };
  if (sumsWeights()) {
    int64_t Taps = 1;
    for (unsigned Loop : Reductions)
      Taps *= extent(Loop);
    Value Whole = arith::SubIOp::create(B, Loc, OfWeights,
                                        filled(P.Lanes, 32, Taps * D.OffsetW));
    Start = minus(Start, Whole, Offset + D.OffsetX);
  }
  Value Sum = Sums[Row];
  if (sumsActivations())
    Sum = minus(Sum, OfActivations[Row], D.OffsetW);
  return arith::AddIOp::create(B, Loc, Start, Sum);
}

void DepthwiseTile::tile(Part Whole) {
  // Fewer channels do not fill the smallest register.
  if (Whole.Lanes < 4)
    return VectorTile::tile(Whole);
  P = Whole;
  Activations.clear();
  Value Zero = filled(P.Lanes, 32, 0);
  Sums.assign(P.Rows, Zero);
  OfActivations.assign(P.Rows, Zero);
  OfWeights = Zero;
  SmallVector<unsigned> Loops = Reductions;
  llvm::erase(Loops, D.Together);
  steps(Loops);
  Loads Loaded;
  for (int64_t Row = 0; Row < P.Rows; ++Row) {
    Value Start = read(*D.Sum.Start, Row, 0, P, Loaded);
    finish(D.Sum, wholeSum(Row, Start), Row, 0, P, Loaded);
  }
}
