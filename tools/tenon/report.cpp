//===- tools/tenon/report.cpp - tenon report ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Traces of earlier runs as tables and pictures; two traces side by side.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/commands.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/result.h"

#include "isa/files.h"
#include "sim/report/comparison.h"
#include "sim/report/page.h"
#include "sim/report/perfetto.h"
#include "sim/trace/trace_file.h"

#include "CLI/CLI.hpp"

#include <memory>

namespace tenon::tools {
namespace {

struct Options {
  std::vector<std::string> traces;
  std::string page, perfetto, json;
};

std::string tableOf(const std::vector<trace::Trace> &traces) {
  if (traces.size() == 1)
    return summary(traces[0].report());
  return sim::comparisonText(
      sim::compareReports(traces[0].report(), traces[1].report()));
}

std::string jsonOf(const std::vector<trace::Trace> &traces) {
  if (traces.size() == 1)
    return isa::toJson(traces[0].report());
  return isa::toJson(
      sim::compareReports(traces[0].report(), traces[1].report()));
}

absl::Status writeAll(const Options &options) {
  std::vector<trace::Trace> traces;
  for (const std::string &path : options.traces) {
    auto trace = sim::readTrace(path);
    if (!trace.ok())
      return trace.status();
    traces.push_back(*std::move(trace));
    if (!options.page.empty())
      traces.back().mutable_report()->set_report(options.page);
  }
  std::vector<const trace::Trace *> pointers;
  for (const trace::Trace &trace : traces)
    pointers.push_back(&trace);
  if (!options.page.empty()) {
    auto page = sim::reportPage(pointers);
    absl::Status status =
        page.ok() ? writeOutput(options.page, *page) : page.status();
    if (!status.ok())
      return status;
  }
  if (!options.perfetto.empty()) {
    auto bytes = sim::perfettoTrace(pointers);
    absl::Status status =
        bytes.ok() ? writeOutput(options.perfetto, *bytes) : bytes.status();
    if (!status.ok())
      return status;
  }
  if (!options.json.empty())
    if (absl::Status status = writeOutput(options.json, jsonOf(traces));
        !status.ok())
      return status;
  if (options.page == "-" || options.json == "-" || options.perfetto == "-")
    return absl::OkStatus();
  return writeOutput("-", tableOf(traces));
}

} // namespace

void addReport(CLI::App &program, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *verb = program.add_subcommand(
      "report", "Show where the cycles of a run went, or compare two runs");
  verb->add_option("TRACE", options->traces,
                   "file of `tenon run --trace`; two are compared")
      ->required()
      ->expected(1, 2);
  verb->add_option("-o,--output", options->page,
                   "HTML file with tables and pictures, opens offline");
  verb->add_option("--perfetto", options->perfetto,
                   "trace for the Perfetto UI (.pftrace)");
  verb->add_option("--json", options->json,
                   "the tables as JSON; '-' is stdout");
  verb->callback(
      [options, &exitCode] { exitCode = report(writeAll(*options)); });
}

} // namespace tenon::tools
