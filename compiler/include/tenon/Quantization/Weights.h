//===- Weights.h - Weights as integers --------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_WEIGHTS_H
#define TENON_QUANTIZATION_WEIGHTS_H

#include <cstdint>
#include <vector>

namespace tenon::quantization {

/// A row-major tensor of floats, seen as Outer x Channels x Inner.
struct WeightShape {
  int64_t Outer = 1, Channels = 1, Inner = 1;
  /// Of weights in groups: how many inputs in a row have one scale, the inputs,
  /// and how far apart the weights of two of them are.  0: a scale belongs to a
  /// channel.
  int64_t Group = 0, Inputs = 1, Stride = 1;

  int64_t size() const { return Outer * Channels * Inner; }
  int64_t channelOf(int64_t Index) const { return Index / Inner % Channels; }
  /// Groups along the inputs; the last one may have fewer of them.
  int64_t groups() const { return (Inputs + Group - 1) / Group; }
  int64_t scales() const {
    return Group ? size() / Inputs * groups() : Channels;
  }
  /// Which scale the weight has.
  int64_t scaleIndex(int64_t Index) const {
    if (!Group)
      return channelOf(Index);
    const int64_t At = Index / Stride;
    return (At / Inputs * groups() + At % Inputs / Group) * Stride +
           Index % Stride;
  }
};

struct WeightOptions {
  bool PerChannel = true;
  bool PowerOfTwo = false;
  int Bits = 8;
  /// Inputs of a product in a row that have one scale; 0: all of them.
  int64_t Group = 0;

  int most() const { return (1 << (Bits - 1)) - 1; }
};

/// Symmetric: real = scale * integer, integers from -(2^(Bits-1) - 1) to
/// 2^(Bits-1) - 1.  One scale, or those of the shape.
struct IntegerWeights {
  std::vector<int8_t> Values;
  std::vector<float> Scales;

  /// That of a channel, or WeightShape::scaleIndex.
  float scaleOf(int64_t Number) const {
    return Scales[Scales.size() == 1 ? 0 : Number];
  }
};

/// The scales at which the largest weight is the largest integer.  No scale is
/// below its channel's of `Least` (empty: no bound), which is how a bias of the
/// accumulator's scale is kept within 32 bits.
std::vector<float> weightScales(const std::vector<float> &Weights,
                                const WeightShape &Shape,
                                const WeightOptions &Options,
                                const std::vector<float> &Least);

/// Each weight to the nearest integer, ties to even.
IntegerWeights roundWeights(const std::vector<float> &Weights,
                            const WeightShape &Shape,
                            const WeightOptions &Options,
                            std::vector<float> Scales);

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_WEIGHTS_H
