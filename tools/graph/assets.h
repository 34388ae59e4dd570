//===- tools/graph/assets.h - The files of the page -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_GRAPH_ASSETS_H
#define TENON_TOOLS_GRAPH_ASSETS_H

#include "sim/report/html.h"

namespace tenon::graph {

const std::vector<sim::Asset> &assets();

} // namespace tenon::graph

#endif // TENON_TOOLS_GRAPH_ASSETS_H
