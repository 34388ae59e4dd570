//===- tools/tenon/shapes.cpp - --shape ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/shapes.h"

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tenon::tools {

void addShapeOption(CLI::App &verb, compiler::Options &options) {
  verb.add_option_function<std::vector<std::string>>(
          "--shape",
          [&options](const std::vector<std::string> &given) {
            for (const std::string &text : given) {
              size_t split = text.rfind('=');
              std::vector<int64_t> extents;
              bool valid = split != std::string::npos && split > 0;
              if (valid && split + 1 < text.size())
                for (absl::string_view word :
                     absl::StrSplit(text.substr(split + 1), ','))
                  valid &= absl::SimpleAtoi(word, &extents.emplace_back()) &&
                           extents.back() >= 0;
              if (!valid)
                throw CLI::ValidationError(
                    "--shape",
                    absl::StrCat("'", text, "' is not NAME=EXTENT,EXTENT,..."));
              options.shapes[text.substr(0, split)] = std::move(extents);
            }
          },
          "shape of an input whose dimensions the model leaves open: "
          "NAME=1,3,224,224")
      ->type_name("NAME=EXTENTS");
}

} // namespace tenon::tools
