// Part of Tenon, under the Apache License v2.0.
//
// Many mutants of many programs, judged, and the figures.

#ifndef TESTS_TRUST_MUTANTS_H
#define TESTS_TRUST_MUTANTS_H

#include "tests/trust/judge.h"

#include <map>
#include <string>
#include <vector>

namespace tenon::trust {

struct Options {
  std::vector<std::string> programs; // .tenon or .tasm
  uint64_t seed = 1;
  uint32_t mutants = 100;      // of each program
  uint32_t interleavings = 20; // of each that verifies
  uint32_t onRtl = 0;          // of each program, at most
};

struct Figures {
  uint32_t programs = 0, mutants = 0;
  uint32_t verified = 0, valued = 0, found = 0, unproved = 0, onRtl = 0;
  std::map<std::string, uint32_t> byFinding;
  /// By kind of mutant: drawn, found.
  std::map<std::string, std::pair<uint32_t, uint32_t>> byKind;
  std::vector<std::string> disagreements; // with the command that repeats each
};

/// Errors are programs that cannot be read or do not verify as they are.
absl::StatusOr<Figures> judgeMutants(const Options &options);

std::string figuresText(const Figures &figures);

} // namespace tenon::trust

#endif // TESTS_TRUST_MUTANTS_H
