//===- tools/tenon/places.cpp - --place ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/places.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"

namespace tenon::tools {

void addPlaceOption(CLI::App &verb, compiler::Options &options) {
  verb.add_option_function<std::vector<std::string>>(
          "--place",
          [&options](const std::vector<std::string> &given) {
            for (const std::string &text : given) {
              size_t split = text.rfind(':'); // names have colons, too
              std::string place =
                  split == std::string::npos ? "" : text.substr(split + 1);
              if (split == 0 || (place != "accelerator" && place != "cpu"))
                throw CLI::ValidationError(
                    "--place", absl::StrCat("'", text,
                                            "' is not NAME:accelerator or "
                                            "NAME:cpu"));
              options.places[text.substr(0, split)] = place;
            }
          },
          "where a node is wanted, or all nodes of an operator: "
          "NODE_OR_OPERATOR:cpu or :accelerator (an error where it has no "
          "place there); the rest goes where it costs least")
      ->type_name("NAME:PLACE");
}

} // namespace tenon::tools
