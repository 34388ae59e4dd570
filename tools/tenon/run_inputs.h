//===- tools/tenon/run_inputs.h - What a program is run on ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_RUN_INPUTS_H
#define TENON_TOOLS_TENON_RUN_INPUTS_H

#include "tools/tenon/run_options.h"

#include "isa/proto/program.pb.h"
#include "runtime/tensor.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace tenon::tools {

/// One set of inputs, and the outputs it should give (may be empty).
struct DataSet {
  std::string name;
  std::vector<runtime::Array> inputs;
  std::vector<runtime::Array> expected;
};

/// What --input and --expect ask for, or random values where neither does. All
/// of it fits the program's inputs.
absl::StatusOr<std::vector<DataSet>> readDataSets(const RunOptions &options,
                                                  const isa::Program &program);

/// The lines of a file of class names; none without a file.
absl::StatusOr<std::vector<std::string>> readLabels(const std::string &path);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_RUN_INPUTS_H
