//===- InputBlocks.h - Blocks of channels that are read ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_INPUTBLOCKS_H
#define TENON_SCHEDULING_INPUTBLOCKS_H

#include "tenon/Scheduling/Layer.h"
#include "tenon/Scheduling/Scratchpad.h"

#include <optional>

namespace tenon::scheduling {

/// Which blocks of BLOCK_IN input channels a block of BLOCK_OUT output channels
/// of a contraction is made of. In a dense one it is all. In one with groups,
/// neighbouring blocks in which the groups of its channels lie: weights of
/// other groups are never multiplied where they fill whole blocks, and are
/// zero-point weights within one. All output blocks have the same number, the
/// most that one needs, so that they share steps and micro-ops.
class InputBlocks {
public:
  InputBlocks(const isa::Layout &L, const Layer &TheLayer);

  /// Input blocks of one output block.
  uint32_t count() const { return Count; }
  /// The first one of output block `Block`.
  uint32_t first(uint32_t Block) const;
  /// What output blocks `Of` need of the blocks [Begin, Begin + Size) of each:
  /// all from the first to the last, whether or not one between needs them.
  Range hull(Range Of, Range Part) const;
  /// The distance of neighbours' first blocks, where all of `Of` have the same.
  std::optional<uint32_t> pace(Range Of) const;
  /// The most that `hull` is long for so many neighbouring output blocks.
  uint32_t largestHull(uint32_t OutBlocks, uint32_t PartSize) const;

private:
  /// The blocks in which the groups of an output block's channels lie.
  Range needed(uint32_t Block) const;

  uint32_t In, Out; ///< channels of a block
  int64_t GroupIn, GroupOut, Channels;
  uint32_t InBlocks, OutBlocks, Count = 1;
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_INPUTBLOCKS_H
