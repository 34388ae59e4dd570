//===- tools/tenon/quantize_search.cpp - The remedies that help -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/quantize_search.h"

#include "tools/tenon/sensitivity.h"

#include "compiler/driver/prediction.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

namespace tenon::tools {

using compiler::QuantizationSetting;
using compiler::Quantizer;
using quantization::Method;

absl::StatusOr<std::unique_ptr<HostNetwork>>
QuantizeSearch::compileFor(const absl::StatusOr<std::string> &content,
                           const std::string &what) {
  if (!content.ok())
    return content.status();
  compiler::Options compile = options;
  compile.shapes.clear();     // they are in the content
  compile.listener = nullptr; // the file has been spoken of when it was read
  compile.progress = [&](const std::string &phase) {
    progress.show("compiling the " + what + " network: " + phase);
  };
  return HostNetwork::compile(*content, path, compile);
}

absl::Status
QuantizeSearch::addCandidate(bool equalize,
                             const quantization::Balance &balance) {
  progress.show("reading");
  auto quantizer =
      Quantizer::open(path, options,
                      {remedies.weights, equalize, balance, remedies.keepFloat,
                       remedies.adaptsRounding()});
  if (!quantizer.ok())
    return quantizer.status();
  auto real = compileFor((*quantizer)->floatNetwork(/*watched=*/true),
                         !balance.Seen.empty() ? "balanced"
                         : equalize            ? "equalised"
                                               : "float");
  if (!real.ok())
    return real.status();
  candidates.push_back({*std::move(quantizer), *std::move(real), equalize});
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<QuantizeSearch>>
QuantizeSearch::open(const std::string &path, const compiler::Options &options,
                     const Remedies &remedies, Progress &progress) {
  std::unique_ptr<QuantizeSearch> search(
      new QuantizeSearch(path, options, remedies, progress));
  if (auto status = search->addCandidate(/*equalize=*/false); !status.ok())
    return status;
  const Candidate &plain = search->candidates[0];
  search->outputs = plain.real->border().outputs_size() -
                    int(plain.quantizer->tensors().size());
  return search;
}

isa::Program QuantizeSearch::border() const {
  isa::Program own = candidates[0].real->border();
  own.mutable_outputs()->Truncate(outputs);
  return own;
}

absl::StatusOr<Counted> QuantizeSearch::learn(Candidate &of,
                                              const SamplePart &part) {
  auto counted = calibrate(*of.real, part, outputs, *of.quantizer, progress);
  if (!counted.ok())
    return counted;
  auto changed = of.quantizer->leaveSums();
  if (!changed.ok())
    return changed.status();
  if (!*changed)
    return counted;
  auto real = compileFor(of.quantizer->floatNetwork(/*watched=*/true), "float");
  if (!real.ok())
    return real.status();
  of.real = *std::move(real);
  return counted;
}

void QuantizeSearch::add(const Counted &counted, Quantized &report) {
  report.set_samples(report.samples() + counted.samples);
  report.set_unreadable(report.unreadable() + counted.unreadable);
  if (firstUnreadable.empty())
    firstUnreadable = counted.firstUnreadable;
}

absl::Status QuantizeSearch::calibrateLast(Quantized &report) {
  auto counted = learn(candidates.back(), *learned);
  if (!counted.ok())
    return counted.status();
  report.set_samples(0);
  report.set_unreadable(0);
  add(*counted, report);
  if (report.samples())
    return absl::OkStatus();
  // A half that cannot be read: the other one may be.
  if (learned->step > 1) {
    learned.emplace(learned->of);
    chosenBy.emplace(learned->of);
    return calibrateLast(report);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "none of the samples can be read; the first: ", firstUnreadable));
}

static uint32_t answers(const Accuracy &of) {
  return of.labelled() ? of.quantized_top1() : of.same_top1();
}

/// As many as the float network has.
static uint32_t floatAnswers(const Accuracy &of) {
  return of.labelled() ? of.float_top1() : of.samples();
}

/// How many answers more or less tell nothing.
static constexpr uint32_t chance = 1;

/// One answer more or less is chance: of a few samples the noise of the outputs
/// tells more. No step is kept that loses more than that of the most answers.
bool QuantizeSearch::isBetter(const Accuracy &of) {
  mostAnswers = std::max(mostAnswers, answers(of));
  const Accuracy &other = keptEvaluation.accuracy;
  if (answers(of) + chance < mostAnswers)
    return false;
  return answers(other) + chance < answers(of) ||
         of.sqnr_db() > other.sqnr_db();
}

absl::StatusOr<compiler::Compiled>
QuantizeSearch::compileToPredict(const absl::StatusOr<std::string> &content) {
  if (!content.ok())
    return content.status();
  compiler::Options compile = options;
  compile.progress = [&](const std::string &phase) {
    progress.show("compiling for the accelerator: " + phase);
  };
  return compiler::compileToPredict(*content, path, compile);
}

absl::StatusOr<QuantizeSearch::Cost>
QuantizeSearch::costOf(const absl::StatusOr<std::string> &content) {
  auto compiled = compileToPredict(content);
  if (!compiled.ok())
    return compiled.status();
  progress.show("measuring cycles");
  auto cycles = meter.cyclesOf(compiled->program);
  if (!cycles.ok())
    return cycles.status();
  return Cost{compiled->statistics.prediction(), *cycles};
}

void QuantizeSearch::setCost(const Cost &cost, Step &of) {
  *of.mutable_prediction() = cost.prediction;
  of.set_measured_cycles(double(cost.measuredCycles));
}

void QuantizeSearch::addGain(const Step &step, double before,
                             Quantized &report) {
  const double gain = step.accuracy().sqnr_db() - before;
  if (!(gain > 0))
    return;
  Gain &added = *report.add_gains();
  added.set_remedy(step.name());
  added.set_db(gain);
  std::sort(report.mutable_gains()->begin(), report.mutable_gains()->end(),
            [](const Gain &a, const Gain &b) { return a.db() > b.db(); });
}

absl::StatusOr<Evaluation> QuantizeSearch::assess(const Attempt &how,
                                                  const SamplePart &on) {
  Candidate &of = candidates[how.candidate];
  auto integer = compileFor(
      of.quantizer->quantize(how.setting, /*watched=*/true), "quantised");
  if (!integer.ok())
    return integer.status();
  auto evaluation = evaluate(*of.real, **integer, on, outputs, progress);
  if (!evaluation.ok() || evaluation->counted.samples)
    return evaluation;
  if (on.step > 1)
    return assess(how, SamplePart(on.of));
  return absl::InvalidArgumentError(absl::StrCat(
      "none of the samples to evaluate on can be read; the first: ",
      evaluation->counted.firstUnreadable));
}

absl::StatusOr<QuantizeSearch::Tried>
QuantizeSearch::tryOut(const std::string &step, const SamplePart &on,
                       const Attempt &how, Quantized &report) {
  auto evaluation = assess(how, on);
  if (!evaluation.ok())
    return evaluation.status();
  auto cost = costOf(candidates[how.candidate].quantizer->quantize(
      how.setting, /*watched=*/false));
  if (!cost.ok())
    return cost.status();
  Step &tried = *report.add_steps();
  tried.set_name(step);
  *tried.mutable_accuracy() = evaluation->accuracy;
  setCost(*cost, tried);
  return Tried{how.setting, *std::move(evaluation), report.steps_size() - 1};
}

absl::Status QuantizeSearch::attempt(const std::string &step,
                                     const Attempt &how, Quantized &report) {
  auto tried = tryOut(step, *chosenBy, how, report);
  if (!tried.ok())
    return tried.status();
  if (tried->step > 0) {
    const int under = how.steps.empty() ? 0 : how.steps.back();
    addGain(report.steps(tried->step), report.steps(under).accuracy().sqnr_db(),
            report);
  }
  Attempt whole = how;
  whole.steps.push_back(tried->step);
  attempts.emplace_back(whole, tried->evaluation.accuracy);
  if (!isBetter(tried->evaluation.accuracy) && tried->step > 0)
    return absl::OkStatus();
  kept = std::move(whole);
  keptEvaluation = std::move(tried->evaluation);
  return absl::OkStatus();
}

absl::StatusOr<QuantizeSearch::Tried>
QuantizeSearch::tryPrecisions(const std::string &step,
                              quantization::Precisions precisions,
                              const Samples &evaluated, Quantized &report) {
  Attempt how = kept;
  how.setting.precisions = std::move(precisions);
  return tryOut(step, evaluated, how, report);
}

void QuantizeSearch::keep(Tried tried, Quantized &report) {
  kept.setting = std::move(tried.setting);
  kept.steps.push_back(tried.step);
  keptEvaluation = std::move(tried.evaluation);
  report.mutable_steps(tried.step)->set_kept(true);
  *report.mutable_accuracy() = keptEvaluation.accuracy;
}

absl::StatusOr<std::string>
QuantizeSearch::networkWith(quantization::Precisions precisions) const {
  QuantizationSetting setting = kept.setting;
  setting.precisions = std::move(precisions);
  return best().quantizer->quantize(setting, /*watched=*/false);
}

absl::StatusOr<compiler::Prediction>
QuantizeSearch::predictWith(quantization::Precisions precisions) {
  auto compiled = compileToPredict(networkWith(std::move(precisions)));
  if (!compiled.ok())
    return compiled.status();
  return compiled->statistics.prediction();
}

absl::StatusOr<QuantizeSearch::Cost>
QuantizeSearch::costWith(quantization::Precisions precisions) {
  return costOf(networkWith(std::move(precisions)));
}

absl::StatusOr<QuantizeSearch::Cost> QuantizeSearch::costOfFloat() {
  return costOf(best().quantizer->floatNetwork(/*watched=*/false));
}

absl::StatusOr<const Switchboard *> QuantizeSearch::switchboard() {
  if (board)
    return board.get();
  auto switched = best().quantizer->quantizeSwitched(kept.setting);
  if (!switched.ok())
    return switched.status();
  auto network = compileFor(switched->network, "switched");
  if (!network.ok())
    return network.status();
  board = std::make_unique<Switchboard>(
      Switchboard{*std::move(network), std::move(switched->units),
                  std::move(switched->selections)});
  return board.get();
}

/// A channel so many times as wide as the median one leaves it three of the
/// eight bits less: then equal ranges are tried.
static constexpr double muchWider = 8;

/// Whether there is such a channel where factors of channels could help.
bool QuantizeSearch::hasWideChannels() const {
  const Quantizer &of = *best().quantizer;
  const std::set<std::string> balanceable = of.balanceable();
  for (size_t i = 0; i < of.tensors().size(); ++i)
    if (auto outlier = of.statistics(i).outlier();
        outlier && outlier->Ratio >= muchWider &&
        balanceable.count(of.tensors()[i].name))
      return true;
  return false;
}

absl::Status QuantizeSearch::attemptEqualized(Quantized &report) {
  if (auto status = addCandidate(/*equalize=*/true); !status.ok())
    return status;
  const int64_t pairs = candidates.back().quantizer->equalizedPairs();
  if (pairs == 0) {
    candidates.pop_back();
    if (remedies.equalize)
      report.add_notes("there is nothing to equalise: no convolution leads to "
                       "another one alone, through nothing but Relu and pools");
    return absl::OkStatus();
  }
  return attemptLast(absl::StrCat("equalisation of ", pairs, " pairs"), report);
}

absl::Status QuantizeSearch::attemptLast(const std::string &step,
                                         Quantized &report) {
  auto status = calibrateLast(report);
  Attempt how = kept;
  how.candidate = candidates.size() - 1;
  return status.ok() ? attempt(step, how, report) : status;
}

absl::Status QuantizeSearch::attemptBalanced(Quantized &report) {
  const bool equalized = best().isEqualized;
  auto status = addCandidate(equalized, {best().quantizer->seenChannels(),
                                         kept.setting.activations.PowerOfTwo});
  if (!status.ok())
    return status;
  const int64_t channels = candidates.back().quantizer->balancedChannels();
  if (channels == 0) {
    candidates.pop_back();
    return absl::OkStatus();
  }
  return attemptLast(absl::StrCat("balance of ", channels, " channels"),
                     report);
}

absl::Status QuantizeSearch::attemptAdapted(Quantized &report) {
  Attempt how = kept;
  how.setting.adaptRounding = true;
  return attempt("adaptive rounding", how, report);
}

absl::Status QuantizeSearch::measureLayers(const Samples &samples, size_t most,
                                           Quantized &report) {
  auto of = switchboard();
  return of.ok() ? sensitivity(**of, samples, most, progress, report)
                 : of.status();
}

absl::Status QuantizeSearch::attemptMethods(const QuantizationSetting &setting,
                                            Quantized &report) {
  absl::Status status;
  for (Method method : remedies.methods) {
    Attempt how{0, setting, {}};
    how.setting.ranges.How = method;
    if (remedies.wide)
      for (const auto &layer : quantizer().layers())
        how.setting.precisions[layer.name] = quantization::Precision::Int16;
    if (status.ok())
      status = attempt(nameOf(method), how, report);
    how.steps = {report.steps_size() - 1};
    how.setting.correctBiases = true;
    if (status.ok() && remedies.correctBiases)
      status = attempt("bias correction", how, report);
  }
  return status;
}

/// How many ways to quantise are looked at with all samples.
static constexpr size_t mostFinalists = 4;

/// What was kept, and what came next where it did not lose answers for it.
std::vector<QuantizeSearch::Attempt> QuantizeSearch::finalists() const {
  std::vector<std::pair<double, size_t>> sorted; // the least noise first
  for (size_t i = 0; i < attempts.size(); ++i) {
    const auto &[how, accuracy] = attempts[i];
    if (answers(accuracy) + chance >= mostAnswers && how.steps != kept.steps)
      sorted.emplace_back(-accuracy.sqnr_db(), i);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<Attempt> result = {kept};
  for (const auto &[rank, i] : sorted)
    if (result.size() < mostFinalists)
      result.push_back(attempts[i].first);
  return result;
}

/// A few samples choose by chance what answers worse with all of them; the next
/// best may not.
absl::Status QuantizeSearch::choose(const Samples &samples, Quantized &report) {
  std::set<size_t> finished; // candidates
  bool isFirst = true;
  for (const Attempt &how : finalists()) {
    if (finished.insert(how.candidate).second) {
      auto counted = learn(candidates[how.candidate], *chosenBy);
      if (!counted.ok())
        return counted.status();
      if (isFirst)
        add(*counted, report);
    }
    auto evaluation = assess(how, samples);
    if (!evaluation.ok())
      return evaluation.status();
    const Accuracy &accuracy = evaluation->accuracy;
    if (isFirst || answers(accuracy) > answers(keptEvaluation.accuracy)) {
      kept = how;
      keptEvaluation = *std::move(evaluation);
    }
    isFirst = false;
    if (answers(keptEvaluation.accuracy) >=
        floatAnswers(keptEvaluation.accuracy))
      break;
  }
  return absl::OkStatus();
}

absl::Status QuantizeSearch::finish(const Samples &samples, Quantized &report) {
  if (learned->step > 1) {
    if (auto status = choose(samples, report); !status.ok())
      return status;
    // Other ranges may make other instructions, as for zero points of 0.
    auto cost = costOf(network());
    if (!cost.ok())
      return cost.status();
    setCost(*cost, *report.mutable_steps(kept.steps.back()));
  }
  for (int step : kept.steps)
    report.mutable_steps(step)->set_kept(true);
  if (report.unreadable())
    report.add_notes(
        absl::StrCat(report.unreadable(),
                     " samples cannot be read; the first: ", firstUnreadable));
  const Counted &counted = keptEvaluation.counted;
  if (&chosenBy->of != &learned->of && counted.unreadable) {
    report.set_unreadable(report.unreadable() + counted.unreadable);
    report.add_notes(
        absl::StrCat(counted.unreadable,
                     " samples to evaluate on cannot be read; the first: ",
                     counted.firstUnreadable));
  }
  *report.mutable_accuracy() = keptEvaluation.accuracy;
  return absl::OkStatus();
}

/// Fewer samples are not divided: each half is to have some of every kind.
static constexpr size_t leastDivided = 4;

absl::Status QuantizeSearch::run(const Samples &samples,
                                 const Samples *evaluated,
                                 const QuantizationSetting &setting,
                                 Quantized &report) {
  const bool divides =
      !evaluated && samples.source().items.size() >= leastDivided;
  const size_t parts = divides ? 2 : 1;
  learned.emplace(samples, 0, parts);
  chosenBy.emplace(evaluated ? *evaluated : samples, parts - 1, parts);
  auto status = calibrateLast(report);
  if (status.ok())
    status = attemptMethods(setting, report);
  if (status.ok() &&
      (remedies.equalize ? *remedies.equalize : hasWideChannels())) {
    status = attemptEqualized(report);
    if (status.ok())
      status = attemptBalanced(report);
  }
  if (status.ok() && remedies.adaptsRounding())
    status = attemptAdapted(report);
  return status.ok() ? finish(samples, report) : status;
}

} // namespace tenon::tools
