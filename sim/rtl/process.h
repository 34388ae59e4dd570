//===- sim/rtl/process.h - Running tools ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_PROCESS_H
#define TENON_SIM_RTL_PROCESS_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace tenon::sim {

/// A program and its arguments; no shell is involved.
using Command = std::vector<std::string>;

/// The absolute path of `program` as PATH finds it, or "".
std::string findProgram(absl::string_view program);

/// Runs the commands in `directory`, at most `jobs` at a time, standard output
/// and error appended to `log`. `finished` is called after each with the number
/// done. The first that fails stops the others; the error quotes the end of the
/// log, and is FailedPrecondition where disk or memory was lacking. Everything
/// is killed after `limit`.
absl::Status runAll(const std::vector<Command> &commands,
                    const std::string &directory, const std::string &log,
                    unsigned jobs, std::chrono::seconds limit,
                    const std::function<void(size_t)> &finished = {});

/// What the command prints on standard output, up to 1 MB; at most 30 seconds.
absl::StatusOr<std::string> outputOf(const Command &command);

} // namespace tenon::sim

#endif // TENON_SIM_RTL_PROCESS_H
