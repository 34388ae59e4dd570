//===- tools/fpga/tool_run.h - One run of a tool ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_TOOL_RUN_H
#define TENON_TOOLS_FPGA_TOOL_RUN_H

#include "sim/rtl/process.h"

#include "absl/status/statusor.h"

#include <chrono>
#include <functional>
#include <string>

namespace tenon::fpga {

/// Runs `command` in `directory`, standard output and error appended to `log`;
/// `tick` is called about five times a second with the seconds so far. The
/// result is the exit status, 128 + N after signal N. The command and what it
/// started are killed after `limit`, and when this process ends.
/// FailedPrecondition: it cannot be started, or `log` cannot be written;
/// DeadlineExceeded: the limit.
absl::StatusOr<int> runTool(const sim::Command &command,
                            const std::string &directory,
                            const std::string &log, std::chrono::seconds limit,
                            const std::function<void(double)> &tick = {});

/// The last `lines` lines of a text file, "" where it cannot be read.
std::string lastLines(const std::string &path, size_t lines);

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_TOOL_RUN_H
