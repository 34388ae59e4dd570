//===- histogram_test.cpp - How often which values occur
//---------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Histogram.h"

#include "gtest/gtest.h"

#include <numeric>
#include <random>
#include <vector>

using tenon::quantization::Histogram;

namespace {

/// Values of `H` that lie below `Bound`, which is the edge of a bin.
uint64_t below(const Histogram &H, double Bound) {
  uint64_t Sum = 0;
  for (int64_t Bin = 0; Bin < Histogram::Bins; ++Bin)
    if (H.centre(Bin) < Bound)
      Sum += H.counts()[Bin];
  return Sum;
}

TEST(Histogram, CountsWhatLiesInEachBin) {
  Histogram H;
  const std::vector<float> Values{-1.5f, -0.25f, 0.f, 0.f, 0.25f, 1.f, 1.75f};
  H.add(Values.data(), Values.size());
  EXPECT_EQ(H.range(), 2);
  EXPECT_EQ(H.total(), 7u);
  EXPECT_EQ(H.zeros(), 2u);
  EXPECT_EQ(below(H, -1), 1u);
  EXPECT_EQ(below(H, 0), 2u);
  EXPECT_EQ(below(H, 1), 3u); // 1 itself is the first of its bin
  EXPECT_EQ(below(H, 2), 5u);
}

TEST(Histogram, ZerosAloneHaveNoRange) {
  Histogram H;
  const float Zeros[3] = {0, -0.f, 0};
  H.add(Zeros, 3);
  EXPECT_EQ(H.range(), 0);
  EXPECT_EQ(H.zeros(), 3u);
}

/// Growing in steps gives the bins of all values at once: each width divides
/// the wider ones.
TEST(Histogram, TheOrderOfValuesDoesNotMatter) {
  std::mt19937 Random(7);
  std::normal_distribution<float> Normal(0, 1);
  std::vector<float> Values(5000);
  for (size_t At = 0; At < Values.size(); ++At)
    Values[At] = Normal(Random) * (1 + At / 100);
  Histogram Stepwise, Whole;
  for (const float &Value : Values)
    Stepwise.add(&Value, 1);
  Whole.add(Values.data(), Values.size());
  EXPECT_EQ(Stepwise.range(), Whole.range());
  EXPECT_EQ(Stepwise.counts(), Whole.counts());
  EXPECT_EQ(std::accumulate(Whole.counts().begin(), Whole.counts().end(),
                            Whole.zeros()),
            Values.size());
}

TEST(Histogram, TheSmallestNumbersHaveBinsToo) {
  Histogram H;
  const float Tiny[2] = {1e-37f, -1e-37f};
  H.add(Tiny, 2);
  EXPECT_EQ(below(H, 0), 1u);
  EXPECT_GT(H.range(), 1e-37);
  EXPECT_LE(H.range(), 2e-37);
}

} // namespace
