//===- tools/tenon/run_inputs.cpp - What a program is run on --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/run_inputs.h"

#include "tools/tenon/arrays.h"
#include "tools/tenon/files.h"
#include "tools/tenon/tensor_proto.h"

#include "isa/files.h"
#include "runtime/border.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace tenon::tools {

using runtime::Array;

static absl::StatusOr<std::vector<Array>>
readNumbered(const std::string &directory, const char *stem, int count) {
  std::vector<Array> arrays;
  for (int i = 0; i < count; ++i) {
    auto array =
        readTensorProto(absl::StrCat(directory, "/", stem, "_", i, ".pb"));
    if (!array.ok())
      return array.status();
    arrays.push_back(*std::move(array));
  }
  return arrays;
}

/// One of ONNX's test_data_set directories.
static absl::StatusOr<DataSet> expectedSet(const isa::Program &program,
                                           const std::string &directory) {
  auto inputs = readNumbered(directory, "input", program.inputs_size());
  if (!inputs.ok())
    return inputs.status();
  auto outputs = readNumbered(directory, "output", program.outputs_size());
  if (!outputs.ok())
    return outputs.status();
  return DataSet{baseName(directory), *std::move(inputs), *std::move(outputs)};
}

/// The index of the input that NAME=FILE is for, and FILE. The name may be
/// missing where there is one input.
static absl::StatusOr<std::pair<int, std::string>>
inputOf(const isa::Program &program, const std::string &text) {
  std::pair<std::string, std::string> pair =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  if (pair.second.empty() && program.inputs_size() == 1)
    return std::pair<int, std::string>(0, text);
  std::vector<std::string> names;
  for (int i = 0; i < program.inputs_size(); ++i) {
    names.push_back(program.buffers(program.inputs(i)).name());
    if (names.back() == pair.first)
      return std::pair<int, std::string>(i, pair.second);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--input ", text, ": the network has no input '", pair.first,
                   "', but ", absl::StrJoin(names, ", ")));
}

static absl::StatusOr<std::vector<Array>>
givenInputs(const RunOptions &options, const isa::Program &program) {
  auto preprocess = Preprocess::parse(options.preprocess);
  if (!preprocess.ok())
    return preprocess.status();
  std::vector<Array> arrays(program.inputs_size());
  std::vector<bool> given(arrays.size());
  for (const std::string &text : options.inputs) {
    auto input = inputOf(program, text);
    if (!input.ok())
      return input.status();
    const isa::Buffer &buffer = program.buffers(program.inputs(input->first));
    auto array = readInput(input->second, buffer, *preprocess);
    if (!array.ok())
      return array.status();
    arrays[input->first] = *std::move(array);
    given[input->first] = true;
  }
  for (int i = 0; i < program.inputs_size(); ++i)
    if (!given[i])
      return absl::InvalidArgumentError(
          absl::StrCat("input '", program.buffers(program.inputs(i)).name(),
                       "' is not given; use --input NAME=FILE"));
  return arrays;
}

static absl::Status checkInputs(const isa::Program &program,
                                const DataSet &set) {
  std::vector<runtime::ConstView> views;
  for (const Array &input : set.inputs)
    views.push_back(runtime::viewOf(input));
  runtime::Extents extents;
  absl::Status status = runtime::Border(program).bind(views, extents);
  return status.ok() ? status
                     : absl::InvalidArgumentError(
                           absl::StrCat(set.name, ": ", status.message()));
}

/// Random values need to know how many: nobody guesses an open dimension.
static absl::Status checkExtents(const isa::Program &program) {
  for (uint32_t index : program.inputs()) {
    const isa::Buffer &input = program.buffers(int(index));
    for (const std::string &name : input.symbols())
      if (!name.empty())
        return absl::InvalidArgumentError(absl::StrCat(
            "input '", input.name(), "' has the open dimension '", name,
            "', so that there are no random values for it; give all inputs "
            "with --input NAME=FILE"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<DataSet>> readDataSets(const RunOptions &options,
                                                  const isa::Program &program) {
  std::vector<DataSet> sets;
  if (!options.inputs.empty()) {
    auto arrays = givenInputs(options, program);
    if (!arrays.ok())
      return arrays.status();
    sets.push_back({"input", *std::move(arrays), {}});
  }
  for (const std::string &directory : options.expect) {
    auto set = expectedSet(program, directory);
    if (!set.ok())
      return set.status();
    sets.push_back(*std::move(set));
  }
  if (sets.empty())
    if (auto status = checkExtents(program); !status.ok())
      return status;
  if (sets.empty())
    sets.push_back({absl::StrCat("random, seed ", options.seed),
                    randomInputs(program, options.seed),
                    {}});
  for (const DataSet &set : sets)
    if (auto status = checkInputs(program, set); !status.ok())
      return status;
  return sets;
}

absl::StatusOr<std::vector<std::string>> readLabels(const std::string &path) {
  if (path.empty())
    return std::vector<std::string>{};
  auto text = isa::readFile(path);
  if (!text.ok())
    return text.status();
  std::vector<std::string> lines = absl::StrSplit(*text, '\n');
  if (lines.back().empty()) // behind the last line's end
    lines.pop_back();
  for (std::string &line : lines)
    if (absl::EndsWith(line, "\r"))
      line.pop_back();
  return lines;
}

} // namespace tenon::tools
