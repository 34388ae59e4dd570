// Part of Tenon, under the Apache License v2.0.
//
// Polynomials: Chebyshev interpolation in 60 digits; errors 3.9e-18
// and 6.4e-20.

#include "functions.h"
#include "numbers.h"

static const Pair halfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c06p-54};

/// Of (atan(t) / t - 1) / t^2 in t^2, for |t| <= 7 / 16.
static const double arcTangent[] = {
    -0x1.5555555555555p-2, 0x1.99999999998c5p-3,  -0x1.2492492485503p-3,
    0x1.c71c71bd2b8bcp-4,  -0x1.745d154c84f7ap-4, 0x1.3b1375ce5bdc6p-4,
    -0x1.110c9ce7b0572p-4, 0x1.e170800a46210p-5,  -0x1.ab59b417b2d3fp-5,
    0x1.7001816fd063fp-5,  -0x1.0f62bba6a2558p-5, 0x1.e4167464d3de8p-7};

/// Of (asin(t) / t - 1) / t^2 in t^2, for |t| <= 1 / 2.
static const double arcSine[] = {
    0x1.5555555555555p-3, 0x1.333333333332dp-4,  0x1.6db6db6db7c7fp-5,
    0x1.f1c71c70ee54ap-6, 0x1.6e8ba31c9dc09p-6,  0x1.1c4ebd7735bf2p-6,
    0x1.c99afe79266f3p-7, 0x1.7a70c2a695fe0p-7,  0x1.40e38d543d8d2p-7,
    0x1.0a9849ba5937fp-7, 0x1.2031dbbbbad45p-7,  0x1.8f5a75293b096p-12,
    0x1.7184808eff5eep-6, -0x1.898d77b6dddb2p-6, 0x1.f74bdb0d4b5bep-6};

/// atan(x) = atan(c) + atan((x - c) / (1 + c x)) for the nearest of some c; an
/// infinite c is -1 / x.
typedef struct {
  double numerator, denominator;
  Pair angle; ///< atan(c)
} Turned;
static inline Turned turned(double x) {
  Turned t = {x, 1, {0, 0}};
  if (x >= 0.4375)
    t = (Turned){
        2 * x - 1, 2 + x, {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}};
  if (x >= 0.6875)
    t = (Turned){x - 1, x + 1, {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
  if (x >= 1.1875)
    t = (Turned){
        x - 1.5, 1 + 1.5 * x, {0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56}};
  if (x >= 2.4375)
    t = (Turned){-1, x, halfPi};
  return t;
}

/// atan(x) of x >= 0, as a sum of which the low part is not less than the
/// error.
static inline Pair arcTangentOf(double x) {
  const Turned by = turned(x);
  const double t = by.numerator / by.denominator, z = t * t;
  const double rest = t * z * POLYNOMIAL(z, arcTangent);
  const Pair sum = exactSum(by.angle.high, t);
  return (Pair){sum.high, sum.low + (by.angle.low + rest)};
}

double tenon_atan_f64(double x) {
  const Pair angle = arcTangentOf(absolute(x));
  return withSignOf(angle.high + angle.low, x);
}

double tenon_atan2_f64(double y, double x) {
  const double width = absolute(x), height = absolute(y);
  double quotient = height / width;
  if (height == 0 && width == 0)
    quotient = 0;
  if (height == infinity && width == infinity)
    quotient = 1;
  Pair angle = arcTangentOf(quotient);
  double result = angle.high + angle.low;
  // pi - angle; -0 lies there too.
  if (bitsOf(x) >> 63) {
    const Pair sum = exactSum(2 * halfPi.high, -angle.high);
    result = sum.high + (sum.low + (2 * halfPi.low - angle.low));
  }
  return isNan(x) || isNan(y) ? x + y : withSignOf(result, y);
}

static inline double arcSineRest(double z) {
  return z * POLYNOMIAL(z, arcSine);
}

/// For |x| > 1/2: sqrt((1 - |x|) / 2), whose arc sine is half of acos(|x|), as
/// a root and what it lacks.
typedef struct {
  Pair root;
  double rest; ///< asin(root) = root + root * rest
} Half;
static inline Half halfOf(double magnitude) {
  const double z = 0.5 * (1 - magnitude), root = __builtin_sqrt(z);
  const Pair square = exactProduct(root, root);
  const double lacks =
      root > 0 ? ((z - square.high) - square.low) / (2 * root) : 0;
  return (Half){{root, lacks}, arcSineRest(z)};
}

double tenon_asin_f64(double x) {
  const double magnitude = absolute(x);
  if (magnitude < 0.5)
    return x + x * arcSineRest(x * x);
  const Half half = halfOf(magnitude);
  const Pair sum = exactSum(halfPi.high, -2 * half.root.high);
  return withSignOf(
      sum.high + (sum.low + (halfPi.low -
                             2 * (half.root.low + half.root.high * half.rest))),
      x);
}

double tenon_acos_f64(double x) {
  const double magnitude = absolute(x);
  if (magnitude < 0.5) {
    const Pair sum = exactSum(halfPi.high, -x);
    return sum.high + (sum.low + (halfPi.low - x * arcSineRest(x * x)));
  }
  const Half half = halfOf(magnitude);
  const double low = half.root.low + half.root.high * half.rest;
  if (x > 0)
    return 2 * (half.root.high + low);
  const Pair sum = exactSum(2 * halfPi.high, -2 * half.root.high);
  return sum.high + (sum.low + (2 * halfPi.low - 2 * low));
}

TENON_SINGLE(acos)
TENON_SINGLE(asin)
TENON_SINGLE(atan)
float tenon_atan2_f32(float y, float x) { return (float)tenon_atan2_f64(y, x); }
