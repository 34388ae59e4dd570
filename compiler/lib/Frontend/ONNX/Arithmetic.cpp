//===- Arithmetic.cpp - Scales to TOSA's integers -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include <algorithm>
#include <cmath>

using namespace tenon::frontend;

static constexpr int AdditionBits = 21;
static constexpr int MinShift = 2, MaxShift = 62;

std::optional<MultiplierShift> tenon::frontend::multiplierShift(double Scale) {
  if (!(Scale > 0) || !std::isfinite(Scale))
    return std::nullopt;
  int Exponent;
  double Mantissa = std::frexp(Scale, &Exponent);
  int64_t Multiplier = std::llrint(std::ldexp(Mantissa, 31));
  if (Multiplier == int64_t(1) << 31) {
    Multiplier /= 2;
    ++Exponent;
  }
  int Shift = 31 - Exponent;
  if (Shift > MaxShift) {
    Multiplier >>= std::min(31, Shift - MaxShift);
    Shift = MaxShift;
  }
  if (Shift < MinShift)
    return std::nullopt;
  return MultiplierShift{int32_t(Multiplier), int8_t(Shift)};
}

std::optional<AdditionScale> tenon::frontend::additionScale(double First,
                                                            double Second) {
  double Largest = std::max(First, Second);
  if (!(std::min(First, Second) > 0) || !std::isfinite(Largest))
    return std::nullopt;
  int Exponent;
  std::frexp(Largest, &Exponent);
  int Shift = AdditionBits - Exponent;
  if (Shift < MinShift || Shift > MaxShift)
    return std::nullopt;
  auto Scaled = [&](double Ratio) {
    return int32_t(std::llrint(std::ldexp(Ratio, Shift)));
  };
  return AdditionScale{Scaled(First), Scaled(Second), int8_t(Shift)};
}
