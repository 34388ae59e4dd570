//===- tools/tenon/suites.cpp - What tests a configuration ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/suites.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tenon::tools {

std::string suitesOf(absl::string_view name) {
  const std::string start = absl::StrCat(name, ": ");
  for (const SuiteFile &file : suiteFiles())
    for (absl::string_view line : absl::StrSplit(file.text, '\n'))
      if (absl::ConsumePrefix(&line, start))
        return std::string(line);
  return "";
}

} // namespace tenon::tools
