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

/// Bits of the widest number that the body works with, which says how many
/// elements go into a register.
static unsigned widest(linalg::GenericOp Op) {
  unsigned Bits = 8;
  auto See = [&](Type T) {
    if (T.isIntOrFloat())
      Bits = std::max(Bits, T.getIntOrFloatBitWidth());
  };
  for (Operation &Inner : *Op.getBody())
    for (Type T : Inner.getOperandTypes())
      See(T);
  return Bits;
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
  std::optional<unsigned> vectorLoop();
  std::optional<unsigned> rowLoop(std::optional<unsigned> Vector);
  int64_t atMost(int64_t Count, unsigned Loop, int64_t Step) const {
    int64_t Extent = Extents[Loop];
    return ShapedType::isDynamic(Extent)
               ? Count
               : std::clamp<int64_t>(Extent / Step, 1, Count);
  }

  linalg::GenericOp Op;
  const RegisterFile &Registers;
  SmallVector<int64_t> Extents;
  SmallVector<unsigned> Loops;
};

} // namespace

/// A parallel loop along which every result is dense and every input is dense
/// or the same.
std::optional<unsigned> Chooser::vectorLoop() {
  if (!llvm::all_of(*Op.getBody(), worksOnVectors))
    return std::nullopt;
  for (unsigned Loop : Loops) {
    bool Fits = Extents[Loop] != 1;
    for (OpOperand &Operand : Op->getOpOperands()) {
      auto Type = cast<MemRefType>(Operand.get().getType());
      // In memory an element has bytes of its own, in a vector it may not.
      Fits &= Type.getElementType().isIntOrFloat() &&
              Type.getElementTypeBitWidth() % 8 == 0;
      auto Stride = strideAlong(Op.getMatchingIndexingMap(&Operand), Loop);
      Fits &= (Stride == 1 && Type.isLastDimUnitStride()) ||
              (Stride == 0 && !Op.isDpsInit(&Operand));
    }
    if (Fits)
      return Loop; // only one can be the results' last axis
  }
  return std::nullopt;
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

RegisterTile Chooser::choose() {
  RegisterTile T;
  if ((T.Dot = readDotProduct(Op))) {
    T.Vector = T.Dot->Results;
    T.Lanes = DotWriter::lanes(Registers);
    T.Instruction = Registers.Dot;
  } else if ((T.Vector = vectorLoop())) {
    T.Lanes = std::max<int64_t>(Registers.VectorBits / widest(Op), 1);
  }
  // Without reductions there is nothing to keep, and rows share nothing.
  bool Reduces = Op.getNumReductionLoops() > 0;
  int64_t Results = Registers.Accumulators / (T.Dot ? 1 : Op.getNumDpsInits());
  if (T.Vector)
    T.Vectors = atMost(std::min<int64_t>(Registers.Vectors, Results), *T.Vector,
                       T.Lanes);
  if (!Reduces)
    return T;
  T.Row = rowLoop(T.Vector);
  if (T.Dot && depends(T.Dot->W, T.Row))
    T.Row = std::nullopt; // all rows of a tile have the same weights
  if (!T.Row)
    return T;
  int64_t Most = std::max<int64_t>(Results / T.Vectors, 1);
  if (!T.Vector)
    Most = std::min<int64_t>(Most, 8); // chains that hide an addition's latency
  int64_t Extent = Extents[*T.Row];
  if (ShapedType::isDynamic(Extent)) {
    T.Rows = Most;
  } else {
    int64_t Tiles = std::max<int64_t>(llvm::divideCeil(Extent, Most), 1);
    T.Rows = llvm::divideCeil(std::max<int64_t>(Extent, 1), Tiles);
  }
  T.IsProduct = isProduct(T);
  return T;
}

/// A reduction that yields what it is not given has no sum to keep.
static bool accumulates(linalg::GenericOp Op) {
  return llvm::none_of(Op.getRegionOutputArgs(),
                       [](BlockArgument Sum) { return Sum.use_empty(); });
}

std::optional<RegisterTile> tenon::chooseTile(linalg::GenericOp Op,
                                              const RegisterFile &Registers) {
  if (!readDotProduct(Op) &&
      (!isPlain(Op) || (Op.getNumReductionLoops() && !accumulates(Op))))
    return std::nullopt;
  RegisterTile T = Chooser(Op, Registers).choose();
  // Loops of single elements are what upstream's lowering makes.
  if (!T.Vector && T.Rows == 1)
    return std::nullopt;
  return T;
}
