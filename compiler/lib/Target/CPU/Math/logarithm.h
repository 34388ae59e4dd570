// Part of Tenon, under the Apache License v2.0.
//
// What logarithms have in common: x = 2^e m with m from sqrt(1/2) to sqrt(2),
// and log(m) = 2 atanh(s), s = (m - 1) / (m + 1).

#ifndef TENON_LIB_TARGET_CPU_MATH_LOGARITHM_H
#define TENON_LIB_TARGET_CPU_MATH_LOGARITHM_H

#include "functions.h"
#include "numbers.h"

/// ln(2) with a first part of 32 bits, which e multiplies exactly.
static const double logLn2High = 0x1.62e42fee00000p-1;
static const double logLn2Low = 0x1.a39ef35793c76p-33;

typedef struct {
  double exponent, mantissa;
} Factors;

/// Of a positive finite x.
static inline Factors factorsOf(double x) {
  const bool subnormal = x < 0x1p-1022;
  const uint64_t bits = bitsOf(subnormal ? x * 0x1p54 : x);
  // Moves sqrt(1/2) to a border between exponents.
  const uint64_t moved = bits - 0x3fe6a09e667f3bcdu;
  const int64_t exponent = (int64_t)moved >> 52;
  const double mantissa =
      fromBits((moved & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
  return (Factors){(double)((int32_t)exponent - (subnormal ? 54 : 0)),
                   mantissa};
}

/// What a logarithm is where it is none of a positive finite number.
static inline double specialLogarithm(double x, double result) {
  result = x == 0 ? -infinity : result;
  result = x < 0 ? __builtin_nan("") : result;
  return x < infinity ? result : x; // infinity and NaN
}

/// log(1 + f) = f - rest for f from sqrt(1/2) - 1 to sqrt(2) - 1; the half of
/// f^2 apart, which is most of the rest.
typedef struct {
  double halfSquare, series;
} LogRest;
LogRest tenon_log_rest(double f);

/// log(x) of a positive finite x, with 2^-65 of it lost.
Pair tenon_log_pair(double x);

/// log(x) of a positive normal x with an error of 2^-29 relative to s.
double tenon_log_of_single(double x);

#endif // TENON_LIB_TARGET_CPU_MATH_LOGARITHM_H
