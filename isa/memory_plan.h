// Part of Tenon, under the Apache License v2.0.
//
// Blocks of memory with lifetimes get offsets in one region, so that none
// overlaps another that is needed at the same time. The least region is
// NP-hard to find; networks come close to the bound below it.

#ifndef TENON_ISA_MEMORY_PLAN_H
#define TENON_ISA_MEMORY_PLAN_H

#include "absl/status/status.h"

#include <cstdint>
#include <vector>

namespace tenon::isa {

/// Needed from time `first` to time `last`, both included; times are numbers of
/// steps. One of no bytes needs no place.
struct MemoryBlock {
  uint64_t bytes = 0;
  uint32_t first = 0, last = 0;
};

struct MemoryProblem {
  std::vector<MemoryBlock> blocks; // first <= last
  uint64_t alignment = 64;         // of every offset; a power of two
};

struct MemoryPlan {
  uint64_t bytes = 0;            // end of the last block
  std::vector<uint64_t> offsets; // of each block
};

/// The most bytes that are needed at one time ("operator breadth"): no plan is
/// smaller.
uint64_t mostBytesAlive(const MemoryProblem &problem);

/// Largest first, each into the smallest gap that holds it: "greedy by size for
/// offset calculation", Pisarchyk and Lee, arXiv 2001.03288, algorithm 3. Where
/// more than 50 million pairs of blocks meet it is a pass through time with a
/// list of gaps, which takes no longer than sorting.
MemoryPlan planBySize(const MemoryProblem &problem);

/// The least of planBySize, of other orders (breadth, area, lifetime) and of a
/// search over orders, which ends at the bound or after a fixed amount of work,
/// some tenths of a second; as planBySize where too many pairs meet. The same
/// result on every machine.
MemoryPlan planMemory(const MemoryProblem &problem);

/// Whether `plan` is one for `problem`; the message names the blocks.
absl::Status checkPlan(const MemoryProblem &problem, const MemoryPlan &plan);

} // namespace tenon::isa

#endif // TENON_ISA_MEMORY_PLAN_H
