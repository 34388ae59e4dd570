//===- tools/tenon/samples.cpp - Runs of many inputs ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/samples.h"

#include "absl/strings/str_cat.h"

namespace tenon::tools {

using runtime::Array;

absl::StatusOr<std::unique_ptr<Samples>>
Samples::open(const RunOptions &options, const isa::Program &program,
              const std::vector<std::string> &names) {
  auto preprocess = Preprocess::parse(options.preprocess);
  if (!preprocess.ok())
    return preprocess.status();
  auto batches = std::make_unique<Batches>(program, *std::move(preprocess));
  auto source = openInputs(options, batches->itemInputs(), names);
  if (!source.ok())
    return source.status();
  std::unique_ptr<Samples> samples(
      new Samples(options, std::move(batches), *std::move(source)));
  if (samples->source_->alike())
    if (auto item = samples->readItem(0); !item.ok())
      return item.status();
  return samples;
}

absl::StatusOr<std::vector<Array>> Samples::readItem(size_t index) const {
  auto arrays = source_->read(index);
  if (!arrays.ok())
    return arrays;
  const bool pixels =
      !options.preprocess.empty() && source_->mayBePixels(index);
  if (auto status = batches_->fit(*arrays, pixels); !status.ok())
    return absl::Status(status.code(),
                        absl::StrCat("input ", source_->items[index].name, ": ",
                                     status.message()));
  return arrays;
}

Samples::Run Samples::nextRun(
    size_t &next,
    const std::function<void(size_t, const absl::Status &)> &unreadable,
    size_t step) const {
  Run run;
  while (next < source_->items.size() &&
         static_cast<int64_t>(run.items.size()) < batches_->size()) {
    const size_t index = next;
    next += step;
    auto item = readItem(index);
    if (!item.ok()) {
      unreadable(index, item.status());
      continue;
    }
    run.items.push_back(index);
    run.arrays.push_back(*std::move(item));
  }
  return run;
}

} // namespace tenon::tools
