//===- BiasCorrection.h - The mean of what rounding weights does *- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_BIASCORRECTION_H
#define TENON_QUANTIZATION_BIASCORRECTION_H

#include "tenon/Quantization/WeightInputs.h"
#include "tenon/Quantization/Weights.h"

namespace tenon::quantization {

/// How much the mean of each output channel moves by rounding the weights,
/// where `Means` are those of the input's channels: the sum of (rounded -
/// weight) * mean (Nagel et al., "Data-free quantization through weight
/// equalization and bias correction", ICCV 2019, section 4.2, with means that
/// were measured). Padding is taken as the mean.  `Shape` is Outer = 1 (outputs
/// first, as of a convolution) or Inner = 1 (outputs last).
std::vector<double> meanShift(const std::vector<float> &Weights,
                              const IntegerWeights &Rounded,
                              const WeightShape &Shape,
                              const WeightInputs &Inputs,
                              const std::vector<double> &Means);

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_BIASCORRECTION_H
