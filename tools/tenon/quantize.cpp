//===- tools/tenon/quantize.cpp - tenon quantize --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The options, and what is printed and written. What is quantised is the
// compiler's to say; what runs is here.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/commands.h"
#include "tools/tenon/diagnostics.h"
#include "tools/tenon/evaluate.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/quantize_text.h"
#include "tools/tenon/run_inputs.h"
#include "tools/tenon/shapes.h"

#include "isa/program.h"

#include "absl/strings/str_cat.h"

#include <chrono>
#include <map>
#include <sys/resource.h>

namespace tenon::tools {

namespace {

using Clock = std::chrono::steady_clock;
using compiler::QuantizationSetting;
using compiler::Quantizer;
using quantization::Method;

struct QuantizeOptions {
  RunOptions run;        // model, calibration as its `many`, preprocessing
  RunOptions evaluation; // the same of --evaluate
  QuantizationSetting setting;
  std::string output, json;
};

class Quantization {
public:
  explicit Quantization(QuantizeOptions &options) : options(options) {}
  int run();

private:
  absl::Status open();
  absl::Status calibrateAll();
  absl::Status quantize();
  absl::Status evaluateAll();
  absl::Status write();
  absl::StatusOr<std::unique_ptr<HostNetwork>>
  compileFor(const absl::StatusOr<std::string> &content,
             const std::string &what);
  void describeTensors(const Evaluation &evaluation);

  QuantizeOptions &options;
  Progress progress;
  Quantized report_;
  std::unique_ptr<Quantizer> quantizer;
  std::unique_ptr<HostNetwork> real; // the watched float network
  std::unique_ptr<Samples> samples, evaluated;
  int outputs = 0; // of the network itself
};

absl::StatusOr<std::unique_ptr<HostNetwork>>
Quantization::compileFor(const absl::StatusOr<std::string> &content,
                         const std::string &what) {
  if (!content.ok())
    return content.status();
  compiler::Options compile = options.run.compile;
  compile.shapes.clear(); // they are in the content
  compile.progress = [&](const std::string &phase) {
    progress.show("compiling the " + what + " network: " + phase);
  };
  return HostNetwork::compile(*content, options.run.model, compile);
}

/// The border of the network without what is watched.
isa::Program ownBorder(const isa::Program &watched, int outputs) {
  isa::Program own = watched;
  own.mutable_outputs()->Truncate(outputs);
  return own;
}

absl::Status Quantization::open() {
  options.run.compile.listener = remarkPrinter(progress);
  progress.show("reading");
  auto opened = Quantizer::open(options.run.model, options.run.compile);
  if (!opened.ok())
    return opened.status();
  quantizer = *std::move(opened);
  auto compiled =
      compileFor(quantizer->floatNetwork(/*watched=*/true), "float");
  if (!compiled.ok())
    return compiled.status();
  real = *std::move(compiled);
  outputs = real->border().outputs_size() - int(quantizer->tensors().size());
  auto names = readLabels(options.run.labels);
  if (!names.ok())
    return names.status();
  const isa::Program own = ownBorder(real->border(), outputs);
  auto from = Samples::open(options.run, own, *names);
  if (!from.ok())
    return from.status();
  samples = *std::move(from);
  if (options.evaluation.many.empty())
    return absl::OkStatus();
  auto on = Samples::open(options.evaluation, own, *names);
  if (!on.ok())
    return on.status();
  evaluated = *std::move(on);
  return absl::OkStatus();
}

absl::Status Quantization::calibrateAll() {
  auto counted = calibrate(*real, *samples, outputs, *quantizer, progress);
  if (!counted.ok())
    return counted.status();
  report_.set_samples(counted->samples);
  report_.set_unreadable(counted->unreadable);
  if (counted->unreadable)
    report_.add_notes(absl::StrCat(
        counted->unreadable,
        " samples cannot be read; the first: ", counted->firstUnreadable));
  for (const std::string &note : samples->source().notes)
    report_.add_notes(note);
  for (size_t i = 0; i < quantizer->tensors().size(); ++i)
    if (uint64_t count = quantizer->statistics(i).notFinite())
      report_.add_notes(absl::StrCat(count, " values of '",
                                     quantizer->tensors()[i].name,
                                     "' are not finite; they are in no range"));
  return absl::OkStatus();
}

absl::Status Quantization::quantize() {
  progress.show("quantising");
  auto content = quantizer->quantize(options.setting, /*watched=*/false);
  if (!content.ok())
    return content.status();
  return writeOutput(options.output, *content);
}

void Quantization::describeTensors(const Evaluation &evaluation) {
  for (size_t i = 0; i < quantizer->tensors().size(); ++i) {
    const compiler::QuantizedTensor &of = quantizer->tensors()[i];
    if (!of.hasOwnValues)
      continue;
    QuantizedTensor &tensor = *report_.add_tensors();
    tensor.set_name(of.name);
    tensor.set_layer(of.layer);
    describe(quantizer->statistics(i), tensor);
    describe(quantizer->parameters(i, options.setting), tensor);
    tensor.set_sqnr_db(evaluation.noise[i].decibels());
  }
}

absl::Status Quantization::evaluateAll() {
  auto compiled = compileFor(
      quantizer->quantize(options.setting, /*watched=*/true), "quantised");
  if (!compiled.ok())
    return compiled.status();
  auto evaluation = evaluate(
      *real, **compiled, evaluated ? *evaluated : *samples, outputs, progress);
  if (!evaluation.ok())
    return evaluation.status();
  *report_.mutable_accuracy() = evaluation->accuracy;
  describeTensors(*evaluation);
  return absl::OkStatus();
}

/// The most memory that the process had, in bytes.
double peakBytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) * 1024;
}

absl::Status Quantization::write() {
  if (!options.json.empty())
    if (auto status = writeOutput(options.json, isa::toJson(report_));
        !status.ok())
      return status;
  return options.json == "-" ? absl::OkStatus()
                             : writeOutput("-", quantizeText(report_));
}

int Quantization::run() {
  const auto begin = Clock::now();
  report_.set_model(options.run.model);
  report_.set_output(options.output);
  report_.set_method(nameOf(options.setting.ranges.How));
  report_.set_weights(
      absl::StrCat("int", options.setting.weights.Bits, " per ",
                   options.setting.weights.PerChannel ? "channel" : "tensor"));
  report_.set_activations(
      absl::StrCat("int", options.setting.activations.Bits));
  for (auto step : {&Quantization::open, &Quantization::calibrateAll,
                    &Quantization::quantize, &Quantization::evaluateAll})
    if (auto status = (this->*step)(); !status.ok())
      return report(status);
  for (const compiler::LeftNode &of : quantizer->left()) {
    LeftNode &node = *report_.add_left();
    node.set_node(of.name);
    node.set_reason(of.reason);
  }
  progress.clear();
  report_.set_seconds(
      std::chrono::duration<double>(Clock::now() - begin).count());
  report_.set_peak_bytes(peakBytes());
  if (auto status = write(); !status.ok())
    return report(status);
  return report_.unreadable() ? ExitBadInput : ExitDone;
}

void addOptions(CLI::App &verb, QuantizeOptions &options) {
  verb.add_option("MODEL", options.run.model, "ONNX file of a float network")
      ->required();
  verb.add_option("-o", options.output, "the quantised network, an ONNX file")
      ->required();
  options.run.manyOption = "--calibration";
  verb.add_option("--calibration", options.run.many,
                  "what the network meets: a directory of pictures, .npy and "
                  ".pb files, whose folders are classes, or a .npz with an "
                  "array for each input (the first axis counts) and the "
                  "classes in 'labels' or 'y'")
      ->type_name("DIR|FILE.npz")
      ->required();
  options.evaluation.manyOption = "--evaluate";
  verb.add_option("--evaluate", options.evaluation.many,
                  "other inputs to measure accuracy and noise on (default: "
                  "those of --calibration)")
      ->type_name("DIR|FILE.npz");
  verb.add_option("--expect-labels", options.run.expectLabels,
                  "true classes of what is evaluated: lines 'NAME CLASS' (or "
                  "with a comma or a tab), or one class a line in sorted "
                  "order; a class is its number or its name in --labels");
  verb.add_option("--labels", options.run.labels,
                  "file with the name of class i in line i");
  verb.add_option("--preprocess", options.run.preprocess,
                  "of pictures, and of uint8 arrays: mean=N[/N/N],std=N[/N/N],"
                  "color=rgb|bgr; value = (pixel - mean) / std");
  addShapeOption(verb, options.run.compile);
  verb.add_option("--json", options.json,
                  "file for the report as JSON; '-' is stdout");
}

void addSettings(CLI::App &verb, QuantizationSetting &setting) {
  static const std::map<std::string, Method> methods = {
      {nameOf(Method::MinMax), Method::MinMax},
      {nameOf(Method::Percentile), Method::Percentile},
      {nameOf(Method::Entropy), Method::Entropy},
      {nameOf(Method::Mse), Method::Mse}};
  verb.add_option("--method", setting.ranges.How,
                  "how the range of a tensor is chosen from its values: all of "
                  "them (minmax), without outliers (percentile), by the least "
                  "loss of information (entropy) or squared error (mse)")
      ->transform(CLI::CheckedTransformer(methods, CLI::ignore_case))
      ->default_str(nameOf(setting.ranges.How));
  verb.add_option("--percentile", setting.ranges.Percentile,
                  "percent of a tensor's values in its range, of "
                  "--method=percentile")
      ->check(CLI::Range(50.0, 100.0))
      ->capture_default_str();
  verb.add_flag("--per-channel,!--per-tensor", setting.weights.PerChannel,
                "a scale for each output channel of weights (default), or one "
                "for all");
  verb.add_flag("--symmetric", setting.activations.Symmetric,
                "zero points of activations are 0");
  verb.add_flag_callback(
      "--power-of-two",
      [&setting] {
        setting.activations.PowerOfTwo = setting.weights.PowerOfTwo = true;
      },
      "scales are powers of two");
}

} // namespace

void addQuantize(CLI::App &program, int &exitCode) {
  auto *verb = program.add_subcommand(
      "quantize", "Turn a float network into one of 8-bit integers");
  auto options = std::make_shared<QuantizeOptions>();
  addOptions(*verb, *options);
  addSettings(*verb, options->setting);
  verb->callback([options, &exitCode] {
    RunOptions &evaluation = options->evaluation;
    evaluation.preprocess = options->run.preprocess;
    // The classes are of what is evaluated.
    if (!evaluation.many.empty())
      std::swap(evaluation.expectLabels, options->run.expectLabels);
    exitCode = Quantization(*options).run();
  });
}

} // namespace tenon::tools
