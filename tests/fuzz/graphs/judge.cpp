// Part of Tenon, under the Apache License v2.0.

#include "tests/fuzz/graphs/judge.h"

#include "tests/fuzz/graphs/write_onnx.h"
#include "tests/fuzz/graphs/write_tosa.h"
#include "tools/tenon/arrays.h"
#include "tools/tenon/tensor_proto.h"

#include "compiler/driver/compile.h"
#include "compiler/driver/reference.h"
#include "isa/configuration.h"
#include "isa/files.h"
#include "isa/host_features.h"
#include "isa/host_target.h"
#include "runtime/check.h"
#include "runtime/host_device.h"
#include "runtime/run_once.h"
#include "sim/functional/functional_device.h"
#include "tenon/Target/CPU/Hosts.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include <filesystem>
#include <random>

namespace tenon::graphs {
namespace {

using runtime::Array;

/// Whether a layer is on the CPU because the machine has no room for it.
bool saysWhatDoesNotFit(const Outcome &outcome) {
  for (const std::string &kernel : outcome.cpu())
    if (absl::StrContains(kernel, "does not fit configuration"))
      return true;
  return false;
}

/// What was placed on the accelerator and had to leave it again: placement
/// should have known. Empty where nothing was.
std::string refusedBehindPlacement(const Outcome &outcome) {
  for (const std::string &kernel : outcome.cpu())
    if (absl::StrContains(kernel, "placed on the accelerator, it was refused"))
      return kernel;
  return "";
}

/// One of the hosts whose code this machine runs; none where it runs none.
std::vector<std::string> hostOf(uint64_t seed) {
  std::vector<std::string> hosts;
  for (const isa::HostTarget *target : defaultHosts())
    if (absl::c_all_of(target->features, isa::hasFeature))
      hosts.push_back(std::string(target->name));
  if (hosts.empty())
    return {};
  return {hosts[std::mt19937_64(seed)() % hosts.size()]};
}

/// What went into a run and what came out.
struct Data {
  std::vector<Array> inputs, outputs;
};

class Judge {
public:
  Judge(std::string folder, Machine machine, uint64_t seed, const Phase &phase)
      : folder(std::move(folder)), machine(std::move(machine)), seed(seed),
        phase(phase) {}

  absl::Status prepare() {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      return absl::NotFoundError(
          absl::StrCat("'", folder, "': ", error.message()));
    auto configuration = configurationOf(machine.configuration);
    if (!configuration.ok())
      return configuration.status();
    return write("machine.textproto", configuration->DebugString());
  }

  absl::Status write(absl::string_view name, absl::string_view content) {
    return isa::writeFile(absl::StrCat(folder, "/", name), content);
  }

  /// Compiles and compares.
  absl::StatusOr<Data> run(const std::string &path, Outcome &outcome) {
    phase("the compiler");
    compiler::Options options;
    options.config = folder + "/machine.textproto";
    options.hosts = hostOf(seed);
    options.virtualThreads = machine.virtualThreads;
    options.reproducer = folder + "/reproducer.mlir";
    auto compiled = compiler::compile(path, options, compiler::Level::Program);
    if (!compiled.ok())
      return withReproducer(compiled.status());
    const isa::Program &program = compiled->program;
    describe(program, outcome);
    if (std::string refused = refusedBehindPlacement(outcome); !refused.empty())
      return absl::InternalError(refused);
    auto inputs = tools::randomInputs(program, seed);
    auto execution = execute(program, inputs, std::nullopt);
    if (!execution.ok())
      return execution.status();
    if (auto s = interleaved(program, inputs, *execution); !s.ok())
      return s;
    if (auto s = compareWithCpu(program, inputs, *execution, outcome); !s.ok())
      return s;
    outcome.set_verdict(Outcome::AGREES);
    return Data{std::move(inputs), std::move(execution->outputs)};
  }

  absl::StatusOr<runtime::Outcome> execute(const isa::Program &program,
                                           absl::Span<const Array> inputs,
                                           std::optional<uint64_t> order) {
    phase(order ? "the functional simulator, interleaved"
                : "the functional simulator");
    auto device = sim::FunctionalDevice::create(program.configuration(), order,
                                                order.has_value());
    if (!device.ok())
      return device.status();
    return runtime::runOnce(program, **device, inputs,
                            runtime::Observer::ofEverything(),
                            runtime::HostCodeTrust::Any);
  }

private:
  /// Names the file that a pass which failed has left: `tenon-opt
  /// --run-reproducer` repeats it.
  absl::Status withReproducer(const absl::Status &status) const {
    std::string file = folder + "/reproducer.mlir";
    if (!std::filesystem::exists(file))
      return status;
    return absl::Status(status.code(),
                        absl::StrCat(status.message(), "\n", file));
  }

  static void describe(const isa::Program &program, Outcome &outcome) {
    for (const isa::Layer &layer : program.debug().layers())
      outcome.add_accelerator(layer.op());
    for (const isa::Step &step : program.steps())
      if (step.has_host_kernel())
        outcome.add_cpu(step.host_kernel().name() + ": " +
                        step.host_kernel().reason());
      else if (step.has_launch())
        outcome.set_instructions(outcome.instructions() +
                                 step.launch().instruction_count());
  }

  absl::Status interleaved(const isa::Program &program,
                           absl::Span<const Array> inputs,
                           const runtime::Outcome &inOrder) {
    auto other = execute(program, inputs, seed);
    if (!other.ok())
      return other.status();
    auto check =
        runtime::compareDram(program, inOrder.execution, other->execution);
    if (check.mismatches)
      return absl::InternalError(absl::StrCat(
          "another order of the engines leaves another ", check.layer));
    return absl::OkStatus();
  }

  absl::Status compareWithCpu(const isa::Program &program,
                              absl::Span<const Array> inputs,
                              const runtime::Outcome &ran, Outcome &outcome) {
    phase("the CPU's compiler");
    auto compiled = compiler::compileReference(program, Optimization::None);
    if (!compiled.ok())
      return compiled.status();
    phase("the CPU");
    runtime::HostDevice cpu(compiled->configuration());
    auto want = runtime::runOnce(*compiled, cpu, inputs,
                                 runtime::Observer::ofEverything(),
                                 runtime::HostCodeTrust::Any);
    if (!want.ok())
      return want.status();
    auto check = runtime::compareTensors(
        runtime::namedTensors(program, ran.execution, ran.outputs),
        runtime::namedTensors(*compiled, want->execution, want->outputs));
    outcome.set_elements(outcome.elements() + check.elements);
    if (check.status != runtime::Check::BitExact)
      return absl::InternalError(absl::StrCat(
          "accelerator and CPU differ in ", check.mismatches, " of ",
          check.elements, " elements, first in ", check.layer, "[", check.index,
          "]: ", check.got, ", CPU ", check.want));
    return absl::OkStatus();
  }

  std::string folder;
  Machine machine;
  uint64_t seed;
  const Phase &phase;
};

/// Whatever ended a run is a defect.
Outcome concluded(Outcome outcome, const absl::Status &status) {
  if (status.ok())
    return outcome;
  outcome.set_verdict(Outcome::DEFECT);
  outcome.set_message(std::string(status.message()));
  return outcome;
}

/// In the form of ONNX's test data, for other references.
absl::Status writeData(const Graph &graph, const Data &data, Judge &run) {
  for (size_t i = 0; i < data.inputs.size(); ++i)
    if (auto s = run.write(absl::StrCat("input_", i, ".pb"),
                           tools::toTensorProto(data.inputs[i], ""));
        !s.ok())
      return s;
  for (size_t i = 0; i < data.outputs.size(); ++i)
    if (auto s = run.write(
            absl::StrCat("output_", i, ".pb"),
            tools::toTensorProto(data.outputs[i],
                                 absl::StrCat("t", graph.outputs[i])));
        !s.ok())
      return s;
  return absl::OkStatus();
}

/// The rest of the line `// KEY: ...`; empty if there is none.
std::string comment(absl::string_view text, absl::string_view key) {
  std::string begin = absl::StrCat("// ", key, ": ");
  for (absl::string_view line : absl::StrSplit(text, '\n'))
    if (absl::ConsumePrefix(&line, begin))
      return std::string(line);
  return "";
}

/// The ONNX form's outputs must be the TOSA form's, which was derived apart
/// from the importer.
absl::Status judgeOnnx(const Case &test, Judge &run, const std::string &folder,
                       const Data &want, Outcome &outcome) {
  if (auto s = run.write("model.onnx", writeOnnx(test.graph)); !s.ok())
    return s;
  auto got = run.run(folder + "/model.onnx", outcome);
  if (!got.ok())
    return got.status();
  outcome.set_verdict(Outcome::DEFECT);
  for (size_t i = 0; i < want.outputs.size(); ++i)
    if (got->outputs[i].bytes != want.outputs[i].bytes)
      return absl::InternalError(absl::StrCat(
          "output ", i, " of the ONNX form is not the TOSA form's"));
  if (auto s = writeData(test.graph, *got, run); !s.ok())
    return s;
  outcome.set_verdict(Outcome::AGREES);
  outcome.set_on_onnx(true);
  return absl::OkStatus();
}

} // namespace

Outcome judgeFile(const std::string &path, const std::string &folder,
                  const Phase &phase) {
  Outcome outcome;
  auto text = isa::readFile(path);
  if (!text.ok())
    return concluded(outcome, text.status());
  Machine machine;
  machine.configuration = comment(*text, "MACHINE");
  machine.virtualThreads = comment(*text, "THREADS") == "1" ? 1 : 2;
  Judge run(folder, machine, /*seed=*/1, phase);
  if (auto s = run.prepare(); !s.ok())
    return concluded(outcome, s);
  absl::Status status = run.run(path, outcome).status();
  return concluded(outcome, status);
}

Outcome judge(const Case &test, const std::string &folder, const Phase &phase) {
  Outcome outcome;
  Judge run(folder, test.machine, test.seed, phase);
  if (auto s = run.prepare(); !s.ok())
    return concluded(outcome, s);
  if (auto s = run.write("graph.mlir", writeTosa(test.graph)); !s.ok())
    return concluded(outcome, s);
  auto outputs = run.run(folder + "/graph.mlir", outcome);
  if (outputs.ok() && test.graph.oversized && !saysWhatDoesNotFit(outcome))
    return concluded(outcome, absl::InternalError(
                                  "a layer that fits no machine is not on the "
                                  "CPU for this reason"));
  if (!outputs.ok() || !test.graph.onnxForm)
    return concluded(outcome, outputs.status());
  absl::Status status = judgeOnnx(test, run, folder, *outputs, outcome);
  return concluded(outcome, status);
}

} // namespace tenon::graphs
