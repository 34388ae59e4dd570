// Part of Tenon, under the Apache License v2.0.
//
// --gtest_random_seed=N draws other problems.

#include "isa/memory_plan.h"

#include "gmock/gmock.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace tenon;
using namespace tenon::isa;

namespace {

constexpr uint64_t kilo = 1024;

/// In multiples of the alignment.
MemoryProblem randomProblem(std::mt19937 &random, int blocks, int times) {
  MemoryProblem problem;
  for (int i = 0; i < blocks; ++i) {
    const auto first = uint32_t(random() % times);
    const auto length = uint32_t(random() % 4 * (random() % 3));
    problem.blocks.push_back({64 * (random() % 20), first, first + length});
  }
  return problem;
}

bool meet(const MemoryBlock &a, const MemoryBlock &b) {
  return a.bytes && b.bytes && a.first <= b.last && b.first <= a.last;
}

/// Exact, by trying everything: in an optimal plan each block can be moved down
/// until it lies at 0 or on another one, so offsets are sums of sizes of blocks
/// below; placing blocks in every order at their lowest place meets them all.
uint64_t leastBytes(const MemoryProblem &problem) {
  std::vector<size_t> order(problem.blocks.size());
  std::iota(order.begin(), order.end(), 0);
  uint64_t least = ~uint64_t(0);
  do {
    std::vector<uint64_t> offsets(order.size());
    uint64_t bytes = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const MemoryBlock &block = problem.blocks[order[i]];
      uint64_t &offset = offsets[order[i]];
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t k = 0; k < i; ++k) {
          const MemoryBlock &other = problem.blocks[order[k]];
          const uint64_t at = offsets[order[k]];
          if (meet(block, other) && offset < at + other.bytes &&
              at < offset + block.bytes) {
            offset = at + other.bytes;
            moved = true;
          }
        }
      }
      bytes = std::max(bytes, offset + block.bytes);
    }
    least = std::min(least, bytes);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

/// By counting at each time.
uint64_t mostAlive(const MemoryProblem &problem) {
  uint64_t most = 0;
  for (uint32_t time = 0; time < 100; ++time) {
    uint64_t bytes = 0;
    for (const MemoryBlock &block : problem.blocks)
      if (block.first <= time && time <= block.last)
        bytes += block.bytes;
    most = std::max(most, bytes);
  }
  return most;
}

TEST(MemoryPlan, IsTheLeastOfSmallProblems) {
  std::mt19937 random(GTEST_FLAG_GET(random_seed) + 17);
  int better = 0;
  for (int round = 0; round < 300; ++round) {
    MemoryProblem problem = randomProblem(random, 7, 6);
    MemoryPlan plan = planMemory(problem), bySize = planBySize(problem);
    ASSERT_TRUE(checkPlan(problem, plan).ok()) << checkPlan(problem, plan);
    ASSERT_TRUE(checkPlan(problem, bySize).ok()) << checkPlan(problem, bySize);
    ASSERT_EQ(plan.bytes, leastBytes(problem)) << "round " << round;
    ASSERT_LE(plan.bytes, bySize.bytes);
    ASSERT_EQ(mostBytesAlive(problem), mostAlive(problem));
    ASSERT_GE(plan.bytes, mostBytesAlive(problem));
    better += plan.bytes < bySize.bytes;
  }
  // Else the problems were too easy to tell planners apart.
  EXPECT_GT(better, 20);
}

TEST(MemoryPlan, IsNeverAboveGreedyBySize) {
  std::mt19937 random(GTEST_FLAG_GET(random_seed) + 3);
  for (int round = 0; round < 20; ++round) {
    MemoryProblem problem = randomProblem(random, 150, 80);
    for (MemoryBlock &block : problem.blocks)
      block.bytes -= block.bytes ? random() % 64 : 0; // of any length
    MemoryPlan plan = planMemory(problem);
    EXPECT_TRUE(checkPlan(problem, plan).ok()) << checkPlan(problem, plan);
    EXPECT_LE(plan.bytes, planBySize(problem).bytes);
    EXPECT_EQ(plan.offsets, planMemory(problem).offsets);
  }
}

/// What the paper's greedy takes the smallest gap for, not the lowest: worked
/// by hand. 4 and 3 KiB lie over each other for all time; behind them are gaps.
TEST(MemoryPlan, BySizeTakesTheTightestGap) {
  MemoryProblem problem;
  problem.blocks = {{8 * kilo, 0, 0},
                    {7 * kilo, 0, 1},
                    {6 * kilo, 0, 2},
                    {5 * kilo, 1, 3},
                    {1 * kilo, 3, 4}};
  MemoryPlan plan = planBySize(problem);
  EXPECT_THAT(plan.offsets,
              ::testing::ElementsAre(0, 8 * kilo, 15 * kilo, 0, 5 * kilo));
  EXPECT_EQ(plan.bytes, 21 * kilo);
}

TEST(MemoryPlan, NeedsNothingForNothing) {
  EXPECT_EQ(planMemory({}).bytes, 0u);
  EXPECT_EQ(mostBytesAlive({}), 0u);
  MemoryProblem problem;
  problem.blocks = {{0, 0, 5}, {10, 3, 3}, {0, 1, 2}};
  EXPECT_EQ(planMemory(problem).bytes, 10u);
}

/// More pairs than are looked at: 12,000 alive at once, then twice as many in
/// turn.
TEST(MemoryPlan, EndsForManyBlocks) {
  MemoryProblem problem;
  for (uint32_t i = 0; i < 12000; ++i)
    problem.blocks.push_back({64 * (1 + i % 7), 0, 1000 + i % 11});
  for (uint32_t i = 0; i < 24000; ++i)
    problem.blocks.push_back({100, 2000 + i, 2001 + i});
  MemoryPlan plan = planMemory(problem);
  EXPECT_TRUE(checkPlan(problem, plan).ok()) << checkPlan(problem, plan);
  EXPECT_EQ(plan.bytes, mostBytesAlive(problem));
}

TEST(MemoryPlan, IsChecked) {
  MemoryProblem problem;
  problem.blocks = {{100, 0, 1}, {50, 1, 2}, {100, 2, 2}};
  auto said = [&](std::vector<uint64_t> offsets, uint64_t bytes) {
    return std::string(checkPlan(problem, {bytes, offsets}).message());
  };
  EXPECT_EQ(said({0, 128, 0}, 178), "");
  EXPECT_EQ(said({0, 128}, 178), "the plan has 2 offsets for 3 blocks");
  EXPECT_EQ(said({0, 130, 0}, 180), "block 1 lies at 130, no multiple of 64");
  EXPECT_EQ(said({0, 128, 0}, 177), "block 1 ends at 178, the plan at 177");
  EXPECT_EQ(said({0, 64, 128}, 228),
            "blocks 0 and 1 are needed at one time and overlap");
}

} // namespace
