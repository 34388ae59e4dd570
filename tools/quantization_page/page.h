//===- tools/quantization_page/page.h - What integers lose ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_QUANTIZATION_PAGE_PAGE_H
#define TENON_TOOLS_QUANTIZATION_PAGE_PAGE_H

#include "tools/quantization_page/quantize.pb.h"

#include "absl/status/statusor.h"

#include <string>

namespace tenon::quantization_page {

/// One HTML file that opens without a network: accuracy, steps, layers, and
/// each tensor's histogram with the range that its integers stand for.
absl::StatusOr<std::string> page(const tools::Quantized &quantized);

} // namespace tenon::quantization_page

#endif // TENON_TOOLS_QUANTIZATION_PAGE_PAGE_H
