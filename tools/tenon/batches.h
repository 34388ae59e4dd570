//===- tools/tenon/batches.h - Items to a run's inputs ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_BATCHES_H
#define TENON_TOOLS_TENON_BATCHES_H

#include "tools/tenon/arrays.h"

#include "isa/proto/program.pb.h"
#include "runtime/border.h"

#include <string>
#include <vector>

namespace tenon::tools {

/// How items become the inputs of runs. Where all inputs and outputs begin with
/// the same fixed extent, more than 1, it is the batch: so many items are one
/// run. Where a dimension is open, or there is no batch, an item is a run.
class Batches {
public:
  /// `preprocess` is for arrays of pixels.
  Batches(const isa::Program &program, Preprocess preprocess);
  Batches(const Batches &) = delete;

  /// Items of a run.
  int64_t size() const { return items; }

  /// The program's inputs as one item has them.
  std::vector<isa::Buffer> itemInputs() const;

  /// Gives each array of an item the leading 1 it may lack, makes values of
  /// uint8 that are `pixels`, and checks type and shape. InvalidArgument says
  /// what was expected.
  absl::Status fit(std::vector<runtime::Array> &item, bool pixels) const;

  /// A run's inputs of 1 to size() items that fit; the last one fills up.
  std::vector<runtime::Array>
  stack(absl::Span<const std::vector<runtime::Array>> run) const;

  /// The part of a run's output that is of the item at `position`.
  runtime::Array part(const runtime::Array &output, int64_t position) const;

private:
  const int64_t items;
  const isa::Program item; // only the inputs, of one item
  const runtime::Border border;
  const Preprocess preprocess;
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_BATCHES_H
