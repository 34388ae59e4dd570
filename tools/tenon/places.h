//===- tools/tenon/places.h - --place -------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_PLACES_H
#define TENON_TOOLS_TENON_PLACES_H

#include "compiler/driver/compile.h"

namespace CLI {
class App;
} // namespace CLI

namespace tenon::tools {

/// Adds --place NAME:PLACE, which fills `options.places`.
void addPlaceOption(CLI::App &verb, compiler::Options &options);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_PLACES_H
