//===- Statistics.h - What is known of a tensor's values --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_STATISTICS_H
#define TENON_QUANTIZATION_STATISTICS_H

#include "tenon/Quantization/Histogram.h"
#include <map>
#include <optional>
#include <string>

namespace tenon::quantization {

/// Least and largest value; empty where Low > High.
struct Range {
  double Low = 1, High = -1;

  bool isEmpty() const { return Low > High; }
  /// Of the value farthest from 0; 0 where it is empty.
  double magnitude() const;
  void include(double Value);
  void include(const Range &Other);
};

/// Gathers one tensor's values over any number of runs, in memory that depends
/// on its channels alone.
class TensorStatistics {
public:
  /// Adds the values of a run: a row-major tensor of `Outer` x `Channels` x
  /// `Inner`.  Where runs differ in `Channels` everything is one channel.
  /// Values that are not finite are counted and otherwise left out.
  void add(const float *Values, int64_t Outer, int64_t Channels, int64_t Inner);

  const Histogram &histogram() const { return Values; }
  /// Of everything finite.
  Range range() const;
  /// One a channel.
  const std::vector<Range> &channelRanges() const { return Ranges; }
  /// The mean of each channel's finite values; 0 before the first.
  std::vector<double> channelMeans() const;
  uint64_t notFinite() const { return NotFinite; }

  /// The widest channel, and how many times the median's that is.
  struct Outlier {
    size_t Channel;
    double Ratio;
  };
  /// None of a single channel, and where half of them are 0.
  std::optional<Outlier> outlier() const;

private:
  void joinChannels();
  void addChannel(const float *Values, int64_t Count, int64_t Channel);

  Histogram Values;
  std::vector<Range> Ranges;
  std::vector<double> Sums;
  std::vector<uint64_t> Counts;
  uint64_t NotFinite = 0;
};

/// What was seen of each channel along an axis of a tensor.
struct SeenTensor {
  int64_t Axis;
  std::vector<Range> Ranges;
};

/// By the names of tensors.
using SeenChannels = std::map<std::string, SeenTensor>;

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_STATISTICS_H
