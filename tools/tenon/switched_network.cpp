//===- tools/tenon/switched_network.cpp - Any mix of layers ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/switched_network.h"

namespace tenon::tools {

using runtime::Array;

/// Inputs beyond that are read anew for each mix.
static constexpr size_t mostHeldBytes = size_t(256) << 20;

absl::StatusOr<SwitchedNetwork::Arrays>
SwitchedNetwork::runWith(Arrays inputs, const IsOn &isOn, bool reads) {
  auto add = [&](bool on) { inputs.push_back({isa::BOOL, {}, {uint8_t(on)}}); };
  for (const std::string &unit : board.units)
    add(isOn(unit));
  for (const std::string &layer : board.selections)
    add(isOn(layer));
  add(reads);
  return board.network->run(inputs);
}

SwitchedNetwork::Arrays SwitchedNetwork::inputsOf(const Reference &run) const {
  if (!run.inputs.empty())
    return run.inputs;
  size_t next = run.items.front();
  return samples.batches().stack(
      samples.nextRun(next, [](size_t, const absl::Status &) {}).arrays);
}

absl::Status SwitchedNetwork::start() {
  const size_t all = samples.source().items.size();
  for (size_t next = 0; next < all && items < most;) {
    Samples::Run run =
        samples.nextRun(next, [](size_t, const absl::Status &) {});
    if (run.items.empty())
      break;
    Reference reference{run.items, samples.batches().stack(run.arrays), {}};
    auto outputs = runWith(
        reference.inputs, [](const std::string &) { return false; }, false);
    if (!outputs.ok())
      return outputs.status();
    reference.outputs = *std::move(outputs);
    for (const Array &input : reference.inputs)
      heldBytes += input.bytes.size();
    if (heldBytes > mostHeldBytes)
      reference.inputs.clear();
    items += run.items.size();
    runs.push_back(std::move(reference));
  }
  return absl::OkStatus();
}

absl::StatusOr<Accuracy> SwitchedNetwork::measure(const IsOn &isOn,
                                                  bool reads) {
  Accuracy result;
  quantization::Noise noise;
  for (const Reference &run : runs) {
    auto outputs = runWith(inputsOf(run), isOn, reads);
    if (!outputs.ok())
      return outputs.status();
    for (size_t i = 0; i < outputs->size(); ++i)
      if (run.outputs[i].type == isa::FLOAT32)
        noise.add(reinterpret_cast<const float *>(run.outputs[i].bytes.data()),
                  reinterpret_cast<const float *>((*outputs)[i].bytes.data()),
                  runtime::elementCount(run.outputs[i].shape));
    for (size_t k = 0; k < run.items.size(); ++k)
      countAnswers(samples.source().items[run.items[k]],
                   samples.batches().part(run.outputs[0], k),
                   samples.batches().part((*outputs)[0], k), result);
  }
  result.set_samples(items);
  result.set_sqnr_db(noise.decibels());
  return result;
}

} // namespace tenon::tools
