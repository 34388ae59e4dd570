//===- tools/tenon/run.cpp - tenon run ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Compile if needed, execute on the target, execute again on independent
// targets, compare, report.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/arrays.h"
#include "tools/tenon/commands.h"
#include "tools/tenon/devices.h"
#include "tools/tenon/diagnostics.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/npy.h"
#include "tools/tenon/progress.h"
#include "tools/tenon/report_files.h"
#include "tools/tenon/result.h"
#include "tools/tenon/verify.h"

#include "compiler/driver/compile.h"
#include "compiler/driver/reference.h"
#include "isa/files.h"
#include "isa/program.h"
#include "runtime/reference.h"
#include "sim/memory/memory_options.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

namespace tenon::tools {

using report::RunReport;
using runtime::Array;
using runtime::Execution;

namespace {

struct Options {
  std::string model;
  std::string target = "rtl";
  compiler::Options compile;
  bool configGiven = false;
  std::string require;
  std::vector<std::string> inputs;
  std::string preprocess;
  std::vector<std::string> expect;
  std::string outputDir, dumpTensors, json, labels, memory;
  ReportFiles reportFiles;
  std::vector<std::string> check{"functional", "cpu"};
  bool checkGiven = false, noVerify = false;
  uint64_t seed = 1;
  unsigned top = 3;
};

/// One set of inputs, and the outputs it should give (may be empty).
struct DataSet {
  std::string name;
  std::vector<Array> inputs;
  std::vector<Array> expected;
};

/// A run on the target; a run on the CPU has no execution but the outputs.
struct Outcome {
  Execution execution;
  runtime::NamedTensors tensors;
};

double millisecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

class Run {
public:
  explicit Run(Options &options) : options(options) {}
  int operator()();

private:
  absl::Status loadProgram();
  int verifyForeign();
  absl::Status loadData();
  absl::StatusOr<DataSet> expectedSet(const std::string &directory);
  absl::StatusOr<std::vector<Array>> givenInputs();
  absl::Status prepareTargets();
  absl::Status runSet(const DataSet &set, bool first);
  absl::StatusOr<Outcome> onTarget(const DataSet &set);
  absl::Status check(const DataSet &set, const Outcome &outcome);
  absl::Status compareExpected(const DataSet &set, const Execution &execution);
  absl::Status writeResults(const Outcome &outcome);
  double clockMhz() const {
    return device ? device->clockMhz() : program.configuration().clock_mhz();
  }
  bool wants(absl::string_view check) const {
    return std::find(options.check.begin(), options.check.end(), check) !=
           options.check.end();
  }

  Options &options;
  Progress progress;
  isa::Program program;
  std::vector<DataSet> sets;
  std::vector<std::string> labels;
  sim::MemoryTiming memory;
  std::unique_ptr<sim::Device> device, functional;
  std::optional<runtime::Reference> reference;
  RunReport report_;
  std::optional<trace::Trace> trace_;
  runtime::Check functionalCheck, cpuCheck;
};

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
  progress.show("compiling");
  options.compile.requireAccelerator = options.require == "accelerator";
  options.compile.verify = !options.noVerify;
  options.compile.listener = remarkPrinter(progress);
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

absl::StatusOr<DataSet> Run::expectedSet(const std::string &directory) {
  DataSet set;
  set.name = baseName(directory);
  for (int i = 0; i < program.inputs_size(); ++i) {
    auto array = readTensorProto(absl::StrCat(directory, "/input_", i, ".pb"));
    if (!array.ok())
      return array.status();
    set.inputs.push_back(*std::move(array));
  }
  for (int i = 0; i < program.outputs_size(); ++i) {
    auto array = readTensorProto(absl::StrCat(directory, "/output_", i, ".pb"));
    if (!array.ok())
      return array.status();
    set.expected.push_back(*std::move(array));
  }
  return set;
}

absl::StatusOr<std::vector<Array>> Run::givenInputs() {
  auto preprocess = Preprocess::parse(options.preprocess);
  if (!preprocess.ok())
    return preprocess.status();
  std::vector<Array> arrays(program.inputs_size());
  for (const std::string &text : options.inputs) {
    std::pair<std::string, std::string> pair =
        absl::StrSplit(text, absl::MaxSplits('=', 1));
    if (pair.second.empty() && program.inputs_size() == 1)
      pair = {program.buffers(program.inputs(0)).name(), text};
    int found = -1;
    std::string names;
    for (int i = 0; i < program.inputs_size(); ++i) {
      const std::string &name = program.buffers(program.inputs(i)).name();
      absl::StrAppend(&names, names.empty() ? "" : ", ", name);
      if (name == pair.first)
        found = i;
    }
    if (found < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("--input ", text, ": the network has no input '",
                       pair.first, "', but ", names));
    auto array = readInput(pair.second, program.buffers(program.inputs(found)),
                           *preprocess);
    if (!array.ok())
      return array.status();
    arrays[found] = *std::move(array);
  }
  for (int i = 0; i < program.inputs_size(); ++i)
    if (arrays[i].bytes.empty())
      return absl::InvalidArgumentError(
          absl::StrCat("input '", program.buffers(program.inputs(i)).name(),
                       "' is not given; use --input NAME=FILE"));
  return arrays;
}

absl::Status Run::loadData() {
  for (const std::string &directory : options.expect) {
    auto set = expectedSet(directory);
    if (!set.ok())
      return set.status();
    sets.push_back(*std::move(set));
  }
  if (!options.inputs.empty()) {
    auto arrays = givenInputs();
    if (!arrays.ok())
      return arrays.status();
    sets.insert(sets.begin(), DataSet{"input", *std::move(arrays), {}});
  }
  if (sets.empty())
    sets.push_back({absl::StrCat("random, seed ", options.seed),
                    randomInputs(program, options.seed),
                    {}});
  for (const DataSet &set : sets)
    if (auto status = runtime::checkInputs(program, set.inputs); !status.ok())
      return absl::InvalidArgumentError(
          absl::StrCat(set.name, ": ", status.message()));
  if (!options.labels.empty()) {
    auto text = isa::readFile(options.labels);
    if (!text.ok())
      return text.status();
    labels = absl::StrSplit(*text, '\n', absl::SkipEmpty());
  }
  auto timing = sim::parseMemoryTiming(options.memory);
  if (!timing.ok())
    return timing.status();
  memory = *timing;
  return absl::OkStatus();
}

absl::Status Run::prepareTargets() {
  if (!options.checkGiven && !isRtl(options.target) &&
      !isHardware(options.target))
    options.check.clear();
  if (options.target != "cpu") {
    auto begin = std::chrono::steady_clock::now();
    auto made = makeDevice(options.target, program.configuration(), progress);
    if (!made.ok())
      return made.status();
    device = *std::move(made);
    report_.mutable_host()->set_build_ms(millisecondsSince(begin));
  }
  if (wants("functional") && options.target != "functional" && device) {
    auto made = makeDevice("functional", program.configuration(), progress);
    if (!made.ok())
      return made.status();
    functional = *std::move(made);
  }
  bool needed = wants("cpu") || options.target == "cpu";
  if (needed && !program.reference().empty()) {
    progress.show("compiling the network for the CPU");
    auto compiled = compiler::compileReference(program);
    if (!compiled.ok())
      return compiled.status();
    auto loaded = runtime::Reference::load(*std::move(compiled));
    if (!loaded.ok())
      return loaded.status();
    reference.emplace(*std::move(loaded));
  } else if (options.target == "cpu") {
    return absl::InvalidArgumentError(
        "the program carries no reference network (--no-reference), so it "
        "cannot run with --target=cpu");
  }
  return absl::OkStatus();
}

absl::StatusOr<Outcome> Run::onTarget(const DataSet &set) {
  Outcome outcome;
  if (!device) {
    auto tensors = reference->run(set.inputs);
    if (!tensors.ok())
      return tensors.status();
    for (uint32_t output : program.outputs())
      outcome.execution.outputs.push_back(
          tensors->at(program.buffers(output).name()));
    outcome.tensors = *std::move(tensors);
    return outcome;
  }
  runtime::ExecutionOptions execution;
  execution.memory = memory;
  execution.keepTensors = !isHardware(options.target);
  execution.trace = options.reportFiles.wanted();
  execution.progress = [&](uint64_t cycles, uint64_t retired) {
    progress.show(absl::StrCat("running ", set.name, ": ", cycles, " cycles, ",
                               retired, " instructions"));
  };
  auto result = runtime::execute(program, *device, set.inputs, execution);
  if (!result.ok())
    return result.status();
  outcome.tensors = runtime::namedTensors(program, *result);
  outcome.execution = *std::move(result);
  return outcome;
}

absl::Status Run::check(const DataSet &set, const Outcome &outcome) {
  if (functional) {
    progress.show("checking against functional");
    auto other = runtime::execute(program, *functional, set.inputs, {});
    if (!other.ok())
      return absl::Status(
          other.status().code(),
          absl::StrCat("functional: ", other.status().message()));
    functionalCheck.add(
        runtime::compareDram(program, outcome.execution, *other));
  }
  if (wants("cpu") && reference && device) {
    progress.show("checking against the CPU");
    auto tensors = reference->run(set.inputs);
    if (!tensors.ok())
      return tensors.status();
    cpuCheck.add(runtime::compareTensors(outcome.tensors, *tensors));
  }
  return absl::OkStatus();
}

absl::Status Run::compareExpected(const DataSet &set,
                                  const Execution &execution) {
  if (set.expected.empty())
    return absl::OkStatus();
  report::ExpectedSet &out = *report_.mutable_checks()->add_expected();
  out.set_set(set.name);
  for (size_t i = 0; i < set.expected.size(); ++i) {
    runtime::Difference difference =
        runtime::difference(execution.outputs[i], set.expected[i]);
    report::ExpectedOutput &output = *out.add_outputs();
    output.set_name(program.buffers(program.outputs(i)).name());
    output.set_max_lsb(difference.largest);
    double scale = program.buffers(program.outputs(i)).scale();
    output.set_max_abs(difference.largest * (scale > 0 ? scale : 1));
    output.set_mismatches(difference.mismatches);
    output.set_elements(difference.elements);
    output.set_top1_same(difference.sameTop1);
  }
  return absl::OkStatus();
}

absl::Status Run::writeResults(const Outcome &outcome) {
  const Execution &execution = outcome.execution;
  if (!options.outputDir.empty()) {
    for (size_t i = 0; i < execution.outputs.size(); ++i) {
      std::string stem = absl::StrCat(options.outputDir, "/output_", i);
      const std::string &name = program.buffers(program.outputs(i)).name();
      auto status = writeOutput(stem + ".npy", toNpy(execution.outputs[i]));
      if (status.ok())
        status = writeOutput(stem + ".pb",
                             toTensorProto(execution.outputs[i], name));
      if (!status.ok())
        return status;
    }
  }
  if (options.dumpTensors.empty())
    return absl::OkStatus();
  for (const auto &[name, array] : outcome.tensors) {
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

absl::Status Run::runSet(const DataSet &set, bool first) {
  auto outcome = onTarget(set);
  if (!outcome.ok())
    return outcome.status();
  if (auto status = check(set, *outcome); !status.ok())
    return status;
  if (auto status = compareExpected(set, outcome->execution); !status.ok())
    return status;
  if (!first)
    return absl::OkStatus();
  describeExecution(program, outcome->execution, clockMhz(), report_);
  if (isHardware(options.target))
    describeHardware(program, report_);
  if (options.reportFiles.wanted()) {
    auto trace = traceOf(program, outcome->execution, report_);
    if (!trace.ok())
      return trace.status();
    trace_ = *std::move(trace);
  }
  describeAnswer(program, outcome->execution, labels, options.top, report_);
  return writeResults(*outcome);
}

int Run::operator()() {
  // Places that cannot be written are found before the work, not after it.
  for (const std::string *directory :
       {&options.outputDir, &options.dumpTensors})
    if (!directory->empty())
      if (auto status = makeDirectory(*directory); !status.ok())
        return report(status);
  if (auto status = prepareReportFiles(options.reportFiles); !status.ok())
    return report(status);
  if (auto status = loadProgram(); !status.ok())
    return report(status);
  if (int code = verifyForeign(); code != ExitDone)
    return code;
  if (auto status = loadData(); !status.ok())
    return report(status);
  if (auto status = prepareTargets(); !status.ok())
    return report(status);
  report_.set_target(options.target);
  for (const DataSet &set : sets)
    if (auto status = runSet(set, &set == &sets[0]); !status.ok())
      return report(status);
  progress.clear();
  if (!functional)
    functionalCheck.reason = "not asked for";
  if (!report_.checks().has_verifier())
    report_.mutable_checks()->mutable_verifier()->set_status("skipped");
  if (!reference)
    cpuCheck.reason = program.reference().empty() && wants("cpu")
                          ? "the program carries no reference network"
                          : "not asked for";
  functionalCheck.conclude();
  cpuCheck.conclude();
  describeCheck(functionalCheck,
                *report_.mutable_checks()->mutable_functional());
  describeCheck(cpuCheck, *report_.mutable_checks()->mutable_cpu());
  report_.set_memory(sim::printMemoryTiming(memory));
  if (trace_)
    if (auto status = writeReportFiles(options.reportFiles, report_, *trace_);
        !status.ok())
      return report(status);
  if (!options.json.empty())
    if (auto status = writeOutput(options.json, isa::toJson(report_));
        !status.ok())
      return report(status);
  if (options.json != "-")
    if (auto status = writeOutput("-", summary(report_)); !status.ok())
      return report(status);
  bool differs = functionalCheck.status == runtime::Check::Differs ||
                 cpuCheck.status == runtime::Check::Differs;
  return differs ? ExitCheckFailed : ExitDone;
}

/// Options that exclude each other; empty where none do.
std::string contradiction(const Options &options) {
  const bool hardware = isHardware(options.target);
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
  auto options = std::make_shared<Options>();
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
        return text == "cpu" ? "" : std::string(checkTarget(text).message());
      })
      ->capture_default_str();
  CLI::Option *config = verb->add_option("--config", options->compile.config,
                                         "configuration, by name or file")
                            ->capture_default_str();
  verb->add_option("--input", options->inputs,
                   "NAME=FILE with .npy, .pb, .png, .jpg or .bmp (default: "
                   "random values)")
      ->type_name("NAME=FILE");
  verb->add_option(
      "--preprocess", options->preprocess,
      "of pictures: mean=N[/N/N],std=N[/N/N],color=rgb|bgr; value = "
      "(pixel - mean) / std");
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
                   "scratchpad contexts that tiles alternate between")
      ->check(CLI::Range(1, 2))
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
