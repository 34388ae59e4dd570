//===- bias_correction_test.cpp - What rounding weights does --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/BiasCorrection.h"

#include "gtest/gtest.h"

using namespace tenon::quantization;

namespace {

/// Two groups of one output and two inputs each, windows of two.
TEST(MeanShift, OfAGroupedConvolution) {
  const std::vector<float> Weights = {1.25f, 2, 3, 4, 5, 6.5f, 7, 8.25f};
  const IntegerWeights Rounded{{1, 2, 3, 4, 5, 6, 7, 8}, {1}};
  const auto Shift =
      meanShift(Weights, Rounded, {1, 2, 4}, {2, 2, 2}, {10, 100, 1000, 10000});
  // -0.25 meets input 0; -0.5 input 2, -0.25 input 3.
  EXPECT_EQ(Shift, (std::vector<double>{-2.5, -3000}));
}

/// A group for each channel, windows of one.
TEST(MeanShift, OfADepthwiseConvolution) {
  const std::vector<float> Weights = {1.25f, 2.5f};
  const IntegerWeights Rounded{{1, 2}, {1}};
  const auto Shift =
      meanShift(Weights, Rounded, {1, 2, 1}, {2, 1, 1}, {10, 100});
  EXPECT_EQ(Shift, (std::vector<double>{-2.5, -50}));
}

/// All outputs of one input.
TEST(MeanShift, OfAProductWithOneInput) {
  const std::vector<float> Weights = {1.25f, 2.5f};
  const IntegerWeights Rounded{{1, 2}, {1}};
  EXPECT_EQ(meanShift(Weights, Rounded, {1, 2, 1}, {1, 1, 1}, {10}),
            (std::vector<double>{-2.5, -5}));
}

/// Inputs x outputs, as MatMul has them, with a scale an output.
TEST(MeanShift, OfAProductWithOutputsLast) {
  const std::vector<float> Weights = {1, 4, 2.5f, 8};
  const IntegerWeights Rounded{{1, 2, 3, 5}, {1, 2}};
  const auto Shift =
      meanShift(Weights, Rounded, {2, 2, 1}, {1, 2, 1}, {10, 100});
  EXPECT_EQ(Shift, (std::vector<double>{50, 200}));
}

/// The same with a scale for each weight, in groups of one input.
TEST(MeanShift, OfGroupsOfInputs) {
  const std::vector<float> Weights = {1, 4, 2.5f, 8};
  const IntegerWeights Rounded{{1, 2, 3, 5}, {1, 2, 1, 1.5f}};
  const auto Shift =
      meanShift(Weights, Rounded, {2, 2, 1, 1, 2, 2}, {1, 2, 1}, {10, 100});
  EXPECT_EQ(Shift, (std::vector<double>{50, -50}));
}

/// Outputs x inputs, as Gemm with transB has them.
TEST(MeanShift, OfAProductWithOutputsFirst) {
  const std::vector<float> Weights = {1, 2.5f, 4, 8};
  const IntegerWeights Rounded{{1, 3, 2, 5}, {1, 2}};
  const auto Shift =
      meanShift(Weights, Rounded, {1, 2, 2}, {1, 2, 1}, {10, 100});
  EXPECT_EQ(Shift, (std::vector<double>{50, 200}));
}

} // namespace
