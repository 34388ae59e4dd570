//===- tools/tenon/classes.h - Names of classes, true classes ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_CLASSES_H
#define TENON_TOOLS_TENON_CLASSES_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenon::tools {

/// The index of a class: its number, or its place in the list of names.
std::optional<uint32_t> classOf(absl::string_view text,
                                const std::vector<std::string> &names);

/// What --expect-labels says. Every line is "NAME CLASS", divided by a comma, a
/// tab or the last space, or every line is a class, for the inputs in order.
struct TrueClasses {
  std::map<std::string, uint32_t> byName;
  std::vector<uint32_t> inOrder;

  /// InvalidArgument names `path`, the line and what is wrong with it.
  static absl::StatusOr<TrueClasses>
  parse(absl::string_view text, const std::string &path,
        const std::vector<std::string> &names);
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_CLASSES_H
