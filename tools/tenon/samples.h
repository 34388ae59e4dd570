//===- tools/tenon/samples.h - Runs of many inputs --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_SAMPLES_H
#define TENON_TOOLS_TENON_SAMPLES_H

#include "tools/tenon/batches.h"
#include "tools/tenon/input_source.h"

#include <functional>

namespace tenon::tools {

/// The items of a source as the inputs of a program's runs, read one run at a
/// time.
class Samples {
public:
  /// The items of options.many. InvalidArgument where it, --preprocess or
  /// --expect-labels is wrong. `options` outlives this.
  static absl::StatusOr<std::unique_ptr<Samples>>
  open(const RunOptions &options, const isa::Program &program,
       const std::vector<std::string> &names);

  /// Items that one run takes together.
  struct Run {
    std::vector<size_t> items;
    std::vector<std::vector<runtime::Array>> arrays; // of each item
  };

  /// The next run's items, every `step`th from `next` on, which moves behind
  /// them; no items at the end. One that cannot be read is told, and left out.
  Run nextRun(
      size_t &next,
      const std::function<void(size_t item, const absl::Status &)> &unreadable,
      size_t step = 1) const;

  const Batches &batches() const { return *batches_; }
  const InputSource &source() const { return *source_; }

private:
  Samples(const RunOptions &options, std::unique_ptr<const Batches> batches,
          std::unique_ptr<InputSource> source)
      : options(options), batches_(std::move(batches)),
        source_(std::move(source)) {}

  absl::StatusOr<std::vector<runtime::Array>> readItem(size_t index) const;

  const RunOptions &options;
  const std::unique_ptr<const Batches> batches_;
  const std::unique_ptr<InputSource> source_;
};

/// Every `step`th sample from `first` on: all of them, or a half, which then
/// has as many of each class where these follow each other.
struct SamplePart {
  SamplePart(const Samples &of, size_t first = 0, size_t step = 1)
      : of(of), first(first), step(step) {}

  const Samples &of;
  size_t first, step;
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_SAMPLES_H
