//===- CheckSchedule.cpp - Does a schedule fit? ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/FieldLimits.h"
#include "tenon/Scheduling/Schedule.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::scheduling;

/// "WGT: a tile of 1x1 pixels and 2 blocks needs 64"
std::string Tiling::needs(const char *What, uint64_t Needed) const {
  return llvm::formatv("{0}: a tile of {1}x{2} pixels and {3} blocks needs {4}",
                       What, S.Rows, S.Cols, S.Blocks, Needed);
}

/// The first memory that has fewer entries than the contexts need.
std::optional<std::string> Tiling::checkMemories() const {
  auto Short = [&](const char *What, uint64_t Needed,
                   uint64_t Available) -> std::optional<std::string> {
    if (Needed <= Available)
      return std::nullopt;
    return llvm::formatv("{0} entries in {1} contexts, there are {2}",
                         needs(What, Needed), S.Threads, Available)
        .str();
  };
  uint64_t Blocks = std::min(S.Blocks, OutBlocks);
  uint64_t Sequence = 0;
  for (const Step &St : StepList)
    Sequence = std::max<uint64_t>(Sequence, sequenceLength(St));
  uint64_t Weights = Sequence * Blocks * (weightsFit() ? 1 : S.Threads);
  // Sums of weights have as many micro-ops as products.
  uint64_t Sequences = TheLayer.needsWeightSums() ? 2 * Sequence : Sequence;
  uint64_t Uops = uint64_t(ceilDiv(Sequences, L.uopsPerBeat)) * S.Threads;
  const isa::Configuration &C = L.config;
  if (auto E = Short("OUT", pixels() * Blocks * S.Threads, C.out_entries()))
    return E;
  if (auto E = Short("ACC", uint64_t(Acc.Size) * S.Threads, C.acc_entries()))
    return E;
  uint64_t Parameters = TheLayer.Kind == Reduction::Average
                            ? TheLayer.windowCounts().size()
                            : Blocks * S.Threads;
  if (auto E = Short("PRM", Parameters, C.prm_entries()))
    return E;
  if (TheLayer.isContract()) {
    uint64_t Input =
        (inputElements() * Inputs.largestHull(Blocks, S.Reduction) +
         zeroPointElements()) *
        S.Threads;
    if (auto E = Short("INP", Input, C.inp_entries()))
      return E;
    if (auto E = Short("WGT", Weights, C.wgt_entries()))
      return E;
    if (auto E = Short("UOP of GEMM", Uops, L.uopLines))
      return E;
  } else {
    if (TheLayer.Kind == Reduction::Mac)
      if (auto E = Short("DWT", Weights, C.dwt_entries()))
        return E;
    // With the sequence that requantises, and the one that multiplies before
    // where it is another one: as much as Ring::takeBeside needs.
    const bool Multiplies =
        TheLayer.multiplies() && TheLayer.windowCounts().size() > 1;
    Uops += (Multiplies ? 3 : 2) * ceilDiv(Blocks, L.uopsPerBeat);
    if (auto E = Short("UOP of ALU", Uops, L.uopLines))
      return E;
  }
  return Short("UOP", Sequences, C.uop_entries() - 1);
}

/// The first field of an instruction that does not hold what the tiles need.
std::optional<std::string> Tiling::checkFields() const {
  auto Narrow = [&](const char *What, uint64_t Needed,
                    uint64_t Largest) -> std::optional<std::string> {
    if (Needed <= Largest)
      return std::nullopt;
    return llvm::formatv("{0}, an instruction's field holds {1}",
                         needs(What, Needed), Largest)
        .str();
  };
  FieldLimits Limits(L);
  uint64_t PixelBeats = ViewLayout(L).pixelBytes() / L.beatBytes;
  for (const Step &St : StepList) {
    InputBox B = inputBox(largestTile(), St);
    if (auto E = Narrow("rows of a transfer", B.Rows, Limits.Rows))
      return E;
    if (auto E = Narrow("elements of a transfer", B.Cols, Limits.Elements))
      return E;
    if (auto E = Narrow("distance of elements of a transfer",
                        B.ColStep * PixelBeats, Limits.ElementStride))
      return E;
  }
  uint64_t Blocks = std::min(S.Blocks, OutBlocks);
  uint64_t Read =
      TheLayer.isContract() ? Inputs.largestHull(Blocks, S.Reduction) : 1;
  if (auto E =
          Narrow("blocks of a transfer", std::max(Blocks, Read), Limits.Rows))
    return E;
  return Narrow("loop count", pixels(), Limits.Iterations);
}

/// What a product of two activations demands: right operands as they lie in
/// DRAM are elements of WGT, and each row of the result has its own.
std::optional<std::string> Tiling::checkProduct() const {
  if (!TheLayer.isProduct())
    return std::nullopt;
  const isa::Configuration &C = L.config;
  if (C.batch() != 1 || C.block_in() < C.block_out())
    return llvm::formatv(
               "it multiplies two activations, whose layout in DRAM is that of "
               "WGT where BATCH is 1 and BLOCK_IN at least BLOCK_OUT; they are "
               "{0}, {1} and {2}",
               C.batch(), C.block_in(), C.block_out())
        .str();
  if (largestTile().Rows == 1)
    return std::nullopt;
  return llvm::formatv("its tiles have {0} rows, each row of a product of two "
                       "activations has weights of its own",
                       S.Rows)
      .str();
}

std::optional<std::string> Tiling::check() const {
  if (auto Why = checkProduct())
    return Why;
  auto Why = checkMemories();
  return Why ? Why : checkFields();
}
