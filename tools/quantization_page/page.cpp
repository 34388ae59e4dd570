//===- tools/quantization_page/page.cpp - What integers lose --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/quantization_page/page.h"

#include "tools/quantization_page/assets.h"

namespace tenon::quantization_page {

absl::StatusOr<std::string> page(const tools::Quantized &quantized) {
  return sim::fillPage(assets(), quantized.model(), quantized);
}

} // namespace tenon::quantization_page
