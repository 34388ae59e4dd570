//===- choose_range_test.cpp - Ranges from statistics
//---------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Parameters.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace tenon::quantization;

namespace {

std::vector<float> normal(size_t Count, float Width) {
  std::mt19937 Random(11);
  std::normal_distribution<float> Draw(0, Width);
  std::vector<float> Values(Count);
  for (float &Value : Values)
    Value = Draw(Random);
  return Values;
}

TensorStatistics statisticsOf(const std::vector<float> &Values) {
  TensorStatistics S;
  S.add(Values.data(), 1, 1, Values.size());
  return S;
}

Range choose(const std::vector<float> &Values, Method How,
             double Percentile = 99.99) {
  return chooseRange(statisticsOf(Values), {How, Percentile}, {});
}

/// The mean squared error of the values themselves.
double errorOf(const std::vector<float> &Values, Range Of) {
  const Parameters P = parametersOf(Of, {});
  double Sum = 0;
  for (float Value : Values)
    Sum += std::pow(Value - P.dequantize(P.quantize(Value)), 2);
  return Sum / Values.size();
}

TEST(ChooseRange, MinMaxIsWhatWasSeen) {
  const Range R = choose({0.5f, -0.25f, 3}, Method::MinMax);
  EXPECT_EQ(R.Low, -0.25);
  EXPECT_EQ(R.High, 3);
  EXPECT_EQ(choose({2, 3}, Method::MinMax).Low, 0);
}

TEST(ChooseRange, PercentileCutsOffAsManyAtEachEnd) {
  std::vector<float> Values = normal(100000, 1);
  const Range R = choose(Values, Method::Percentile, 99);
  std::sort(Values.begin(), Values.end());
  // Within a bin's width: 8,192 of them over 16.
  EXPECT_NEAR(R.Low, Values[500], 16. / 8192);
  EXPECT_NEAR(R.High, Values[99499], 16. / 8192);
}

/// Zeros are in no percentile: ten values among a million zeros are no
/// outliers.
TEST(ChooseRange, PercentileOfASparseTensor) {
  std::vector<float> Values(1000000, 0);
  for (int At = 0; At < 10; ++At)
    Values[At] = 1 + At;
  EXPECT_NEAR(choose(Values, Method::Percentile).High, 10, 1e-2);
}

/// One value of two million is not worth the resolution of all others: cutting
/// it off costs 35^2 / 2e6 a value, keeping it (44 / 255)^2 / 12, four times
/// that. Of twenty thousand it is.
TEST(ChooseRange, MseWeighsAnOutlierAgainstTheRest) {
  std::vector<float> Values = normal(2000000, 1);
  Values.push_back(40);
  const Range R = choose(Values, Method::Mse);
  EXPECT_LT(R.High, 20);
  EXPECT_LT(R.Low, -3); // nothing is wrong at this end
  const double Error = errorOf(Values, R);
  EXPECT_LT(Error, errorOf(Values, choose(Values, Method::MinMax)) / 2);
  for (double Share : {0.5, 0.8, 0.9, 1.1, 1.25, 2.})
    EXPECT_LE(Error, errorOf(Values, {R.Low * Share, R.High * Share}) * 1.02)
        << Share;
  std::vector<float> Few = normal(20000, 1);
  Few.push_back(40);
  EXPECT_GT(choose(Few, Method::Mse).High, 35);
}

TEST(ChooseRange, EntropyLeavesOutAFarOutlier) {
  std::vector<float> Values = normal(100000, 1);
  Values.push_back(30);
  Values.push_back(-30);
  const Range R = choose(Values, Method::Entropy);
  EXPECT_LT(R.High, 15);
  EXPECT_GT(R.High, 2);
  // Without one, nearly everything stays.
  std::vector<float> Uniform;
  for (int At = -1000; At <= 1000; ++At)
    for (int Times = 0; Times < 10; ++Times)
      Uniform.push_back(At / 1000.f);
  EXPECT_GT(choose(Uniform, Method::Entropy).High, 0.9);
}

TEST(ChooseRange, OneSidedTensorsKeepZeroAsTheirEnd) {
  std::vector<float> Values = normal(20000, 1);
  for (float &Value : Values)
    Value = std::fabs(Value);
  for (Method How :
       {Method::MinMax, Method::Percentile, Method::Entropy, Method::Mse}) {
    const Range R = choose(Values, How);
    EXPECT_EQ(R.Low, 0) << nameOf(How);
    EXPECT_GT(R.High, 2) << nameOf(How);
  }
}

TEST(ChooseRange, NothingAndZeros) {
  for (Method How :
       {Method::MinMax, Method::Percentile, Method::Entropy, Method::Mse}) {
    EXPECT_EQ(chooseRange({}, {How}, {}).High, 0) << nameOf(How);
    EXPECT_EQ(choose({0, 0, 0}, How).High, 0) << nameOf(How);
  }
}

} // namespace
