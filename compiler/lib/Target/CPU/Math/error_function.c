// Part of Tenon, under the Apache License v2.0.
//
// erf below 1 is x times a polynomial in x^2; erfc from 1 / 2 on is
// e^(-x^2) / x times one in (x - 3) / (x + 3). Polynomials: Chebyshev
// interpolation in 60 digits; errors 2.2e-21 and 3.8e-18 (double), 1.1e-9
// (float).

#include "exponential.h"

/// Of erf(x) / x - 1 in x^2, to 1.
static const double inner[] = {
    0x1.06eba8214db69p-3,   -0x1.812746b0379e7p-2,  0x1.ce2f21a042bdep-4,
    -0x1.b82ce312889bap-6,  0x1.565bcd0e6502dp-8,   -0x1.c02db3feeb579p-11,
    0x1.f9a326c233146p-14,  -0x1.f4d2561aeafd4p-17, 0x1.b9e6509b9867dp-20,
    -0x1.5f6d925a0bc7ap-23, 0x1.fc4356498c2d9p-27,  -0x1.4e607b41a6416p-30,
    0x1.7f072188e194dp-34,  -0x1.29b9f1b3df556p-38};

/// Of erfc(x) e^(x^2) x, from 1 / 2 to 28.
static const double outer[] = {
    0x1.12f21ddd9f5e2p-1,   0x1.865fd27e5212dp-4,   -0x1.2c33bbab9816fp-3,
    0x1.1e79b14a5ead9p-3,   -0x1.870b49f530a2ap-4,  0x1.7bb38c2554c41p-5,
    -0x1.cb66d24733a6bp-7,  0x1.dd888da343ccep-11,  0x1.45d00196a3b21p-10,
    -0x1.b095685c661bap-12, -0x1.62df3cb3e7cf1p-14, 0x1.21535487810a5p-14,
    0x1.b1bc6751e302ep-18,  -0x1.74e2297f05527p-17, -0x1.0991119956992p-20,
    0x1.fb21e0839afb2p-20,  0x1.35e167a31f0dap-22,  -0x1.63cd4464aca33p-22,
    -0x1.627439fc0b06ap-24, 0x1.ec10edb737eebp-25,  0x1.ebacd017ee4f9p-27,
    -0x1.10f5646a5da16p-27};

/// Of erf(x) / x in x^2, to 15.6, for float: Remez's exchange.
static const double single[] = {
    0x1.20dd74fedea3cp+0,   -0x1.8127438ff94f5p-2,  0x1.ce2ed0b7e2de6p-4,
    -0x1.b82991ef3a78cp-6,  0x1.5649172e9712fp-8,   -0x1.bfab11215e405p-11,
    0x1.f73d5342b017ep-14,  -0x1.eccff4859110cp-17, 0x1.a624455957c66p-20,
    -0x1.3a6df4f6a22abp-23, 0x1.91193c7d3cd77p-27,  -0x1.ac437dbd35711p-31,
    0x1.73ec42fe1a507p-35,  -0x1.fb54017d87d44p-40, 0x1.03a18bf601e2ap-44,
    -0x1.74df284111101p-50, 0x1.4da318db3938dp-56,  -0x1.1713a52ebaf74p-63};

/// erf(x) for |x| < 1.
static inline double innerFunction(double x) {
  return x + x * POLYNOMIAL(x * x, inner);
}

/// erfc(x) for x from 1 / 2 to 28.
static inline double outerComplement(double x) {
  const double t = (x - 3) / (x + 3);
  const Pair square = exactProduct(x, x);
  return tenon_exp_pair(-square.high, -square.low) * (POLYNOMIAL(t, outer) / x);
}

double tenon_erf_f64(double x) {
  const double magnitude = absolute(x);
  if (magnitude < 1)
    return innerFunction(x);
  if (isNan(x))
    return x;
  return withSignOf(magnitude < 6 ? 1 - outerComplement(magnitude) : 1, x);
}

double tenon_erfc_f64(double x) {
  const double magnitude = absolute(x);
  if (isNan(x))
    return x;
  // From 1 / 4 on 1 - x loses nothing.
  if (x >= 0.25 && x < 1)
    return (1 - x) - x * POLYNOMIAL(x * x, inner);
  if (magnitude < 1)
    return 1 - innerFunction(x);
  const double far = outerComplement(magnitude < 28 ? magnitude : 28);
  return x < 0 ? 2 - far : far;
}

float tenon_erf_f32(float x) {
  const double magnitude = absolute(x);
  const double limited = magnitude < 3.94 ? magnitude : 3.94;
  const double result = limited * POLYNOMIAL(limited * limited, single);
  return isNan(x) ? x : (float)withSignOf(result, x);
}

TENON_SINGLE(erfc)
