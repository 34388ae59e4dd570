//===- tools/run/run_program.cpp - One run of a program -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/run/run_program.h"

#include "isa/files.h"
#include "isa/program.h"
#include "isa/verifier/verifier.h"
#include "runtime/open_device.h"
#include "runtime/run_once.h"
#include "tools/tenon/files.h"
#include "tools/tenon/npy.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

#include <map>

namespace tenon::tools {
namespace {

using runtime::Array;

absl::StatusOr<isa::Program> readVerified(const ProgramRun &run) {
  auto program = isa::readProgram(run.program);
  if (!program.ok() || run.noVerify)
    return program;
  auto verification = isa::verify(*program);
  if (!verification.ok())
    return verification.status();
  if (!verification->verified())
    return absl::InvalidArgumentError(
        absl::StrCat("'", run.program,
                     "' does not verify; --no-verify runs it all the same\n",
                     isa::findingsText(*verification)));
  return program;
}

/// The arrays in the order of the program's inputs.
absl::StatusOr<std::vector<Array>> readInputs(const ProgramRun &run,
                                              const isa::Program &program) {
  std::map<std::string, std::string> files;
  for (const std::string &text : run.inputs) {
    std::pair<std::string, std::string> named =
        absl::StrSplit(text, absl::MaxSplits('=', 1));
    files.insert(std::move(named));
  }
  std::vector<Array> arrays;
  std::vector<std::string> names;
  for (uint32_t index : program.inputs())
    names.push_back(program.buffers(int(index)).name());
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string &name = names[i];
    auto file = files.extract(name);
    if (file.empty())
      return absl::InvalidArgumentError(absl::StrCat(
          "input '", name, "' is not given: --input ", name, "=FILE.npy"));
    auto bytes = isa::readFile(file.mapped());
    if (!bytes.ok())
      return bytes.status();
    auto array = parseNpy(*bytes, file.mapped(),
                          program.buffers(int(program.inputs(int(i)))).type());
    if (!array.ok())
      return array.status();
    arrays.push_back(*std::move(array));
  }
  if (!files.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("the network has no input '", files.begin()->first,
                     "'; its inputs: ", absl::StrJoin(names, ", ")));
  return arrays;
}

absl::Status writeOutput(const ProgramRun &run, const isa::Buffer &buffer,
                         size_t index, const Array &array) {
  std::string file;
  if (!run.outputDir.empty()) {
    file = absl::StrCat(run.outputDir, "/output_", index, ".npy");
    absl::Status status = makeDirectory(run.outputDir);
    if (status.ok())
      status = isa::writeFile(file, toNpy(array));
    if (!status.ok())
      return status;
  }
  fmt::print("{}  {} {}{}\n", buffer.name(), runtime::shapeText(array.shape),
             std::string(runtime::elementName(array.type)),
             file.empty() ? "" : "  " + file);
  return absl::OkStatus();
}

} // namespace

absl::Status runProgram(const ProgramRun &run) {
  auto program = readVerified(run);
  if (!program.ok())
    return program.status();
  auto device = runtime::openDevice(run.target, program->configuration());
  if (!device.ok())
    return device.status();
  auto inputs = readInputs(run, *program);
  if (!inputs.ok())
    return inputs.status();
  auto outcome =
      runtime::runOnce(*program, **device, *inputs, {},
                       run.trustHostCode ? runtime::HostCodeTrust::Any
                                         : runtime::HostCodeTrust::Own);
  if (!outcome.ok())
    return outcome.status();
  for (size_t i = 0; i < outcome->outputs.size(); ++i)
    if (absl::Status status =
            writeOutput(run, program->buffers(int(program->outputs(int(i)))), i,
                        outcome->outputs[i]);
        !status.ok())
      return status;
  return absl::OkStatus();
}

} // namespace tenon::tools
