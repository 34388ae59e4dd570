//===- Parameters.h - Scale and zero point ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_PARAMETERS_H
#define TENON_QUANTIZATION_PARAMETERS_H

#include "tenon/Quantization/Statistics.h"
#include <string>

namespace tenon::quantization {

/// real = Scale * (integer - ZeroPoint), the integer in `Bits` bits with sign.
struct Parameters {
  float Scale = 1;
  int32_t ZeroPoint = 0;
  int Bits = 8;

  int32_t least() const { return -(1 << (Bits - 1)); }
  int32_t most() const { return (1 << (Bits - 1)) - 1; }
  /// The nearest integer, ties to even, saturated: QuantizeLinear.
  int32_t quantize(float Value) const;
  float dequantize(int32_t Integer) const {
    return (Integer - ZeroPoint) * Scale;
  }
};

struct Scheme {
  int Bits = 8;
  bool Symmetric = false;  ///< zero points are 0
  bool PowerOfTwo = false; ///< scales are powers of two
};

/// The parameters that represent `Of` and 0 with the least scale.  0 is exact:
/// padding and ReLU need it.  An empty range, or one of 0 alone, has scale 1.
Parameters parametersOf(Range Of, const Scheme &How);

/// How a range is chosen from what was seen.
enum class Method {
  MinMax,     ///< every value that was seen
  Percentile, ///< all but the share of outliers at each end
  Entropy,    ///< least Kullback-Leibler divergence of the quantised histogram
              ///< (Migacz, "8-bit inference with TensorRT", GTC 2017)
  Mse,        ///< least mean squared error
};

/// "minmax", "percentile", "entropy", "mse".
const char *nameOf(Method Of);

struct RangeOptions {
  Method How = Method::MinMax;
  /// Of Percentile: percent of values that lie in the range, 50 to 100.
  double Percentile = 99.99;
};

/// The range that `Options` choose for `Of`.  A tensor without a value below 0
/// keeps 0 as its lower end, one without a value above 0 as its upper.
Range chooseRange(const TensorStatistics &Of, const RangeOptions &Options,
                  const Scheme &Quantized);

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_PARAMETERS_H
