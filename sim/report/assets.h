//===- sim/report/assets.h - The page's own files ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_REPORT_ASSETS_H
#define TENON_SIM_REPORT_ASSETS_H

#include "sim/report/html.h"

namespace tenon::sim {

const std::vector<Asset> &embeddedAssets();

} // namespace tenon::sim

#endif // TENON_SIM_REPORT_ASSETS_H
