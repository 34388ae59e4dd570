//===- IntegerSum.cpp - Which sums bear integers --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/IntegerSum.h"
#include <algorithm>
#include <cstdio>

using namespace tenon::quantization;

/// How many times as wide as the other one operand may be: of 256 steps of the
/// sum, 8 are left to the narrower one.
static constexpr double MostRatio = 32;

static double widthOf(const TensorStatistics &Of) {
  Range Seen = Of.range();
  Seen.include(0);
  return Seen.High - Seen.Low;
}

std::string
tenon::quantization::whyNoIntegerSum(const TensorStatistics &First,
                                     const TensorStatistics &Second) {
  if (First.notFinite() || Second.notFinite())
    return "it adds values that are not finite, which no integer stands for";
  auto [Narrow, Wide] = std::minmax(widthOf(First), widthOf(Second));
  if (Narrow == 0)
    return "one of its operands was 0 in every sample, so that nothing is "
           "known of its range";
  if (Wide <= MostRatio * Narrow)
    return "";
  char Text[128];
  std::snprintf(Text, sizeof Text,
                "one of its operands is %.3g times as wide as the other, of "
                "which integers would leave nothing",
                Wide / Narrow);
  return Text;
}
