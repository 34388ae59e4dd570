//===- tools/tenon/report_files.cpp - Traces and pictures of a run --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/report_files.h"

#include "tools/tenon/files.h"

#include "runtime/debug_info.h"

#include "sim/report/limits.h"
#include "sim/report/page.h"
#include "sim/trace/trace_file.h"

#include <filesystem>

namespace tenon::tools {

absl::Status prepareReportFiles(const ReportFiles &files) {
  for (const std::string &path : {files.page, files.trace}) {
    std::string folder = std::filesystem::path(path).parent_path().string();
    if (folder.empty())
      continue;
    if (absl::Status status = makeDirectory(folder); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<trace::Trace> traceOf(const isa::Program &program,
                                     const runtime::Execution &execution,
                                     const report::RunReport &report) {
  std::vector<sim::TracedLaunch> launches;
  std::array<uint64_t, sim::numEngines> retired{};
  for (size_t i = 0; i < execution.traces.size(); ++i) {
    const sim::LaunchResult &result = execution.launches[i];
    launches.push_back({result.cycles, &execution.traces[i],
                        runtime::layerRuns(program, retired), result.states});
    for (unsigned e = 0; e < sim::numEngines; ++e)
      retired[e] += result.retired[e];
  }
  return sim::makeTrace(program, report, launches);
}

absl::Status describeLimits(report::RunReport &report,
                            const trace::Trace &trace) {
  auto layout = isa::Layout::get(trace.configuration());
  if (!layout.ok())
    return layout.status();
  std::vector<sim::LaunchView> views;
  for (int i = 0; i < trace.launches_size(); ++i) {
    auto view = sim::viewLaunch(trace, i);
    if (!view.ok())
      return view.status();
    views.push_back(*std::move(view));
  }
  sim::describeLimits(report,
                      sim::layerDetails(*layout, views, report.layers_size()));
  return absl::OkStatus();
}

absl::Status writeReportFiles(const ReportFiles &files,
                              report::RunReport &report, trace::Trace &trace) {
  report.set_report(files.page);
  if (absl::Status status = describeLimits(report, trace); !status.ok())
    return status;
  *trace.mutable_report() = report;
  if (!files.trace.empty())
    if (absl::Status status = sim::writeTrace(files.trace, trace); !status.ok())
      return status;
  if (files.page.empty())
    return absl::OkStatus();
  const trace::Trace *const traces[] = {&trace};
  auto page = sim::reportPage(traces);
  if (!page.ok())
    return page.status();
  return writeOutput(files.page, *page);
}

} // namespace tenon::tools
