//===- tools/run/run_program.h - One run of a program -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_RUN_RUN_PROGRAM_H
#define TENON_TOOLS_RUN_RUN_PROGRAM_H

#include "absl/status/status.h"

#include <string>
#include <vector>

namespace tenon::tools {

/// What is run on what.
struct ProgramRun {
  std::string program; ///< file
  std::string target = "functional";
  std::vector<std::string> inputs; ///< "NAME=FILE.npy", one an input
  std::string outputDir;           ///< empty: outputs are named only
  bool noVerify = false, trustHostCode = false;
};

/// Verifies the program, runs it once, writes its outputs and prints a line
/// about each. Unauthenticated: its host code is another user's, and not
/// trusted.
absl::Status runProgram(const ProgramRun &run);

} // namespace tenon::tools

#endif // TENON_TOOLS_RUN_RUN_PROGRAM_H
