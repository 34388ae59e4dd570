//===- InputBlocks.cpp - Blocks of channels that are read -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/InputBlocks.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::scheduling;

InputBlocks::InputBlocks(const isa::Layout &L, const Layer &TheLayer)
    : In(L.config.block_in()), Out(L.config.block_out()),
      GroupIn(TheLayer.groupIn()), GroupOut(TheLayer.groupOut()),
      Channels(TheLayer.Out.C), InBlocks(ceilDiv(TheLayer.In.C, In)),
      OutBlocks(ceilDiv(Channels, Out)) {
  if (TheLayer.Groups == 1)
    Count = InBlocks;
  for (uint32_t B = 0; B < OutBlocks && Count < InBlocks; ++B)
    Count = std::max(Count, needed(B).Size);
}

Range InputBlocks::needed(uint32_t Block) const {
  int64_t First = int64_t(Block) * Out;
  int64_t Last = std::min(First + Out, Channels) - 1;
  uint32_t Begin = First / GroupOut * GroupIn / In;
  uint32_t End = ceilDiv((Last / GroupOut + 1) * GroupIn, In);
  return {Begin, End - Begin};
}

uint32_t InputBlocks::first(uint32_t Block) const {
  return std::min(needed(Block).Begin, InBlocks - Count);
}

Range InputBlocks::hull(Range Of, Range Part) const {
  uint32_t Begin = first(Of.Begin) + Part.Begin;
  return {Begin, first(Of.end() - 1) + Part.end() - Begin};
}

std::optional<uint32_t> InputBlocks::pace(Range Of) const {
  uint32_t Pace = Of.Size > 1 ? first(Of.Begin + 1) - first(Of.Begin) : 0;
  for (uint32_t B = Of.Begin + 1; B < Of.end(); ++B)
    if (first(B) - first(B - 1) != Pace)
      return std::nullopt;
  return Pace;
}

uint32_t InputBlocks::largestHull(uint32_t Blocks, uint32_t PartSize) const {
  if (Count == InBlocks)
    return PartSize;
  uint32_t Largest = 0;
  for (uint32_t B = 0; B < OutBlocks; B += Blocks)
    Largest = std::max(
        Largest,
        hull({B, std::min(Blocks, OutBlocks - B)}, {0, PartSize}).Size);
  return Largest;
}
