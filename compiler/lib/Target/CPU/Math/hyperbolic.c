// Part of Tenon, under the Apache License v2.0.
//
// Of e^x - 1 and log(1 + x), so that nothing is lost near 0.

#include "exponential.h"

double tenon_sinh_f64(double x) {
  const double magnitude = absolute(x);
  const double less = tenon_expm1_f64(magnitude);
  const double near = 0.5 * (magnitude < 1 ? 2 * less - less * less / (less + 1)
                                           : less + less / (less + 1));
  const double result = magnitude < 22 ? near : tenon_exp_scaled(magnitude, -1);
  return withSignOf(result, x);
}

double tenon_cosh_f64(double x) {
  const double magnitude = absolute(x);
  const double less = tenon_expm1_f64(magnitude);
  const double more = tenon_exp_f64(magnitude);
  const double near = magnitude < 0.35 ? 1 + less * less / (2 * (1 + less))
                                       : 0.5 * more + 0.5 / more;
  return magnitude < 22 ? near : tenon_exp_scaled(magnitude, -1);
}

double tenon_tanh_f64(double x) {
  const double magnitude = absolute(x);
  const double limited = magnitude < 22 ? magnitude : 22;
  const double less = tenon_expm1_f64(-2 * limited);
  const double more = tenon_expm1_f64(2 * limited);
  const double result = limited < 1 ? -less / (less + 2) : 1 - 2 / (more + 2);
  return isNan(x) ? x : withSignOf(result, x);
}

static const double ln2 = 0x1.62e42fefa39efp-1;

double tenon_asinh_f64(double x) {
  const double a = absolute(x), square = a * a;
  double result =
      tenon_log1p_f64(a + square / (1 + __builtin_sqrt(square + 1)));
  if (a > 2)
    result = tenon_log_f64(2 * a + 1 / (__builtin_sqrt(square + 1) + a));
  if (a > 0x1p28)
    result = tenon_log_f64(a) + ln2;
  return withSignOf(result, x);
}

double tenon_acosh_f64(double x) {
  const double above = x - 1;
  if (x < 1)
    return __builtin_nan("");
  if (x > 0x1p28)
    return tenon_log_f64(x) + ln2;
  if (x > 2)
    return tenon_log_f64(2 * x - 1 / (x + __builtin_sqrt(x * x - 1)));
  return tenon_log1p_f64(above + __builtin_sqrt(2 * above + above * above));
}

double tenon_atanh_f64(double x) {
  const double a = absolute(x), twice = 2 * a;
  const double argument =
      a < 0.5 ? twice + twice * a / (1 - a) : twice / (1 - a);
  return withSignOf(0.5 * tenon_log1p_f64(argument), x);
}

/// (e^2x - 1) / (e^2x + 1) loses what is left of 1 for small x: there Lambert's
/// continued fraction x (15 + x^2) / (15 + 6 x^2), 2^-32 at 1/8. One division
/// for both: it is what takes longest.
float tenon_tanh_f32(float x) {
  const double magnitude = absolute(x);
  const double limited = magnitude < 10 ? magnitude : 10;
  const double power = tenon_exp_of_single(2 * limited);
  const double square = limited * limited;
  const bool isNear = limited < 0.125;
  const double above = isNear ? limited * (15 + square) : power - 1;
  const double below = isNear ? 15 + 6 * square : power + 1;
  return isNan(x) ? x : (float)withSignOf(above / below, x);
}

TENON_SINGLE(acosh)
TENON_SINGLE(asinh)
TENON_SINGLE(atanh)
TENON_SINGLE(cosh)
TENON_SINGLE(sinh)
