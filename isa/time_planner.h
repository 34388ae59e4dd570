// Part of Tenon, under the Apache License v2.0.
//
// A plan in no more time than sorting takes, for problems too large to search.

#ifndef TENON_ISA_TIME_PLANNER_H
#define TENON_ISA_TIME_PLANNER_H

#include "isa/memory_plan.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace tenon::isa {

/// Through time with a list of gaps, as an allocator does it.
class TimePlanner {
public:
  explicit TimePlanner(const MemoryProblem &problem) : problem(problem) {}
  MemoryPlan run();

private:
  uint64_t take(uint64_t bytes);
  void give(uint64_t begin, uint64_t end);

  const MemoryProblem &problem;
  std::map<uint64_t, uint64_t> gaps;               // begin to end
  std::set<std::pair<uint64_t, uint64_t>> lengths; // with their begin
  uint64_t end = 0;
};

} // namespace tenon::isa

#endif // TENON_ISA_TIME_PLANNER_H
