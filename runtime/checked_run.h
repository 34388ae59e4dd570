//===- runtime/checked_run.h - Runs, compared with independent ones *- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_CHECKED_RUN_H
#define TENON_RUNTIME_CHECKED_RUN_H

#include "runtime/backend.h"

#include <functional>

namespace tenon::runtime {

/// Runs a program on a target and on up to two backends that share nothing with
/// it: another device, which must leave the same DRAM, and the reference on the
/// CPU, which must give the same tensors.
class CheckedRun {
public:
  /// `functional` and `cpu` may be null; all outlive this.
  CheckedRun(const isa::Program &program, Backend &target, Backend *functional,
             Backend *cpu)
      : program(program), target(target), functional(functional), cpu(cpu) {}

  /// Called before each part of a run with the name of its backend.
  std::function<void(absl::string_view backend)> phase;

  /// The target's result. An error of another backend begins with its name.
  absl::StatusOr<Result> run(absl::Span<const Array> inputs);
  /// The same without comparing it.
  absl::StatusOr<Result> runUnchecked(absl::Span<const Array> inputs);

  /// Over all runs; conclude() is the caller's. `compared` counts the runs.
  Check functionalCheck, cpuCheck;
  unsigned compared = 0;
  /// Host time of the last run on the target.
  double targetMs = 0;

  bool differs() const {
    return functionalCheck.mismatches || cpuCheck.mismatches;
  }

private:
  absl::StatusOr<Result> runOther(Backend &backend,
                                  absl::Span<const Array> inputs);

  const isa::Program &program;
  Backend &target;
  Backend *const functional, *const cpu;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_CHECKED_RUN_H
