//===- sim/report/perfetto.h - A run for the Perfetto UI --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_REPORT_PERFETTO_H
#define TENON_SIM_REPORT_PERFETTO_H

#include "sim/trace/trace.pb.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <string>

namespace tenon::sim {

/// The bytes of a .pftrace: for each engine a track of its instructions, its
/// states as slices below them, tokens as flows, layers as a track, counters of
/// the port (bytes a cycle) and of the scratchpads (entries); a track of the
/// host's steps, with their loop nests inside. One cycle takes its time at the
/// configuration's clock, rounded to nanoseconds, a step what it took on the
/// machine of the run; they follow each other in the order of the run. Each run
/// is a process; all begin at 0. The traces must have been read or made.
absl::StatusOr<std::string>
perfettoTrace(absl::Span<const trace::Trace *const> traces);

} // namespace tenon::sim

#endif // TENON_SIM_REPORT_PERFETTO_H
