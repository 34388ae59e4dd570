// Part of Tenon, under the Apache License v2.0.
//
// Every planner but the last resort is a list schedule: blocks in some order,
// each into a gap that those before it leave. Some order gives the optimum (the
// blocks of an optimal plan by their offsets, each as low as it goes), so the
// search is over orders.

#include "isa/memory_plan.h"

#include "fmt/format.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace tenon::isa {

namespace {

using Order = std::vector<uint32_t>;

enum class Fit { Lowest, Tightest };

constexpr uint64_t mostPairs = 50'000'000;
constexpr uint64_t searchWork = 20'000'000; // pairs looked at

uint64_t aligned(uint64_t offset, const MemoryProblem &problem) {
  return (offset + problem.alignment - 1) & -problem.alignment;
}

/// Indices of the blocks that need a place, by the time they begin.
Order byBegin(const MemoryProblem &problem) {
  Order order;
  for (uint32_t i = 0; i < problem.blocks.size(); ++i)
    if (problem.blocks[i].bytes)
      order.push_back(i);
  auto begin = [&](uint32_t b) {
    return std::pair(problem.blocks[b].first, b);
  };
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return begin(a) < begin(b); });
  return order;
}

/// Calls `visit` with each block as it begins and with those that it meets
/// then; ends where `visit` says no.
template <typename Visit>
void sweep(const MemoryProblem &problem, Visit visit) {
  Order alive;
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

/// Which blocks meet which, and how much is alive while a block is.
class Conflicts {
public:
  explicit Conflicts(const MemoryProblem &problem);

  bool tooMany() const { return pairs > mostPairs; }
  const Order &of(uint32_t block) const { return meeting[block]; }
  uint64_t breadth(uint32_t block) const { return breadths[block]; }

private:
  uint64_t pairs = 0;
  std::vector<Order> meeting;
  std::vector<uint64_t> breadths;
};

Conflicts::Conflicts(const MemoryProblem &problem)
    : meeting(problem.blocks.size()), breadths(problem.blocks.size()) {
  sweep(problem, [&](uint32_t block, const Order &alive) {
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

/// Blocks one after another into the gaps that those before leave.
class ListPlanner {
public:
  ListPlanner(const MemoryProblem &problem, const Conflicts &conflicts)
      : problem(problem), conflicts(conflicts) {}

  MemoryPlan run(const Order &order, Fit fit);
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

MemoryPlan ListPlanner::run(const Order &order, Fit fit) {
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

/// `order` with the largest key first; equal ones stay as they are.
template <typename Key> Order sorted(const Order &order, Key key) {
  using Place = std::pair<decltype(key(0)), uint32_t>; // key, place before
  std::vector<Place> places;
  for (uint32_t block : order)
    places.emplace_back(key(block), places.size());
  std::sort(places.begin(), places.end(), [](const Place &a, const Place &b) {
    return std::pair(b.first, a.second) < std::pair(a.first, b.second);
  });
  Order result;
  for (const Place &place : places)
    result.push_back(order[place.second]);
  return result;
}

Order bySize(const MemoryProblem &problem) {
  Order order = byBegin(problem);
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
  std::vector<Order> firstOrders() const;
  MemoryPlan consider(const Order &order, Fit fit);
  bool isDone() const {
    return best.bytes <= bound || planner.work() > searchWork;
  }
  void raiseLast(Order &order, const MemoryPlan &plan);

  const MemoryProblem &problem;
  const Conflicts &conflicts;
  ListPlanner planner;
  const uint64_t bound;
  MemoryPlan best{std::numeric_limits<uint64_t>::max(), {}};
  Order bestOrder;
  std::minstd_rand random; // of its default seed: the same everywhere
};

std::vector<Order> OrderSearch::firstOrders() const {
  const Order size = bySize(problem);
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
MemoryPlan OrderSearch::consider(const Order &order, Fit fit) {
  MemoryPlan plan = planner.run(order, fit);
  if (plan.bytes < best.bytes) {
    best = plan;
    bestOrder = order;
  }
  return plan;
}

/// The blocks at the end of `plan` come some places earlier: "squeaky wheel
/// optimization", Joslin and Clements, JAIR 10 (1999).
void OrderSearch::raiseLast(Order &order, const MemoryPlan &plan) {
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
  for (const Order &order : firstOrders())
    for (Fit fit : {Fit::Tightest, Fit::Lowest})
      if (best.bytes > bound)
        consider(order, fit);
  constexpr int stepsAway = 32; // from the best order, then from it again
  while (!isDone()) {
    Order order = bestOrder;
    for (int step = 0; step < stepsAway && !isDone(); ++step)
      raiseLast(order, consider(order, Fit::Lowest));
  }
  return best;
}

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
  sweep(problem, [&](uint32_t block, const Order &alive) {
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
