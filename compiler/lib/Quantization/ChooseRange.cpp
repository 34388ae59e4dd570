//===- ChooseRange.cpp - Ranges from statistics ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// All but min-max look at the histogram alone.  Searches shrink the range that
// was seen: nothing is gained by a wider one.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Parameters.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace tenon::quantization;

using Counts = std::vector<uint64_t>;

/// The part of `Of` that is within `Seen`, which a bin's edge may exceed.
static Range within(Range Of, const Range &Seen) {
  return {std::max(Of.Low, Seen.Low), std::min(Of.High, Seen.High)};
}

//===----------------------------------------------------------------------===//
// Percentile
//===----------------------------------------------------------------------===//

/// Of all values that are not 0: those of a sparse tensor would else make its
/// rare ones outliers.  At each end at most half of the outliers are cut off.
static Range percentileRange(const Histogram &H, double Percentile) {
  const Counts &Bins = H.counts();
  const double Outliers = (H.total() - H.zeros()) * (1 - Percentile / 100) / 2;
  int64_t First = 0, Last = Histogram::Bins - 1;
  for (double Seen = Bins[First]; Seen <= Outliers && First < Last;)
    Seen += Bins[++First];
  for (double Seen = Bins[Last]; Seen <= Outliers && Last > First;)
    Seen += Bins[--Last];
  return {H.centre(First) - H.binWidth() / 2,
          H.centre(Last) + H.binWidth() / 2};
}

//===----------------------------------------------------------------------===//
// Mean squared error
//===----------------------------------------------------------------------===//

/// The sum of squared differences between a histogram's values, taken at the
/// middle of their bins, and what `To` makes of them.
static double squaredError(const Histogram &H, const Parameters &To) {
  double Sum = 0;
  const double Low = To.dequantize(To.least()), High = To.dequantize(To.most());
  const double Scale = To.Scale;
  for (int64_t Bin = 0; Bin < Histogram::Bins; ++Bin) {
    const uint64_t Count = H.counts()[Bin];
    if (!Count)
      continue;
    const double Value = H.centre(Bin);
    const double Nearest = std::nearbyint(Value / Scale) * Scale;
    const double Difference = Value - std::clamp(Nearest, Low, High);
    // Within a step narrower than a bin only the bin's own width is known.
    Sum += Count * Difference * Difference;
  }
  return Sum;
}

/// How finely the ends of a range are searched.
static constexpr int Steps = 64;

/// Both ends shrink together, then each alone from where the error was least.
static Range mseRange(const Histogram &H, const Range &Seen,
                      const Scheme &Quantized) {
  double Least = std::numeric_limits<double>::infinity();
  double BestLow = 1, BestHigh = 1;
  auto attempt = [&](double Low, double High) {
    double Error = squaredError(
        H, parametersOf({Seen.Low * Low, Seen.High * High}, Quantized));
    if (Error < Least) {
      Least = Error;
      BestLow = Low;
      BestHigh = High;
    }
  };
  for (int Step = Steps; Step > 0; --Step)
    attempt(double(Step) / Steps, double(Step) / Steps);
  if (Seen.Low < 0 && Seen.High > 0) {
    const double High = BestHigh;
    for (int Step = Steps; Step > 0; --Step)
      attempt(double(Step) / Steps, High);
    const double Low = BestLow;
    for (int Step = Steps; Step > 0; --Step)
      attempt(Low, double(Step) / Steps);
  }
  return {Seen.Low * BestLow, Seen.High * BestHigh};
}

//===----------------------------------------------------------------------===//
// Entropy
//===----------------------------------------------------------------------===//

/// The divergence of what `Levels` levels over the bins [First, Last) can tell
/// from the values clipped to them.
static double divergence(const Counts &Bins, int64_t First, int64_t Last,
                         int64_t Levels) {
  std::vector<double> Clipped(Bins.begin() + First, Bins.begin() + Last);
  double Total = 0;
  for (int64_t Bin = 0; Bin < int64_t(Bins.size()); ++Bin) {
    Total += Bins[Bin];
    if (Bin < First)
      Clipped.front() += Bins[Bin];
    else if (Bin >= Last)
      Clipped.back() += Bins[Bin];
  }
  const int64_t Size = Last - First;
  double Sum = 0;
  for (int64_t Level = 0; Level < Levels; ++Level) {
    const int64_t Begin = Size * Level / Levels;
    const int64_t End = Size * (Level + 1) / Levels;
    double Held = 0;
    int64_t Filled = 0;
    for (int64_t Bin = Begin; Bin < End; ++Bin) {
      Held += Bins[First + Bin];
      Filled += Clipped[Bin] > 0;
    }
    for (int64_t Bin = Begin; Bin < End; ++Bin)
      if (Clipped[Bin] > 0) {
        // A level whose only values were clipped into it tells nothing of them.
        double Told = std::max(Held, 1e-9) / Filled;
        Sum += Clipped[Bin] * std::log(Clipped[Bin] / Told);
      }
  }
  return Sum / Total;
}

/// The ends shrink towards 0 in proportion to what was seen, from the whole
/// range to one of as many bins as there are levels.
static Range entropyRange(const Histogram &H, const Range &Seen,
                          const Scheme &Quantized) {
  const int64_t Levels = int64_t(1) << Quantized.Bits;
  auto binOf = [&](double Value) {
    return std::clamp<int64_t>((Value + H.range()) / H.binWidth(), 0,
                               Histogram::Bins - 1);
  };
  constexpr int Candidates = 128;
  double Least = std::numeric_limits<double>::infinity();
  Range Best = Seen;
  for (int Step = Candidates; Step > 0; --Step) {
    const double Share = double(Step) / Candidates;
    const int64_t First = binOf(Seen.Low * Share);
    const int64_t Last = binOf(Seen.High * Share) + 1;
    if (Last - First < Levels)
      break;
    const double Lost = divergence(H.counts(), First, Last, Levels);
    if (Lost < Least) {
      Least = Lost;
      Best = {Seen.Low * Share, Seen.High * Share};
    }
  }
  return Best;
}

Range tenon::quantization::chooseRange(const TensorStatistics &Of,
                                       const RangeOptions &Options,
                                       const Scheme &Quantized) {
  Range Seen = Of.range();
  Seen.include(0);
  const Histogram &H = Of.histogram();
  if (H.range() == 0)
    return Seen;
  switch (Options.How) {
  case Method::MinMax:
    return Seen;
  case Method::Percentile: {
    Range Inner = within(percentileRange(H, Options.Percentile), Seen);
    Inner.include(0);
    return Inner;
  }
  case Method::Entropy:
    return entropyRange(H, Seen, Quantized);
  case Method::Mse:
    return mseRange(H, Seen, Quantized);
  }
  return Seen;
}
