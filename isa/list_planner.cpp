// Part of Tenon, under the Apache License v2.0.

#include "isa/list_planner.h"

#include <algorithm>
#include <limits>

namespace tenon::isa {

Conflicts::Conflicts(const MemoryProblem &problem)
    : meeting(problem.blocks.size()), breadths(problem.blocks.size()) {
  sweep(problem, [&](uint32_t block, const BlockOrder &alive) {
    pairs += alive.size();
    if (tooMany())
      return false;
    uint64_t bytes = problem.blocks[block].bytes;
    for (uint32_t other : alive) {
      meeting[block].push_back(other);
      meeting[other].push_back(block);
      bytes += problem.blocks[other].bytes;
    }
    breadths[block] = bytes;
    for (uint32_t other : alive)
      breadths[other] = std::max(breadths[other], bytes);
    return true;
  });
}

uint64_t ListPlanner::place(uint64_t bytes, Fit fit) {
  std::sort(taken.begin(), taken.end());
  uint64_t end = 0, best = 0, least = std::numeric_limits<uint64_t>::max();
  for (const Range &range : taken) {
    if (range.begin >= end + bytes && range.begin - end < least) {
      best = end;
      least = range.begin - end;
      if (fit == Fit::Lowest)
        return best;
    }
    end = std::max(end, aligned(range.end, problem));
  }
  return least == std::numeric_limits<uint64_t>::max() ? end : best;
}

MemoryPlan ListPlanner::run(const BlockOrder &order, Fit fit) {
  MemoryPlan plan{0, std::vector<uint64_t>(problem.blocks.size())};
  std::vector<bool> placed(problem.blocks.size());
  for (uint32_t block : order) {
    taken.clear();
    for (uint32_t other : conflicts.of(block))
      if (placed[other])
        taken.push_back({plan.offsets[other],
                         plan.offsets[other] + problem.blocks[other].bytes});
    looked += conflicts.of(block).size() + 1;
    plan.offsets[block] = place(problem.blocks[block].bytes, fit);
    plan.bytes =
        std::max(plan.bytes, plan.offsets[block] + problem.blocks[block].bytes);
    placed[block] = true;
  }
  return plan;
}

} // namespace tenon::isa
