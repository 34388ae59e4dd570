//===- tools/tenon/input_source.h - The inputs of --inputs ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A folder or a .npz file as a list of inputs, read one at a time: a folder of
// a million pictures needs the memory of one.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_INPUT_SOURCE_H
#define TENON_TOOLS_TENON_INPUT_SOURCE_H

#include "tools/tenon/run_options.h"

#include "isa/proto/program.pb.h"
#include "runtime/tensor.h"

#include "absl/status/statusor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::tools {

/// One of many: its path below the folder, or its place in an array, and its
/// true class where it is known.
struct Item {
  std::string name;
  std::optional<uint32_t> label;
};

class InputSource {
public:
  virtual ~InputSource() = default;

  /// The item's array for each of the program's inputs: values, or pixels that
  /// --preprocess is still to make values of.
  virtual absl::StatusOr<std::vector<runtime::Array>>
  read(size_t index) const = 0;

  /// Whether an item's arrays of uint8 may be pixels.
  virtual bool mayBePixels(size_t index) const = 0;

  /// Whether an item that does not fit means that none does.
  virtual bool alike() const = 0;

  std::vector<Item> items;
  std::vector<std::string> notes; // of what was left out
};

/// Opens --inputs and gives its items the classes of --expect-labels, or else
/// their own. `inputs` are the program's, for one item each.
absl::StatusOr<std::unique_ptr<InputSource>>
openInputs(const RunOptions &options, std::vector<isa::Buffer> inputs,
           const std::vector<std::string> &names);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_INPUT_SOURCE_H
