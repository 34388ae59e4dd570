// Part of Tenon, under the Apache License v2.0.
//
// Many mutants of many programs, judged, and the figures.

#ifndef TESTS_TRUST_MUTANTS_H
#define TESTS_TRUST_MUTANTS_H

#include "tests/trust/figures.pb.h"
#include "tests/trust/judge.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon::trust {

struct Options {
  /// .tenon, .tasm, or "random:CONFIGURATION:SEED", a random legal program for
  /// a shipped configuration or, if that is a number, for a random one.
  std::vector<std::string> programs;
  uint64_t seed = 1;
  uint32_t mutants = 100;      // of each program
  uint32_t interleavings = 20; // of each that verifies
  uint32_t onRtl = 0;          // of each program, at most
  /// Called when the mutants of a program are judged; may be empty.
  std::function<void(const std::string &program)> progress;
};

/// Errors are programs that cannot be read or do not verify as they are.
absl::StatusOr<Figures> judgeMutants(const Options &options);

std::string figuresText(const Figures &figures);

} // namespace tenon::trust

#endif // TESTS_TRUST_MUTANTS_H
