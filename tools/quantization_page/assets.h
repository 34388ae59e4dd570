//===- tools/quantization_page/assets.h - The files of the page --*- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_QUANTIZATION_PAGE_ASSETS_H
#define TENON_TOOLS_QUANTIZATION_PAGE_ASSETS_H

#include "sim/report/html.h"

namespace tenon::quantization_page {

const std::vector<sim::Asset> &assets();

} // namespace tenon::quantization_page

#endif // TENON_TOOLS_QUANTIZATION_PAGE_ASSETS_H
