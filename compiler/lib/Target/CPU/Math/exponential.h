// Part of Tenon, under the Apache License v2.0.
//
// What other functions need of the exponential beside itself.

#ifndef TENON_LIB_TARGET_CPU_MATH_EXPONENTIAL_H
#define TENON_LIB_TARGET_CPU_MATH_EXPONENTIAL_H

#include "functions.h"
#include "numbers.h"

/// e^x * 2^exponent, for exponents from -100 to 100: e^x itself may overflow.
double tenon_exp_scaled(double x, int64_t exponent);

/// e^(high + low) for |low| < 2^-10.
double tenon_exp_pair(double high, double low);

/// e^x with an error of 2^-29, for results that become floats.
double tenon_exp_of_single(double x);

#endif // TENON_LIB_TARGET_CPU_MATH_EXPONENTIAL_H
