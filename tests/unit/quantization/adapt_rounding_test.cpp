//===- adapt_rounding_test.cpp - Weights rounded for what they meet -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/AdaptRounding.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace tenon::quantization;

namespace {

/// The squared error of a product of `Terms` inputs with one output channel.
double errorOf(const std::vector<float> &Inputs,
               const std::vector<float> &Weights, const IntegerWeights &Of) {
  const size_t Terms = Weights.size();
  double Sum = 0;
  for (size_t Row = 0; Row < Inputs.size() / Terms; ++Row) {
    double Error = 0;
    for (size_t Term = 0; Term < Terms; ++Term)
      Error += Inputs[Row * Terms + Term] *
               (Of.Values[Term] * double(Of.Scales[0]) - Weights[Term]);
    Sum += Error * Error;
  }
  return Sum;
}

/// Inputs that are all the same number count the sum of the weights alone:
/// three of 0.4 are one and two zeros, not three zeros.
TEST(AdaptRounding, EqualInputsKeepTheSum) {
  InputSamples Inputs({1, 3, 1}, {});
  for (float Value : {1.0f, -2.0f, 3.0f}) {
    const float Row[] = {Value, Value, Value};
    Inputs.add(Row, {1, 3});
  }
  IntegerWeights Rounded{{0, 0, 0}, {1}};
  adaptRounding({0.4f, 0.4f, 0.4f}, {1, 1, 3}, {}, Inputs,
                /*IsCorrected=*/false, Rounded);
  EXPECT_EQ(Rounded.Values[0] + Rounded.Values[1] + Rounded.Values[2], 1);
}

/// An error that every sample has is the bias's to take out.
TEST(AdaptRounding, ACorrectedMeanDoesNotCount) {
  InputSamples Inputs({1, 3, 1}, {});
  for (int Index = 0; Index < 8; ++Index) {
    const float Row[] = {5, 5, 5};
    Inputs.add(Row, {1, 3});
  }
  IntegerWeights Rounded{{0, 0, 0}, {1}};
  adaptRounding({0.4f, 0.4f, 0.4f}, {1, 1, 3}, {}, Inputs,
                /*IsCorrected=*/true, Rounded);
  EXPECT_EQ(Rounded.Values, (std::vector<int8_t>{0, 0, 0}));
}

/// No integer leaves the range, or goes beyond the two neighbours.
TEST(AdaptRounding, NeighboursWithinTheRange) {
  InputSamples Inputs({1, 2, 1}, {});
  const float Row[] = {1, 1};
  Inputs.add(Row, {1, 2});
  WeightOptions Options;
  Options.Bits = 4;
  IntegerWeights Rounded{{7, 0}, {1}};
  // 7.4 is 7 at most; the other makes up for it, by one at most.
  adaptRounding({7.4f, 0.4f}, {1, 1, 2}, Options, Inputs, false, Rounded);
  EXPECT_EQ(Rounded.Values, (std::vector<int8_t>{7, 1}));
}

/// Outputs in columns, as MatMul has them, and a scale for each of them.
TEST(AdaptRounding, ColumnsWithScalesOfTheirOwn) {
  InputSamples Inputs({1, 2, 1}, {});
  const float Rows[] = {1, 1, -3, -3, 2, 2};
  Inputs.add(Rows, {3, 2});
  IntegerWeights Rounded{{0, 0, 0, 0}, {1, 10}};
  adaptRounding({0.45f, 4.5f, 0.45f, 4.5f}, {2, 2, 1}, {}, Inputs, false,
                Rounded);
  EXPECT_EQ(Rounded.Values[0] + Rounded.Values[2], 1);
  EXPECT_EQ(Rounded.Values[1] + Rounded.Values[3], 1);
}

/// Inputs that depend on each other, drawn: the error of the product never
/// grows, and no single change to another neighbour lowers what is left.
TEST(AdaptRounding, NothingNearIsBetter) {
  std::mt19937 Random(std::random_device{}());
  std::normal_distribution<float> Normal;
  constexpr int64_t Terms = 24, Count = 48;
  std::vector<float> Values, Weights;
  InputSamples Inputs({1, Terms, 1}, {});
  for (int64_t Row = 0; Row < Count; ++Row) {
    const float Common = 3 * Normal(Random);
    for (int64_t Term = 0; Term < Terms; ++Term)
      Values.push_back(Common + Normal(Random));
  }
  Inputs.add(Values.data(), {Count, Terms});
  for (int64_t Term = 0; Term < Terms; ++Term)
    Weights.push_back(Normal(Random) * 20);
  const WeightShape Shape{1, 1, Terms};
  IntegerWeights Nearest = roundWeights(Weights, Shape, {}, {1});
  IntegerWeights Adapted = Nearest;
  adaptRounding(Weights, Shape, {}, Inputs, false, Adapted);
  const double Error = errorOf(Values, Weights, Adapted);
  EXPECT_LE(Error, errorOf(Values, Weights, Nearest));
  double Squares = 0;
  for (float Value : Values)
    Squares += Value * Value;
  for (int64_t Term = 0; Term < Terms; ++Term) {
    EXPECT_LE(std::fabs(Adapted.Values[Term] - Weights[Term]), 1.0001);
    IntegerWeights Other = Adapted;
    Other.Values[Term] += Adapted.Values[Term] > Weights[Term] ? -1 : 1;
    // But for the hundredth of the mean moment that each term has beside it.
    EXPECT_GT(errorOf(Values, Weights, Other), Error - 0.011 * Squares / Terms);
  }
}

/// Quantising again with the same scales gives the same, and new inputs other
/// integers.
TEST(AdaptiveRounding, LearnsMore) {
  AdaptiveRounding Of;
  Of.addProduct("w", {1, 3, 1}, {});
  const std::vector<float> Weights = {0.4f, 0.4f, 0.4f};
  auto Round = [&] {
    IntegerWeights Rounded{{0, 0, 0}, {1}};
    Of.round("w", Weights, {1, 1, 3}, {}, false, Rounded);
    return Rounded.Values[0] + Rounded.Values[1] + Rounded.Values[2];
  };
  EXPECT_EQ(Round(), 0); // nothing was seen
  const float Equal[] = {1, 1, 1}, Alone[] = {9, 0, 0, 0, 9, 0, 0, 0, 9};
  Of.observe("w", Equal, {1, 3});
  EXPECT_EQ(Round(), 1);
  Of.observe("w", Alone, {3, 3});
  EXPECT_EQ(Round(), 0);
}

} // namespace
