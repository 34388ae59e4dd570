// Part of Tenon, under the Apache License v2.0.
//
// What the mathematics library is made of: bits of floats, polynomials, and
// sums and products that keep what rounding leaves out.

#ifndef TENON_LIB_TARGET_CPU_MATH_NUMBERS_H
#define TENON_LIB_TARGET_CPU_MATH_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

static const double infinity = __builtin_inf();

static inline uint64_t bitsOf(double x) {
  uint64_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double fromBits(uint64_t bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint32_t bitsOfSingle(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline float singleFromBits(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

static inline double absolute(double x) { return __builtin_fabs(x); }

static inline double withSignOf(double magnitude, double sign) {
  return __builtin_copysign(magnitude, sign);
}

static inline bool isNan(double x) { return x != x; }

/// 2^exponent for exponents of normal numbers.
static inline double powerOfTwo(int64_t exponent) {
  return fromBits((uint64_t)(exponent + 1023) << 52);
}

/// Rounds |x| < 2^51 to an integer, ties to even: the sum has no room for a
/// fraction, and the integer in its last bits.
static const double roundingShift = 0x1.8p52;
static inline int64_t shiftedInteger(double sum) {
  return (int64_t)(bitsOf(sum) << 13) >> 13; // 51 bits below the shift's own
}

/// c[0] + c[1] * x + c[2] * x^2 + ..., of at least as many coefficients as there
/// are chains. In one chain each multiplication would wait for the addition
/// before; here every second or fourth coefficient has a chain of its own.
#define POLYNOMIAL(x, c) evaluate((x), (c), (int)(sizeof(c) / sizeof((c)[0])))
static inline
    __attribute__((always_inline)) double evaluate(double x, const double *c,
                                                   int count) {
  const int chains = count > 8 ? 4 : 2;
  const double square = x * x;
  const double step = chains == 4 ? square * square : square;
  double sums[4];
#pragma clang loop unroll(full)
  for (int i = count - 1; i >= 0; --i)
    sums[i % chains] =
        i + chains < count ? sums[i % chains] * step + c[i] : c[i];
  const double low = sums[0] + x * sums[1];
  return chains == 4 ? low + square * (sums[2] + x * sums[3]) : low;
}

/// high + low, where low is less than half a unit in high's last place.
typedef struct {
  double high, low;
} Pair;

/// a + b exactly, for |a| >= |b| or a = 0 (Dekker's Fast2Sum).
static inline Pair quickSum(double a, double b) {
  const double sum = a + b;
  return (Pair){sum, b - (sum - a)};
}

/// a + b exactly (Knuth's TwoSum).
static inline Pair exactSum(double a, double b) {
  const double sum = a + b, seen = sum - a;
  return (Pair){sum, (a - (sum - seen)) + (b - seen)};
}

/// The upper 26 bits of x, and the rest, which has as many.
static inline Pair split(double x) {
  const double high = fromBits(bitsOf(x) & 0xfffffffff8000000u);
  return (Pair){high, x - high};
}

/// a * b exactly, where nothing overflows or is subnormal (Dekker's product).
static inline Pair exactProduct(double a, double b) {
  const Pair x = split(a), y = split(b);
  const double product = a * b;
  return (Pair){
      product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) +
                   x.low * y.low};
}

#endif // TENON_LIB_TARGET_CPU_MATH_NUMBERS_H
