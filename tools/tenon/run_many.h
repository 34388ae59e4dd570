//===- tools/tenon/run_many.h - A program on many inputs --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_RUN_MANY_H
#define TENON_TOOLS_TENON_RUN_MANY_H

#include "tools/tenon/progress.h"
#include "tools/tenon/samples.h"
#include "tools/tenon/tally.h"

#include "runtime/checked_run.h"

#include <functional>

namespace tenon::tools {

/// Runs a program on every item of a source, on one target that is loaded once.
/// An item that cannot be read or whose results differ is counted, and the rest
/// still runs; an error of the target ends it.
class ManyRuns {
public:
  /// InvalidArgument where --inputs, --preprocess or --expect-labels is wrong.
  static absl::StatusOr<std::unique_ptr<ManyRuns>>
  open(const RunOptions &options, const isa::Program &program,
       const std::vector<std::string> &names);

  /// `first` is given the first run's result.
  absl::Status
  run(runtime::CheckedRun &checked, Progress &progress,
      const std::function<absl::Status(const runtime::Result &)> &first,
      report::RunReport &report);

  /// Whether an item could not be read.
  bool unreadable() const { return anyUnreadable; }

private:
  ManyRuns(const RunOptions &options, std::unique_ptr<const Samples> samples)
      : options(options), samples(std::move(samples)) {}

  Samples::Run nextRun(size_t &next, Tally &tally);
  absl::StatusOr<runtime::Result> runOnce(const Samples::Run &run,
                                          runtime::CheckedRun &checked,
                                          report::Inputs &inputs,
                                          Tally &tally) const;
  void describe(const std::vector<size_t> &run, const runtime::Result &result,
                const std::string &failure, Tally &tally) const;

  const RunOptions &options;
  const std::unique_ptr<const Samples> samples;
  bool anyUnreadable = false;
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_RUN_MANY_H
