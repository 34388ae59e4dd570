// Part of Tenon, under the Apache License v2.0.
//
// Blocks in some order, each into a gap that those before it leave. Some order
// gives the optimum: the blocks of an optimal plan by their offsets, each as
// low as it goes.

#ifndef TENON_ISA_LIST_PLANNER_H
#define TENON_ISA_LIST_PLANNER_H

#include "isa/memory_lifetimes.h"

#include <cstdint>
#include <vector>

namespace tenon::isa {

/// Which blocks meet which, and how much is alive while a block is.
class Conflicts {
public:
  explicit Conflicts(const MemoryProblem &problem);

  /// Whether a planner that looks at every pair would take minutes.
  bool tooMany() const { return pairs > mostPairs; }
  const BlockOrder &of(uint32_t block) const { return meeting[block]; }
  uint64_t breadth(uint32_t block) const { return breadths[block]; }

private:
  static constexpr uint64_t mostPairs = 50'000'000;
  uint64_t pairs = 0;
  std::vector<BlockOrder> meeting;
  std::vector<uint64_t> breadths;
};

enum class Fit { Lowest, Tightest };

class ListPlanner {
public:
  ListPlanner(const MemoryProblem &problem, const Conflicts &conflicts)
      : problem(problem), conflicts(conflicts) {}

  MemoryPlan run(const BlockOrder &order, Fit fit);
  /// Pairs looked at so far.
  uint64_t work() const { return looked; }

private:
  struct Range {
    uint64_t begin, end;
    bool operator<(const Range &other) const { return begin < other.begin; }
  };
  uint64_t place(uint64_t bytes, Fit fit);

  const MemoryProblem &problem;
  const Conflicts &conflicts;
  std::vector<Range> taken; // while the block is alive
  uint64_t looked = 0;
};

} // namespace tenon::isa

#endif // TENON_ISA_LIST_PLANNER_H
