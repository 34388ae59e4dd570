//===- tools/graph/page.h - A model's graph as a page -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_GRAPH_PAGE_H
#define TENON_TOOLS_GRAPH_PAGE_H

#include "compiler/driver/inspection.pb.h"

#include "absl/status/statusor.h"

#include <string>

namespace tenon::graph {

/// One HTML file that opens without a network: the graph, coloured by place,
/// and the tables of the inspection.
absl::StatusOr<std::string> page(const compiler::Picture &picture);

} // namespace tenon::graph

#endif // TENON_TOOLS_GRAPH_PAGE_H
