//===- Noise.h - What quantisation adds to a tensor -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_NOISE_H
#define TENON_QUANTIZATION_NOISE_H

#include <cmath>
#include <cstdint>
#include <limits>

namespace tenon::quantization {

/// The signal to quantisation noise ratio of a tensor over any number of runs:
/// 10 log10(sum of x^2 / sum of (x - x')^2), x the float network's values and
/// x' what the quantised network's stand for.
class Noise {
public:
  void add(const float *Float, const float *Quantized, int64_t Count) {
    for (int64_t At = 0; At < Count; ++At) {
      const double Value = Float[At], Error = Value - Quantized[At];
      if (!std::isfinite(Error))
        continue;
      Signal += Value * Value;
      Errors += Error * Error;
    }
  }

  /// In decibels; infinite without noise, also where nothing was added.
  double decibels() const {
    if (Errors == 0)
      return std::numeric_limits<double>::infinity();
    return 10 * std::log10(Signal / Errors);
  }

private:
  double Signal = 0, Errors = 0;
};

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_NOISE_H
