// Part of Tenon, under the Apache License v2.0.

#include "functions.h"
#include "numbers.h"

//===----------------------------------------------------------------------===//
// Floats of 16 bits
//===----------------------------------------------------------------------===//

float tenon_f32_from_f16(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  const uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
  // Subnormal numbers count units of 2^-24.
  const uint32_t subnormal = bitsOfSingle((float)(half & 0x7fff) * 0x1p-24f);
  uint32_t bits = magnitude + ((127 - 15) << 23);
  bits = magnitude >= 0x0f800000 ? magnitude + ((255 - 31) << 23) : bits;
  bits = magnitude > 0x0f800000 ? bits | 0x00400000 : bits; // a quiet NaN
  return singleFromBits((magnitude < 0x00800000 ? subnormal : bits) | sign);
}

double tenon_f64_from_f16(uint16_t half) { return tenon_f32_from_f16(half); }

uint16_t tenon_f16_from_f32(float x) {
  const uint32_t bits = bitsOfSingle(x), sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  // Half of the last place, less where the place is even: ties to even.
  const uint32_t normal =
      (magnitude - ((127 - 15) << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  // Below 2^-14 the sum has the last place of a subnormal number.
  const uint32_t subnormal =
      bitsOfSingle(singleFromBits(magnitude) + 0.5f) - 0x3f000000;
  const uint32_t nan = 0x7e00 | (magnitude >> 13 & 0x1ff);
  uint32_t half = magnitude < 0x38800000 ? subnormal : normal;
  half = magnitude >= 0x477ff000 ? 0x7c00 : half; // 65520 rounds to infinity
  half = magnitude > 0x7f800000 ? nan : half;
  return (uint16_t)(half | sign);
}

/// To float, towards the neighbour with an odd last bit where something is
/// lost: rounding that once more is as if the double itself were rounded (S.
/// Boldo and G. Melquiond, Emulation of a FMA and Correctly Rounded Sums,
/// 2008).
static inline float toOdd(double x) {
  const float nearest = (float)x;
  const double back = nearest;
  uint32_t bits = bitsOfSingle(nearest);
  const bool inexact = back != x && !isNan(x);
  const bool away = absolute(back) > absolute(x);
  bits = inexact && away ? bits - 1 : bits;
  return singleFromBits(inexact ? bits | 1 : bits);
}

uint16_t tenon_f16_from_f64(double x) { return tenon_f16_from_f32(toOdd(x)); }

float tenon_f32_from_bf16(uint16_t brain) {
  const uint32_t bits = (uint32_t)brain << 16;
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  return singleFromBits(nan ? bits | 0x00400000 : bits);
}

double tenon_f64_from_bf16(uint16_t brain) {
  return tenon_f32_from_bf16(brain);
}

uint16_t tenon_bf16_from_f32(float x) {
  const uint32_t bits = bitsOfSingle(x);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  return (uint16_t)(nan ? bits >> 16 | 0x40 : rounded);
}

uint16_t tenon_bf16_from_f64(double x) { return tenon_bf16_from_f32(toOdd(x)); }

//===----------------------------------------------------------------------===//
// Integers of 64 bits, from integers of 32 bits
//===----------------------------------------------------------------------===//

uint64_t tenon_u64_from_f64(double x) {
  if (!(x >= 1)) // NaN as well
    return 0;
  if (x >= 0x1p64)
    return UINT64_MAX;
  const int32_t exponent = (int32_t)(bitsOf(x) >> 52) - 1075;
  const uint64_t mantissa =
      (bitsOf(x) & 0x000fffffffffffffu) | 0x0010000000000000u;
  return exponent < 0 ? mantissa >> -exponent : mantissa << exponent;
}

int64_t tenon_i64_from_f64(double x) {
  if (x >= 0x1p63)
    return INT64_MAX;
  if (x < -0x1p63)
    return INT64_MIN;
  const uint64_t magnitude = tenon_u64_from_f64(absolute(x));
  return (int64_t)(x < 0 ? 0 - magnitude : magnitude);
}

/// The sum of the halves, each exact, is rounded once.
double tenon_f64_from_u64(uint64_t x) {
  return (double)(uint32_t)(x >> 32) * 0x1p32 + (double)(uint32_t)x;
}

double tenon_f64_from_i64(int64_t x) {
  return (double)(int32_t)(x >> 32) * 0x1p32 + (double)(uint32_t)x;
}

/// The last bits of more than a double holds become one that says that they
/// were not zero, so that nothing is rounded twice.
static inline uint64_t sticky(uint64_t x) {
  const bool lost = (x & 0x7ff) != 0;
  return x >> 53 ? (x & ~(uint64_t)0x7ff) | (lost ? 0x800 : 0) : x;
}

float tenon_f32_from_u64(uint64_t x) {
  return (float)tenon_f64_from_u64(sticky(x));
}

float tenon_f32_from_i64(int64_t x) {
  const bool negative = x < 0;
  const float magnitude =
      tenon_f32_from_u64(negative ? 0 - (uint64_t)x : (uint64_t)x);
  return negative ? -magnitude : magnitude;
}
