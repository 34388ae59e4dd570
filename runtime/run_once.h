//===- runtime/run_once.h - A program on one set of inputs ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// For tools and tests that run a program once and look at everything. Who runs
// it more often keeps a session.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_RUN_ONCE_H
#define TENON_RUNTIME_RUN_ONCE_H

#include "runtime/session.h"

namespace tenon::runtime {

struct Outcome {
  std::vector<Array> outputs; // in the order of the program's outputs
  Execution execution;
};

/// Loads `program`, which outlives the result, and runs it; `observer` says
/// what is recorded, `trust` which host code may be loaded. Errors as of
/// LoadedProgram and Session.
absl::StatusOr<Outcome> runOnce(const isa::Program &program,
                                sim::Device &device,
                                absl::Span<const Array> inputs,
                                Observer observer = Observer::ofEverything(),
                                HostCodeTrust trust = HostCodeTrust::Own);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_RUN_ONCE_H
