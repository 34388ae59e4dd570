//===- Arithmetic.cpp - Scales to TOSA's integers -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>

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

namespace {

/// Multipliers from Low to High.
struct Multipliers {
  int64_t Low = 0, High = std::numeric_limits<int32_t>::max();

  /// Those for which sum * multiplier >= Border.
  static Multipliers reaching(int64_t Sum, int64_t Border) {
    Multipliers All;
    if (Sum > 0)
      return {llvm::divideCeilSigned(Border, Sum), All.High};
    if (Sum < 0)
      return {All.Low, llvm::divideFloorSigned(Border, Sum)};
    return Border <= 0 ? All : Multipliers{1, 0};
  }

  Multipliers operator&(const Multipliers &Other) const {
    return {std::max(Low, Other.Low), std::min(High, Other.High)};
  }
};

} // namespace

/// The least sum whose product with `Factor` is rounded to `Result` or more.
static int64_t firstSum(float Factor, int64_t Result) {
  // Rounding a sum and a product moves a border by less than that.
  double Border = (double(Result) - 0.5) / Factor;
  int64_t Slack = 2 + int64_t(std::ldexp(std::fabs(Border), -22));
  int64_t Below = int64_t(Border) - Slack, Reaching = int64_t(Border) + Slack;
  while (Reaching - Below > 1) {
    int64_t Middle = Below + (Reaching - Below) / 2;
    (std::nearbyint(float(Middle) * Factor) >= Result ? Reaching : Below) =
        Middle;
  }
  return Reaching;
}

std::optional<MultiplierShift>
tenon::frontend::floatMultiplierShift(double Scale, float Factor, int64_t Low,
                                      int64_t High) {
  std::optional<MultiplierShift> Nearest = multiplierShift(Scale);
  if (!Nearest || !(Factor > 0) || !std::isfinite(Factor))
    return Nearest;
  Multipliers Fitting;
  for (int64_t Distance = 0; Distance < std::max(High, 1 - Low); ++Distance)
    for (int64_t Result : {Distance + 1, -Distance}) {
      if (Result <= Low || Result > High ||
          std::fabs((double(Result) - 0.5) / Factor) > INT32_MAX)
        continue; // no sum is there
      int64_t First = firstSum(Factor, Result);
      // (sum * multiplier + 2^(shift-1)) >> shift is Result or more from here.
      int64_t Border = (2 * Result - 1) * (int64_t(1) << (Nearest->Shift - 1));
      Multipliers Kept = Fitting & Multipliers::reaching(First, Border) &
                         Multipliers::reaching(1 - First, 1 - Border);
      if (Kept.Low <= Kept.High)
        Fitting = Kept;
    }
  Nearest->Multiplier = int32_t(
      std::clamp<int64_t>(Nearest->Multiplier, Fitting.Low, Fitting.High));
  return Nearest;
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
