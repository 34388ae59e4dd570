//===- tools/tenon/bench.cpp - tenon bench --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// How long a network takes on this machine's CPU: single runs, one after the
// other, on memory that was there before.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/commands.h"
#include "tools/tenon/diagnostics.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/host_peaks.h"
#include "tools/tenon/nest_profile.h"
#include "tools/tenon/progress.h"
#include "tools/tenon/records.h"
#include "tools/tenon/report_files.h"
#include "tools/tenon/result.h"
#include "tools/tenon/run_inputs.h"
#include "tools/tenon/shapes.h"
#include "tools/tenon/table.h"
#include "tools/tenon/tally.h"
#include "tools/tenon/threads.h"

#include "tools/tenon/bench.pb.h"

#include "compiler/driver/reference.h"
#include "isa/host_target.h"
#include "isa/program.h"
#include "isa/utf8.h"
#include "runtime/host_device.h"
#include "runtime/session.h"
#include "runtime/thread_pool.h"

#include "CLI/CLI.hpp"
#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include "fmt/format.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

namespace tenon::tools {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct BenchOptions {
  RunOptions run; // its model, shapes, inputs and seed
  double seconds = 2, warmUp = 0.3;
  unsigned runs = 20;
  bool profile = false; // so do files of a report
  std::string json;
};

double since(Clock::time_point begin) {
  return Seconds(Clock::now() - begin).count();
}

/// The host target that `code` was made for; its triple where it is none.
std::string hostName(const isa::Executable &code) {
  for (const isa::HostTarget &target : isa::hostTargets())
    if (target.triple == code.triple() &&
        absl::c_equal(target.features, code.features()))
      return std::string(target.name);
  return code.triple();
}

/// "x86-64-v4-vnni · 2 threads"
std::string hostText(const Bench &bench) {
  return fmt::format("{} · {} thread{}", bench.host(), bench.threads(),
                     bench.threads() == 1 ? "" : "s");
}

class BenchRun {
public:
  explicit BenchRun(const BenchOptions &options) : options(options) {}
  int run();

private:
  absl::Status compile();
  absl::Status load();
  absl::Status measure();
  absl::Status profile();
  absl::Status runOnce();
  /// Runs for the time that was asked for, at least as often; their
  /// milliseconds in order.
  absl::StatusOr<std::vector<double>>
  timedRuns(const std::function<void(double ms)> &behindEach = [](double) {});
  absl::Status writeProfile();

  const BenchOptions &options;
  Bench bench;
  Progress progress;
  isa::Program program, network;
  std::unique_ptr<runtime::HostDevice> device;
  std::shared_ptr<const runtime::LoadedProgram> loaded;
  runtime::Observer observer;
  runtime::Execution quickest; // of the profiled runs
  std::unique_ptr<runtime::Session> session;
  std::vector<runtime::Array> inputs, outputs;
  std::vector<runtime::ConstView> from;
  std::vector<runtime::View> to;
};

absl::Status BenchRun::compile() {
  const std::string &model = options.run.model;
  progress.show("compiling the network for the CPU");
  const auto begin = Clock::now();
  if (absl::EndsWith(model, ".tenon")) {
    auto read = isa::readProgram(model);
    if (!read.ok())
      return read.status();
    program = *std::move(read);
    if (program.reference().empty())
      return absl::InvalidArgumentError(
          absl::StrCat("'", model,
                       "' carries no network (--no-reference), so there is "
                       "nothing to compile for the CPU"));
  } else {
    compiler::Options compile = options.run.compile;
    compile.listener = remarkPrinter(progress);
    auto compiled =
        compiler::compile(model, compile, compiler::Level::Reference);
    if (!compiled.ok())
      return compiled.status();
    program = std::move(compiled->program);
  }
  auto made = compiler::compileReference(program, Optimization::ForSpeed,
                                         /*withTensors=*/false,
                                         options.run.compile.records,
                                         remarkPrinter(progress));
  if (!made.ok())
    return made.status();
  network = *std::move(made);
  bench.set_compile_s(since(begin));
  return absl::OkStatus();
}

absl::Status BenchRun::load() {
  auto sets = readDataSets(options.run, program);
  if (!sets.ok())
    return sets.status();
  inputs = std::move(sets->front().inputs);
  bench.set_host(hostName(network.host_code().executables(0)));
  const auto begin = Clock::now();
  auto read = runtime::LoadedProgram::load(std::move(network),
                                           runtime::HostCodeTrust::Any);
  if (!read.ok())
    return read.status();
  loaded = *std::move(read);
  device = std::make_unique<runtime::HostDevice>(program.configuration());
  auto created = runtime::Session::create(loaded, *device);
  if (!created.ok())
    return created.status();
  session = *std::move(created);
  bench.set_load_ms(1e3 * since(begin));
  for (const runtime::Array &input : inputs)
    from.push_back(viewOf(input));
  auto shapes = session->outputShapes(from);
  if (!shapes.ok())
    return shapes.status();
  const isa::Program &of = session->program().program();
  for (int i = 0; i < of.outputs_size(); ++i) {
    const uint32_t buffer = of.outputs(i);
    runtime::Array &output = outputs.emplace_back();
    output.type = of.buffers(int(buffer)).type();
    output.shape = (*shapes)[i];
    if (!session->program().border().isToldByRun(buffer))
      output.bytes.resize(runtime::elementCount(output.shape) *
                          runtime::elementBytes(output.type));
  }
  for (runtime::Array &output : outputs) {
    to.push_back(viewOf(output));
    if (output.bytes.empty())
      to.back().data = nullptr;
  }
  return absl::OkStatus();
}

absl::Status BenchRun::runOnce() { return session->run(from, to); }

absl::Status BenchRun::measure() {
  auto begin = Clock::now();
  if (auto status = runOnce(); !status.ok())
    return status;
  bench.set_first_ms(1e3 * since(begin));
  progress.show("warming up");
  for (begin = Clock::now(); since(begin) < options.warmUp;)
    if (auto status = runOnce(); !status.ok())
      return status;
  progress.show("measuring");
  auto times = timedRuns();
  if (!times.ok())
    return times.status();
  auto share = [&](double of) {
    return (*times)[size_t(of * (times->size() - 1))];
  };
  bench.set_runs(times->size());
  bench.set_p10_ms(share(0.1));
  bench.set_median_ms(spreadOf(*times).median());
  bench.set_p90_ms(share(0.9));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>>
BenchRun::timedRuns(const std::function<void(double ms)> &behindEach) {
  // The limit keeps a run that takes no time from filling memory.
  constexpr size_t most = 1000000;
  std::vector<double> times;
  for (const auto begin = Clock::now();
       times.size() < options.runs ||
       (since(begin) < options.seconds && times.size() < most);) {
    const auto start = Clock::now();
    if (auto status = runOnce(); !status.ok())
      return status;
    times.push_back(1e3 * since(start));
    behindEach(times.back());
  }
  std::sort(times.begin(), times.end());
  return times;
}

/// Runs of their own: to look at the clock at every loop nest takes time.
absl::Status BenchRun::profile() {
  if (!options.profile)
    return absl::OkStatus();
  progress.show("profiling");
  observer.profile = true;
  auto created = runtime::Session::create(loaded, *device, &observer);
  if (!created.ok())
    return created.status();
  session = *std::move(created);
  if (auto status = runOnce(); !status.ok()) // warms up its memory
    return status;
  NestProfile nests(loaded->program().host_code());
  double least = std::numeric_limits<double>::infinity();
  auto times = timedRuns([&](double ms) {
    nests.add(observer.execution);
    if (ms < least)
      quickest = observer.execution;
    least = std::min(least, ms);
  });
  if (!times.ok())
    return times.status();
  bench.set_profiled_ms(spreadOf(*std::move(times)).median());
  *bench.mutable_peaks() = measureHostPeaks();
  for (report::LoopNest &nest : nests.nests(bench.peaks()))
    *bench.add_nests() = std::move(nest);
  return writeProfile();
}

/// A timeline is of one run: of the one that was disturbed least.
absl::Status BenchRun::writeProfile() {
  const ReportFiles &files = options.run.reportFiles;
  if (!files.wanted())
    return absl::OkStatus();
  report::RunReport described;
  described.set_model(isa::toUtf8(bench.model()));
  described.set_config(hostText(bench));
  described.set_target("cpu");
  *described.mutable_host_peaks() = bench.peaks();
  described.add_notes(fmt::format(
      "the quickest of the profiled runs; their median is {:.3f} ms, without "
      "the clock at every loop nest {:.3f} ms",
      bench.profiled_ms(), bench.median_ms()));
  const isa::Program &of = loaded->program();
  describeHostSteps(of.host_code(), quickest, described);
  auto trace = traceOf(of, quickest, described);
  if (!trace.ok())
    return trace.status();
  return writeReportFiles(files, described, *trace);
}

std::string benchText(const Bench &bench) {
  Table table("ll");
  table.add({"median", fmt::format("{:.3f} ms · a tenth below {:.3f}, a tenth "
                                   "above {:.3f} · {} runs",
                                   bench.median_ms(), bench.p10_ms(),
                                   bench.p90_ms(), grouped(bench.runs()))});
  table.add({"first run", fmt::format("{:.3f} ms", bench.first_ms())});
  table.add({"loading", fmt::format("{:.2f} ms", bench.load_ms())});
  table.add({"compiling", fmt::format("{:.2f} s", bench.compile_s())});
  return fmt::format("{} · cpu · {}\n", bench.model(), hostText(bench)) +
         table.text();
}

std::string profileOf(const Bench &bench) {
  return profileText({bench.nests().begin(), bench.nests().end()},
                     bench.peaks(), bench.profiled_ms());
}

int BenchRun::run() {
  if (auto status = prepareReportFiles(options.run.reportFiles); !status.ok())
    return report(status);
  bench.set_model(options.run.model);
  bench.set_threads(runtime::ThreadPool::process().threads());
  for (auto part : {&BenchRun::compile, &BenchRun::load, &BenchRun::measure,
                    &BenchRun::profile})
    if (auto status = (this->*part)(); !status.ok())
      return report(status);
  progress.clear();
  if (!options.json.empty())
    if (auto status = writeOutput(options.json, isa::toJson(bench));
        !status.ok())
      return report(status);
  return options.json == "-"
             ? ExitDone
             : report(writeOutput(
                   "-", benchText(bench) +
                            (options.profile ? "\n" + profileOf(bench) : "")));
}

} // namespace

void addBench(CLI::App &program, int &exitCode) {
  auto *verb = program.add_subcommand(
      "bench", "Measure how long a network takes on this machine's CPU");
  auto options = std::make_shared<BenchOptions>();
  verb->add_option("MODEL", options->run.model,
                   "ONNX file, TOSA in .mlir, or a compiled .tenon program "
                   "that carries its network")
      ->required();
  addShapeOption(*verb, options->run.compile);
  addRecordsOption(*verb, options->run.compile);
  addThreadsOption(*verb);
  verb->add_option("--input", options->run.inputs,
                   "NAME=FILE with .npy, .pb, .png, .jpg or .bmp (default: "
                   "random values)")
      ->type_name("NAME=FILE");
  verb->add_option("--expect", options->run.expect,
                   "an ONNX test_data_set directory, for its inputs")
      ->expected(1);
  verb->add_option("--seed", options->run.seed, "of random inputs")
      ->capture_default_str();
  verb->add_option("--seconds", options->seconds,
                   "how long runs are measured at least")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  verb->add_option("--runs", options->runs, "how many at least")
      ->check(CLI::Range(1u, 1000000u))
      ->capture_default_str();
  verb->add_option("--warm-up", options->warmUp,
                   "seconds of runs that do not count")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  verb->add_flag("--profile", options->profile,
                 "where the time goes: each loop nest beside what this machine "
                 "does at most; in runs of their own");
  verb->add_option("--report", options->run.reportFiles.page,
                   "HTML file with the profile as tables and pictures");
  verb->add_option("--trace", options->run.reportFiles.trace,
                   "file of a profiled run for `tenon report`");
  verb->add_option("--json", options->json,
                   "file for the figures as JSON; '-' is stdout");
  verb->callback([options, &exitCode] {
    if (options->run.inputs.size() && options->run.expect.size()) {
      exitCode = reportUsage("bench: --input and --expect both name inputs; "
                             "give one of them");
      return;
    }
    options->profile |= options->run.reportFiles.wanted();
    exitCode = BenchRun(*options).run();
  });
}

} // namespace tenon::tools
