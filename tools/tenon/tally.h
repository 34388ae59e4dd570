//===- tools/tenon/tally.h - What many inputs gave --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_TALLY_H
#define TENON_TOOLS_TENON_TALLY_H

#include "tools/tenon/input_source.h"

#include "sim/trace/report.pb.h"

#include <vector>

namespace tenon::tools {

/// Counts what runs of items gave into a report.
class Tally {
public:
  Tally(report::Inputs &inputs, unsigned top) : inputs(inputs) {
    inputs.set_k(top > 1 ? top : 1);
  }

  /// A run of items on the target.
  void addRun(double ms, double cycles);

  /// The item's output, of the last run; an empty `failure` is none.
  void addAnswer(const Item &item, const runtime::Array &output,
                 const std::string &failure);

  /// An item that was not run.
  void addFailure(const Item &item, const std::string &failure);

  /// Sets the spreads; nothing is added after.
  void conclude();

private:
  report::InputResult &add(const Item &item, const std::string &failure);
  void keepFirst(const report::InputResult &result);

  report::Inputs &inputs;
  std::vector<double> ms, cycles; // of the runs
};

/// Least, middle, nearest-rank 99th percentile and most of `values`, not empty.
report::Spread spreadOf(std::vector<double> values);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_TALLY_H
