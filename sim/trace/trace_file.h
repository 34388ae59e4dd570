//===- sim/trace/trace_file.h - Runs as files -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What `tenon run --trace` writes and `tenon report` reads: the gzip-compressed
// message of sim/trace/trace.proto.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TRACE_TRACE_FILE_H
#define TENON_SIM_TRACE_TRACE_FILE_H

#include "sim/accounting.h"
#include "sim/trace/trace.pb.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "isa/proto/program.pb.h"

#include <array>

namespace tenon::sim {

constexpr uint32_t traceVersion = 2;

/// A launch as a timed device recorded it; `events` is of the caller. `runs`
/// name its layers by their index in the report.
struct TracedLaunch {
  uint64_t cycles = 0;
  const LaunchTrace *events = nullptr;
  LayerRuns runs;
  std::array<EngineStates, numEngines> states{}; // of the whole launch
};

/// Everything about a run that pictures need. The launches are those of the
/// program's plan, in order. InvalidArgument: the device recorded nothing
/// (untimed), or the events are not those of the program's instructions.
absl::StatusOr<trace::Trace> makeTrace(const isa::Program &program,
                                       const report::RunReport &report,
                                       absl::Span<const TracedLaunch> launches);

/// The events of a launch as the device recorded them. `launch` must be of a
/// trace that was read or made.
LaunchTrace eventsOf(const trace::Launch &launch);

/// Whether columns have equal lengths, numbers are in range, and every
/// instruction of a launch decodes and has its events. InvalidArgument says
/// what is wrong.
absl::Status validateTrace(const trace::Trace &trace);

/// Writes the file whole or leaves it as it was.
absl::Status writeTrace(absl::string_view path, const trace::Trace &trace);

/// Reads and validates. The error names the file and says which it is: not a
/// trace, truncated or damaged, of another version, not valid.
absl::StatusOr<trace::Trace> readTrace(absl::string_view path);

/// The same on the file's bytes; errors name `path`.
absl::StatusOr<trace::Trace> parseTrace(absl::string_view bytes,
                                        absl::string_view path);

} // namespace tenon::sim

#endif // TENON_SIM_TRACE_TRACE_FILE_H
