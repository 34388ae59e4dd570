//===- tools/tenon/progress.cpp - What long work is doing -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/progress.h"

#include <cstdio>
#include <unistd.h>

namespace tenon::tools {

Progress::Progress(double seconds)
    : apart(seconds), last(std::chrono::steady_clock::now()),
      terminal(isatty(STDERR_FILENO)) {}
Progress::~Progress() { clear(); }

void Progress::show(absl::string_view text) {
  if (!terminal) {
    auto now = std::chrono::steady_clock::now();
    if (now - last < apart)
      return;
    last = now;
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
    return;
  }
  std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(text.size()),
               text.data());
  std::fflush(stderr);
  shown = true;
}

void Progress::clear() {
  if (shown)
    std::fputs("\r\033[K", stderr);
  shown = false;
}

} // namespace tenon::tools
