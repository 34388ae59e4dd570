//===- tools/tenon/run.cpp - tenon run ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The options, and what is printed and written. What compiles is the
// compiler's, what executes and compares is the runtime's.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/arrays.h"
#include "tools/tenon/board_choice.h"
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
#include "tools/tenon/tensor_proto.h"
#include "tools/tenon/verify.h"

#include "isa/files.h"
#include "isa/program.h"
#include "runtime/checked_run.h"
#include "sim/memory/memory_options.h"

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

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
  absl::Status applyBoard();
  absl::Status runAll();
  absl::Status describeFirst(const runtime::Result &result);
  void compareExpected(const DataSet &set, const runtime::Result &result);
  absl::Status writeResults(const runtime::Result &result);
  void describeChecks();
  absl::Status writeReports();

  RunOptions &options;
  Progress progress;
  isa::Program program;
  std::optional<BoardChoice> board;
  sim::MemoryTiming memory;
  std::vector<DataSet> sets;
  std::unique_ptr<ManyRuns> many; // of --inputs, instead of sets
  std::vector<std::string> labels;
  RunTargets targets;
  std::optional<runtime::CheckedRun> checked;
  bool unexpected = false; // an output is beyond --tolerance
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

/// What --board stands for, where nothing else was asked for.
absl::Status Run::applyBoard() {
  if (options.board.empty())
    return absl::OkStatus();
  auto chosen = chooseBoard(options.board,
                            options.configGiven ? options.compile.config : "");
  if (!chosen.ok())
    return chosen.status();
  board = *std::move(chosen);
  options.compile.machine = board->configuration;
  if (options.memory.empty() && !isHardware(options.target)) {
    options.memory = board->board.memory().timing();
    report_.set_board_memory(board->board.memory().title());
  }
  report_.set_board(board->board.name());
  return absl::OkStatus();
}

absl::Status Run::loadProgram() {
  if (auto status = applyBoard(); !status.ok())
    return status;
  auto begin = std::chrono::steady_clock::now();
  if (isProgram(options.model)) {
    auto loaded = isa::readProgram(options.model);
    if (!loaded.ok())
      return loaded.status();
    program = *std::move(loaded);
    if (board)
      return checkBoard(*board, options.model, program);
    if (options.configGiven)
      return checkConfiguration(program, options.compile.config);
    return absl::OkStatus();
  }
  options.compile.requireAccelerator = options.require == "accelerator";
  options.compile.verify = !options.noVerify;
  // Nobody keeps it for other machines.
  options.compile.forThisMachine = true;
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
    const isa::ElementType type = set.expected[i].type;
    const runtime::Tolerance tolerance =
        options.tolerance.value_or(usualTolerance(type));
    runtime::Difference difference =
        runtime::difference(result.outputs[i], set.expected[i], tolerance);
    unexpected |= difference.mismatches > 0;
    report::ExpectedOutput &output = *out.add_outputs();
    output.set_name(buffer.name());
    output.set_max_lsb(difference.largest);
    output.set_max_abs(difference.largest *
                       (buffer.scale() > 0 ? buffer.scale() : 1));
    output.set_mismatches(difference.mismatches);
    output.set_elements(difference.elements);
    output.set_top1_same(difference.sameTop1);
    output.set_relative_tolerance(tolerance.relative);
    output.set_absolute_tolerance(tolerance.absolute);
    output.set_integer(!isFloat(type));
    output.set_reason(difference.reason);
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
    describeSkippedVerification(
        options.noVerify ? "--no-verify" : "nothing to verify", report_);
  if (!targets.functional)
    checked->functionalCheck.reason = "not asked for";
  if (!targets.cpu)
    checked->cpuCheck.reason =
        program.reference().empty() && options.wants("cpu")
            ? "the program carries no reference network"
            : "not asked for";
  describeHostCode(program,
                   !isProgram(options.model) ? "compiled now"
                   : options.target == "cpu" ? "not run"
                   : options.trustHostCode   ? "trusted"
                                             : "own digest",
                   report_);
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
  if (checked->differs() || unexpected)
    return ExitCheckFailed;
  return many && many->unreadable() ? ExitBadInput : ExitDone;
}

} // namespace

void addRun(CLI::App &program, int &exitCode) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *verb = program.add_subcommand(
      "run", "Compile if needed, execute, check, report");
  addRunOptions(*verb, *options);
  verb->callback([options, verb, &exitCode] {
    options->configGiven = verb->count("--config") > 0;
    options->checkGiven = verb->count("--check") > 0;
    for (const char *name : {"--shape", "--place", "--host-speed",
                             "--virtual-threads", "--require"})
      if (verb->count(name))
        options->compiling = name;
    std::string wrong = contradiction(*options);
    exitCode = wrong.empty() ? Run(*options)() : reportUsage(wrong);
  });
}

} // namespace tenon::tools
