//===- tools/tenon/batches.cpp - Items to a run's inputs ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/batches.h"

#include "tools/tenon/picture.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

namespace tenon::tools {

using runtime::Array;

static int64_t batchOf(const isa::Program &program) {
  std::vector<uint32_t> all(program.inputs().begin(), program.inputs().end());
  all.insert(all.end(), program.outputs().begin(), program.outputs().end());
  int64_t batch = 0;
  for (uint32_t index : all) {
    const isa::Buffer &buffer = program.buffers(index);
    const bool open =
        absl::c_any_of(buffer.symbols(),
                       [](const std::string &name) { return !name.empty(); });
    if (open || buffer.shape().empty() || (batch && buffer.shape(0) != batch))
      return 1;
    batch = buffer.shape(0);
  }
  return std::max<int64_t>(batch, 1);
}

static isa::Program itemOf(const isa::Program &program, int64_t batch) {
  isa::Program item;
  for (uint32_t index : program.inputs()) {
    item.add_inputs(item.buffers_size());
    isa::Buffer &buffer = *item.add_buffers();
    buffer = program.buffers(index);
    const bool open = !buffer.symbols().empty() && !buffer.symbols(0).empty();
    if (open)
      buffer.set_symbols(0, "");
    if (open || batch > 1)
      buffer.set_shape(0, 1);
  }
  return item;
}

Batches::Batches(const isa::Program &program, Preprocess preprocess)
    : items(batchOf(program)), item(itemOf(program, items)), border(item),
      preprocess(std::move(preprocess)) {}

std::vector<isa::Buffer> Batches::itemInputs() const {
  return {item.buffers().begin(), item.buffers().end()};
}

absl::Status Batches::fit(std::vector<Array> &arrays, bool pixels) const {
  std::vector<runtime::ConstView> views;
  bool unmade = false; // pixels that nobody said how to make values of
  for (size_t i = 0; i < arrays.size(); ++i) {
    const isa::Buffer &input = item.buffers(i);
    Array &array = arrays[i];
    if (static_cast<int>(array.shape.size()) + 1 == input.shape_size() &&
        input.shape(0) == 1)
      array.shape.insert(array.shape.begin(), 1);
    if (array.type == isa::UINT8 && pixels &&
        absl::c_equal(array.shape, input.shape())) {
      auto values = preprocessPixels(array, input, preprocess);
      if (!values.ok())
        return values.status();
      array = *std::move(values);
    }
    unmade |= array.type == isa::UINT8 && input.type() != isa::UINT8;
    views.push_back(runtime::viewOf(std::as_const(array)));
  }
  runtime::Extents extents;
  absl::Status status = border.bind(views, extents);
  if (status.ok() || !unmade)
    return status;
  return absl::InvalidArgumentError(absl::StrCat(
      status.message(), "; --preprocess makes values of pixels in uint8"));
}

std::vector<Array>
Batches::stack(absl::Span<const std::vector<Array>> run) const {
  if (items == 1)
    return run[0];
  std::vector<Array> inputs;
  for (int i = 0; i < item.buffers_size(); ++i) {
    Array input{run[0][i].type, run[0][i].shape, {}};
    input.shape[0] = items;
    for (int64_t k = 0; k < items; ++k) {
      const Array &from = run[std::min<size_t>(k, run.size() - 1)][i];
      input.bytes.insert(input.bytes.end(), from.bytes.begin(),
                         from.bytes.end());
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Array Batches::part(const Array &output, int64_t position) const {
  if (items == 1)
    return output;
  Array part{output.type, output.shape, {}};
  part.shape[0] = 1;
  const size_t bytes = output.bytes.size() / items;
  auto begin = output.bytes.begin() + position * bytes;
  part.bytes.assign(begin, begin + bytes);
  return part;
}

} // namespace tenon::tools
