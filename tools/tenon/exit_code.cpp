//===- tools/tenon/exit_code.cpp - What the program ends with -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/exit_code.h"

#include "fmt/format.h"

#include <cstdio>

namespace tenon::tools {

static ExitCode exitCode(absl::StatusCode code) {
  switch (code) {
  case absl::StatusCode::kOk:
    return ExitDone;
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kUnavailable:
  case absl::StatusCode::kDeadlineExceeded:
    return ExitMissing;
  case absl::StatusCode::kInternal:
  case absl::StatusCode::kUnknown:
    return ExitDefect;
  default:
    return ExitBadInput;
  }
}

int report(const absl::Status &status) {
  ExitCode code = exitCode(status.code());
  if (code == ExitDone)
    return code;
  absl::string_view message = status.message();
  fmt::print(stderr, "tenon: {}{}\n",
             code == ExitDefect ? "defect of Tenon: " : "",
             fmt::string_view(message.data(), message.size()));
  return code;
}

int reportUsage(absl::string_view message) {
  fmt::print(stderr, "tenon: {}\n",
             fmt::string_view(message.data(), message.size()));
  return ExitBadCommandLine;
}

} // namespace tenon::tools
