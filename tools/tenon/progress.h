//===- tools/tenon/progress.h - What long work is doing ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_PROGRESS_H
#define TENON_TOOLS_TENON_PROGRESS_H

#include "absl/strings/string_view.h"

#include <chrono>

namespace tenon::tools {

/// One line on stderr that is rewritten, when stderr is a terminal, and cleared
/// when destroyed. Where it is none (a log), the lines that come `seconds`
/// after the one before: short work is silent, long work is not.
class Progress {
public:
  explicit Progress(double seconds = 60);
  ~Progress();
  Progress(const Progress &) = delete;

  /// Replaces the line.
  void show(absl::string_view text);
  void clear();

private:
  std::chrono::duration<double> apart;
  std::chrono::steady_clock::time_point last;
  bool terminal;
  bool shown = false;
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_PROGRESS_H
