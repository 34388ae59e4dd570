// Part of Tenon, under the Apache License v2.0.
//
// x = n pi / 2 + r with |r| <= pi / 4, then polynomials in r^2: Chebyshev
// interpolation in 60 digits; errors 2.1e-17 and 1.3e-18 (double), 2.9e-11 and
// 2.1e-9 (float).

#include "functions.h"
#include "numbers.h"

/// Of (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4.
static const double sine[] = {-0x1.5555555555555p-3,  0x1.1111111110bb1p-7,
                              -0x1.a01a019e8357dp-13, 0x1.71de37961e4c6p-19,
                              -0x1.ae600a926c89ap-26, 0x1.5e0af186af739p-33};
static const double cosine[] = {0x1.5555555555555p-5,  -0x1.6c16c16c16966p-10,
                                0x1.a01a019f4e867p-16, -0x1.27e4fa17a41b4p-22,
                                0x1.1eeb68b109173p-29, -0x1.907d7aebd5e3dp-37};
static const double singleSine[] = {-0x1.555555545dd83p-3, 0x1.11110deeb33b2p-7,
                                    -0x1.a013a6edc8f34p-13,
                                    0x1.6dbdd26f56d2dp-19};
static const double singleCosine[] = {
    0x1.555554414e3a6p-5, -0x1.6c12d2887c343p-10, 0x1.9bd86445fb99bp-16};

/// The remainder and the quadrant, modulo 4.
typedef struct {
  Pair r;
  uint32_t quadrant;
} Angle;

//===----------------------------------------------------------------------===//
// Large angles
//===----------------------------------------------------------------------===//

/// 2 / pi in binary, 32 bits a word; two words of zeros stand before the point.
static const uint32_t twoOverPi[] = {
    0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
    0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0,
    0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
    0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

/// Bits first .. first + 31, counted in the table.
static uint32_t bitsOfTwoOverPi(uint32_t first) {
  const uint32_t word = first / 32, shift = first % 32;
  const uint64_t two = (uint64_t)twoOverPi[word] << 32 | twoOverPi[word + 1];
  return (uint32_t)(two >> (32 - shift));
}

/// x 2 / pi = M 2^e 2 / pi, of which multiples of 4 are never computed: M. H.
/// Payne and R. N. Hanek, Radian Reduction for Trigonometric Functions, 1983.
/// For |x| from 2^20.
static __attribute__((noinline)) Angle reduceLarge(double x) {
  const uint64_t bits = bitsOf(x);
  const uint64_t mantissa = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
  const int32_t exponent = (int32_t)(bits >> 52 & 0x7ff) - 1075;
  // Bit i behind the point, from 0, is worth 2^(exponent - 1 - i) here: those
  // from 2^1 down count.
  const uint32_t first = (uint32_t)(exponent - 2 + 64);
  const uint32_t m[2] = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)};
  // The product's lower 192 bits, the lowest word first.
  uint32_t product[6] = {0};
  for (int i = 0; i < 6; ++i) {
    const uint64_t word = bitsOfTwoOverPi(first + 32 * (5 - (uint32_t)i));
    uint64_t carry = 0;
    for (int k = 0; k < 2 && i + k < 6; ++k) {
      const uint64_t sum = word * m[k] + product[i + k] + carry;
      product[i + k] = (uint32_t)sum;
      carry = sum >> 32;
    }
    if (i + 2 < 6) {
      const uint64_t sum = product[i + 2] + carry;
      product[i + 2] = (uint32_t)sum;
      if (i + 3 < 6)
        product[i + 3] += (uint32_t)(sum >> 32);
    }
  }
  // Its two highest bits are worth 2^1 and 2^0.
  uint32_t quadrant = product[5] >> 30;
  // From half a quadrant on, the next one, and what is missing there.
  const bool above = product[5] & 0x20000000u;
  double fraction = 0, rest = 0, weight = 0x1p2;
  for (int i = 5; i >= 2; --i) {
    weight *= 0x1p-32;
    uint32_t word = above ? ~product[i] : product[i];
    if (i == 5)
      word &= 0x3fffffffu;
    const Pair sum = exactSum(fraction, (double)word * weight);
    fraction = sum.high;
    rest += sum.low;
  }
  if (above) {
    ++quadrant;
    fraction = -fraction, rest = -rest;
  }
  Pair r = exactProduct(fraction, 0x1.921fb54442d18p+0);
  r.low += rest * 0x1.921fb54442d18p+0 + fraction * 0x1.1a62633145c06p-54;
  if (bits >> 63)
    return (Angle){{-r.high, -r.low}, (0u - quadrant) & 3};
  return (Angle){r, quadrant & 3};
}

//===----------------------------------------------------------------------===//
// All angles
//===----------------------------------------------------------------------===//

/// pi / 2 in parts of 33 bits, which an n of 20 bits multiplies exactly, and a
/// last one (W. J. Cody and W. Waite).
static inline Angle reduceSmall(double x) {
  const double shifted = x * 0x1.45f306dc9c883p-1 + roundingShift;
  const double n = shifted - roundingShift;
  const Pair first =
      exactSum(x - n * 0x1.921fb54400000p+0, -(n * 0x1.0b4611a600000p-34));
  const Pair second = exactSum(first.high, -(n * 0x1.3198a2e000000p-69));
  const Pair r = quickSum(
      second.high, second.low + (first.low - n * 0x1.b839a252049c1p-104));
  return (Angle){r, (uint32_t)bitsOf(shifted) & 3};
}

static inline Angle reduce(double x) {
  return absolute(x) < 0x1p20     ? reduceSmall(x)
         : absolute(x) < infinity ? reduceLarge(x)
                                  : (Angle){{x - x, 0}, 0}; // NaN
}

static inline double sineOf(Pair r) {
  const double z = r.high * r.high;
  const double cubic = r.high * z * POLYNOMIAL(z, sine);
  return r.high + (cubic + r.low * (1 - 0.5 * z));
}

static inline double cosineOf(Pair r) {
  const double z = r.high * r.high, half = 0.5 * z, head = 1 - half;
  return head + (((1 - head) - half) +
                 (z * z * POLYNOMIAL(z, cosine) - r.high * r.low));
}

double tenon_sin_f64(double x) {
  const Angle angle = reduce(x);
  const double value = angle.quadrant & 1 ? cosineOf(angle.r) : sineOf(angle.r);
  const double result = angle.quadrant & 2 ? -value : value;
  return x == 0 ? x : result; // -0 stays
}

double tenon_cos_f64(double x) {
  const Angle angle = reduce(x);
  const double value = angle.quadrant & 1 ? sineOf(angle.r) : cosineOf(angle.r);
  return (angle.quadrant + 1) & 2 ? -value : value;
}

double tenon_tan_f64(double x) {
  const Angle angle = reduce(x);
  const double s = sineOf(angle.r), c = cosineOf(angle.r);
  const double result = angle.quadrant & 1 ? -(c / s) : s / c;
  return x == 0 ? x : result;
}

//===----------------------------------------------------------------------===//
// Float
//===----------------------------------------------------------------------===//

/// Sine of x + quarters * pi / 2.
static inline float singleSineOf(double x, uint32_t quarters) {
  Angle angle;
  if (absolute(x) < 0x1p20) {
    const double shifted = x * 0x1.45f306dc9c883p-1 + roundingShift;
    const double n = shifted - roundingShift;
    angle =
        (Angle){{(x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a626331p-34, 0},
                (uint32_t)bitsOf(shifted)};
  } else {
    angle = reduce(x);
  }
  const uint32_t quadrant = angle.quadrant + quarters;
  const double r = angle.r.high, z = r * r;
  const double s = r + r * z * POLYNOMIAL(z, singleSine);
  const double c = (1 - 0.5 * z) + z * z * POLYNOMIAL(z, singleCosine);
  const double value = quadrant & 1 ? c : s;
  return (float)(quadrant & 2 ? -value : value);
}

float tenon_sin_f32(float x) {
  const float result = singleSineOf(x, 0);
  return x == 0 ? x : result;
}

float tenon_cos_f32(float x) { return singleSineOf(x, 1); }

TENON_SINGLE(tan)
