//===- tools/tenon/classes.cpp - Names of classes, true classes -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/classes.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tenon::tools {

std::optional<uint32_t> classOf(absl::string_view text,
                                const std::vector<std::string> &names) {
  auto found = absl::c_find(names, text);
  if (found != names.end())
    return static_cast<uint32_t>(found - names.begin());
  uint32_t index;
  if (absl::SimpleAtoi(text, &index) && (names.empty() || index < names.size()))
    return index;
  return std::nullopt;
}

/// Where a line is divided into a name and a class: names hold spaces, so it is
/// the last one.
static size_t divider(absl::string_view line) {
  size_t at = line.find_first_of(",\t");
  return at != absl::string_view::npos ? at : line.find_last_of(' ');
}

absl::StatusOr<TrueClasses>
TrueClasses::parse(absl::string_view text, const std::string &path,
                   const std::vector<std::string> &names) {
  TrueClasses result;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty())
      continue;
    auto bad = [&](absl::string_view why) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", path, "', line ", number, ": ", why));
    };
    // A class by itself may hold what divides.
    auto whole = classOf(line, names);
    size_t at = whole ? absl::string_view::npos : divider(line);
    absl::string_view last =
        at == absl::string_view::npos
            ? line
            : absl::StripAsciiWhitespace(line.substr(at + 1));
    auto index = whole ? whole : classOf(last, names);
    if (!index)
      return bad(absl::StrCat("'", last,
                              "' is no class: expected its number, or its name "
                              "in the file of --labels"));
    if (at == absl::string_view::npos)
      result.inOrder.push_back(*index);
    else if (!result.byName
                  .emplace(absl::StripAsciiWhitespace(line.substr(0, at)),
                           *index)
                  .second)
      return bad("a second class for the same name");
    if (!result.inOrder.empty() && !result.byName.empty())
      return bad("lines with a name and lines without one are mixed");
  }
  return result;
}

} // namespace tenon::tools
