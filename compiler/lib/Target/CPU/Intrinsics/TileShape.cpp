//===- TileShape.cpp - How far a tile of results extends ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "TileShape.h"

#include "../LoopStride.h"

using namespace mlir;
using namespace tenon;

/// A reduction that yields what it is not given has no sum to keep.
static bool accumulates(linalg::GenericOp Op) {
  return llvm::none_of(Op.getRegionOutputArgs(),
                       [](BlockArgument Sum) { return Sum.use_empty(); });
}

bool tenon::isPlain(linalg::GenericOp Op) {
  if (Op.hasIndexSemantics() || (Op.getNumReductionLoops() && !accumulates(Op)))
    return false;
  for (Operation &Inner : *Op.getBody())
    if (Inner.getNumRegions() ||
        (!isMemoryEffectFree(&Inner) && !llvm::isa<linalg::YieldOp>(Inner)))
      return false;
  return llvm::all_of(Op.getOperandTypes(),
                      [](Type T) { return llvm::isa<MemRefType>(T); });
}

bool tenon::hasBytes(OpOperand &Operand) {
  auto Type = cast<MemRefType>(Operand.get().getType());
  return Type.getElementType().isIntOrFloat() &&
         Type.getElementTypeBitWidth() % 8 == 0;
}

TileChooser::TileChooser(linalg::GenericOp Op, const RegisterFile &Registers)
    : Op(Op), HasMasks(Registers.HasMasks), Extents(Op.getStaticLoopRanges()) {
  Op.getParallelDims(Parallel);
  // Floats of 16 bits are held as integers between what computes with them
  // (HoldSmallFloats.cpp), which knows whole vectors.
  for (Type T : Op.getOperandTypes())
    HasMasks &= !llvm::isa<Float16Type, BFloat16Type>(getElementTypeOrSelf(T));
}

std::optional<unsigned> TileChooser::vectorLoop() {
  for (unsigned Loop : Parallel) {
    bool Fits = Extents[Loop] != 1;
    for (OpOperand &Operand : Op->getOpOperands())
      Fits &= hasBytes(Operand) && isDenseAlong(Op, Operand, Loop);
    if (Fits)
      return Loop; // only one can be the results' last axis
  }
  return std::nullopt;
}

std::optional<unsigned> TileChooser::rowLoop(std::optional<unsigned> Vector) {
  std::optional<unsigned> Best;
  int Most = -1;
  for (unsigned Loop : Parallel) {
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

/// The fewest of at most `Most` that divide `Steps` into no more tiles.
static int64_t share(int64_t Most, int64_t Steps) {
  return llvm::divideCeil(Steps, llvm::divideCeil(Steps, Most));
}

int64_t TileChooser::vectors(int64_t Most, unsigned Loop, int64_t Lanes) {
  int64_t Extent = Extents[Loop];
  if (ShapedType::isDynamic(Extent))
    return Most;
  int64_t Vectors = HasMasks ? llvm::divideCeil(Extent, Lanes) : Extent / Lanes;
  return share(Most, std::max<int64_t>(Vectors, 1));
}

int64_t TileChooser::rows(int64_t Most, unsigned Loop) {
  int64_t Extent = Extents[Loop];
  return ShapedType::isDynamic(Extent)
             ? Most
             : share(Most, std::max<int64_t>(Extent, 1));
}
