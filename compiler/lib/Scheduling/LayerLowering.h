//===- LayerLowering.h - Lowering of one layer, shared parts ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0. Private to the library.
//
// Transfers.cpp moves activations, LoadConstants.cpp makes constants,
// LowerContraction.cpp multiplies on GEMM, LowerLayer.cpp does the rest.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_SCHEDULING_LAYERLOWERING_H
#define TENON_LIB_SCHEDULING_LAYERLOWERING_H

#include "tenon/Scheduling/LowerLayer.h"

namespace tenon::scheduling {

class LayerLowering {
public:
  /// Tiles lie in the regions of ACC and OUT that the rings hand out, and have
  /// passed the checks of a machine that has no more than those (`Plan`).
  LayerLowering(StreamBuilder &Builder, const isa::Layout &Plan,
                const Layer &TheLayer, const Schedule &S, uint32_t LayerIndex,
                Ring &Acc, Ring &Out);

  /// Before the first tile. `WaitsForAll`: what the layers before stored is
  /// there before its first load.
  llvm::Error begin(bool WaitsForAll);
  /// `Number` of the tile in the program; `After` as of StepCode.
  void lowerTile(const Tile &T, uint32_t Number, uint64_t After = 0);
  const Tiling &tiling() const { return Tiles; }

private:
  // LowerLayer.cpp
  void lowerStep(const Tile &T, const Step &St, uint64_t After);
  uint64_t ringKey(uint64_t Key) const;
  void reduce(StepCode &Code, const Tile &T, const Step &St);
  void finishTile(StepCode &Code, const Tile &T);
  void loadOperand(StepCode &Code, const Tile &T);
  void combine(StepCode &Code, const Tile &T, isa::AluOp Op);
  void setEpilogue(StepCode &Code);
  void quantise(StepCode &Code, const Tile &T, uint32_t Parameters);
  void quantiseByCount(StepCode &Code, const Tile &T, uint32_t Parameters);
  uint64_t vectorCycles(uint64_t Vectors, unsigned Multiplications) const;

  // LowerContraction.cpp
  void contract(StepCode &Code, const Tile &T, const Step &St);
  std::vector<isa::MicroOp> contractionUops(const Tile &T, const Step &St,
                                            const InputBox &Box) const;
  void sumWeights(StepCode &Code, const Tile &T, const Step &St,
                  uint32_t FirstUop, const isa::MicroOp &Base);

  // LoadConstants.cpp
  Range requireWeights(StepCode &Code, const Tile &T, const Step &St);
  Range requireParameters(StepCode &Code, const Tile &T);
  std::vector<uint8_t> packWeights(const Tile &T, const Step &St) const;
  std::vector<uint8_t> packTaps(const Tile &T, const Step &St) const;
  std::vector<uint8_t> packParameters(const Tile &T) const;
  std::vector<uint8_t> packReciprocals() const;
  int32_t foldedBias(uint32_t Channel) const;

  // Transfers.cpp
  Range requireInput(StepCode &Code, const Tile &T, const Step &St);
  void loadZeroPoints(StepCode &Code, uint32_t Sram);
  Range requireComputedWeights(StepCode &Code, const Tile &T, const Step &St);
  void loadActivations(StepCode &Code, isa::Memory M, uint32_t Sram,
                       const TensorView &View, uint32_t Group, uint32_t Piece,
                       uint32_t Pieces, const InputBox &Box, int32_t Zp);
  void loadBox(StepCode &Code, isa::Load Load, const TensorView &View,
               const InputBox &Box, uint64_t Address, int32_t Zp);
  void loadBorder(StepCode &Code, isa::Load Load, const TensorView &View,
                  const InputBox &Box, uint64_t Address, int32_t Zp);
  void loadEdges(StepCode &Code, isa::Load Load, const TensorView &View,
                 uint32_t Group, uint32_t Piece, const InputBox &Box);
  void appendLoad(StepCode &Code, isa::Load Load);
  void store(StepCode &Code, const Tile &T, uint32_t Sram);

  StreamBuilder &B;
  const isa::Layout &L;
  const Layer &TheLayer;
  const Schedule &S;
  uint32_t LayerIndex;
  Ring &Acc, &Out;
  Tiling Tiles;
  bool Starts = false; ///< the next step is the first
  ViewLayout Dram;
  Range Context;
  std::vector<uint32_t> Counts; ///< Average: PRM entry i is for Counts[i]
};

} // namespace tenon::scheduling

#endif // TENON_LIB_SCHEDULING_LAYERLOWERING_H
