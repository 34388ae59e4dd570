//===- sim/report/comparison.h - What differs between two runs --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_REPORT_COMPARISON_H
#define TENON_SIM_REPORT_COMPARISON_H

#include "sim/trace/report.pb.h"

#include <string>

namespace tenon::sim {

/// Milliseconds of all host steps.
double hostMs(const report::RunReport &report);

/// Layers are matched by name: those of `a` in its order, then those that only
/// `b` has; loop nests by the nodes that they compute.
report::Comparison compareReports(const report::RunReport &a,
                                  const report::RunReport &b);

/// A table for people.
std::string comparisonText(const report::Comparison &comparison);

} // namespace tenon::sim

#endif // TENON_SIM_REPORT_COMPARISON_H
