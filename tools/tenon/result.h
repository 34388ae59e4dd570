//===- tools/tenon/result.h - A run, as people and programs read it *- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_RESULT_H
#define TENON_TOOLS_TENON_RESULT_H

#include "isa/verifier/verification.pb.h"
#include "runtime/check.h"
#include "runtime/observer.h"
#include "sim/trace/report.pb.h"

#include <string>
#include <vector>

namespace tenon::tools {

/// Fills states, layers, cycles, utilisation and host steps of `report` from an
/// execution of `program` on a device with a clock of `clockMhz`. Peak is
/// batch*block_in*block_out MACs a cycle.
void describeExecution(const isa::Program &program,
                       const runtime::Execution &execution, double clockMhz,
                       report::RunReport &report);

/// Adds the host steps of an execution, their loop nests where it was profiled,
/// and the kernels among them as layers. Measures what this machine does at
/// most where there are nests and the report has no peaks.
void describeHostSteps(const isa::HostCode &code,
                       const runtime::Execution &execution,
                       report::RunReport &report);

/// What of a described execution hardware could not say, as notes.
void describeHardware(const isa::Program &program, report::RunReport &report);

/// Indices of the `count` largest elements, the largest first; of equal ones
/// the first comes first.
std::vector<uint32_t> largestElements(const runtime::Array &array,
                                      unsigned count);

/// The `count` largest elements of the first output, with their labels.
void describeAnswer(const isa::Program &program,
                    absl::Span<const runtime::Array> outputs,
                    const std::vector<std::string> &labels, unsigned count,
                    report::RunReport &report);

/// What the verifier proved, and its time.
void describeVerification(const isa::Verification &verification,
                          report::RunReport &report);

/// That nothing was proved, and why.
void describeSkippedVerification(const char *reason, report::RunReport &report);

/// The program's host code, if it has any, and why it ran.
void describeHostCode(const isa::Program &program, const char *why,
                      report::RunReport &report);

void describeCheck(const runtime::Check &check, report::CheckResult &result);

/// What a person sees at the end of `tenon run`.
std::string summary(const report::RunReport &report);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_RESULT_H
