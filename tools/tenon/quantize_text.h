//===- tools/tenon/quantize_text.h - What quantisation did ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_QUANTIZE_TEXT_H
#define TENON_TOOLS_TENON_QUANTIZE_TEXT_H

#include "tools/quantization_page/quantize.pb.h"

#include "compiler/driver/quantize.h"

#include <string>

namespace tenon::tools {

/// Fills what was seen of a tensor, and its outlier channel.
void describe(const quantization::TensorStatistics &of,
              QuantizedTensor &tensor);

/// Fills scale, zero point and the range that they stand for.
void describe(const quantization::Parameters &of, QuantizedTensor &tensor);

/// "int8 per channel", "int4 in groups of 32".
std::string describe(const quantization::WeightOptions &of);

/// What a person sees at the end of `tenon quantize`.
std::string quantizeText(const Quantized &of);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_QUANTIZE_TEXT_H
