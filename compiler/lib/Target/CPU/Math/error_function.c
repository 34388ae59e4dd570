// Part of Tenon, under the Apache License v2.0.
//
// erf below 1 is x times a polynomial in x^2; erfc from 1 / 2 on is
// e^(-x^2) / x times one in (x - 3) / (x + 3). Polynomials: Chebyshev
// interpolation in 60 digits; errors 2.2e-21 and 3.8e-18 (double), 6.7e-13
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

/// Of erf(x) / x in x^2, to 15.6, for float.
static const double single[] = {
    0x1.20dd750428fadp+0,   -0x1.812746af812edp-2,  0x1.ce2f2182b6497p-4,
    -0x1.b82ce129bf462p-6,  0x1.565bbc3fc2510p-8,   -0x1.c02cfdd8b3868p-11,
    0x1.f99df8b17f3a2p-14,  -0x1.f4b783959929fp-17, 0x1.b97fb43c458e7p-20,
    -0x1.5e4621b47c47bp-23, 0x1.f760ae7c57e56p-27,  -0x1.480fa4e6b9a24p-30,
    0x1.81ead45ee9db1p-34,  -0x1.94ce47cf70a9dp-38, 0x1.739ccf61c4501p-42,
    -0x1.2366dbe520a77p-46, 0x1.7b1de235ab75ap-51,  -0x1.8ae0588918d31p-56,
    0x1.3a5a94d7a6343p-61,  -0x1.654cab5343349p-67, 0x1.01247dec11d80p-73,
    -0x1.5f2e831a444a6p-81};

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
