//===- tools/tenon/quantize_text.cpp - What quantisation did --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/quantize_text.h"

#include "tools/tenon/statistics_text.h"
#include "tools/tenon/table.h"

#include "absl/algorithm/container.h"

#include "fmt/format.h"

#include <algorithm>
#include <cmath>

namespace tenon::tools {

/// Parts of a histogram that is drawn.
static constexpr int64_t parts = 96;

static void addHistogram(const quantization::TensorStatistics &of,
                         QuantizedTensor &tensor) {
  const quantization::Histogram &histogram = of.histogram();
  const quantization::Range seen = of.range();
  if (histogram.range() == 0 || !(seen.Low < seen.High))
    return;
  tensor.mutable_histogram()->Resize(parts, 0);
  for (int64_t bin = 0; bin < histogram.Bins; ++bin)
    if (uint64_t count = histogram.counts()[bin]) {
      double at = (histogram.centre(bin) - seen.Low) / (seen.High - seen.Low);
      auto part = std::clamp<int64_t>(int64_t(at * parts), 0, parts - 1);
      tensor.set_histogram(int(part), tensor.histogram(int(part)) + count);
    }
}

void describe(const quantization::TensorStatistics &of,
              QuantizedTensor &tensor) {
  const quantization::Range seen = of.range();
  tensor.set_seen_low(seen.isEmpty() ? 0 : seen.Low);
  tensor.set_seen_high(seen.isEmpty() ? 0 : seen.High);
  addHistogram(of, tensor);
  if (auto outlier = of.outlier()) {
    tensor.set_outlier_channel(uint32_t(outlier->Channel));
    tensor.set_outlier_ratio(outlier->Ratio);
  }
}

void describe(const quantization::Parameters &of, QuantizedTensor &tensor) {
  tensor.set_scale(of.Scale);
  tensor.set_zero_point(of.ZeroPoint);
  tensor.set_low(of.dequantize(of.least()));
  tensor.set_high(of.dequantize(of.most()));
}

std::string describe(const quantization::WeightOptions &of) {
  if (of.Group)
    return fmt::format("int{} in groups of {}", of.Bits, of.Group);
  return fmt::format("int{} per {}", of.Bits,
                     of.PerChannel ? "channel" : "tensor");
}

static std::string percent(uint32_t part, uint32_t of) {
  return fmt::format("{} of {} ({:.1f} %)", part, of, 100.0 * part / of);
}

static void addAccuracy(const Accuracy &accuracy, Table &table) {
  if (accuracy.labelled()) {
    table.add({"float", percent(accuracy.float_top1(), accuracy.labelled())});
    table.add(
        {"quantised", percent(accuracy.quantized_top1(), accuracy.labelled())});
  }
  table.add({"same answer",
             percent(accuracy.same_top1(), accuracy.samples()) +
                 fmt::format(" · outputs at {:.1f} dB", accuracy.sqnr_db())});
}

static std::string stepText(const Step &step) {
  const Accuracy &of = step.accuracy();
  std::string right = of.labelled()
                          ? fmt::format("{} right", of.quantized_top1())
                          : fmt::format("{} the same", of.same_top1());
  return fmt::format(
      "{} · {} · {:.1f} dB · {} cycles ({} predicted), {:.3f} ms · {}",
      step.name(), right, of.sqnr_db(), grouped(step.measured_cycles()),
      grouped(step.prediction().cycles()), step.prediction().total_ms(),
      step.kept() ? "kept" : "taken back");
}

/// Answers of what is evaluated that the layer gains the mix.
static int64_t gainOf(const Reverted &layer, const Accuracy &with) {
  const Accuracy &without = layer.accuracy_without();
  return with.labelled()
             ? int64_t(with.quantized_top1()) - without.quantized_top1()
             : int64_t(with.same_top1()) - without.same_top1();
}

static std::string costText(const compiler::Prediction &of, double measured) {
  return fmt::format("{} · {} cycles measured", predictionText(of),
                     grouped(measured));
}

static void addMix(const Quantized &of, Table &table) {
  const Mix &mix = of.mix();
  table.add(
      {"target", fmt::format("{:.4f} of the float network's answers for "
                             "{} · {} mixes tried",
                             mix.reached(), mix.target(), mix.evaluations())});
  for (int i = 0; i < mix.reverted_size(); ++i) {
    const Reverted &layer = mix.reverted(i);
    table.add({i == 0 ? "not in int8" : "",
               fmt::format("{} in {} · {:+} answers · {:+.3f} ms",
                           layer.layer(), layer.precision(),
                           gainOf(layer, of.accuracy()), layer.cost_ms())});
  }
  table.add(
      {"all int8", costText(mix.all_int8(), mix.all_int8_measured_cycles())});
  if (mix.reverted_size())
    table.add({"the mix", costText(mix.mix(), mix.mix_measured_cycles())});
  table.add({"all float",
             costText(mix.all_float(), mix.all_float_measured_cycles())});
}

/// The worst first.
static std::vector<const QuantizedTensor *> byNoise(const Quantized &of) {
  std::vector<const QuantizedTensor *> sorted;
  for (const QuantizedTensor &tensor : of.tensors())
    sorted.push_back(&tensor);
  absl::c_sort(sorted, [](const auto *a, const auto *b) {
    return std::make_pair(a->sqnr_db(), a->name()) <
           std::make_pair(b->sqnr_db(), b->name());
  });
  return sorted;
}

static std::string worstText(const QuantizedTensor &tensor) {
  std::string text =
      fmt::format("{:.1f} dB  {}", tensor.sqnr_db(),
                  tensor.layer().empty() ? tensor.name() : tensor.layer());
  if (tensor.has_outlier_channel() && tensor.outlier_ratio() >= 2)
    text += fmt::format(" · channel {} is {:.1f} times the median's width",
                        tensor.outlier_channel(), tensor.outlier_ratio());
  return text;
}

/// How many of the layers that lose most are named.
static constexpr size_t mostNamed = 5;

/// The layers whose integers cost most, by what the outputs gain without them.
static void addSensitivity(const Quantized &of, Table &table) {
  std::vector<const Sensitivity *> sorted;
  for (const Sensitivity &layer : of.sensitivity())
    sorted.push_back(&layer);
  absl::c_sort(sorted, [](const auto *a, const auto *b) {
    return std::make_pair(-a->without_db(), a->layer()) <
           std::make_pair(-b->without_db(), b->layer());
  });
  const double all = of.sensitivity_all().sqnr_db();
  for (size_t i = 0; i < std::min(sorted.size(), mostNamed); ++i)
    table.add({i == 0 ? "costs most" : "",
               fmt::format("{:+.1f} dB without, {:.1f} dB alone  {}",
                           sorted[i]->without_db() - all, sorted[i]->alone_db(),
                           sorted[i]->layer())});
}

std::string quantizeText(const Quantized &of) {
  Table table("ll");
  addAccuracy(of.accuracy(), table);
  auto sorted = byNoise(of);
  for (size_t i = 0; i < std::min(sorted.size(), mostNamed); ++i)
    table.add({i == 0 ? "most noise" : "", worstText(*sorted[i])});
  addSensitivity(of, table);
  for (int i = 0; i < of.steps_size(); ++i)
    table.add({i == 0 ? "steps" : "", stepText(of.steps(i))});
  for (int i = 0; i < of.gains_size(); ++i)
    table.add(
        {i == 0 ? "gained most" : "",
         fmt::format("{}: {:.1f} dB", of.gains(i).remedy(), of.gains(i).db())});
  if (of.has_mix())
    addMix(of, table);
  for (int i = 0; i < of.left_size(); ++i)
    table.add({i == 0 ? "left in float" : "",
               of.left(i).node() + ": " + of.left(i).reason()});
  for (int i = 0; i < of.notes_size(); ++i)
    table.add({i == 0 ? "note" : "", of.notes(i)});
  table.add(
      {"calibration", fmt::format("{} samples · {:.1f} s · at most {:.0f} MB",
                                  grouped(of.samples()), of.seconds(),
                                  of.peak_bytes() / 1e6)});
  table.add({"written", fmt::format("{} · {} bytes, {:.1f} % of the float "
                                    "network's {}",
                                    of.output(), grouped(of.bytes()),
                                    100 * of.bytes() / of.float_bytes(),
                                    grouped(of.float_bytes()))});
  return fmt::format("{} · {} · weights {} · activations {} · times predicted "
                     "for {}\n",
                     of.model(), of.method(), of.weights(), of.activations(),
                     of.config()) +
         table.text();
}

} // namespace tenon::tools
