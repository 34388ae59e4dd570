//===- tools/tenon/records.h - --records ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_RECORDS_H
#define TENON_TOOLS_TENON_RECORDS_H

#include "compiler/driver/compile.h"

namespace CLI {
class App;
} // namespace CLI

namespace tenon::tools {

/// Adds --records DIR, or `none`; fills `options.records`, without the option
/// with a directory of the user's cache.
void addRecordsOption(CLI::App &verb, compiler::Options &options);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_RECORDS_H
