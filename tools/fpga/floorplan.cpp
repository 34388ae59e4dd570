//===- tools/fpga/floorplan.cpp - Cells with a site of their own ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Yosys writes a cell as lines of a fixed form,
//       "NAME": {
//         "hide_name": 0,
//         "type": "TYPE",
//         ...
//         "attributes": {
// so that a netlist of 60 MB needs no parser.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/floorplan.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

namespace tenon::fpga {
namespace {

// Names in pieces of text and numbers, so that lane 10 comes behind lane 9.
bool before(const std::string &a, const std::string &b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (absl::ascii_isdigit(a[i]) && absl::ascii_isdigit(b[j])) {
      char *endA = nullptr, *endB = nullptr;
      uint64_t valueA = std::strtoull(&a[i], &endA, 10),
               valueB = std::strtoull(&b[j], &endB, 10);
      if (valueA != valueB)
        return valueA < valueB;
      i = endA - a.data();
      j = endB - b.data();
      continue;
    }
    if (a[i] != b[j])
      return a[i] < b[j];
    ++i;
    ++j;
  }
  return a.size() - i < b.size() - j;
}

struct Cell {
  std::string name;
  size_t attributes; // where its first attribute would stand
};

// Cells of a type whose name contains `part`.
std::vector<Cell> cellsOf(const std::string &design, const std::string &type,
                          const std::string &part) {
  const std::string line = absl::StrCat("\"type\": \"", type, "\",");
  const std::string head = "\": {\n", attributes = "\"attributes\": {\n";
  std::vector<Cell> cells;
  for (size_t at = design.find(line); at != std::string::npos;
       at = design.find(line, at + 1)) {
    size_t end = design.rfind(head, at);
    size_t insert = design.find(attributes, at);
    if (end == std::string::npos || insert == std::string::npos)
      continue;
    size_t begin = design.rfind('"', end - 1) + 1;
    std::string name = design.substr(begin, end - begin);
    if (absl::StrContains(name, part))
      cells.push_back({std::move(name), insert + attributes.size()});
  }
  std::sort(cells.begin(), cells.end(), [](const Cell &a, const Cell &b) {
    return before(a.name, b.name);
  });
  return cells;
}

} // namespace

std::string
withFloorplan(const std::string &design,
              const google::protobuf::RepeatedPtrField<Floorplan> &floorplan) {
  std::map<size_t, std::string> sites; // by place in the text
  for (const Floorplan &entry : floorplan) {
    const std::vector<Cell> cells =
        cellsOf(design, entry.type(), entry.within());
    auto cell = cells.begin();
    for (const std::string &row : entry.sites())
      for (absl::string_view site :
           absl::StrSplit(row, ' ', absl::SkipWhitespace()))
        if (cell != cells.end())
          sites[cell++->attributes] = std::string(site);
  }
  std::string result;
  result.reserve(design.size() + sites.size() * 64);
  size_t done = 0;
  for (const auto &[at, site] : sites) {
    absl::StrAppend(&result, absl::string_view(design).substr(done, at - done),
                    "            \"BEL\": \"", site, "\",\n");
    done = at;
  }
  absl::StrAppend(&result, absl::string_view(design).substr(done));
  return result;
}

} // namespace tenon::fpga
