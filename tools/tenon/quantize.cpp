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
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/host_speed.h"
#include "tools/tenon/quantize_mix.h"
#include "tools/tenon/quantize_text.h"
#include "tools/tenon/records.h"
#include "tools/tenon/run_inputs.h"
#include "tools/tenon/shapes.h"

#include "tools/quantization_page/page.h"

#include "isa/program.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "fmt/format.h"

#include <chrono>
#include <sys/resource.h>

namespace tenon::tools {

namespace {

using Clock = std::chrono::steady_clock;
using compiler::QuantizationSetting;
using quantization::Method;
using quantization::WeightOptions;

struct QuantizeOptions {
  RunOptions run;        // model, calibration as its `many`, preprocessing
  RunOptions evaluation; // the same of --evaluate
  QuantizationSetting setting;
  Remedies remedies;
  std::string output, json, page;
  size_t sensitivity = 0;       // samples
  double targetAccuracy = 0;    // share of the float network's; 0: none
  std::optional<int64_t> group; // of weights
};

/// Inputs with one scale where --group does not say, and the most it may.
constexpr int64_t defaultGroup = 32, mostGroup = 1 << 30;

/// Samples that layers are ranked by where --sensitivity does not say.
constexpr size_t rankingSamples = 16;

class Quantization {
public:
  explicit Quantization(QuantizeOptions &options) : options(options) {}
  int run();

private:
  absl::Status open();
  absl::Status search();
  absl::Status measureLayers();
  absl::Status mix();
  int exitCode() const;
  absl::Status describeResult();
  absl::Status write();
  void describeTensors();
  void addNotes();
  void addUngrouped(const compiler::Quantizer &of);

  QuantizeOptions &options;
  Progress progress;
  Quantized report_;
  std::unique_ptr<QuantizeSearch> search_;
  std::unique_ptr<Samples> samples, evaluated;
};

absl::Status Quantization::open() {
  options.run.compile.listener = remarkPrinter(progress);
  auto opened = QuantizeSearch::open(options.run.model, options.run.compile,
                                     options.remedies, progress);
  if (!opened.ok())
    return opened.status();
  search_ = *std::move(opened);
  auto names = readLabels(options.run.labels);
  if (!names.ok())
    return names.status();
  auto from = Samples::open(options.run, search_->border(), *names);
  if (!from.ok())
    return from.status();
  samples = *std::move(from);
  if (options.evaluation.many.empty())
    return absl::OkStatus();
  auto on = Samples::open(options.evaluation, search_->border(), *names);
  if (!on.ok())
    return on.status();
  evaluated = *std::move(on);
  return absl::OkStatus();
}

absl::Status Quantization::search() {
  return search_->run(*samples, evaluated.get(), options.setting, report_);
}

absl::Status Quantization::measureLayers() {
  if (!options.sensitivity)
    return absl::OkStatus();
  return search_->measureLayers(evaluated ? *evaluated : *samples,
                                options.sensitivity, report_);
}

absl::Status Quantization::mix() {
  if (!options.targetAccuracy)
    return absl::OkStatus();
  return reachTarget(*search_, options.targetAccuracy,
                     evaluated ? *evaluated : *samples,
                     options.sensitivity ? options.sensitivity : rankingSamples,
                     progress, report_);
}

absl::Status Quantization::write() {
  auto content = search_->network();
  if (!content.ok())
    return content.status();
  auto real = search_->floatNetwork();
  if (!real.ok())
    return real.status();
  report_.set_bytes(double(content->size()));
  report_.set_float_bytes(double(real->size()));
  return writeOutput(options.output, *content);
}

void Quantization::describeTensors() {
  const compiler::Quantizer &of = search_->quantizer();
  for (size_t i = 0; i < of.tensors().size(); ++i) {
    if (!of.tensors()[i].hasOwnValues)
      continue;
    QuantizedTensor &tensor = *report_.add_tensors();
    tensor.set_name(of.tensors()[i].name);
    tensor.set_layer(of.tensors()[i].layer);
    describe(of.statistics(i), tensor);
    describe(of.parameters(i, search_->setting()), tensor);
    tensor.set_sqnr_db(search_->evaluation().noise[i].decibels());
  }
  for (const compiler::LeftNode &left : of.left()) {
    LeftNode &node = *report_.add_left();
    node.set_node(left.name);
    node.set_reason(left.reason);
  }
}

void Quantization::addNotes() {
  for (const Samples *of : {samples.get(), evaluated.get()})
    if (of)
      for (const std::string &note : of->source().notes)
        report_.add_notes(note);
  const compiler::Quantizer &of = search_->quantizer();
  addUngrouped(of);
  for (size_t i = 0; i < of.tensors().size(); ++i)
    if (uint64_t count = of.statistics(i).notFinite())
      report_.add_notes(absl::StrCat(count, " values of '",
                                     of.tensors()[i].name,
                                     "' are not finite; they are in no range"));
}

void Quantization::addUngrouped(const compiler::Quantizer &of) {
  std::vector<std::string> names;
  for (const auto &[name, inputs] : of.ungrouped())
    names.push_back(absl::StrCat(name, " (", inputs, ")"));
  if (!names.empty())
    report_.add_notes(
        absl::StrCat("convolutions whose inputs are no multiple of --group=",
                     options.remedies.weights.Group,
                     " have a scale a channel: ", absl::StrJoin(names, ", ")));
}

/// The most memory that the process had, in bytes.
double peakBytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) * 1024;
}

absl::Status Quantization::describeResult() {
  report_.set_model(options.run.model);
  report_.set_output(options.output);
  report_.set_method(nameOf(search_->setting().ranges.How));
  report_.set_weights(describe(options.remedies.weights));
  report_.set_activations(options.remedies.wide ? "int16" : "int8");
  report_.set_config(options.run.compile.config);
  describeTensors();
  addNotes();
  report_.set_peak_bytes(peakBytes());
  if (!options.page.empty()) {
    auto page = quantization_page::page(report_);
    auto status = page.ok() ? writeOutput(options.page, *page) : page.status();
    if (!status.ok())
      return status;
  }
  if (options.json.empty())
    return absl::OkStatus();
  return writeOutput(options.json, isa::toJson(report_));
}

int Quantization::run() {
  const auto begin = Clock::now();
  for (auto step :
       {&Quantization::open, &Quantization::search,
        &Quantization::measureLayers, &Quantization::mix, &Quantization::write})
    if (auto status = (this->*step)(); !status.ok())
      return report(status);
  report_.set_seconds(
      std::chrono::duration<double>(Clock::now() - begin).count());
  progress.clear();
  auto status = describeResult();
  if (status.ok() && options.json != "-")
    status = writeOutput("-", quantizeText(report_));
  if (!status.ok())
    return report(status);
  return exitCode();
}

/// The network is written in every case.
int Quantization::exitCode() const {
  const Mix &mix = report_.mix();
  if (!(mix.reached() >= mix.target())) {
    fmt::print(stderr,
               "tenon: --target-accuracy={} is not reached: {:.4f} is the most "
               "with a layer left in int8; {} has it. Calibrate on more "
               "samples, or try --method=best\n",
               mix.target(), mix.reached(), options.output);
    return ExitCheckFailed;
  }
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
  verb.add_option("--sensitivity", options.sensitivity,
                  "samples to measure on what of the loss is each layer's: it "
                  "alone in integers, and everything but it (default: none)")
      ->type_name("SAMPLES");
  verb.add_option("--report", options.page,
                  "HTML file with tables and the histograms of tensors");
  verb.add_option("--json", options.json,
                  "file for the report as JSON; '-' is stdout");
}

void addWeights(CLI::App &verb, QuantizeOptions &options) {
  verb.add_option_function<std::string>(
          "--weights",
          [&options](const std::string &text) {
            options.remedies.weights.Bits = text == "int4" ? 4 : 8;
          },
          "integers of the weights: int8, or int4, in groups (--group)")
      ->check(CLI::IsMember({"int8", "int4"}))
      ->default_str("int8");
  verb.add_option("--group", options.group,
                  "inputs of a product with one scale, of --weights=int4: such "
                  "products compute in float, on the host; 0: a scale for each "
                  "output channel, which the accelerator takes")
      ->check(CLI::Range(int64_t(0), mostGroup))
      ->type_name("INPUTS")
      ->default_str(std::to_string(defaultGroup));
}

/// What of the network is in another precision, and for which accelerator.
void addPrecisions(CLI::App &verb, QuantizeOptions &options) {
  verb.add_option("--target-accuracy", options.targetAccuracy,
                  "share of the float network's right answers, or without "
                  "classes of all, to keep: layers are taken out of int8 until "
                  "it is reached, the cheapest that were found")
      ->check(CLI::Range(1e-6, 1.0))
      ->type_name("SHARE");
  verb.add_option_function<std::string>(
          "--activations",
          [&options](const std::string &text) {
            options.remedies.wide = text == "int16";
          },
          "of all layers: int8, or int16, which runs on the CPU alone")
      ->check(CLI::IsMember({"int8", "int16"}))
      ->default_str("int8");
  verb.add_option("--keep-float", options.remedies.keepFloat,
                  "a node that stays in float; may be given several times")
      ->type_name("NODE")
      ->allow_extra_args(false);
  verb.add_option("--config", options.run.compile.config,
                  "configuration to predict times for, by name or file")
      ->capture_default_str();
  addHostSpeedOption(verb, options.run.compile);
  addRecordsOption(verb, options.run.compile);
}

/// The methods of --method.
std::vector<Method> methodsOf(const std::string &text) {
  std::vector<Method> all = {Method::MinMax, Method::Percentile,
                             Method::Entropy, Method::Mse};
  for (Method method : all)
    if (text == nameOf(method))
      return {method};
  return all;
}

void addSettings(CLI::App &verb, QuantizeOptions &options) {
  QuantizationSetting &setting = options.setting;
  options.remedies.methods = {Method::MinMax};
  verb.add_option_function<std::string>(
          "--method",
          [&options](const std::string &text) {
            options.remedies.methods = methodsOf(text);
          },
          "how the range of a tensor is chosen from its values: all of them "
          "(minmax), without outliers (percentile), by the least loss of "
          "information (entropy) or squared error (mse), or whichever of "
          "these is most accurate (best)")
      ->check(CLI::IsMember({"minmax", "percentile", "entropy", "mse", "best"}))
      ->default_str("minmax");
  verb.add_flag("--bias-correction,!--no-bias-correction",
                options.remedies.correctBiases,
                "take out of biases what rounding the weights adds to the "
                "mean (default)");
  verb.add_flag_function(
      "--equalize,!--no-equalize",
      [&options](int64_t count) { options.remedies.equalize = count > 0; },
      "try equal ranges of channels, by the weights of neighbouring "
      "convolutions and by what is seen of activations (default: where a "
      "channel is 8 times as wide as the median); no step is kept that lowers "
      "the accuracy");
  verb.add_flag_function(
      "--adaptive-rounding,!--no-adaptive-rounding",
      [&options](int64_t count) { options.remedies.adaptRounding = count > 0; },
      "try to round each weight up or down as changes a layer's results least, "
      "by samples of what it reads (default: with --method=best)");
  verb.add_option("--percentile", setting.ranges.Percentile,
                  "percent of a tensor's values in its range, of "
                  "--method=percentile")
      ->check(CLI::Range(50.0, 100.0))
      ->capture_default_str();
  verb.add_flag("--per-channel,!--per-tensor",
                options.remedies.weights.PerChannel,
                "a scale for each output channel of weights (default), or one "
                "for all");
  verb.add_flag("--symmetric", setting.activations.Symmetric,
                "zero points of activations are 0");
  verb.add_flag_callback(
      "--power-of-two",
      [&options] {
        options.setting.activations.PowerOfTwo =
            options.remedies.weights.PowerOfTwo = true;
      },
      "scales are powers of two");
}

/// Why options do not go together; null where they do.
const char *contradiction(const QuantizeOptions &options) {
  if (options.targetAccuracy && options.remedies.wide)
    return "--target-accuracy starts from int8; leave out --activations=int16";
  const WeightOptions &weights = options.remedies.weights;
  if (weights.Bits == 8 && options.group)
    return "--group is of 4-bit weights; add --weights=int4";
  if (weights.Bits < 8 && !weights.PerChannel &&
      options.group.value_or(defaultGroup))
    return "--per-tensor has one scale for all weights, a group its own; add "
           "--group=0";
  return nullptr;
}

} // namespace

void addQuantize(CLI::App &program, int &exitCode) {
  auto *verb = program.add_subcommand(
      "quantize", "Turn a float network into one of 8-bit integers");
  auto options = std::make_shared<QuantizeOptions>();
  addOptions(*verb, *options);
  addSettings(*verb, *options);
  addWeights(*verb, *options);
  addPrecisions(*verb, *options);
  verb->callback([options, &exitCode] {
    if (const char *problem = contradiction(*options)) {
      exitCode = reportUsage(absl::StrCat("quantize: ", problem));
      return;
    }
    WeightOptions &weights = options->remedies.weights;
    if (weights.Bits < 8)
      weights.Group = options->group.value_or(defaultGroup);
    RunOptions &evaluation = options->evaluation;
    evaluation.preprocess = options->run.preprocess;
    // The classes are of what is evaluated.
    if (!evaluation.many.empty())
      std::swap(evaluation.expectLabels, options->run.expectLabels);
    exitCode = Quantization(*options).run();
  });
}

} // namespace tenon::tools
