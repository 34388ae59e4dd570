//===- LoadConstants.cpp - Weights and parameters of a layer --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Constants lie in DRAM in the order in which the schedule loads them, so that
// what one step needs is one LOAD.
//
//===----------------------------------------------------------------------===//

#include "LayerLowering.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::scheduling;

static void push32(std::vector<uint8_t> &Bytes, uint32_t Word) {
  for (unsigned I = 0; I < 4; ++I)
    Bytes.push_back(Word >> (8 * I));
}

/// WGT elements [output block][input block][ky][kx] of a tile's step. Lanes
/// without a channel, or with one of another group, hold the weights' zero
/// point: they add nothing.
std::vector<uint8_t> LayerLowering::packWeights(const Tile &T,
                                                const Step &St) const {
  uint32_t In = L.config.block_in(), Out = L.config.block_out();
  int64_t C = TheLayer.groupIn(), O = TheLayer.Out.C;
  std::vector<uint8_t> Bytes;
  Bytes.reserve(uint64_t(T.Blocks) * Tiles.sequenceLength(St) * L.wgtBytes);
  auto element = [&](uint32_t OB, uint32_t CB, int64_t Ky, int64_t Kx) {
    for (uint32_t I = 0; I < Out; ++I) {
      int64_t Channel = int64_t(OB) * Out + I;
      size_t Begin = Bytes.size();
      Bytes.resize(Begin + In, TheLayer.WeightZp);
      if (Channel >= O)
        continue;
      // The first lane's channel within the group, and the lanes that are in
      // it.
      int64_t Lane = int64_t(CB) * In - Channel / TheLayer.groupOut() * C;
      int64_t From = std::clamp<int64_t>(-Lane, 0, In);
      int64_t To = std::clamp<int64_t>(C - Lane, From, In);
      const int8_t *Row = TheLayer.Weights.data() +
                          ((Channel * TheLayer.KH + Ky) * TheLayer.KW + Kx) * C;
      std::copy(Row + (Lane + From), Row + (Lane + To),
                Bytes.data() + Begin + From);
    }
  };
  for (uint32_t OB = 0; OB < T.Blocks; ++OB)
    for (uint32_t CB = 0; CB < St.Blocks; ++CB)
      for (uint32_t Ky = 0; Ky < St.Kys; ++Ky)
        for (uint32_t Kx = 0; Kx < TheLayer.KW; ++Kx)
          element(T.Block + OB,
                  Tiles.inputs().first(T.Block + OB) + St.Block + CB,
                  St.Ky + Ky, Kx);
  return Bytes;
}

/// DWT elements [block][ky][kx] of a tile's step.
std::vector<uint8_t> LayerLowering::packTaps(const Tile &T,
                                             const Step &St) const {
  uint32_t Out = L.config.block_out();
  int64_t C = TheLayer.Out.C;
  std::vector<uint8_t> Bytes;
  for (uint32_t OB = 0; OB < T.Blocks; ++OB)
    for (uint32_t Ky = 0; Ky < St.Kys; ++Ky)
      for (uint32_t Kx = 0; Kx < TheLayer.KW; ++Kx)
        for (uint32_t I = 0; I < Out; ++I) {
          int64_t Channel = (int64_t(T.Block) + OB) * Out + I;
          Bytes.push_back(
              Channel < C
                  ? TheLayer.Weights[((St.Ky + Ky) * TheLayer.KW + Kx) * C +
                                     Channel]
                  : TheLayer.WeightZp);
        }
  return Bytes;
}

/// GEMM multiplies the input as it is, not minus its zero point: that part of
/// the sum is the same for every pixel and joins the bias.
int32_t LayerLowering::foldedBias(uint32_t Channel) const {
  uint32_t Bias = TheLayer.Bias.empty() ? 0 : TheLayer.Bias[Channel];
  if (TheLayer.Kind != Reduction::Contract || TheLayer.InputZp == 0)
    return Bias;
  uint64_t Count = TheLayer.KH * TheLayer.KW * TheLayer.groupIn();
  uint32_t Sum = 0;
  for (uint64_t I = 0; I < Count; ++I)
    Sum += uint32_t(TheLayer.Weights[Channel * Count + I] - TheLayer.WeightZp);
  return Bias - uint32_t(TheLayer.InputZp) * Sum;
}

/// PRM elements of the tile's blocks; channels that are not there give 0.
std::vector<uint8_t> LayerLowering::packParameters(const Tile &T) const {
  uint32_t Out = L.config.block_out();
  uint32_t First = T.Block, Blocks = T.Blocks;
  std::vector<uint8_t> Bytes;
  for (uint32_t OB = 0; OB < Blocks; ++OB) {
    auto channel = [&](uint32_t I) -> std::optional<uint32_t> {
      uint64_t C = uint64_t(First + OB) * Out + I;
      if (C >= uint64_t(TheLayer.Out.C))
        return std::nullopt;
      return C;
    };
    for (uint32_t I = 0; I < Out; ++I)
      push32(Bytes, channel(I) ? foldedBias(*channel(I)) : 0);
    for (uint32_t I = 0; I < Out; ++I)
      push32(Bytes, TheLayer.Multiplier.empty() ? 1u << 30
                    : channel(I) ? TheLayer.Multiplier[*channel(I)]
                                 : 0);
    for (uint32_t I = 0; I < Out; ++I)
      Bytes.push_back(TheLayer.Shift.empty() ? 30
                      : channel(I)           ? TheLayer.Shift[*channel(I)]
                                             : 2);
  }
  return Bytes;
}

/// PRM elements of an average: TOSA's reciprocal of every count of elements.
std::vector<uint8_t> LayerLowering::packReciprocals() const {
  uint32_t Out = L.config.block_out();
  std::vector<uint8_t> Bytes;
  for (uint32_t Count : Counts) {
    uint32_t K = Count == 1 ? 0 : llvm::Log2_32(Count - 1) + 1;
    uint32_t Multiplier = (((uint64_t(1) << 30) + 1) << K) / Count;
    for (uint32_t I = 0; I < Out; ++I)
      push32(Bytes, 0);
    for (uint32_t I = 0; I < Out; ++I)
      push32(Bytes, Multiplier);
    for (uint32_t I = 0; I < Out; ++I)
      Bytes.push_back(30 + K);
  }
  return Bytes;
}

/// Weights (taps) of a step, in WGT (DWT).
Range LayerLowering::requireWeights(StepCode &Code, const Tile &T,
                                    const Step &St) {
  isa::Memory M = TheLayer.isContract() ? isa::Memory::Wgt : isa::Memory::Dwt;
  Ring &Memory = B.ring(M);
  uint64_t Key = ringKey(uint64_t(T.Block) * Tiles.steps().size() + St.Number);
  std::optional<Range> Where = Memory.find(Key);
  if (!Where) {
    if (S.Threads == 1 && !Tiles.weightsFit()) {
      Memory.forget();
      Memory.rewind();
    }
    uint32_t Count = T.Blocks * Tiles.sequenceLength(St);
    Where = Memory.take(Count, Key);
    uint32_t At = B.constant("weights of " + TheLayer.Name, [&] {
      return TheLayer.isContract() ? packWeights(T, St) : packTaps(T, St);
    });
    B.loadLinear(Code.Early, M, Where->Begin, At, Count);
    Code.EarlyBeats += uint64_t(Count) * L.transferBytes(M) / L.beatBytes;
    Code.Loaded.push_back({unsigned(M), *Where});
  }
  (TheLayer.isContract() ? Code.GemmUses : Code.AluUses)
      .push_back({unsigned(M), *Where});
  return *Where;
}

/// Parameters of a tile's blocks, or the few that all channels share.
Range LayerLowering::requireParameters(StepCode &Code, const Tile &T) {
  isa::Memory M = isa::Memory::Prm;
  Tile Part = T;
  bool Shared = TheLayer.hasUniformParameters();
  if (Shared)
    Part.Block = 0, Part.Blocks = 1;
  uint32_t Count = Counts.empty() ? Part.Blocks : Counts.size();
  std::optional<Range> Where = B.ring(M).find(ringKey(Part.Block));
  if (!Where) {
    Where = B.ring(M).take(Count, ringKey(Part.Block));
    uint32_t At = B.constant("parameters of " + TheLayer.Name, [&] {
      return Counts.empty() ? packParameters(Part) : packReciprocals();
    });
    B.loadLinear(Code.Early, M, Where->Begin, At, Count);
    Code.EarlyBeats += uint64_t(Count) * L.transferBytes(M) / L.beatBytes;
    Code.Loaded.push_back({unsigned(M), *Where});
  }
  Code.AluUses.push_back({unsigned(M), *Where});
  return *Where;
}
