//===- tools/tenon/run.cpp - tenon run ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The options, and what is printed and written. What compiles is the
// compiler's, what executes and compares is the runtime's.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/arrays.h"
#include "tools/tenon/commands.h"
#include "tools/tenon/devices.h"
#include "tools/tenon/diagnostics.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/npy.h"
#include "tools/tenon/result.h"
#include "tools/tenon/run_inputs.h"
#include "tools/tenon/run_many.h"
#include "tools/tenon/run_targets.h"
#include "tools/tenon/shapes.h"
#include "tools/tenon/verify.h"

#include "isa/files.h"
#include "isa/program.h"
#include "runtime/checked_run.h"
#include "sim/memory/memory_options.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace tenon::tools {

using report::RunReport;

namespace {

double millisecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

class Run {
public:
  explicit Run(RunOptions &options) : options(options) {}
  int operator()();

private:
  absl::Status preparePlaces();
  absl::Status loadProgram();
  int verifyForeign();
  absl::Status prepare();
  absl::Status readInputs();
  absl::Status runSet(const DataSet &set, bool first);
  absl::Status runAll();
  absl::Status describeFirst(const runtime::Result &result);
  void compareExpected(const DataSet &set, const runtime::Result &result);
  absl::Status writeResults(const runtime::Result &result);
  void describeChecks();
  absl::Status writeReports();

  RunOptions &options;
  Progress progress;
  isa::Program program;
  sim::MemoryTiming memory;
  std::vector<DataSet> sets;
  std::unique_ptr<ManyRuns> many; // of --inputs, instead of sets
  std::vector<std::string> labels;
  RunTargets targets;
  std::optional<runtime::CheckedRun> checked;
  RunReport report_;
  std::optional<trace::Trace> trace_;
};

/// Places that cannot be written are found before the work, not after it.
absl::Status Run::preparePlaces() {
  for (const std::string *directory :
       {&options.outputDir, &options.dumpTensors})
    if (!directory->empty())
      if (auto status = makeDirectory(*directory); !status.ok())
        return status;
  return prepareReportFiles(options.reportFiles);
}

absl::Status Run::loadProgram() {
  auto begin = std::chrono::steady_clock::now();
  if (isProgram(options.model)) {
    auto loaded = isa::readProgram(options.model);
    if (!loaded.ok())
      return loaded.status();
    program = *std::move(loaded);
    if (options.configGiven)
      return checkConfiguration(program, options.compile.config);
    return absl::OkStatus();
  }
  options.compile.requireAccelerator = options.require == "accelerator";
  options.compile.verify = !options.noVerify;
  options.compile.listener = remarkPrinter(progress);
  options.compile.progress = [this](const std::string &phase) {
    progress.show("compiling: " + phase);
  };
  auto level = options.target == "cpu" ? compiler::Level::Reference
                                       : compiler::Level::Program;
  auto compiled = compiler::compile(options.model, options.compile, level);
  if (!compiled.ok())
    return compiled.status();
  program = std::move(compiled->program);
  report_.mutable_host()->set_compile_ms(millisecondsSince(begin));
  if (compiled->verification)
    describeVerification(*compiled->verification, report_);
  return absl::OkStatus();
}

/// A program from elsewhere runs if it can be proved right.
int Run::verifyForeign() {
  if (!isProgram(options.model) || options.noVerify)
    return ExitDone;
  progress.show("verifying");
  constexpr uint32_t mostFindings = 5;
  auto result = isa::verify(program, mostFindings);
  if (!result.ok())
    return report(result.status());
  progress.clear();
  if (!result->verified())
    return reportUnverified(options.model, *result);
  describeVerification(*result, report_);
  return ExitDone;
}

absl::Status Run::readInputs() {
  auto names = readLabels(options.labels);
  if (!names.ok())
    return names.status();
  labels = *std::move(names);
  if (!options.many.empty()) {
    auto opened = ManyRuns::open(options, program, labels);
    if (!opened.ok())
      return opened.status();
    many = *std::move(opened);
    return absl::OkStatus();
  }
  auto read = readDataSets(options, program);
  if (!read.ok())
    return read.status();
  sets = *std::move(read);
  return absl::OkStatus();
}

absl::Status Run::prepare() {
  if (auto status = readInputs(); !status.ok())
    return status;
  auto timing = sim::parseMemoryTiming(options.memory);
  if (!timing.ok())
    return timing.status();
  memory = *timing;
  if (!options.checkGiven && !isRtl(options.target) &&
      !isHardware(options.target))
    options.check.clear();
  auto made = makeTargets(options, program, memory, progress);
  if (!made.ok())
    return made.status();
  targets = *std::move(made);
  report_.mutable_host()->set_build_ms(targets.buildMs);
  report_.set_target(options.target);
  checked.emplace(program, *targets.target, targets.functional.get(),
                  targets.cpu.get());
  return absl::OkStatus();
}

void Run::compareExpected(const DataSet &set, const runtime::Result &result) {
  if (set.expected.empty())
    return;
  report::ExpectedSet &out = *report_.mutable_checks()->add_expected();
  out.set_set(set.name);
  for (size_t i = 0; i < set.expected.size(); ++i) {
    const isa::Buffer &buffer = program.buffers(program.outputs(i));
    runtime::Difference difference =
        runtime::difference(result.outputs[i], set.expected[i]);
    report::ExpectedOutput &output = *out.add_outputs();
    output.set_name(buffer.name());
    output.set_max_lsb(difference.largest);
    output.set_max_abs(difference.largest *
                       (buffer.scale() > 0 ? buffer.scale() : 1));
    output.set_mismatches(difference.mismatches);
    output.set_elements(difference.elements);
    output.set_top1_same(difference.sameTop1);
  }
}

absl::Status Run::writeResults(const runtime::Result &result) {
  for (int i = 0; !options.outputDir.empty() && i < program.outputs_size();
       ++i) {
    std::string stem = absl::StrCat(options.outputDir, "/output_", i);
    const std::string &name = program.buffers(program.outputs(i)).name();
    auto status = writeOutput(stem + ".npy", toNpy(result.outputs[i]));
    if (status.ok())
      status =
          writeOutput(stem + ".pb", toTensorProto(result.outputs[i], name));
    if (!status.ok())
      return status;
  }
  if (options.dumpTensors.empty())
    return absl::OkStatus();
  for (const auto &[name, array] : result.tensors) {
    // Tensor names may hold '/', which a file name cannot.
    std::string file = name;
    std::replace(file.begin(), file.end(), '/', '%');
    auto status = writeOutput(
        absl::StrCat(options.dumpTensors, "/", file, ".npy"), toNpy(array));
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

/// Cycles, layers, events and answer are the first run's.
absl::Status Run::describeFirst(const runtime::Result &result) {
  describeExecution(program, result.execution, targets.clockMhz, report_);
  if (isHardware(options.target))
    describeHardware(program, report_);
  if (options.reportFiles.wanted()) {
    auto trace = traceOf(program, result.execution, report_);
    if (!trace.ok())
      return trace.status();
    trace_ = *std::move(trace);
  }
  if (!many)
    describeAnswer(program, result.outputs, labels, options.top, report_);
  return writeResults(result);
}

absl::Status Run::runSet(const DataSet &set, bool first) {
  checked->phase = [&](absl::string_view backend) {
    progress.show(absl::StrCat("running ", set.name, " on ", backend));
  };
  auto result = checked->run(set.inputs);
  if (!result.ok())
    return result.status();
  compareExpected(set, *result);
  return first ? describeFirst(*result) : absl::OkStatus();
}

absl::Status Run::runAll() {
  if (many)
    return many->run(
        *checked, progress,
        [&](const runtime::Result &result) { return describeFirst(result); },
        report_);
  for (const DataSet &set : sets)
    if (auto status = runSet(set, &set == &sets[0]); !status.ok())
      return status;
  return absl::OkStatus();
}

void Run::describeChecks() {
  report::Checks &checks = *report_.mutable_checks();
  if (!checks.has_verifier())
    checks.mutable_verifier()->set_status("skipped");
  if (!targets.functional)
    checked->functionalCheck.reason = "not asked for";
  if (!targets.cpu)
    checked->cpuCheck.reason =
        program.reference().empty() && options.wants("cpu")
            ? "the program carries no reference network"
            : "not asked for";
  checked->functionalCheck.conclude();
  checked->cpuCheck.conclude();
  describeCheck(checked->functionalCheck, *checks.mutable_functional());
  describeCheck(checked->cpuCheck, *checks.mutable_cpu());
}

absl::Status Run::writeReports() {
  report_.set_memory(sim::printMemoryTiming(memory));
  if (trace_)
    if (auto status = writeReportFiles(options.reportFiles, report_, *trace_);
        !status.ok())
      return status;
  if (!options.json.empty())
    if (auto status = writeOutput(options.json, isa::toJson(report_));
        !status.ok())
      return status;
  return options.json == "-" ? absl::OkStatus()
                             : writeOutput("-", summary(report_));
}

int Run::operator()() {
  for (auto step : {&Run::preparePlaces, &Run::loadProgram})
    if (auto status = (this->*step)(); !status.ok())
      return report(status);
  if (int code = verifyForeign(); code != ExitDone)
    return code;
  if (auto status = prepare(); !status.ok())
    return report(status);
  if (auto status = runAll(); !status.ok())
    return report(status);
  progress.clear();
  describeChecks();
  if (auto status = writeReports(); !status.ok())
    return report(status);
  if (checked->differs())
    return ExitCheckFailed;
  return many && many->unreadable() ? ExitBadInput : ExitDone;
}

/// Options that exclude each other; empty where none do.
std::string contradiction(const RunOptions &options) {
  const bool hardware = isHardware(options.target);
  if (!options.many.empty() &&
      (!options.inputs.empty() || !options.expect.empty()))
    return "--inputs is instead of --input and --expect; give one of them";
  if (options.many.empty() && !options.expectLabels.empty())
    return "--expect-labels is of the inputs of --inputs, which is not given";
  if (options.reportFiles.wanted() &&
      (hardware || options.target == "cpu" ||
       absl::StartsWith(options.target, "functional")))
    return "--report and --trace need a target with time, rtl or tlm, "
           "that shows every event; " +
           options.target + " does not";
  if (hardware && !options.memory.empty())
    return "--memory is of the simulators' DRAM model; " + options.target +
           " has memory of its own";
  if (hardware && !options.dumpTensors.empty())
    return "--dump-tensors copies tensors while the network runs, which " +
           options.target + " cannot; use rtl, tlm or functional";
  return "";
}

} // namespace

void addRun(CLI::App &program, int &exitCode) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *verb = program.add_subcommand(
      "run", "Compile if needed, execute, check, report");
  verb->add_option("MODEL", options->model,
                   "ONNX file, TOSA in .mlir, or a compiled .tenon program")
      ->required();
  verb->add_option("--target", options->target,
                   "where it runs: rtl[:fault=OFFSET,jitter=SEED] (a byte of "
                   "DRAM has failed; a memory that is late at random), tlm, "
                   "functional[:interleave=SEED] (engines in an order that the "
                   "seed draws, stopped at a race), cpu, or a board: "
                   "fpga:serial:PORT[@BAUD] or fpga:uio:DEVICE[,KEY=VALUE]")
      ->check([](const std::string &text) {
        return std::string(checkTarget(text).message());
      })
      ->capture_default_str();
  CLI::Option *config = verb->add_option("--config", options->compile.config,
                                         "configuration, by name or file")
                            ->capture_default_str();
  addShapeOption(*verb, options->compile);
  verb->add_option("--input", options->inputs,
                   "NAME=FILE with .npy, .pb, .png, .jpg or .bmp (default: "
                   "random values)")
      ->type_name("NAME=FILE");
  verb->add_option("--inputs", options->many,
                   "many inputs: a directory of such files, whose folders are "
                   "classes, or a .npz with an array for each input (the first "
                   "axis counts) and the classes in 'labels' or 'y'; output "
                   "files and reports are of the first")
      ->type_name("DIR|FILE.npz");
  verb->add_option(
      "--expect-labels", options->expectLabels,
      "true classes of --inputs: lines 'NAME CLASS' (or with a comma or a "
      "tab), "
      "or one class a line in sorted order; a class is its number or its name "
      "in --labels");
  verb->add_option(
      "--preprocess", options->preprocess,
      "of pictures, and of uint8 arrays of --inputs: "
      "mean=N[/N/N],std=N[/N/N],color=rgb|bgr; value = (pixel - mean) / std");
  verb->add_option("--labels", options->labels,
                   "file with the name of class i in line i");
  verb->add_option("--top", options->top, "answers to show")
      ->capture_default_str();
  verb->add_option(
      "--expect", options->expect,
      "ONNX test_data_set directories: inputs and expected outputs");
  CLI::Option *check =
      verb->add_option("--check", options->check,
                       "executions to compare with: functional, cpu, none "
                       "(default for rtl and fpga: both)")
          ->delimiter(',')
          ->check(CLI::IsMember({"functional", "cpu", "none"}));
  verb->add_flag("--no-verify", options->noVerify,
                 "run a program that is not proved free of races and deadlock");
  verb->add_option("--require", options->require,
                   "'accelerator': a node on the CPU is an error")
      ->check(CLI::IsMember({"accelerator"}));
  verb->add_option("--virtual-threads", options->compile.virtualThreads,
                   "scratchpad contexts that tiles alternate between, where "
                   "that many fit")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  verb->add_option("--memory", options->memory,
                   "of the DRAM model: latency=32,bytes-per-cycle=8,"
                   "outstanding=64,dram=NAME; banks, rows and refresh of " +
                       absl::StrJoin(sim::dramPresets(), ", "))
      ->check([](const std::string &text) {
        return std::string(sim::parseMemoryTiming(text).status().message());
      });
  verb->add_option("--output-dir", options->outputDir,
                   "directory for output_I.npy and output_I.pb");
  verb->add_option("--dump-tensors", options->dumpTensors,
                   "directory for every stored tensor as NAME.npy ('/' becomes "
                   "'%')");
  verb->add_option("--seed", options->seed, "of random inputs")
      ->capture_default_str();
  verb->add_option("--json", options->json,
                   "file for the report as JSON; '-' is stdout");
  verb->add_option("--report", options->reportFiles.page,
                   "HTML file with tables and pictures (rtl, tlm)");
  verb->add_option("--trace", options->reportFiles.trace,
                   "file of every event for `tenon report` (rtl, tlm)");
  verb->callback([options, config, check, &exitCode] {
    options->configGiven = config->count() > 0;
    options->checkGiven = check->count() > 0;
    std::string wrong = contradiction(*options);
    exitCode = wrong.empty() ? Run(*options)() : reportUsage(wrong);
  });
}

} // namespace tenon::tools
