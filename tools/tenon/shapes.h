//===- tools/tenon/shapes.h - --shape -------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_SHAPES_H
#define TENON_TOOLS_TENON_SHAPES_H

#include "compiler/driver/compile.h"

namespace CLI {
class App;
} // namespace CLI

namespace tenon::tools {

/// Adds --shape NAME=EXTENTS, which fills `options.shapes`.
void addShapeOption(CLI::App &verb, compiler::Options &options);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_SHAPES_H
