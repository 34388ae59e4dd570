//===- Histogram.h - How often which values occur ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Of any number of values in bounded memory: the range doubles where a value
// lies outside of it, so that no value need be known beforehand and none is
// kept.  Free of MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_HISTOGRAM_H
#define TENON_QUANTIZATION_HISTOGRAM_H

#include <cstdint>
#include <vector>

namespace tenon::quantization {

/// Counts of values in bins of one width, over [-range(), range()).
class Histogram {
public:
  /// An even number of bins.  A value of a tensor lies in one of at least a
  /// quarter of them, whatever the tensor's sign: 2,048 of 8,192.
  static constexpr int64_t Bins = 8192;

  /// Adds finite values.  The range is a power of two times the least normal
  /// number, at least as large as any value.
  void add(const float *Values, int64_t Count);

  /// 0 before a value other than 0 was added.
  double range() const { return Range; }
  double binWidth() const { return 2 * Range / Bins; }
  /// The middle of bin `Index`.
  double centre(int64_t Index) const {
    return (Index + 0.5) * binWidth() - Range;
  }
  const std::vector<uint64_t> &counts() const { return Counts; }
  uint64_t total() const { return Total; }
  /// Values that are exactly 0, which stand in no bin: zero is always
  /// representable, and padding and ReLU make too many of them.
  uint64_t zeros() const { return Zeros; }

private:
  void growTo(double Magnitude);

  double Range = 0;
  uint64_t Total = 0, Zeros = 0;
  std::vector<uint64_t> Counts;
};

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_HISTOGRAM_H
