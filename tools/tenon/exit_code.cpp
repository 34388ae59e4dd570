//===- tools/tenon/exit_code.cpp - What the program ends with -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/exit_code.h"

#include "tools/tenon/last_words.h"

#include "compiler/driver/fatal_errors.h"

#include "fmt/format.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <execinfo.h>
#include <new>
#include <unistd.h>

namespace tenon::tools {

static ExitCode exitCode(absl::StatusCode code) {
  switch (code) {
  case absl::StatusCode::kOk:
    return ExitDone;
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kUnavailable:
  case absl::StatusCode::kDeadlineExceeded:
    return ExitMissing;
  case absl::StatusCode::kUnauthenticated: // host code of somebody else
    return ExitCheckFailed;
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

/// Ends the process without an allocation, at once: other threads may be in any
/// state.
[[noreturn]] static void endWith(const char *words, const char *reason,
                                 ExitCode code) {
  for (const char *text : {words, reason, "\n"})
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0)
      break;
  ::_exit(code);
}

void endWithoutMemory() { endWith("tenon: out of memory", "", ExitBadInput); }

[[noreturn]] static void terminated() {
  try {
    if (std::current_exception())
      std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc &) {
    endWithoutMemory();
  } catch (const std::exception &error) {
    endWith("tenon: defect of Tenon: ", error.what(), ExitDefect);
  } catch (...) {
  }
  endWith("tenon: defect of Tenon: terminated", "", ExitDefect);
}

static void endOfLlvm(const char *reason, bool isThread) {
  if (isThread)
    endWith("tenon: no memory or no number for a thread: ", reason,
            ExitBadInput);
  endWith("tenon: defect of Tenon: ", reason, ExitDefect);
}

void catchLastWords() {
  // libc loads its unwinder when it first needs it; then there is no memory.
  void *frame;
  ::backtrace(&frame, 1);
  std::set_terminate(terminated);
  static constexpr compiler::FatalErrorHandlers handlers{endWithoutMemory,
                                                         endOfLlvm};
  compiler::installFatalErrorHandlers(handlers);
}

} // namespace tenon::tools
