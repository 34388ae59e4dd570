//===- tools/tenon/nest_profile.h - Where a run's time goes -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_NEST_PROFILE_H
#define TENON_TOOLS_TENON_NEST_PROFILE_H

#include "isa/proto/program.pb.h"
#include "runtime/observer.h"
#include "sim/trace/report.pb.h"

#include <map>
#include <string>
#include <vector>

namespace tenon::tools {

/// Nest `number` of a kernel of `code`, with its bound and without times. Of
/// one that the code does not describe, only the kernel.
report::LoopNest describeNest(const isa::HostCode &code,
                              const isa::HostKernel &kernel, uint32_t number,
                              const report::HostPeaks &peaks);

/// The loop nests of a program's kernels over several runs.
class NestProfile {
public:
  /// `code` outlives it.
  explicit NestProfile(const isa::HostCode &code) : code(code) {}

  /// A run of an observer that asked for a profile.
  void add(const runtime::Execution &execution);

  /// Medians, in the order in which they first ran. A nest that a loop of the
  /// network runs several times has the time of all of them in one run.
  std::vector<report::LoopNest> nests(const report::HostPeaks &peaks) const;

private:
  struct Times {
    const isa::HostKernel *kernel;
    uint32_t number;
    std::vector<double> milliseconds; // of each run
  };

  const isa::HostCode &code;
  size_t runs = 0;
  std::map<std::pair<const isa::HostKernel *, uint32_t>, size_t> places;
  std::vector<Times> times;
};

/// The nests of all host steps of a run.
std::vector<report::LoopNest> nestsOf(const report::RunReport &report);

/// A table of those that take longest, `most` at most, each beside its bound,
/// and what the others come to. `ms`: of the whole run.
std::string profileText(const std::vector<report::LoopNest> &nests,
                        const report::HostPeaks &peaks, double ms,
                        size_t most = 30);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_NEST_PROFILE_H
