//===- tools/tenon/report_files.h - Traces and pictures of a run *- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_REPORT_FILES_H
#define TENON_TOOLS_TENON_REPORT_FILES_H

#include "runtime/observer.h"
#include "sim/trace/trace.pb.h"

#include <string>

namespace tenon::tools {

/// Where a run's events go; empty: nowhere.
struct ReportFiles {
  std::string page;  // HTML
  std::string trace; // for `tenon report`

  bool wanted() const { return !page.empty() || !trace.empty(); }
};

/// Makes the directories of the files that are missing, and finds out whether
/// they can be written in. To be called before the work.
absl::Status prepareReportFiles(const ReportFiles &files);

/// What the device recorded while it executed `program`; the report is added
/// when it is complete.
absl::StatusOr<trace::Trace> traceOf(const isa::Program &program,
                                     const runtime::Execution &execution,
                                     const report::RunReport &report);

/// Completes `report` with what only the events tell, puts it into the trace
/// and writes the files.
absl::Status writeReportFiles(const ReportFiles &files,
                              report::RunReport &report, trace::Trace &trace);

/// Sets each layer's sentence from the events of the trace.
absl::Status describeLimits(report::RunReport &report,
                            const trace::Trace &trace);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_REPORT_FILES_H
