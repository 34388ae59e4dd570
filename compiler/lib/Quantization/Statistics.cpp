//===- Statistics.cpp - What is known of a tensor's values ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Statistics.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tenon::quantization;

void Range::include(double Value) {
  const bool IsFirst = isEmpty();
  Low = IsFirst ? Value : std::min(Low, Value);
  High = IsFirst ? Value : std::max(High, Value);
}

void Range::include(const Range &Other) {
  if (Other.isEmpty())
    return;
  include(Other.Low);
  include(Other.High);
}

double Range::magnitude() const {
  return isEmpty() ? 0 : std::max(std::fabs(Low), std::fabs(High));
}

void TensorStatistics::addChannel(const float *From, int64_t Count,
                                  int64_t Channel) {
  float Low = From[0], High = From[0];
  double Sum = 0;
  for (int64_t At = 0; At < Count; ++At) {
    Low = std::min(Low, From[At]);
    High = std::max(High, From[At]);
    Sum += From[At];
  }
  Ranges[Channel].include({Low, High});
  Sums[Channel] += Sum;
  Counts[Channel] += Count;
}

/// As one channel.
void TensorStatistics::joinChannels() {
  Ranges = {range()};
  Sums = {std::accumulate(Sums.begin(), Sums.end(), 0.0)};
  Counts = {std::accumulate(Counts.begin(), Counts.end(), uint64_t(0))};
}

void TensorStatistics::add(const float *From, int64_t Outer, int64_t Channels,
                           int64_t Inner) {
  if (Ranges.empty()) {
    Ranges.resize(Channels);
    Sums.resize(Channels);
    Counts.resize(Channels);
  }
  if (int64_t(Ranges.size()) != Channels)
    joinChannels();
  std::vector<float> Finite;
  for (int64_t Index = 0; Index < Outer * Channels; ++Index) {
    const float *Part = From + Index * Inner;
    const float *End = Part + Inner;
    int64_t Count = Inner;
    if (!std::all_of(Part, End, [](float V) { return std::isfinite(V); })) {
      Finite.clear();
      std::copy_if(Part, End, std::back_inserter(Finite),
                   [](float V) { return std::isfinite(V); });
      NotFinite += Inner - Finite.size();
      Part = Finite.data();
      Count = Finite.size();
    }
    if (Count == 0)
      continue;
    Values.add(Part, Count);
    addChannel(Part, Count, Index % int64_t(Ranges.size()));
  }
}

Range TensorStatistics::range() const {
  Range Result;
  for (const Range &Channel : Ranges)
    Result.include(Channel);
  return Result;
}

std::vector<double> TensorStatistics::channelMeans() const {
  std::vector<double> Means(Sums.size(), 0);
  for (size_t Channel = 0; Channel < Sums.size(); ++Channel)
    if (Counts[Channel])
      Means[Channel] = Sums[Channel] / Counts[Channel];
  return Means;
}

std::optional<TensorStatistics::Outlier> TensorStatistics::outlier() const {
  std::vector<double> Widths;
  for (const Range &Channel : Ranges)
    Widths.push_back(Channel.magnitude());
  if (Widths.size() < 2)
    return std::nullopt;
  const auto Most = std::max_element(Widths.begin(), Widths.end());
  const double Largest = *Most;
  const size_t Channel = Most - Widths.begin();
  const auto Middle = Widths.begin() + Widths.size() / 2;
  std::nth_element(Widths.begin(), Middle, Widths.end());
  if (!(*Middle > 0))
    return std::nullopt;
  return Outlier{Channel, Largest / *Middle};
}
