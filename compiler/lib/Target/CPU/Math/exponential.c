// Part of Tenon, under the Apache License v2.0.
//
// e^x = 2^k e^r with an integer k and |r| <= ln(2) / 2. Polynomials: Chebyshev
// interpolation in 60 digits; errors 1.4e-18 (double), 1.4e-9 (float).

#include "exponential.h"

/// Of (e^r - 1 - r) / r^2.
static const double coefficients[] = {
    0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,
    0x1.11111111100dcp-7,  0x1.6c16c16c162d4p-10, 0x1.a01a01abe7fe1p-13,
    0x1.a01a01a6d889cp-16, 0x1.71de0231960ebp-19, 0x1.27e4db646b17ep-22,
    0x1.af4de97ca4194p-26, 0x1.1f730349868cep-29};

/// ln(2) with a first part of 32 bits, which k multiplies exactly.
static const double ln2High = 0x1.62e42fee00000p-1;
static const double ln2Low = 0x1.a39ef35793c76p-33;
static const double log2OfE = 0x1.71547652b82fep+0;

static inline double clamped(double x, double least, double most) {
  x = x < least ? least : x; // NaN stays
  return x > most ? most : x;
}

/// 2^k in two factors, for k from -2044 to 2046.
static inline double scaled(double x, int64_t k) {
  const int64_t half = k >> 1;
  return x * powerOfTwo(half) * powerOfTwo(k - half);
}

/// e^r - 1 for r = high + low.
static inline double minusOne(double high, double low) {
  return high + (high * high * POLYNOMIAL(high, coefficients) + low);
}

/// Makes k and r of x.
typedef struct {
  int64_t k;
  double high, low;
} Reduced;
static inline Reduced reduce(double x) {
  const double shifted = x * log2OfE + roundingShift;
  const double k = shifted - roundingShift;
  const Pair r = quickSum(x - k * ln2High, -(k * ln2Low));
  return (Reduced){shiftedInteger(shifted), r.high, r.low};
}

double tenon_exp_scaled(double x, int64_t exponent) {
  const Reduced r = reduce(clamped(x, -800, 800));
  return scaled(1 + minusOne(r.high, r.low), r.k + exponent);
}

double tenon_exp_pair(double high, double low) {
  const Reduced r = reduce(clamped(high, -800, 800));
  const Pair sum = quickSum(r.high, r.low + low);
  return scaled(1 + minusOne(sum.high, sum.low), r.k);
}

double tenon_exp_f64(double x) { return tenon_exp_scaled(x, 0); }

double tenon_exp2_f64(double x) {
  const double limited = clamped(x, -1200, 1200);
  const double shifted = limited + roundingShift;
  const double fraction = limited - (shifted - roundingShift);
  const Pair r = quickSum(fraction * ln2High, fraction * ln2Low);
  return scaled(1 + minusOne(r.high, r.low), shiftedInteger(shifted));
}

double tenon_expm1_f64(double x) {
  const Reduced r = reduce(clamped(x, -800, 800));
  const double fraction = minusOne(r.high, r.low);
  if (r.k == 0)
    return x == 0 ? x : fraction; // -0 stays
  // 2^k - 1 is exact up to 2^53, and from there on the 1 is lost.
  const int64_t k = r.k < -60 ? -60 : r.k > 60 ? 60 : r.k;
  const double power = powerOfTwo(k);
  const double near = power * fraction + (power - 1);
  return r.k > 60 ? scaled(1 + fraction, r.k) : near;
}

/// Of the same for float.
static const double singleCoefficients[] = {
    0x1.0000000b9129bp-1, 0x1.5555555a78ed4p-3,  0x1.5554e9063586ep-5,
    0x1.1110e0f238322p-7, 0x1.6d43246b523b4p-10, 0x1.a124f19fe89acp-13};

double tenon_exp_of_single(double x) {
  const double limited = clamped(x, -150, 150);
  const double shifted = limited * log2OfE + roundingShift;
  const double k = shifted - roundingShift;
  const double r = limited - k * (ln2High + ln2Low);
  const double e = 1 + (r + r * r * POLYNOMIAL(r, singleCoefficients));
  return e * powerOfTwo(shiftedInteger(shifted));
}

float tenon_exp_f32(float x) { return (float)tenon_exp_of_single(x); }

float tenon_exp2_f32(float x) {
  const double limited = clamped(x, -200, 200);
  const double shifted = limited + roundingShift;
  const double r = (limited - (shifted - roundingShift)) * (ln2High + ln2Low);
  const double e = 1 + (r + r * r * POLYNOMIAL(r, singleCoefficients));
  return (float)(e * powerOfTwo(shiftedInteger(shifted)));
}

float tenon_expm1_f32(float x) { return (float)tenon_expm1_f64(x); }
