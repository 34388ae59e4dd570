// Part of Tenon, under the Apache License v2.0.
//
// Multipliers against the float arithmetic that they stand for.

#include "compiler/lib/Frontend/ONNX/Arithmetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tenon::frontend {
namespace {

int64_t rescaled(int64_t sum, const MultiplierShift &scale) {
  return (sum * scale.Multiplier + (int64_t(1) << (scale.Shift - 1))) >>
         scale.Shift;
}

int64_t inFloat(int64_t sum, float factor) {
  return std::lrint(float(sum) * factor);
}

/// Sums from those of `low` to those of `high` that become something else than
/// the float product, all of them tried.
std::vector<int64_t> differing(float factor, const MultiplierShift &scale,
                               int64_t low, int64_t high) {
  std::vector<int64_t> sums;
  for (int64_t sum = int64_t((double(low) - 0.49) / factor),
               last = int64_t((double(high) + 0.49) / factor);
       sum <= last; ++sum)
    if (rescaled(sum, scale) != inFloat(sum, factor))
      sums.push_back(sum);
  return sums;
}

struct Product {
  double input, weight, output; // scales
  double exact() const { return input * weight / output; }
  float factor() const {
    return float(float(input) * float(weight)) / float(output);
  }
};

TEST(FloatMultiplierShift, GivesTheResultsOfTheFloatProduct) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> draw(0.01f, 0.1f);
  int nearest = 0, chosen = 0;
  for (int i = 0; i < 200; ++i) {
    Product product{draw(random), draw(random) / 10, draw(random)};
    auto found =
        floatMultiplierShift(product.exact(), product.factor(), -128, 127);
    ASSERT_TRUE(found);
    nearest += !differing(product.factor(), *multiplierShift(product.exact()),
                          -128, 127)
                    .empty();
    chosen += !differing(product.factor(), *found, -128, 127).empty();
  }
  // Of some no multiplier has all of the 255 borders.
  EXPECT_GE(nearest, 20);
  EXPECT_LE(chosen * 3, nearest);
}

// Of ssd_mobilenetv1_coco_300, qlinearconv_23: the nearest multiplier takes one
// sum to the other side of half way.
TEST(FloatMultiplierShift, DiffersFromTheNearest) {
  Product product{0.023528477177023888f, 0.015800895169377327f,
                  0.023528477177023888f};
  EXPECT_EQ(
      differing(product.factor(), *multiplierShift(product.exact()), 0, 255)
          .size(),
      1u);
  auto found = floatMultiplierShift(product.exact(), product.factor(), 0, 255);
  ASSERT_TRUE(found);
  EXPECT_THAT(differing(product.factor(), *found, 0, 255), testing::IsEmpty());
}

// Half way is exact, and one multiplier rounds all of it up or all of it down:
// 1/2 becomes 0 as it must, so 3/2 becomes 1.
TEST(FloatMultiplierShift, DecidesNearZeroWhereNoMultiplierFits) {
  auto found = floatMultiplierShift(0.25, 0.25f, 0, 127);
  ASSERT_TRUE(found);
  EXPECT_EQ(rescaled(2, *found), 0);
  for (int64_t sum : differing(0.25f, *found, 0, 127)) {
    EXPECT_EQ(sum % 8, 6) << sum;
    EXPECT_EQ(rescaled(sum, *found), inFloat(sum, 0.25f) - 1) << sum;
  }
}

TEST(FloatMultiplierShift, IsTheNearestWhereThatFits) {
  for (double scale : {1.0, 3.0, 1e-9, 1e-12, 1e-18, 250.0}) {
    auto found = floatMultiplierShift(scale, float(scale), -1, 0);
    auto nearest = multiplierShift(scale);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->Shift, nearest->Shift);
    EXPECT_NEAR(found->Multiplier, nearest->Multiplier, 256) << scale;
  }
  EXPECT_FALSE(floatMultiplierShift(1e9, 1e9f, -128, 127));
  EXPECT_FALSE(floatMultiplierShift(0, 0, -128, 127));
}

} // namespace
} // namespace tenon::frontend
