//===- VectorTile.cpp - Tiles of any body ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "VectorTile.h"

#include "HostIntrinsic.h"

#include "../VectorBody.h"

using namespace mlir;
using namespace tenon;

std::optional<SumOfProducts> tenon::readFused(linalg::GenericOp Op) {
  auto S = readSumOfProducts(Op);
  return S && S->hasEpilogue() ? S : std::nullopt;
}

/// Bits of the widest number that `Ops` work with, which says how many elements
/// go into a register. Floats of 16 bits are computed with in 32.
template <typename Range> static unsigned widest(Range &&Ops) {
  unsigned Bits = 8;
  for (Operation *Inner : Ops)
    for (Type T : Inner->getOperandTypes())
      if (T.isIntOrFloat())
        Bits = std::max(Bits, T.isF16() && !llvm::isa<linalg::YieldOp>(Inner)
                                  ? 32
                                  : T.getIntOrFloatBitWidth());
  return Bits;
}

int64_t tenon::lanesOf(linalg::GenericOp Op,
                       const std::optional<SumOfProducts> &Fused,
                       const RegisterFile &Registers) {
  // What becomes of a sum may be wider for a while.
  unsigned Bits = Fused ? widest(Fused->Step)
                        : widest(llvm::make_pointer_range(*Op.getBody()));
  return std::max<int64_t>(Registers.VectorBits / Bits, 1);
}

std::unique_ptr<TileLoops> tenon::matchAny(OpBuilder &B, linalg::GenericOp Op,
                                           const RegisterFile &Registers) {
  auto Fused = readFused(Op);
  if (!Fused && !isPlain(Op))
    return nullptr;
  TileChooser Chooser(Op, Registers);
  TileShape T;
  if (Fused || llvm::all_of(*Op.getBody(), worksOnVectors))
    T.Vector = Chooser.vectorLoop();
  // Without reductions there is nothing to keep, and rows share nothing.
  bool Reduces = Op.getNumReductionLoops() > 0;
  if (Reduces)
    T.Row = Chooser.rowLoop(T.Vector);
  int64_t Results = Registers.Accumulators / (Fused ? 1 : Op.getNumDpsInits());
  if (T.Vector) {
    T.Lanes = lanesOf(Op, Fused, Registers);
    T.HasMasks = Chooser.hasMasks();
    int64_t Most = Reduces && !T.Row ? Chains : int64_t(Registers.Vectors);
    T.Vectors = Chooser.vectors(std::min(Most, Results), *T.Vector, T.Lanes);
  }
  if (T.Row) {
    int64_t Most = std::max<int64_t>(Results / T.Vectors, 1);
    T.Rows = Chooser.rows(T.Vector ? Most : std::min(Most, Chains), *T.Row);
  }
  // Loops of single elements are what upstream's lowering makes.
  if (!T.Vector && T.Rows == 1)
    return nullptr;
  return std::make_unique<VectorTile>(B, Op, T, std::move(Fused));
}

TileLoops::StepBody VectorTile::stepBody() {
  if (Fused)
    return {{Fused->Before}, Fused->Step, {Fused->Sum}};
  return wholeBody();
}

/// What sums begin with, in the order of StepBody::Before.
SmallVector<OpOperand *> VectorTile::starts() {
  if (Fused)
    return {Fused->Start};
  SmallVector<OpOperand *> Starts;
  for (OpOperand &Init : Op.getDpsInitsMutable())
    if (!Op.getMatchingBlockArgument(&Init).use_empty())
      Starts.push_back(&Init);
  return Starts;
}

void VectorTile::tile(Part P) {
  StepBody Body = stepBody();
  SmallVector<OpOperand *> Starts = starts();
  Loads Begun, Loaded;
  SmallVector<Value> Sums;
  for (int64_t Row = 0; Row < P.Rows; ++Row)
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector)
      for (OpOperand *Start : Starts)
        Sums.push_back(read(*Start, Row, Vector, P, Begun));
  Sums = reduce(Reductions, std::move(Sums),
                [&](ValueRange Before) { return step(Body, P, Before); });
  auto Next = Sums.begin();
  for (int64_t Row = 0; Row < P.Rows; ++Row)
    for (int64_t Vector = 0; Vector < P.Vectors; ++Vector) {
      if (Fused) {
        finish(*Fused, *Next++, Row, Vector, P, Loaded);
        continue;
      }
      for (OpOperand &Init : Op.getDpsInitsMutable())
        store(*Next++, Init, Row, Vector, P);
    }
}
