// Part of Tenon, under the Apache License v2.0.
//
// Places of activations: lifetimes share memory, verify() finds overlaps.

#include "tenon/Scheduling/DramPlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tenon::scheduling {
namespace {

TEST(DramPlan, ReusesWhatIsDead) {
  DramPlan plan({{"a", 100, 0, 1}, {"b", 100, 1, 2}, {"c", 100, 2, 3}}, 8);
  ASSERT_FALSE(bool(plan.check()));
  plan.solve();
  ASSERT_FALSE(bool(plan.verify()));
  EXPECT_EQ(plan.bytes(), 204u);
  EXPECT_EQ(plan.text(), "a [0, 1] 0 + 100\nb [1, 2] 104 + 100\n"
                         "c [2, 3] 0 + 100\n");
}

TEST(DramPlan, AnySizesAndLifetimes) {
  std::mt19937_64 random(4);
  for (unsigned round = 0; round < 200; ++round) {
    std::vector<DramPlan::Tensor> tensors;
    uint64_t sum = 0;
    for (unsigned i = 0; i < 1 + random() % 30; ++i) {
      uint32_t begin = random() % 20;
      tensors.push_back({std::to_string(i), 1 + random() % 5000, begin,
                         uint32_t(begin + random() % 8)});
      sum += tensors.back().Size + 64;
    }
    DramPlan plan(tensors, 64);
    plan.solve();
    auto error = plan.verify();
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    EXPECT_LE(plan.bytes(), sum);
  }
}

TEST(DramPlan, WhatIsNeededWhileOneEndsBeyond) {
  DramPlan plan({{"a", 100, 0, 1}, {"b", 60, 1, 2}, {"c", 40, 2, 3}}, 4);
  plan.solve();
  EXPECT_EQ(plan.bytes(), 160u);
  EXPECT_THAT(plan.beyond(160), testing::IsEmpty());
  EXPECT_THAT(plan.beyond(159), testing::ElementsAre(0, 1, 2));
  DramPlan apart({{"a", 100, 0, 1}, {"b", 60, 1, 2}, {"c", 40, 3, 4}}, 4);
  apart.solve();
  EXPECT_THAT(apart.beyond(0), testing::ElementsAre(0, 1));
}

TEST(DramPlan, VerifyFindsOverlap) {
  DramPlan plan({{"a", 100, 0, 2}, {"b", 50, 2, 3}}, 4);
  EXPECT_THAT(llvm::toString(plan.verify()), testing::HasSubstr("overlap"));
}

TEST(DramPlan, RefusesNegativeLifetimes) {
  EXPECT_THAT(llvm::toString(DramPlan({{"a", 1, 3, 2}}, 4).check()),
              testing::HasSubstr("ends before it begins"));
}

} // namespace
} // namespace tenon::scheduling
