//===- tools/tenon/progress.h - What long work is doing ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_PROGRESS_H
#define TENON_TOOLS_TENON_PROGRESS_H

#include "absl/strings/string_view.h"

namespace tenon::tools {

/// One line on stderr that is rewritten, when stderr is a terminal; silent
/// otherwise. Cleared when destroyed.
class Progress {
public:
  Progress();
  ~Progress();
  Progress(const Progress &) = delete;

  /// Replaces the line.
  void show(absl::string_view text);
  void clear();

private:
  bool terminal;
  bool shown = false;
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_PROGRESS_H
