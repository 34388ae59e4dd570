// Part of Tenon, under the Apache License v2.0.

#include "isa/time_planner.h"

#include "isa/memory_lifetimes.h"

#include <algorithm>
#include <iterator>

namespace tenon::isa {

/// The tightest gap, or room behind all of them.
uint64_t TimePlanner::take(uint64_t bytes) {
  auto found = lengths.lower_bound({bytes, 0});
  if (found == lengths.end())
    return std::exchange(end, end + bytes);
  const auto [length, begin] = *found;
  lengths.erase(found);
  gaps.erase(begin);
  if (length > bytes)
    give(begin + bytes, begin + length);
  return begin;
}

void TimePlanner::give(uint64_t begin, uint64_t gapEnd) {
  auto next = gaps.lower_bound(begin);
  if (next != gaps.end() && next->first == gapEnd) {
    gapEnd = next->second;
    lengths.erase({next->second - next->first, next->first});
    next = gaps.erase(next);
  }
  if (next != gaps.begin())
    if (auto before = std::prev(next); before->second == begin) {
      begin = before->first;
      lengths.erase({before->second - before->first, begin});
      gaps.erase(before);
    }
  gaps[begin] = gapEnd;
  lengths.insert({gapEnd - begin, begin});
}

MemoryPlan TimePlanner::run() {
  MemoryPlan plan{0, std::vector<uint64_t>(problem.blocks.size())};
  std::multimap<uint32_t, uint32_t> alive; // last time to block
  for (uint32_t block : byBegin(problem)) {
    const MemoryBlock &begun = problem.blocks[block];
    while (!alive.empty() && alive.begin()->first < begun.first) {
      const uint32_t over = alive.begin()->second;
      give(plan.offsets[over],
           aligned(plan.offsets[over] + problem.blocks[over].bytes, problem));
      alive.erase(alive.begin());
    }
    plan.offsets[block] = take(aligned(begun.bytes, problem));
    plan.bytes = std::max(plan.bytes, plan.offsets[block] + begun.bytes);
    alive.emplace(begun.last, block);
  }
  return plan;
}

} // namespace tenon::isa
