//===- tools/tenon/sensitivity.cpp - What each layer loses ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/sensitivity.h"

#include "tools/tenon/result.h"

#include "compiler/driver/quantize.h"

#include "absl/strings/str_cat.h"

namespace tenon::tools {

using runtime::Array;

namespace {

using Arrays = std::vector<Array>;
using Switches = std::vector<bool>;

/// A run's inputs and what the float network gives.
struct Reference {
  Arrays inputs, outputs;
  size_t items;
};

class Layers {
public:
  Layers(HostNetwork &network, const Batches &batches, size_t units)
      : network(network), batches(batches), units(units) {}

  absl::Status addRun(const Samples::Run &run);
  absl::StatusOr<Accuracy> measure(const Switches &on);
  size_t count() const { return items; }

private:
  absl::StatusOr<Arrays> runWith(const Arrays &inputs, const Switches &on);

  HostNetwork &network;
  const Batches &batches;
  const size_t units;
  std::vector<Reference> runs;
  size_t items = 0;
};

absl::StatusOr<Arrays> Layers::runWith(const Arrays &inputs,
                                       const Switches &on) {
  Arrays all = inputs;
  for (bool each : on)
    all.push_back({isa::BOOL, {}, {uint8_t(each)}});
  return network.run(all);
}

absl::Status Layers::addRun(const Samples::Run &run) {
  Reference reference{batches.stack(run.arrays), {}, run.items.size()};
  auto outputs = runWith(reference.inputs, Switches(units, false));
  if (!outputs.ok())
    return outputs.status();
  reference.outputs = *std::move(outputs);
  items += reference.items;
  runs.push_back(std::move(reference));
  return absl::OkStatus();
}

absl::StatusOr<Accuracy> Layers::measure(const Switches &on) {
  Accuracy result;
  quantization::Noise noise;
  for (const Reference &run : runs) {
    auto outputs = runWith(run.inputs, on);
    if (!outputs.ok())
      return outputs.status();
    for (size_t i = 0; i < outputs->size(); ++i)
      if (run.outputs[i].type == isa::FLOAT32)
        noise.add(reinterpret_cast<const float *>(run.outputs[i].bytes.data()),
                  reinterpret_cast<const float *>((*outputs)[i].bytes.data()),
                  runtime::elementCount(run.outputs[i].shape));
    for (size_t k = 0; k < run.items; ++k)
      result.set_same_top1(
          result.same_top1() +
          (largestElements(batches.part(run.outputs[0], k), 1) ==
           largestElements(batches.part((*outputs)[0], k), 1)));
  }
  result.set_samples(items);
  result.set_sqnr_db(noise.decibels());
  return result;
}

} // namespace

absl::Status sensitivity(HostNetwork &switched,
                         const std::vector<std::string> &units,
                         const Samples &samples, size_t most,
                         Progress &progress, Quantized &report) {
  Layers layers(switched, samples.batches(), units.size());
  auto skip = [](size_t, const absl::Status &) {};
  for (size_t next = 0; layers.count() < most;) {
    Samples::Run run = samples.nextRun(next, skip);
    if (run.items.empty())
      break;
    if (auto status = layers.addRun(run); !status.ok())
      return status;
  }
  report.set_sensitivity_samples(layers.count());
  auto all = layers.measure(Switches(units.size(), true));
  if (!all.ok())
    return all.status();
  *report.mutable_sensitivity_all() = *all;
  for (size_t unit = 0; unit < units.size(); ++unit) {
    progress.show(
        absl::StrCat("measuring layer ", unit + 1, " of ", units.size()));
    Switches alone(units.size(), false), others(units.size(), true);
    alone[unit] = true;
    others[unit] = false;
    auto with = layers.measure(alone), without = layers.measure(others);
    for (const auto *accuracy : {&with, &without})
      if (!accuracy->ok())
        return accuracy->status();
    Sensitivity &layer = *report.add_sensitivity();
    layer.set_layer(units[unit]);
    layer.set_alone_db(with->sqnr_db());
    layer.set_alone_same(with->same_top1());
    layer.set_without_db(without->sqnr_db());
    layer.set_without_same(without->same_top1());
  }
  return absl::OkStatus();
}

} // namespace tenon::tools
