//===- tools/tenon/table.h - Columns for a terminal -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_TABLE_H
#define TENON_TOOLS_TENON_TABLE_H

#include <string>
#include <vector>

namespace tenon::tools {

/// Rows of texts, aligned: `alignment` has a letter for each column, 'l' or
/// 'r'. The last column is not padded.
class Table {
public:
  explicit Table(std::string alignment) : alignment(std::move(alignment)) {}

  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  bool empty() const { return rows.empty(); }
  /// Each row on a line of its own, behind `indent` blanks.
  std::string text(int indent = 2) const;

private:
  std::string alignment;
  std::vector<std::vector<std::string>> rows;
};

/// "61,204"
std::string grouped(double number);
/// "12.5 M": three digits with a decimal prefix.
std::string scaled(double number);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_TABLE_H
