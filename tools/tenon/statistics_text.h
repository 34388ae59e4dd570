//===- tools/tenon/statistics_text.h - Statistics as a table ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_STATISTICS_TEXT_H
#define TENON_TOOLS_TENON_STATISTICS_TEXT_H

#include "compiler/driver/statistics.pb.h"

#include <string>

namespace tenon::tools {

/// What a person reads: a line for each pass, a number that a pass changed as
/// "before > after"; then one for the workspace of each host kernel.
std::string statisticsText(const compiler::Statistics &statistics);

/// The predicted time of a run, and what it is made of.
std::string predictionText(const compiler::Prediction &of);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_STATISTICS_TEXT_H
