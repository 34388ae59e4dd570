//===- tools/tenon/table.cpp - Columns for a terminal ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/table.h"

#include "fmt/format.h"

#include <algorithm>

namespace tenon::tools {

/// Characters, not bytes: names are UTF-8.
static size_t width(const std::string &text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (c & 0xc0) != 0x80; });
}

std::string Table::text(int indent) const {
  std::vector<size_t> widths(alignment.size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  std::string text;
  for (const auto &row : rows) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - width(row[i]), ' ');
      bool isLast = i + 1 == row.size();
      line += alignment[i] == 'r' ? padding + row[i] : row[i];
      if (!isLast)
        line += (alignment[i] == 'r' ? "" : padding) + "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(i, ",");
  return digits;
}

std::string scaled(double number) {
  const char *prefixes[] = {"", " k", " M", " G", " T"};
  int prefix = 0;
  while (number >= 999.5 && prefix < 4) {
    number /= 1000;
    ++prefix;
  }
  return prefix ? fmt::format("{:.3g}{}", number, prefixes[prefix])
                : fmt::format("{:.0f}", number);
}

} // namespace tenon::tools
