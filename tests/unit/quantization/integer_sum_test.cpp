//===- integer_sum_test.cpp - Which sums bear integers ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/IntegerSum.h"

#include "gtest/gtest.h"

#include <limits>

using namespace tenon::quantization;

namespace {

TensorStatistics of(std::initializer_list<float> Values) {
  TensorStatistics Result;
  Result.add(Values.begin(), 1, 1, Values.size());
  return Result;
}

TEST(IntegerSum, HasOperandsOfLikeWidth) {
  EXPECT_EQ(whyNoIntegerSum(of({-1, 3}), of({-2, 0.5})), "");
  // 128 and 4 are 32 times apart: 8 of 256 steps.
  EXPECT_EQ(whyNoIntegerSum(of({-64, 64}), of({-2, 2})), "");
  EXPECT_EQ(whyNoIntegerSum(of({-2, 2}), of({-64, 64})), "");
}

TEST(IntegerSum, LeavesSomethingOfBoth) {
  const char *Why = "one of its operands is 33 times as wide as the other, of "
                    "which integers would leave nothing";
  EXPECT_EQ(whyNoIntegerSum(of({-66, 66}), of({-2, 2})), Why);
  EXPECT_EQ(whyNoIntegerSum(of({-2, 2}), of({-66, 66})), Why);
  // Ranges hold 0: two operands far from it are as wide as they are large.
  EXPECT_EQ(whyNoIntegerSum(of({100, 101}), of({90, 91})), "");
}

TEST(IntegerSum, HasNoMask) {
  const float Largest = std::numeric_limits<float>::max();
  const float Infinity = std::numeric_limits<float>::infinity();
  const TensorStatistics Scores = of({-8, 12});
  for (float Mask : {-1e3f, -1e4f, 1e4f, -Largest})
    EXPECT_NE(whyNoIntegerSum(Scores, of({0, Mask})), "") << Mask;
  EXPECT_EQ(whyNoIntegerSum(Scores, of({0, -Infinity})),
            "it adds values that are not finite, which no integer stands for");
  // Nothing was masked in the calibration: what will be is not known.
  EXPECT_EQ(whyNoIntegerSum(of({0, 0}), Scores),
            "one of its operands was 0 in every sample, so that nothing is "
            "known of its range");
}

} // namespace
