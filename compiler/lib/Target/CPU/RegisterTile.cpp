//===- RegisterTile.cpp - A tile of results in registers -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "RegisterTile.h"

#include "LoopStride.h"
#include "VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tenon;

/// Whether the body reads nothing but its arguments and constants.
static bool isPlain(linalg::GenericOp Op) {
  if (Op.hasIndexSemantics())
    return false;
  for (Operation &Inner : *Op.getBody())
    if (Inner.getNumRegions() ||
        (!isMemoryEffectFree(&Inner) && !llvm::isa<linalg::YieldOp>(Inner)))
      return false;
  return llvm::all_of(Op.getOperandTypes(),
                      [](Type T) { return llvm::isa<MemRefType>(T); });
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

/// In memory an element has bytes of its own, in a vector it may not.
static bool hasBytes(OpOperand &Operand) {
  auto Type = cast<MemRefType>(Operand.get().getType());
  return Type.getElementType().isIntOrFloat() &&
         Type.getElementTypeBitWidth() % 8 == 0;
}

/// A product with an epilogue, which is not plain.
static std::optional<SumOfProducts> readFused(linalg::GenericOp Op) {
  auto S = readSumOfProducts(Op);
  return S && S->hasEpilogue() ? S : std::nullopt;
}

/// The body's last operation, where its result is one of its operands, in any
/// order, and halves are not held in it.
static std::optional<vector::CombiningKind> extremumOf(linalg::GenericOp Op) {
  if (Op.getNumDpsInits() != 1 || !llvm::all_of(*Op.getBody(), worksOnVectors))
    return std::nullopt;
  BlockArgument Before = Op.getRegionOutputArgs().front();
  Operation *Last =
      Op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!Last || !Before.hasOneUse() || *Before.user_begin() != Last ||
      Before.getType().isF16())
    return std::nullopt;
  using Kind = vector::CombiningKind;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(Last)
      .Case([](arith::MaximumFOp) { return Kind::MAXIMUMF; })
      .Case([](arith::MinimumFOp) { return Kind::MINIMUMF; })
      .Case([](arith::MaxSIOp) { return Kind::MAXSI; })
      .Case([](arith::MinSIOp) { return Kind::MINSI; })
      .Case([](arith::MaxUIOp) { return Kind::MAXUI; })
      .Case([](arith::MinUIOp) { return Kind::MINUI; })
      .Default(std::nullopt);
}

namespace {

class Chooser {
public:
  Chooser(linalg::GenericOp Op, const RegisterFile &Registers)
      : Op(Op), Registers(Registers), Extents(Op.getStaticLoopRanges()) {
    Op.getParallelDims(Loops);
  }
  RegisterTile choose();

private:
  bool isProduct(const RegisterTile &T);
  bool depends(OpOperand *Operand, std::optional<unsigned> Loop) {
    return Loop && Op.getMatchingIndexingMap(Operand).isFunctionOfDim(*Loop);
  }
  std::optional<unsigned> vectorLoop(bool IsFused);
  void chooseExtremum(RegisterTile &T, unsigned Bits);
  std::optional<unsigned> rowLoop(std::optional<unsigned> Vector);
  void chooseMatrices(RegisterTile &T);
  /// The fewest of at most `Most` steps of `Loop` that need no more tiles.
  int64_t share(int64_t Most, unsigned Loop, int64_t Step) const {
    int64_t Extent = Extents[Loop];
    if (ShapedType::isDynamic(Extent))
      return Most;
    int64_t Steps = std::max<int64_t>(Extent / Step, 1);
    return llvm::divideCeil(Steps, llvm::divideCeil(Steps, Most));
  }

  linalg::GenericOp Op;
  const RegisterFile &Registers;
  SmallVector<int64_t> Extents;
  SmallVector<unsigned> Loops;
};

} // namespace

/// A parallel loop along which every result is dense and every input is dense
/// or the same.
std::optional<unsigned> Chooser::vectorLoop(bool IsFused) {
  if (!IsFused && !llvm::all_of(*Op.getBody(), worksOnVectors))
    return std::nullopt;
  for (unsigned Loop : Loops) {
    bool Fits = Extents[Loop] != 1;
    for (OpOperand &Operand : Op->getOpOperands())
      Fits &= hasBytes(Operand) && isDenseAlong(Op, Operand, Loop);
    if (Fits)
      return Loop; // only one can be the results' last axis
  }
  return std::nullopt;
}

/// The largest or least element of dense rows: vectors of a row are compared,
/// and their elements in the end.
void Chooser::chooseExtremum(RegisterTile &T, unsigned Bits) {
  constexpr int64_t Fewest = 4;
  auto Kind = extremumOf(Op);
  if (!Kind)
    return;
  SmallVector<unsigned> Reductions;
  Op.getReductionDims(Reductions);
  for (unsigned Loop : Reductions) {
    bool Fits = Extents[Loop] >= Fewest; // an open one is negative
    for (OpOperand *Input : Op.getDpsInputOperands())
      Fits &= hasBytes(*Input) && isDenseAlong(Op, *Input, Loop) &&
              strideAlong(Op.getMatchingIndexingMap(Input), Loop);
    if (!Fits)
      continue;
    T.Extremum = Kind;
    T.Vector = Loop;
    T.Lanes = std::min<int64_t>(Registers.VectorBits / Bits,
                                llvm::bit_floor(uint64_t(Extents[Loop])));
  }
  if (T.Lanes < Fewest) {
    T.Extremum = std::nullopt;
    T.Vector = std::nullopt;
    T.Lanes = 1;
  }
}

/// The parallel loop whose rows share most of what is loaded; the innermost
/// where several do.
std::optional<unsigned> Chooser::rowLoop(std::optional<unsigned> Vector) {
  std::optional<unsigned> Best;
  int Most = -1;
  for (unsigned Loop : Loops) {
    if (Loop == Vector || Extents[Loop] == 1)
      continue;
    int Shared = 0;
    for (OpOperand *Input : Op.getDpsInputOperands())
      Shared += !depends(Input, Loop) && (!Vector || depends(Input, Vector));
    if (Shared >= Most) {
      Best = Loop;
      Most = Shared;
    }
  }
  return Best;
}

bool Chooser::isProduct(const RegisterTile &T) {
  bool ByRow = false, ByVector = false;
  for (OpOperand *Input : Op.getDpsInputOperands()) {
    bool Rows = depends(Input, T.Row), Vectors = depends(Input, T.Vector);
    ByRow |= Rows && !Vectors;
    ByVector |= Vectors && !Rows;
  }
  return ByRow && ByVector;
}

/// Whether rows lie as far apart from each other everywhere.
static bool isLinear(AffineMap Map) {
  bool Result = true;
  Map.walkExprs([&](AffineExpr Expr) {
    Result &= Expr.getKind() == AffineExprKind::Add ||
              Expr.getKind() == AffineExprKind::Mul ||
              Expr.isSymbolicOrConstant() || llvm::isa<AffineDimExpr>(Expr);
  });
  return Result;
}

/// Two by two matrices of results, of each of which the factors serve two: the
/// unit that multiplies them is never short of them.
void Chooser::chooseMatrices(RegisterTile &T) {
  // With as few of both, the unit does about what vectors do.
  constexpr int64_t FewFours = 4, FewRows = 4;
  if (!T.Dot || !T.IsProduct || T.Dot->ZeroPoint != 0 ||
      T.Lanes != MatrixShape::Columns || Extents[*T.Vector] < T.Lanes ||
      ShapedType::isDynamic(Extents[*T.Row]) || Extents[*T.Row] < FewRows ||
      !isLinear(Op.getMatchingIndexingMap(T.Dot->X)))
    return;
  AffineMap OfW = Op.getMatchingIndexingMap(T.Dot->W);
  unsigned Fours = OfW.getDimPosition(OfW.getNumResults() - 3);
  int64_t Step = std::min(Extents[Fours], MatrixShape::Fours);
  while (Step > 0 && Extents[Fours] % Step)
    --Step;
  if (Step < FewFours)
    return;
  T.Fours = Fours;
  T.FoursOfStep = Step;
  T.Rows = share(2 * MatrixShape::Rows, *T.Row, 1);
  // With what is left of a vector as one, whose other columns nobody reads.
  int64_t Panels = llvm::divideCeil(Extents[*T.Vector], T.Lanes);
  T.Vectors = llvm::divideCeil(Panels, llvm::divideCeil(Panels, 2));
  if (T.Rows > MatrixShape::Rows)
    return;
  for (unsigned Loop : Loops)
    if (Loop != T.Row && Loop != T.Vector && Extents[Loop] > 1 &&
        !depends(T.Dot->W, Loop))
      T.Outer = Loop; // the innermost
  if (T.Outer)
    T.Outers = 2;
}

RegisterTile Chooser::choose() {
  RegisterTile T;
  if ((T.Dot = readDotProduct(Op))) {
    T.Vector = T.Dot->Results;
    T.Lanes = DotWriter::lanes(Registers);
    T.Instruction = Registers.Dot;
  } else {
    T.Fused = readFused(Op);
    T.Vector = vectorLoop(T.Fused.has_value());
    // What becomes of a sum may be wider for a while.
    unsigned Bits = T.Fused ? widest(T.Fused->Step)
                            : widest(llvm::make_pointer_range(*Op.getBody()));
    if (T.Vector)
      T.Lanes = std::max<int64_t>(Registers.VectorBits / Bits, 1);
    else if (!T.Fused)
      chooseExtremum(T, Bits);
  }
  // Without reductions there is nothing to keep, and rows share nothing.
  bool Reduces = Op.getNumReductionLoops() > 0;
  int64_t Results =
      Registers.Accumulators / (T.Dot || T.Fused ? 1 : Op.getNumDpsInits());
  if (T.Vector && !T.Extremum)
    T.Vectors = share(std::min<int64_t>(Registers.Vectors, Results), *T.Vector,
                      T.Lanes);
  if (!Reduces)
    return T;
  T.Row = rowLoop(T.Vector);
  if (!T.Dot && T.Vector && !T.Extremum &&
      Registers.Dot != DotInstruction::None)
    T.Depthwise = readDepthwise(Op, *T.Vector, T.Row);
  if (T.Depthwise) {
    T.Instruction = Registers.Dot;
    T.Vectors = 1; // the others are for weights
  }
  if (T.Dot && depends(T.Dot->W, T.Row))
    T.Row = std::nullopt; // all rows of a tile have the same weights
  if (!T.Row)
    return T;
  int32_t ZeroPoint = T.Dot         ? T.Dot->ZeroPoint
                      : T.Depthwise ? T.Depthwise->OffsetW
                                    : 0;
  bool SumsActivations = DotWriter::sumsActivations(T.Instruction, ZeroPoint);
  int64_t Most = std::max<int64_t>(Results / (T.Vectors + SumsActivations), 1);
  if (!T.Vector || T.Depthwise)
    Most = std::min<int64_t>(Most, 8); // chains that hide an addition's latency
  if (T.Extremum)
    Most = std::min<int64_t>(Most, 4);
  T.Rows = share(Most, *T.Row, 1);
  T.IsProduct = !T.Extremum && isProduct(T);
  if (Registers.HasMatrices)
    chooseMatrices(T);
  return T;
}

/// A reduction that yields what it is not given has no sum to keep.
static bool accumulates(linalg::GenericOp Op) {
  return llvm::none_of(Op.getRegionOutputArgs(),
                       [](BlockArgument Sum) { return Sum.use_empty(); });
}

std::optional<RegisterTile> tenon::chooseTile(linalg::GenericOp Op,
                                              const RegisterFile &Registers) {
  if (!readDotProduct(Op) && !readFused(Op) &&
      (!isPlain(Op) || (Op.getNumReductionLoops() && !accumulates(Op))))
    return std::nullopt;
  RegisterTile T = Chooser(Op, Registers).choose();
  // Loops of single elements are what upstream's lowering makes.
  if (!T.Vector && T.Rows == 1)
    return std::nullopt;
  return T;
}
