//===- sim/report/limits.h - What limits a layer, in a sentence -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The rules are in docs/report.md, section "What limits a layer".
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_REPORT_LIMITS_H
#define TENON_SIM_REPORT_LIMITS_H

#include "sim/report/launch_view.h"
#include "sim/trace/report.pb.h"

#include <string>

namespace tenon::sim {

/// The sentence about a layer on the accelerator; empty for one on the CPU and
/// on untimed targets. `peakMacs`: of the machine, a cycle. `detail`, of a
/// traced run, says which neighbour is waited for and what is read; may be
/// null.
std::string limitOf(const report::Layer &layer, double peakMacs,
                    const LayerDetail *detail);

/// Sets `limit` of every layer of a report; `details` by layer, or empty.
void describeLimits(report::RunReport &report,
                    const std::vector<LayerDetail> &details = {});

} // namespace tenon::sim

#endif // TENON_SIM_REPORT_LIMITS_H
