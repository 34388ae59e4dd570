//===- DepthwiseTile.cpp - Tiles of depthwise convolutions of bytes -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Bytes of the same channels of two or four taps are interleaved, so that those
// of a channel lie together, and multiplied at once. What was interleaved of x
// serves all rows whose windows it lies in; of w, all rows.
//
// Two of 16 bits hold what is less a zero point. Four bytes do not, and x has
// no sign: with u = x + 128,
//   sum (x - a) * (w - b) = sum u * w - b * sum u - (128 + a) * sum (w - b).
//
//===----------------------------------------------------------------------===//

#include "TileWriter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tenon;

namespace tenon {

/// One tile.
class DepthwiseTile {
public:
  DepthwiseTile(TileWriter &Writer, TileWriter::Part P)
      : Writer(Writer), P(P), D(*Writer.T.Depthwise), B(Writer.B),
        Loc(Writer.Loc), IsQuads(Writer.T.Instruction == DotInstruction::Quads),
        Depth(IsQuads ? 4 : 2) {}
  void write();

private:
  int64_t extent(unsigned Loop) const {
    return *getConstantIntValue(Writer.Extents[Loop]);
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
    return multiplyNeighbours(B, Loc, Writer.T.Instruction, Sum, X, W);
  }
  bool sumsActivations() const { return IsQuads && D.OffsetW; }
  bool sumsWeights() const { return IsQuads && D.OffsetX != -128; }
  Value finish(int64_t Row, Value Start);

  TileWriter &Writer;
  TileWriter::Part P;
  const Depthwise &D;
  OpBuilder &B;
  Location Loc;
  bool IsQuads;
  int64_t Depth; ///< taps that are multiplied at once
  /// By where it begins in x, but for what all rows have in common.
  std::map<std::vector<int64_t>, Value> Activations;
  SmallVector<Value> Sums, OfActivations; ///< of each row
  Value OfWeights;
};

} // namespace tenon

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
    Writer.At[D.Together] = Writer.index(Tap);
    Taps.push_back(Writer.load(Of, Row, 0, P));
  }
  return interleaved(Taps);
}

Value DepthwiseTile::activations(int64_t Row, int64_t Group) {
  AffineMap Map = Writer.Op.getMatchingIndexingMap(D.X);
  Writer.At[D.Together] = Writer.index(Group * Depth);
  SmallVector<AffineExpr> Loops;
  for (unsigned Loop = 0; Loop < Map.getNumDims(); ++Loop) {
    bool IsReduction = llvm::is_contained(Writer.Reductions, Loop);
    Loops.push_back(B.getAffineConstantExpr(
        IsReduction            ? *getConstantIntValue(Writer.At[Loop])
        : Loop == Writer.T.Row ? Row
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
    Writer.At[Loops.front()] = Writer.index(Tap);
    steps(Loops.drop_front());
  }
}

/// The whole sum of a row.
Value DepthwiseTile::finish(int64_t Row, Value Start) {
  auto minus = [&](Value From, Value Of, int64_t Times) {
    if (!Times)
      return From;
    Value Less = arith::MulIOp::create(B, Loc, Of, filled(P.Lanes, 32, Times));
    return arith::SubIOp::create(B, Loc, From, Less).getResult();
  };
  if (sumsWeights()) {
    int64_t Taps = 1;
    for (unsigned Loop : Writer.Reductions)
      Taps *= extent(Loop);
    Value Whole = arith::SubIOp::create(B, Loc, OfWeights,
                                        filled(P.Lanes, 32, Taps * D.OffsetW));
    Start = minus(Start, Whole, 128 + D.OffsetX);
  }
  Value Sum = Sums[Row];
  if (sumsActivations())
    Sum = minus(Sum, OfActivations[Row], D.OffsetW);
  return arith::AddIOp::create(B, Loc, Start, Sum);
}

void DepthwiseTile::write() {
  Value Zero = filled(P.Lanes, 32, 0);
  Sums.assign(P.Rows, Zero);
  OfActivations.assign(P.Rows, Zero);
  OfWeights = Zero;
  SmallVector<unsigned> Loops = Writer.Reductions;
  llvm::erase(Loops, D.Together);
  steps(Loops);
  TileWriter::Loads Loaded;
  for (int64_t Row = 0; Row < P.Rows; ++Row) {
    Value Start = Writer.read(*D.Sum.Start, Row, 0, P, Loaded);
    Writer.finish(D.Sum, finish(Row, Start), Row, 0, P, Loaded);
  }
}

void TileWriter::depthwiseTile(Part P) { DepthwiseTile(*this, P).write(); }
