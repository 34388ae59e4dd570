//===- weights_test.cpp - Weights as integers
//---------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Weights.h"

#include "gtest/gtest.h"

using namespace tenon::quantization;

namespace {

// 2 x 3 x 2: channels 0, 1, 2 are along the middle.
const std::vector<float> Values = {1.27f, 0.01f,  0, 0, 2.54f,  -0.03f,
                                   -0.5f, 0.015f, 0, 0, -0.05f, 0.01f};
const WeightShape Shape{2, 3, 2};

TEST(Weights, AScaleAChannel) {
  const auto Scales = weightScales(Values, Shape, {}, {});
  ASSERT_EQ(Scales.size(), 3u);
  EXPECT_FLOAT_EQ(Scales[0], 0.01f);
  EXPECT_EQ(Scales[1], 1); // of zeros
  EXPECT_FLOAT_EQ(Scales[2], 0.02f);
  const IntegerWeights W = roundWeights(Values, Shape, {}, Scales);
  EXPECT_EQ(W.Values, (std::vector<int8_t>{127, 1, 0, 0, 127, -2, //
                                           -50, 2, 0, 0, -2, 0}));
}

TEST(Weights, OneScale) {
  WeightOptions Options;
  Options.PerChannel = false;
  const auto Scales = weightScales(Values, Shape, Options, {});
  ASSERT_EQ(Scales.size(), 1u);
  EXPECT_FLOAT_EQ(Scales[0], 0.02f);
  EXPECT_EQ(roundWeights(Values, Shape, Options, Scales).Values[0], 64);
}

TEST(Weights, NoScaleBelowItsBound) {
  const auto Scales = weightScales(Values, Shape, {}, {0, 0.5f, 0.001f});
  EXPECT_FLOAT_EQ(Scales[0], 0.01f);
  EXPECT_EQ(Scales[1], 0.5f);
  EXPECT_FLOAT_EQ(Scales[2], 0.02f);
}

TEST(Weights, FewerBitsAndPowersOfTwo) {
  WeightOptions Options;
  Options.Bits = 4;
  Options.PowerOfTwo = true;
  const auto Scales = weightScales(Values, Shape, Options, {});
  EXPECT_EQ(Scales[0], 0.25f); // 1.27 / 7 = 0.18
  const IntegerWeights W = roundWeights(Values, Shape, Options, Scales);
  EXPECT_EQ(W.Values[0], 5);
  EXPECT_EQ(W.Values[6], -2);
}

// 5 inputs x 2 outputs, in groups of two inputs; the last one is alone.
const std::vector<float> Matrix = {7,  -1,  3, 14, //
                                   0,  70,  0, 1,  //
                                   -1, 0.5f};

TEST(Weights, GroupsOfInputs) {
  WeightOptions Options;
  Options.Bits = 4;
  WeightShape Grouped{5, 2, 1, /*Group=*/2, /*Inputs=*/5, /*Stride=*/2};
  ASSERT_EQ(Grouped.groups(), 3);
  const auto Scales = weightScales(Matrix, Grouped, Options, {});
  ASSERT_EQ(Scales.size(), 6u);
  EXPECT_FLOAT_EQ(Scales[0], 1);
  EXPECT_FLOAT_EQ(Scales[1], 2);
  EXPECT_FLOAT_EQ(Scales[2], 1); // of zeros
  EXPECT_FLOAT_EQ(Scales[3], 10);
  EXPECT_FLOAT_EQ(Scales[4], 1 / 7.0f);
  EXPECT_FLOAT_EQ(Scales[5], 0.5f / 7);
  const IntegerWeights W = roundWeights(Matrix, Grouped, Options, Scales);
  EXPECT_EQ(W.Values, (std::vector<int8_t>{7, 0, 3, 7, 0, 7, 0, 0, -7, 7}));
}

TEST(Weights, GroupsOfAnAxisInTheMiddle) {
  // 2 outputs x 4 inputs x a window of 3, as of a convolution.
  const WeightShape Grouped{1, 2, 12, /*Group=*/2, /*Inputs=*/4, /*Stride=*/3};
  EXPECT_EQ(Grouped.scales(), 12);
  EXPECT_EQ(Grouped.scaleIndex(4), 1);   // output 0, input 1, window 1
  EXPECT_EQ(Grouped.scaleIndex(11), 5);  // output 0, input 3, window 2
  EXPECT_EQ(Grouped.scaleIndex(12), 6);  // output 1, input 0, window 0
  EXPECT_EQ(Grouped.scaleIndex(19), 10); // output 1, input 2, window 1
  EXPECT_EQ(Grouped.channelOf(19), 1);
}

} // namespace
