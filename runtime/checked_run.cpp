//===- runtime/checked_run.cpp - Runs, compared with independent ones -----===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/checked_run.h"

#include "absl/strings/str_cat.h"

#include <chrono>

namespace tenon::runtime {

absl::StatusOr<Result>
CheckedRun::runUnchecked(absl::Span<const Array> inputs) {
  if (phase)
    phase(target.name());
  const auto begin = std::chrono::steady_clock::now();
  auto result = target.run(inputs);
  targetMs = std::chrono::duration<double, std::milli>(
                 std::chrono::steady_clock::now() - begin)
                 .count();
  return result;
}

absl::StatusOr<Result> CheckedRun::runOther(Backend &backend,
                                            absl::Span<const Array> inputs) {
  if (phase)
    phase(backend.name());
  absl::StatusOr<Result> result = backend.run(inputs);
  if (result.ok())
    return result;
  return absl::Status(
      result.status().code(),
      absl::StrCat(backend.name(), ": ", result.status().message()));
}

absl::StatusOr<Result> CheckedRun::run(absl::Span<const Array> inputs) {
  absl::StatusOr<Result> result = runUnchecked(inputs);
  if (!result.ok())
    return result;
  if (functional) {
    absl::StatusOr<Result> other = runOther(*functional, inputs);
    if (!other.ok())
      return other;
    functionalCheck.add(
        compareDram(program, result->execution, other->execution));
  }
  if (cpu) {
    absl::StatusOr<Result> other = runOther(*cpu, inputs);
    if (!other.ok())
      return other;
    cpuCheck.add(compareTensors(result->tensors, other->tensors));
  }
  compared += functional || cpu;
  return result;
}

} // namespace tenon::runtime
