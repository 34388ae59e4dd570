// Part of Tenon, under the Apache License v2.0.
//
// The mathematics library of host code. Each function is compiled once, to LLVM
// IR, and linked into what calls it (MathLibrary.cpp): every host computes the
// same bits, from additions, multiplications, divisions, square roots and
// integers alone, each rounded once. What computes in float computes in double
// and rounds at the end.
//
// Errors, in units in the last place (tests/unit/cpu/math_test.cpp): of double
// below 1, of some functions below 2; of float below 0.51 everywhere that
// nothing else is said.

#ifndef TENON_LIB_TARGET_CPU_MATH_FUNCTIONS_H
#define TENON_LIB_TARGET_CPU_MATH_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

// One operand.
#define TENON_UNARY_FUNCTIONS(X)                                               \
  X(acos)                                                                      \
  X(acosh)                                                                     \
  X(asin)                                                                      \
  X(asinh)                                                                     \
  X(atan)                                                                      \
  X(atanh)                                                                     \
  X(cbrt)                                                                      \
  X(cos)                                                                       \
  X(cosh)                                                                      \
  X(erf)                                                                       \
  X(erfc)                                                                      \
  X(exp)                                                                       \
  X(exp2)                                                                      \
  X(expm1)                                                                     \
  X(log)                                                                       \
  X(log10)                                                                     \
  X(log1p)                                                                     \
  X(log2)                                                                      \
  X(sin)                                                                       \
  X(sinh)                                                                      \
  X(tan)                                                                       \
  X(tanh)

#define TENON_BINARY_FUNCTIONS(X)                                              \
  X(atan2)                                                                     \
  X(fmod)                                                                      \
  X(pow)

#define TENON_DECLARE(name)                                                    \
  double tenon_##name##_f64(double);                                           \
  float tenon_##name##_f32(float);
TENON_UNARY_FUNCTIONS(TENON_DECLARE)
#undef TENON_DECLARE

#define TENON_DECLARE(name)                                                    \
  double tenon_##name##_f64(double, double);                                   \
  float tenon_##name##_f32(float, float);
TENON_BINARY_FUNCTIONS(TENON_DECLARE)
#undef TENON_DECLARE

// The float function by way of the double one.
#define TENON_SINGLE(name)                                                     \
  float tenon_##name##_f32(float x) {                                          \
    return (float)tenon_##name##_f64((double)x);                               \
  }

// Conversions, as bits: to nearest, ties to even; a NaN stays one, quiet.
float tenon_f32_from_f16(uint16_t);
double tenon_f64_from_f16(uint16_t);
uint16_t tenon_f16_from_f32(float);
uint16_t tenon_f16_from_f64(double);
float tenon_f32_from_bf16(uint16_t);
double tenon_f64_from_bf16(uint16_t);
uint16_t tenon_bf16_from_f32(float);
uint16_t tenon_bf16_from_f64(double);

// Between floats and 64-bit integers; towards zero, and of what does not fit
// the nearest that does, 0 of a NaN.
int64_t tenon_i64_from_f64(double);
uint64_t tenon_u64_from_f64(double);
double tenon_f64_from_i64(int64_t);
double tenon_f64_from_u64(uint64_t);
float tenon_f32_from_i64(int64_t);
float tenon_f32_from_u64(uint64_t);

#endif // TENON_LIB_TARGET_CPU_MATH_FUNCTIONS_H
