//===- Weights.cpp - Weights as integers ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Weights.h"
#include <algorithm>
#include <cmath>

using namespace tenon::quantization;

std::vector<float> tenon::quantization::weightScales(
    const std::vector<float> &Weights, const WeightShape &Shape,
    const WeightOptions &Options, const std::vector<float> &Least) {
  std::vector<float> Largest(Shape.scales(), 0);
  for (int64_t Index = 0; Index < Shape.size(); ++Index) {
    float &Of = Largest[Shape.scaleIndex(Index)];
    Of = std::max(Of, std::fabs(Weights[Index]));
  }
  std::vector<float> Scales;
  for (int64_t Number = 0; Number < Shape.scales(); ++Number) {
    float Scale = Largest[Number] / Options.most();
    Scales.push_back(Least.empty() ? Scale : std::max(Scale, Least[Number]));
  }
  if (!Options.PerChannel)
    Scales = {*std::max_element(Scales.begin(), Scales.end())};
  for (float &Scale : Scales) {
    if (Scale == 0)
      Scale = 1; // of zeros: any scale says the same
    if (Options.PowerOfTwo)
      Scale = std::exp2(std::ceil(std::log2(Scale)));
  }
  return Scales;
}

IntegerWeights tenon::quantization::roundWeights(
    const std::vector<float> &Weights, const WeightShape &Shape,
    const WeightOptions &Options, std::vector<float> Scales) {
  IntegerWeights Result{{}, std::move(Scales)};
  const float Most = Options.most();
  Result.Values.reserve(Weights.size());
  for (int64_t Index = 0; Index < Shape.size(); ++Index) {
    float Steps = Weights[Index] / Result.scaleOf(Shape.scaleIndex(Index));
    Result.Values.push_back(
        int8_t(std::clamp(std::nearbyint(Steps), -Most, Most)));
  }
  return Result;
}
