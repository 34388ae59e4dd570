// Part of Tenon, under the Apache License v2.0.
//
// Every planner but the last resort is a list schedule (list_planner.h), so the
// search is over orders.

#include "isa/memory_plan.h"

#include "isa/list_planner.h"
#include "isa/time_planner.h"

#include "fmt/format.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <utility>

namespace tenon::isa {

namespace {

constexpr uint64_t searchWork = 20'000'000; // pairs looked at

/// `order` with the largest key first; equal ones stay as they are.
template <typename Key> BlockOrder sorted(const BlockOrder &order, Key key) {
  using Place = std::pair<decltype(key(0)), uint32_t>; // key, place before
  std::vector<Place> places;
  for (uint32_t block : order)
    places.emplace_back(key(block), places.size());
  std::sort(places.begin(), places.end(), [](const Place &a, const Place &b) {
    return std::pair(b.first, a.second) < std::pair(a.first, b.second);
  });
  BlockOrder result;
  for (const Place &place : places)
    result.push_back(order[place.second]);
  return result;
}

BlockOrder bySize(const MemoryProblem &problem) {
  BlockOrder order = byBegin(problem);
  std::sort(order.begin(), order.end());
  return sorted(order, [&](uint32_t b) { return problem.blocks[b].bytes; });
}

class OrderSearch {
public:
  OrderSearch(const MemoryProblem &problem, const Conflicts &conflicts)
      : problem(problem), conflicts(conflicts), planner(problem, conflicts),
        bound(mostBytesAlive(problem)) {}

  MemoryPlan run();

private:
  std::vector<BlockOrder> firstOrders() const;
  MemoryPlan consider(const BlockOrder &order, Fit fit);
  bool isDone() const {
    return best.bytes <= bound || planner.work() > searchWork;
  }
  void raiseLast(BlockOrder &order, const MemoryPlan &plan);

  const MemoryProblem &problem;
  const Conflicts &conflicts;
  ListPlanner planner;
  const uint64_t bound;
  MemoryPlan best{std::numeric_limits<uint64_t>::max(), {}};
  BlockOrder bestOrder;
  std::minstd_rand random; // of its default seed: the same everywhere
};

std::vector<BlockOrder> OrderSearch::firstOrders() const {
  const BlockOrder size = bySize(problem);
  auto lifetime = [&](uint32_t b) {
    return uint64_t(problem.blocks[b].last) - problem.blocks[b].first + 1;
  };
  auto area = [&](uint32_t b) {
    return double(problem.blocks[b].bytes) * double(lifetime(b));
  };
  auto breadth = [&](uint32_t b) { return conflicts.breadth(b); };
  return {size, sorted(size, breadth), sorted(size, area),
          sorted(size, lifetime), byBegin(problem)};
}

/// The plan of `order`, kept where it is the best so far.
MemoryPlan OrderSearch::consider(const BlockOrder &order, Fit fit) {
  MemoryPlan plan = planner.run(order, fit);
  if (plan.bytes < best.bytes) {
    best = plan;
    bestOrder = order;
  }
  return plan;
}

/// The blocks at the end of `plan` come some places earlier: "squeaky wheel
/// optimization", Joslin and Clements, JAIR 10 (1999).
void OrderSearch::raiseLast(BlockOrder &order, const MemoryPlan &plan) {
  for (size_t place = 1; place < order.size(); ++place) {
    const uint32_t block = order[place];
    if (plan.offsets[block] + problem.blocks[block].bytes < plan.bytes)
      continue;
    const auto begin = order.begin() + ptrdiff_t(random() % place);
    std::rotate(begin, order.begin() + ptrdiff_t(place),
                order.begin() + ptrdiff_t(place) + 1);
  }
}

MemoryPlan OrderSearch::run() {
  for (const BlockOrder &order : firstOrders())
    for (Fit fit : {Fit::Tightest, Fit::Lowest})
      if (best.bytes > bound)
        consider(order, fit);
  constexpr int stepsAway = 32; // from the best order, then from it again
  while (!isDone()) {
    BlockOrder order = bestOrder;
    for (int step = 0; step < stepsAway && !isDone(); ++step)
      raiseLast(order, consider(order, Fit::Lowest));
  }
  return best;
}

template <typename... Args>
absl::Status wrong(fmt::format_string<Args...> format, Args &&...args) {
  return absl::InternalError(fmt::format(format, std::forward<Args>(args)...));
}

} // namespace

uint64_t mostBytesAlive(const MemoryProblem &problem) {
  std::map<uint64_t, uint64_t> change; // time to bytes, modulo 2^64
  for (const MemoryBlock &block : problem.blocks) {
    change[block.first] += block.bytes;
    change[uint64_t(block.last) + 1] -= block.bytes;
  }
  uint64_t bytes = 0, most = 0;
  for (auto [time, step] : change)
    most = std::max(most, bytes += step);
  return most;
}

MemoryPlan planBySize(const MemoryProblem &problem) {
  Conflicts conflicts(problem);
  return conflicts.tooMany() ? TimePlanner(problem).run()
                             : ListPlanner(problem, conflicts)
                                   .run(bySize(problem), Fit::Tightest);
}

MemoryPlan planMemory(const MemoryProblem &problem) {
  Conflicts conflicts(problem);
  return conflicts.tooMany() ? TimePlanner(problem).run()
                             : OrderSearch(problem, conflicts).run();
}

absl::Status checkPlan(const MemoryProblem &problem, const MemoryPlan &plan) {
  if (plan.offsets.size() != problem.blocks.size())
    return wrong("the plan has {} offsets for {} blocks", plan.offsets.size(),
                 problem.blocks.size());
  absl::Status status;
  auto end = [&](uint32_t b) {
    return plan.offsets[b] + problem.blocks[b].bytes;
  };
  sweep(problem, [&](uint32_t block, const BlockOrder &alive) {
    if (plan.offsets[block] % problem.alignment)
      status = wrong("block {} lies at {}, no multiple of {}", block,
                     plan.offsets[block], problem.alignment);
    else if (end(block) > plan.bytes)
      status = wrong("block {} ends at {}, the plan at {}", block, end(block),
                     plan.bytes);
    for (uint32_t other : alive)
      if (plan.offsets[block] < end(other) && plan.offsets[other] < end(block))
        status = wrong("blocks {} and {} are needed at one time and overlap",
                       other, block);
    return status.ok();
  });
  return status;
}

} // namespace tenon::isa
