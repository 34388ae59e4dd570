//===- ProductInputs.h - What a product's weights meet ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_PRODUCTINPUTS_H
#define TENON_QUANTIZATION_PRODUCTINPUTS_H

#include "tenon/Quantization/Plan.h"
#include "tenon/Quantization/WeightInputs.h"

namespace tenon::quantization {

/// Of a contraction; none where its outputs do not each sum over a window of
/// input channels: a transposed convolution's weights meet some of the outputs.
std::optional<WeightInputs> weightInputsOf(const onnx::Node &N,
                                           const PlannedLayer &Layer);

/// The windows of a convolution, none of a matrix product; nullopt where its
/// attributes are not of its rank.
std::optional<std::vector<WindowAxis>> windowAxesOf(const onnx::Node &N);

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_PRODUCTINPUTS_H
