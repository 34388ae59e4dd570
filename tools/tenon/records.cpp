//===- tools/tenon/records.cpp - --records --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/records.h"

#include "isa/record_store.h"

#include "CLI/CLI.hpp"

namespace tenon::tools {

void addRecordsOption(CLI::App &verb, compiler::Options &options) {
  // Without a home there is no place to keep anything.
  if (auto cache = isa::cacheDirectory(); cache.ok())
    options.records = *cache + "/records";
  verb.add_option_function<std::string>(
          "--records",
          [&options](const std::string &directory) {
            options.records = directory == "none" ? "" : directory;
          },
          "folder that keeps the schedules and the host code of "
          "compilations for later ones; 'none' keeps nothing (default: "
          "records in $TENON_CACHE or ~/.cache/tenon)")
      ->type_name("DIR|none");
}

} // namespace tenon::tools
