//===- input_samples_test.cpp - Some of the inputs of a product -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/InputSamples.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace tenon::quantization;
using testing::ElementsAre;

namespace {

std::vector<float> termsOf(const InputSamples &Of, int64_t Index,
                           int64_t Group) {
  const float *First = Of.sample(Index, Group);
  return {First, First + Of.inputs().terms()};
}

TEST(WindowAxis, PaddingIsGivenOrFollowsFromTheInput) {
  WindowAxis Given{3, 2, 1, 1, 1};
  EXPECT_EQ(Given.windows(5), 3);
  EXPECT_EQ(Given.begin(2, 5), 3);
  // Of 4 elements, windows of 3 at 0 and 2 need one element more.
  WindowAxis Upper{3, 2, 1, 0, 0, WindowAxis::SameUpper};
  WindowAxis Lower{3, 2, 1, 0, 0, WindowAxis::SameLower};
  EXPECT_EQ(Upper.windows(4), 2);
  EXPECT_EQ(Upper.begin(0, 4), 0);
  EXPECT_EQ(Lower.begin(0, 4), -1);
}

/// Every row of a matrix while there is room for all.
TEST(InputSamples, RowsOfAMatrix) {
  InputSamples Samples({1, 2, 1}, {});
  const std::vector<float> Values = {1, 2, 3, 4, 5, 6};
  Samples.add(Values.data(), {1, 3, 2});
  ASSERT_EQ(Samples.count(), 3);
  EXPECT_THAT(termsOf(Samples, 0, 0), ElementsAre(1, 2));
  EXPECT_THAT(termsOf(Samples, 2, 0), ElementsAre(5, 6));
}

/// Two groups of one channel, 2 x 2 windows on 3 x 3 pixels with a row and a
/// column of padding in front: the order is that of the weights.
TEST(InputSamples, WindowsOfAGroupedConvolution) {
  const WindowAxis Axis{2, 2, 1, 1, 0};
  InputSamples Samples({2, 1, 4}, {Axis, Axis});
  std::vector<float> Values(18);
  std::iota(Values.begin(), Values.end(), 1);
  Samples.add(Values.data(), {1, 2, 3, 3});
  ASSERT_EQ(Samples.count(), 4);
  EXPECT_THAT(termsOf(Samples, 0, 0), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(termsOf(Samples, 1, 0), ElementsAre(0, 0, 2, 3));
  EXPECT_THAT(termsOf(Samples, 3, 0), ElementsAre(5, 6, 8, 9));
  EXPECT_THAT(termsOf(Samples, 3, 1), ElementsAre(14, 15, 17, 18));
}

/// Of 100,000 rows in 100 runs, 128 stay, and each tenth of the rows has its
/// share: 12.8 of them, with a standard deviation of 3.4.
TEST(InputSamples, EveryPositionIsAsLikely) {
  InputSamples Samples({1, 1, 1}, {});
  std::vector<float> Values(1000);
  for (int Run = 0; Run < 100; ++Run) {
    std::iota(Values.begin(), Values.end(), Run * 1000.0f);
    Samples.add(Values.data(), {1000, 1});
  }
  ASSERT_EQ(Samples.count(), 128);
  std::vector<int> Tenths(10, 0);
  for (int64_t At = 0; At < 128; ++At)
    ++Tenths[int(*Samples.sample(At, 0)) / 10000];
  for (int Count : Tenths) {
    EXPECT_GT(Count, 0);
    EXPECT_LT(Count, 30);
  }
}

} // namespace
