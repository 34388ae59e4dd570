//===- Histogram.cpp - How often which values occur -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Histogram.h"
#include <algorithm>
#include <cmath>

using namespace tenon::quantization;

/// Halves the number of bins around the middle: bin b holds [b, b + 1) widths
/// from -Range, which are half a width's place from -2 Range.
static void mergePairs(std::vector<uint64_t> &Counts) {
  std::vector<uint64_t> Merged(Counts.size(), 0);
  const size_t First = Counts.size() / 4;
  for (size_t Bin = 0; Bin < Counts.size(); ++Bin)
    Merged[First + Bin / 2] += Counts[Bin];
  Counts = std::move(Merged);
}

void Histogram::growTo(double Magnitude) {
  // A power of two: every width divides the ones that follow it.
  double Wanted = std::exp2(std::floor(std::log2(Magnitude)) + 1);
  if (Range == 0) {
    Counts.assign(Bins, 0);
    Range = Wanted;
  }
  for (; Range < Wanted; Range *= 2)
    mergePairs(Counts);
}

void Histogram::add(const float *Values, int64_t Count) {
  float Largest = 0;
  for (int64_t At = 0; At < Count; ++At)
    Largest = std::max(Largest, std::fabs(Values[At]));
  if (Largest > 0 && Largest >= Range)
    growTo(Largest);
  Total += Count;
  if (Range == 0) {
    Zeros += Count;
    return;
  }
  const double PerWidth = 1 / binWidth();
  for (int64_t At = 0; At < Count; ++At) {
    if (Values[At] == 0)
      ++Zeros;
    else
      ++Counts[int64_t((Values[At] + Range) * PerWidth)];
  }
}
