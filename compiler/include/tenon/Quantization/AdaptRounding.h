//===- AdaptRounding.h - Weights rounded for what they meet -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_ADAPTROUNDING_H
#define TENON_QUANTIZATION_ADAPTROUNDING_H

#include "tenon/Quantization/InputSamples.h"
#include "tenon/Quantization/Weights.h"
#include <map>
#include <string>

namespace tenon::quantization {

/// Rounds weights up or down, each to one of its two neighbours, so that the
/// squared error of the product over samples of its inputs becomes least: the
/// quadratic binary problem of Nagel et al. ("Up or down? Adaptive rounding for
/// post-training quantization", ICML 2020, equation 13), from the nearest
/// integers on by the change that gains most, until none gains.  The error's
/// mean does not count where it `IsCorrected` by the bias.
void adaptRounding(const std::vector<float> &Weights, const WeightShape &Shape,
                   const WeightOptions &Options, const InputSamples &Inputs,
                   bool IsCorrected, IntegerWeights &Rounded);

/// The inputs of a network's products, known by the names of their weights, and
/// what was rounded by them: quantising again with the same scales costs
/// nothing.
class AdaptiveRounding {
public:
  /// Products with the same weights have samples in common.
  void addProduct(const std::string &Weights, const WeightInputs &Of,
                  const std::vector<WindowAxis> &Axes) {
    Inputs.try_emplace(Weights, Of, Axes);
  }
  /// Values that a product with these weights reads: InputSamples::add.
  void observe(const std::string &Weights, const float *Values,
               const std::vector<int64_t> &Shape);

  /// adaptRounding, where the inputs were sampled.
  void round(const std::string &Name, const std::vector<float> &Weights,
             const WeightShape &Shape, const WeightOptions &Options,
             bool IsCorrected, IntegerWeights &Rounded);

private:
  struct Known {
    IntegerWeights Nearest, Adapted;
    bool IsCorrected;
  };
  std::map<std::string, InputSamples> Inputs;
  std::map<std::string, Known> Cache;
};

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_ADAPTROUNDING_H
