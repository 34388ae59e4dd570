// Part of Tenon, under the Apache License v2.0.
//
// Blocks of a memory problem in time: what the planners share.

#ifndef TENON_ISA_MEMORY_LIFETIMES_H
#define TENON_ISA_MEMORY_LIFETIMES_H

#include "isa/memory_plan.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tenon::isa {

/// Indices of blocks, in some order.
using BlockOrder = std::vector<uint32_t>;

/// The first multiple of the problem's alignment from `offset` on.
inline uint64_t aligned(uint64_t offset, const MemoryProblem &problem) {
  return (offset + problem.alignment - 1) & -problem.alignment;
}

/// Indices of the blocks that need a place, by the time they begin.
BlockOrder byBegin(const MemoryProblem &problem);

/// Calls `visit` with each block as it begins and with those that it meets
/// then; ends where `visit` says no.
template <typename Visit>
void sweep(const MemoryProblem &problem, Visit visit) {
  BlockOrder alive;
  for (uint32_t block : byBegin(problem)) {
    alive.erase(std::remove_if(alive.begin(), alive.end(),
                               [&](uint32_t other) {
                                 return problem.blocks[other].last <
                                        problem.blocks[block].first;
                               }),
                alive.end());
    if (!visit(block, alive))
      return;
    alive.push_back(block);
  }
}

} // namespace tenon::isa

#endif // TENON_ISA_MEMORY_LIFETIMES_H
