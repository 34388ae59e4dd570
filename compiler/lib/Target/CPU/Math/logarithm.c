// Part of Tenon, under the Apache License v2.0.
//
// Polynomials: Chebyshev interpolation in 60 digits; errors 2.1e-18 (double),
// 1.2e-9 (float).

#include "logarithm.h"

/// Of (2 atanh(s) / s - 2) / s^2 in s^2.
static const double coefficients[] = {
    0x1.5555555555555p-1, 0x1.9999999999a39p-2, 0x1.2492492476a1ap-2,
    0x1.c71c7201a55d7p-3, 0x1.745cf8e4bba1bp-3, 0x1.3b1c3c1c81c8fp-3,
    0x1.0fbde0f4ad17bp-3, 0x1.0c0aff044a970p-3};

/// log(1 + f) = 2 s + s R = f - s (f - R) = f - (f^2 / 2 - s (f^2 / 2 + R)),
/// where R = s^2 (2 / 3 + ...).
LogRest tenon_log_rest(double f) {
  const double s = f / (2 + f), z = s * s;
  const double halfSquare = 0.5 * f * f;
  return (LogRest){halfSquare,
                   s * (halfSquare + z * POLYNOMIAL(z, coefficients))};
}

/// log(2^e (1 + f)) + correction.
static inline double assemble(double e, double f, double correction) {
  const LogRest rest = tenon_log_rest(f);
  return e * logLn2High -
         ((rest.halfSquare - (rest.series + (e * logLn2Low + correction))) - f);
}

double tenon_log_f64(double x) {
  const Factors of = factorsOf(x);
  return specialLogarithm(x, assemble(of.exponent, of.mantissa - 1, 0));
}

double tenon_log1p_f64(double x) {
  const Pair sum = exactSum(1, x);
  const Factors of = factorsOf(sum.high);
  const double far = assemble(of.exponent, of.mantissa - 1, sum.low / sum.high);
  // Near 0 the sum is not looked at, and -0 stays.
  const double near = x == 0 ? x : assemble(0, x, 0);
  return specialLogarithm(sum.high, x > -0.29 && x < 0.41 ? near : far);
}

/// log(m) / log(base) as a sum of two, where `inverse` is 1 / log(base).
static inline Pair inBase(double f, Pair inverse) {
  const LogRest rest = tenon_log_rest(f);
  // The first part has few bits, so that its product with inverse.high is
  // exact.
  const double high =
      fromBits(bitsOf(f - rest.halfSquare) & 0xffffffff00000000u);
  const double low = ((f - high) - rest.halfSquare) + rest.series;
  return (Pair){high * inverse.high,
                (low + high) * inverse.low + low * inverse.high};
}

double tenon_log2_f64(double x) {
  const Factors of = factorsOf(x);
  const Pair log = inBase(of.mantissa - 1,
                          (Pair){0x1.7154700000000p+0, 0x1.94ae0bf85ddf4p-22});
  const Pair sum = exactSum(of.exponent, log.high);
  return specialLogarithm(x, sum.high + (sum.low + log.low));
}

double tenon_log10_f64(double x) {
  const Factors of = factorsOf(x);
  const Pair log = inBase(of.mantissa - 1,
                          (Pair){0x1.bcb7b00000000p-2, 0x1.526e50e32a6abp-26});
  const Pair sum = exactSum(of.exponent * 0x1.3441350900000p-2, log.high);
  return specialLogarithm(
      x,
      sum.high + (sum.low + (log.low + of.exponent * 0x1.ef3fde623e256p-35)));
}

/// Of ((2 atanh(s) / s - 2) / s^2 - 2 / 3) / s^2 in s^2.
static const double tailCoefficients[] = {
    0x1.999999999999ap-2, 0x1.2492492492522p-2, 0x1.c71c71c6ea5acp-3,
    0x1.745d177ad436ap-3, 0x1.3b1395b82701ep-3, 0x1.1118cd67251c5p-3,
    0x1.df7ba1f4809c3p-4, 0x1.e03a7acf07f85p-4};

Pair tenon_log_pair(double x) {
  const Factors of = factorsOf(x);
  const double f = of.mantissa - 1;
  // s = f / (2 + f) and z = s^2 with their rests.
  const Pair sum = quickSum(2, f);
  const double s = f / sum.high;
  const Pair back = exactProduct(s, sum.high);
  const double sRest = ((f - back.high) - back.low - s * sum.low) / sum.high;
  Pair z = exactProduct(s, s);
  z.low += 2 * s * sRest;
  // 2 / 3 + z Q(z), times z, times s, plus 2 s.
  const Pair third = exactSum(0x1.5555555555555p-1,
                              z.high * POLYNOMIAL(z.high, tailCoefficients));
  const double thirdRest =
      third.low + 0x1.5555555555555p-55 + z.low * tailCoefficients[0];
  Pair series = exactProduct(z.high, third.high);
  series.low += z.high * thirdRest + z.low * third.high;
  Pair cubic = exactProduct(s, series.high);
  cubic.low += s * series.low + sRest * series.high;
  Pair log = quickSum(2 * s, cubic.high);
  log.low += cubic.low + 2 * sRest;
  // The multiple of ln(2), of which a third part is not needed.
  Pair result = exactSum(of.exponent * logLn2High, log.high);
  const Pair rest = exactSum(of.exponent * logLn2Low, log.low);
  result.low += rest.high;
  result = quickSum(result.high, result.low);
  result.low += rest.low;
  return result;
}

/// Of the series for float.
static const double singleCoefficients[] = {
    0x1.5555554ba8b0ep-1, 0x1.9999eb9d6ddfep-2, 0x1.245c273432202p-2,
    0x1.ddd4dad98e4c4p-3};

double tenon_log_of_single(double x) {
  const Factors of = factorsOf(x);
  const double f = of.mantissa - 1, s = f / (2 + f), z = s * s;
  return of.exponent * (logLn2High + logLn2Low) +
         (2 * s + s * z * POLYNOMIAL(z, singleCoefficients));
}

float tenon_log_f32(float x) {
  return (float)specialLogarithm(x, tenon_log_of_single(x));
}

TENON_SINGLE(log1p)
TENON_SINGLE(log2)
TENON_SINGLE(log10)
