//===- tools/tenon/run_targets.h - Where a program runs ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_RUN_TARGETS_H
#define TENON_TOOLS_TENON_RUN_TARGETS_H

#include "tools/tenon/progress.h"
#include "tools/tenon/run_options.h"

#include "runtime/backend.h"

#include <memory>

namespace tenon::tools {

/// The target, and what its results are compared with (null: not asked for).
struct RunTargets {
  std::unique_ptr<runtime::Backend> target, functional, cpu;
  double clockMhz = 0;
  double buildMs = 0; // it took to make the target
};

/// Makes what `options` ask for; `progress` outlives the result. Errors as of
/// makeDevice and Session; InvalidArgument where the target is the CPU and the
/// program carries no network for it.
absl::StatusOr<RunTargets> makeTargets(const RunOptions &options,
                                       const isa::Program &program,
                                       const sim::MemoryTiming &memory,
                                       Progress &progress);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_RUN_TARGETS_H
