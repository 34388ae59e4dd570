//===- order_problem_test.cpp - Orders of operations by their peak --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// --gtest_random_seed=N draws other problems.
//
//===----------------------------------------------------------------------===//

#include "compiler/lib/Target/CPU/OrderProblem.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace tenon;

namespace {

/// Each operation makes a buffer and reads some of those before it.
OrderProblem randomProblem(std::mt19937 &random, unsigned operations) {
  OrderProblem problem;
  for (unsigned i = 0; i < operations; ++i) {
    OrderProblem::Operation &op = problem.Operations.emplace_back();
    problem.Buffers.push_back({1 + random() % 50, random() % 8 == 0});
    op.Buffers.push_back(i);
    for (unsigned from = 0; from < i; ++from)
      if (random() % 4 == 0) {
        op.Buffers.push_back(from);
        op.After.push_back(from);
      }
  }
  return problem;
}

bool isValid(const OrderProblem &problem, const std::vector<unsigned> &order) {
  std::vector<unsigned> places(order.size(), ~0u);
  for (unsigned i = 0; i < order.size(); ++i)
    places[order[i]] = i;
  for (unsigned op = 0; op < order.size(); ++op)
    for (unsigned before : problem.Operations[op].After)
      if (places[before] >= places[op])
        return false;
  return order.size() == problem.Operations.size() &&
         std::count(places.begin(), places.end(), ~0u) == 0;
}

/// By counting what is alive at each place.
uint64_t peakOf(const OrderProblem &problem,
                const std::vector<unsigned> &order) {
  uint64_t most = 0;
  for (size_t place = 0; place < order.size(); ++place) {
    uint64_t bytes = 0;
    for (unsigned buffer = 0; buffer < problem.Buffers.size(); ++buffer) {
      bool before = false, behind = problem.Buffers[buffer].Stays;
      for (size_t at = 0; at < order.size(); ++at)
        for (unsigned touched : problem.Operations[order[at]].Buffers)
          if (touched == buffer) {
            before |= at <= place;
            behind |= at >= place;
          }
      bytes += before && behind ? problem.Buffers[buffer].Bytes : 0;
    }
    most = std::max(most, bytes);
  }
  return most;
}

TEST(OrderProblem, FindsTheLeastPeakOfSmallGraphs) {
  std::mt19937 random(GTEST_FLAG_GET(random_seed) + 11);
  int better = 0;
  for (int round = 0; round < 150; ++round) {
    OrderProblem problem = randomProblem(random, 7);
    std::vector<unsigned> order(7), found = problem.solve();
    std::iota(order.begin(), order.end(), 0);
    const uint64_t given = peakOf(problem, order);
    uint64_t least = given;
    do
      if (isValid(problem, order))
        least = std::min(least, peakOf(problem, order));
    while (std::next_permutation(order.begin(), order.end()));
    ASSERT_TRUE(isValid(problem, found)) << "round " << round;
    ASSERT_EQ(peakOf(problem, found), least) << "round " << round;
    ASSERT_EQ(problem.peak(found), least);
    ASSERT_LE(problem.bound(), least);
    better += least < given;
  }
  EXPECT_GT(better, 30); // else there was nothing to find
}

TEST(OrderProblem, IsNeverWorseThanTheGivenOrder) {
  std::mt19937 random(GTEST_FLAG_GET(random_seed) + 5);
  for (unsigned operations : {40u, 60u, 6000u}) {
    OrderProblem problem;
    for (unsigned i = 0; i < operations; ++i) { // too many sets for the search
      OrderProblem::Operation &op = problem.Operations.emplace_back();
      problem.Buffers.push_back({1 + random() % 50, false});
      op.Buffers.push_back(i);
      if (i)
        for (unsigned from : {unsigned(random() % i)}) {
          op.Buffers.push_back(from);
          op.After.push_back(from);
        }
    }
    std::vector<unsigned> given(operations), found = problem.solve();
    std::iota(given.begin(), given.end(), 0);
    EXPECT_TRUE(isValid(problem, found));
    EXPECT_LE(problem.peak(found), problem.peak(given));
  }
}

} // namespace
