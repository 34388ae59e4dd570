//===- tools/tenon/evaluate.cpp - A network and its integers --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/evaluate.h"

#include "tools/tenon/result.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace tenon::tools {

using quantization::Noise;
using runtime::Array;

namespace {

using Arrays = std::vector<Array>;

const float *floatsOf(const Array &array) {
  return reinterpret_cast<const float *>(array.bytes.data());
}

absl::StatusOr<Arrays> runOn(HostNetwork &network, const Samples &samples,
                             const Samples::Run &run) {
  auto outputs = network.run(samples.batches().stack(run.arrays));
  if (outputs.ok())
    return outputs;
  return absl::Status(outputs.status().code(),
                      absl::StrCat("input ",
                                   samples.source().items[run.items[0]].name,
                                   ": ", outputs.status().message()));
}

/// Only floats have noise.
void addNoise(const Array &real, const Array &integer, Noise &noise) {
  if (real.type == isa::FLOAT32 && integer.type == isa::FLOAT32)
    noise.add(floatsOf(real), floatsOf(integer),
              runtime::elementCount(real.shape));
}

void count(const Samples &samples, size_t item, const absl::Status &why,
           Counted &counted) {
  if (counted.unreadable++ == 0)
    counted.firstUnreadable =
        absl::StrCat(samples.source().items[item].name, ": ", why.message());
}

} // namespace

void countAnswers(const Item &item, const Array &real, const Array &integer,
                  Accuracy &accuracy) {
  const auto wanted = largestElements(real, 1);
  const auto got = largestElements(integer, 1);
  accuracy.set_same_top1(accuracy.same_top1() + (wanted == got));
  if (!item.label)
    return;
  auto isRight = [&](const std::vector<uint32_t> &answer) {
    return !answer.empty() && answer[0] == *item.label;
  };
  accuracy.set_labelled(accuracy.labelled() + 1);
  accuracy.set_float_top1(accuracy.float_top1() + isRight(wanted));
  accuracy.set_quantized_top1(accuracy.quantized_top1() + isRight(got));
}

absl::StatusOr<Counted> calibrate(HostNetwork &network, const SamplePart &part,
                                  int outputs, compiler::Quantizer &quantizer,
                                  Progress &progress) {
  Counted counted;
  const Samples &samples = part.of;
  const size_t all = samples.source().items.size();
  auto skip = [&](size_t item, const absl::Status &why) {
    count(samples, item, why, counted);
  };
  for (size_t next = part.first; next < all;) {
    Samples::Run run = samples.nextRun(next, skip, part.step);
    if (run.items.empty())
      break;
    auto arrays = runOn(network, samples, run);
    if (!arrays.ok())
      return arrays.status();
    for (size_t i = 0; i < quantizer.tensors().size(); ++i) {
      const Array &values = (*arrays)[outputs + i];
      quantizer.observe(i, floatsOf(values), values.shape);
    }
    counted.samples += run.items.size();
    progress.show(
        absl::StrCat("calibrating: ", std::min(next, all), " of ", all));
  }
  return counted;
}

absl::StatusOr<Evaluation> evaluate(HostNetwork &real, HostNetwork &integer,
                                    const SamplePart &part, int outputs,
                                    Progress &progress) {
  Evaluation result;
  const Samples &samples = part.of;
  const size_t watched = real.border().outputs_size() - outputs;
  result.noise.resize(watched);
  Noise whole;
  const size_t all = samples.source().items.size();
  auto skip = [&](size_t item, const absl::Status &why) {
    count(samples, item, why, result.counted);
  };
  for (size_t next = part.first; next < all;) {
    Samples::Run run = samples.nextRun(next, skip, part.step);
    if (run.items.empty())
      break;
    auto wanted = runOn(real, samples, run);
    auto got = runOn(integer, samples, run);
    for (const auto *arrays : {&wanted, &got})
      if (!arrays->ok())
        return arrays->status();
    for (size_t k = 0; k < run.items.size(); ++k)
      countAnswers(samples.source().items[run.items[k]],
                   samples.batches().part((*wanted)[0], k),
                   samples.batches().part((*got)[0], k), result.accuracy);
    for (int i = 0; i < outputs; ++i)
      addNoise((*wanted)[i], (*got)[i], whole);
    for (size_t i = 0; i < watched; ++i)
      addNoise((*wanted)[outputs + i], (*got)[outputs + i], result.noise[i]);
    result.counted.samples += run.items.size();
    progress.show(
        absl::StrCat("evaluating: ", std::min(next, all), " of ", all));
  }
  result.accuracy.set_samples(result.counted.samples);
  result.accuracy.set_sqnr_db(whole.decibels());
  return result;
}

} // namespace tenon::tools
