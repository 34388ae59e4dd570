//===- tools/run/run_program.cpp - One run of a program -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/run/run_program.h"

#include "isa/files.h"
#include "isa/program.h"
#include "isa/verifier/verifier.h"
#include "runtime/executor.h"
#include "runtime/fpga/uio_device.h"
#include "sim/functional/functional_device.h"
#include "tools/tenon/files.h"
#include "tools/tenon/npy.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
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

absl::StatusOr<std::unique_ptr<sim::Device>>
openDevice(const std::string &target, const isa::Configuration &config) {
  constexpr absl::string_view uio = "fpga:uio:";
  if (target == "functional") {
    auto device = sim::FunctionalDevice::create(config);
    if (!device.ok())
      return device.status();
    return *std::move(device);
  }
  if (!absl::StartsWith(target, uio))
    return absl::InvalidArgumentError(
        absl::StrCat("'", target, "' is no target; expected functional or ",
                     uio, "DEVICE[,KEY=VALUE...]"));
  auto options = runtime::parseUioTarget(absl::StripPrefix(target, uio));
  if (!options.ok())
    return options.status();
  auto device = runtime::UioDevice::create(config, *options);
  if (!device.ok())
    return device.status();
  return *std::move(device);
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
  for (const std::string &name : names) {
    auto file = files.extract(name);
    if (file.empty())
      return absl::InvalidArgumentError(absl::StrCat(
          "input '", name, "' is not given: --input ", name, "=FILE.npy"));
    auto bytes = isa::readFile(file.mapped());
    if (!bytes.ok())
      return bytes.status();
    auto array = parseNpy(*bytes, file.mapped());
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
  auto device = openDevice(run.target, program->configuration());
  if (!device.ok())
    return device.status();
  auto inputs = readInputs(run, *program);
  if (!inputs.ok())
    return inputs.status();
  auto execution = runtime::execute(*program, **device, *inputs, {});
  if (!execution.ok())
    return execution.status();
  for (size_t i = 0; i < execution->outputs.size(); ++i)
    if (absl::Status status =
            writeOutput(run, program->buffers(int(program->outputs(int(i)))), i,
                        execution->outputs[i]);
        !status.ok())
      return status;
  return absl::OkStatus();
}

} // namespace tenon::tools
