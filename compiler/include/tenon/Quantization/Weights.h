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

  int64_t size() const { return Outer * Channels * Inner; }
  int64_t channelOf(int64_t Index) const { return Index / Inner % Channels; }
};

struct WeightOptions {
  bool PerChannel = true;
  bool PowerOfTwo = false;
  int Bits = 8;

  int most() const { return (1 << (Bits - 1)) - 1; }
};

/// Symmetric: real = scale * integer, integers from -(2^(Bits-1) - 1) to
/// 2^(Bits-1) - 1.  One scale, or one a channel.
struct IntegerWeights {
  std::vector<int8_t> Values;
  std::vector<float> Scales;

  float scaleOf(int64_t Channel) const {
    return Scales[Scales.size() == 1 ? 0 : Channel];
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
