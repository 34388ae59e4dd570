// Part of Tenon, under the Apache License v2.0.

#include "exponential.h"
#include "logarithm.h"

/// Whether y is an integer, and an odd one.
typedef struct {
  bool isInteger, isOdd;
} Parity;
static inline Parity parityOf(double y) {
  const double a = absolute(y);
  if (!(a < 0x1p53))
    return (Parity){a >= 0x1p53 && a < infinity ? true : a == infinity, false};
  // The sum's last bit counts ones from 2^52 on, the halves below.
  const double rounded = a < 0x1p52 ? (a + 0x1p52) - 0x1p52 : a;
  const uint64_t last = a < 0x1p52 ? bitsOf(rounded + 0x1p52) : bitsOf(a);
  return (Parity){rounded == a, rounded == a && (last & 1)};
}

/// What C says of pow where e^(y log |x|) does not say it; `power` is that.
static inline double specialPower(double x, double y, double power) {
  const double a = absolute(x);
  const Parity parity = parityOf(y);
  double result = power;
  if (a == 0 || a == infinity)
    result = (a == 0) == (y < 0) ? infinity : 0;
  if (absolute(y) == infinity)
    result = a == 1 ? 1 : (a > 1) == (y > 0) ? infinity : 0;
  if (bitsOf(x) >> 63) {
    if (!parity.isInteger && a != 0 && a != infinity)
      result = __builtin_nan("");
    else if (parity.isOdd)
      result = -result;
  }
  if (isNan(x) || isNan(y))
    result = x + y;
  return y == 0 || x == 1 ? 1 : result;
}

double tenon_pow_f64(double x, double y) {
  const double a = absolute(x);
  const Pair log = tenon_log_pair(a > 0 && a < infinity ? a : 1);
  // Beyond this every power of another number than 1 is 0 or infinite; and
  // products with it neither overflow nor lose their rests.
  const double limit = 0x1p65;
  const double limited = y > limit ? limit : y < -limit ? -limit : y;
  const Pair product = exactProduct(limited, log.high);
  const double rest = product.low + limited * log.low;
  const bool fits = absolute(product.high) < 1000;
  const double high = fits ? product.high : product.high > 0 ? 1000 : -1000;
  return specialPower(x, y, tenon_exp_pair(high, fits ? rest : 0));
}

float tenon_pow_f32(float x, float y) {
  const double a = absolute(x);
  const double log = tenon_log_f64(a > 0 && a < infinity ? a : 1);
  return (float)specialPower(x, y, tenon_exp_f64((double)y * log));
}

/// A third of the exponent, a polynomial for the rest, and two of Halley's
/// steps, which treble the digits; the last one's error is below one unit.
double tenon_cbrt_f64(double x) {
  const double a = absolute(x);
  if (a == 0 || !(a < infinity))
    return x;
  const bool subnormal = a < 0x1p-1022;
  const uint64_t bits = bitsOf(subnormal ? a * 0x1p54 : a);
  const int32_t exponent = (int32_t)(bits >> 52) - 1023;
  const double m = fromBits((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  // exponent = 3 third + rest, with a rest of 0 to 2.
  const int32_t third = (exponent + 3072) / 3 - 1024;
  const int32_t rest = exponent - 3 * third;
  const double value = rest == 0 ? m : rest == 1 ? 2 * m : 4 * m;
  double root = 0.75 + value * (0.3125 - value * 0.0185);
  for (int i = 0; i < 3; ++i) {
    const double cube = root * root * root;
    root = root - root * (cube - value) / (2 * cube + value);
  }
  const Pair square = exactProduct(root, root);
  const Pair cube = exactProduct(square.high, root);
  const double lacks = ((value - cube.high) - cube.low) - square.low * root;
  root += lacks / (3 * square.high);
  return withSignOf(root * powerOfTwo(third - (subnormal ? 18 : 0)), x);
}

TENON_SINGLE(cbrt)

/// mantissa * 2^exponent with the highest bit of the mantissa in bit 52.
typedef struct {
  uint64_t mantissa;
  int32_t exponent;
} Scaled;
static const uint64_t implicitBit = 0x0010000000000000u;
static inline Scaled scaledOf(uint64_t bits) {
  const uint64_t below = bits & (implicitBit - 1);
  if (bits >> 52)
    return (Scaled){below | implicitBit, (int32_t)(bits >> 52)};
  const int32_t up = __builtin_clzll(below) - 11;
  return (Scaled){below << up, 1 - up};
}

/// x - n y for the integer n towards 0 of x / y: exactly, bit by bit of n.
double tenon_fmod_f64(double x, double y) {
  const uint64_t sign = bitsOf(x) & 0x8000000000000000u;
  const uint64_t a = bitsOf(x) ^ sign, b = bitsOf(y) & 0x7fffffffffffffffu;
  if (b == 0 || a >= 0x7ff0000000000000u || b > 0x7ff0000000000000u)
    return __builtin_nan("");
  if (a < b)
    return x;
  Scaled rest = scaledOf(a);
  const Scaled by = scaledOf(b);
  for (; rest.exponent > by.exponent; --rest.exponent) {
    if (rest.mantissa >= by.mantissa)
      rest.mantissa -= by.mantissa;
    rest.mantissa <<= 1;
  }
  if (rest.mantissa >= by.mantissa)
    rest.mantissa -= by.mantissa;
  if (rest.mantissa == 0)
    return fromBits(sign);
  const int32_t up = __builtin_clzll(rest.mantissa) - 11;
  const uint64_t mantissa = rest.mantissa << up;
  const int32_t exponent = by.exponent - up;
  return fromBits(sign | (exponent > 0 ? (mantissa & (implicitBit - 1)) |
                                             (uint64_t)exponent << 52
                                       : mantissa >> (1 - exponent)));
}

float tenon_fmod_f32(float x, float y) { return (float)tenon_fmod_f64(x, y); }
