//===- tools/graph/page.cpp - A model's graph as a page -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/graph/page.h"

#include "tools/graph/assets.h"

namespace tenon::graph {

absl::StatusOr<std::string> page(const compiler::Picture &picture) {
  return sim::fillPage(assets(), picture.inspection().model(), picture);
}

} // namespace tenon::graph
