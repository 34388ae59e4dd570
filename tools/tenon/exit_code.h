//===- tools/tenon/exit_code.h - What the program ends with -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_EXIT_CODE_H
#define TENON_TOOLS_TENON_EXIT_CODE_H

#include "absl/status/status.h"

namespace tenon::tools {

/// The exit codes of every verb.
enum ExitCode {
  ExitDone = 0,
  ExitBadInput = 1,       // a file, a network, a program, a configuration
  ExitBadCommandLine = 2, //
  ExitCheckFailed = 3,    // results differ
  ExitMissing = 4,        // a tool or a device is not there, or fails
  ExitDefect = 70,        // a defect of Tenon's
};

/// Prints "tenon: MESSAGE" on stderr and returns the code that fits the status.
int report(const absl::Status &status);

/// The same for a mistake in the command line.
int reportUsage(absl::string_view message);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_EXIT_CODE_H
