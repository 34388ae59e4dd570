//===- statistics_test.cpp - What is known of a tensor's values
//---------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Statistics.h"

#include "gtest/gtest.h"

#include <limits>

using namespace tenon::quantization;

namespace {

TEST(Range, GrowsFromNothing) {
  Range R;
  EXPECT_TRUE(R.isEmpty());
  R.include(-3);
  EXPECT_EQ(R.Low, -3);
  EXPECT_EQ(R.High, -3);
  R.include(5);
  R.include(Range());
  R.include(Range{-4, 0});
  EXPECT_EQ(R.Low, -4);
  EXPECT_EQ(R.High, 5);
}

/// 2 x 3 x 2: channel c of the outer part o has 10 o + c and its negative.
TEST(TensorStatistics, KnowsEachChannel) {
  TensorStatistics S;
  const float First[] = {0, 0, 1, -1, 2, -2, 10, -10, 11, -11, 12, -12};
  S.add(First, 2, 3, 2);
  const float Second[] = {7, 7, 1, 3, 2, 2};
  S.add(Second, 1, 3, 2);
  ASSERT_EQ(S.channelRanges().size(), 3u);
  EXPECT_EQ(S.channelRanges()[0].Low, -10);
  EXPECT_EQ(S.channelRanges()[0].High, 10);
  EXPECT_EQ(S.channelRanges()[2].Low, -12);
  EXPECT_EQ(S.range().High, 12);
  EXPECT_EQ(S.channelMeans(), (std::vector<double>{14. / 6, 4. / 6, 4. / 6}));
  EXPECT_EQ(S.histogram().total(), 18u);
  EXPECT_EQ(S.histogram().zeros(), 2u);
}

/// As the scores of a sequence that is longer in one run than in another.
TEST(TensorStatistics, KeepsAllOfRunsWithOtherChannels) {
  TensorStatistics S;
  const float Long[] = {0, 1, -9, 3}, Short[] = {5, 2};
  S.add(Long, 1, 4, 1);
  S.add(Short, 1, 2, 1);
  S.add(Long, 1, 4, 1);
  EXPECT_EQ(S.range().Low, -9);
  EXPECT_EQ(S.range().High, 5);
  EXPECT_EQ(S.channelRanges().size(), 1u);
  EXPECT_EQ(S.channelMeans(), (std::vector<double>{-3. / 10}));
  EXPECT_EQ(S.histogram().total(), 10u);
}

/// Widths 3, 40, 2, 4: the median of four is the third.
TEST(TensorStatistics, NamesTheWidestChannel) {
  TensorStatistics S;
  EXPECT_FALSE(S.outlier());
  const float Values[] = {3, -1, -40, 0, 2, -2, 1, 4};
  S.add(Values, 1, 4, 2);
  ASSERT_TRUE(S.outlier());
  EXPECT_EQ(S.outlier()->Channel, 1u);
  EXPECT_EQ(S.outlier()->Ratio, 10);
  TensorStatistics MostlyZero;
  const float Few[] = {0, 0, 7};
  MostlyZero.add(Few, 1, 3, 1);
  EXPECT_FALSE(MostlyZero.outlier());
}

TEST(TensorStatistics, LeavesOutWhatIsNotFinite) {
  TensorStatistics S;
  const float Infinite = std::numeric_limits<float>::infinity();
  const float Values[] = {
      1,         Infinite, std::numeric_limits<float>::quiet_NaN(),
      -Infinite, 3,        -2,
      Infinite,  Infinite};
  S.add(Values, 1, 4, 2);
  EXPECT_EQ(S.notFinite(), 5u);
  EXPECT_EQ(S.range().Low, -2);
  EXPECT_EQ(S.range().High, 3);
  EXPECT_TRUE(S.channelRanges()[1].isEmpty());
  EXPECT_EQ(S.channelMeans(), (std::vector<double>{1, 0, 0.5, 0}));
}

} // namespace
