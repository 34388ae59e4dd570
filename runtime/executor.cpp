//===- runtime/executor.cpp - Runs a program's plan on a device -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/executor.h"

#include "runtime/host_code.h"

#include "isa/configuration.h"
#include "isa/program.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <chrono>
#include <optional>

namespace tenon::runtime {

namespace {

class Runner {
public:
  Runner(const isa::Program &program, isa::Layout layout, sim::Device &device,
         const ExecutionOptions &options)
      : program(program), layout(std::move(layout)), device(device),
        options(options) {}

  absl::StatusOr<Execution> run(absl::Span<const Array> inputs);

private:
  absl::Status prepare(absl::Span<const Array> inputs);
  absl::Status step(const isa::Step &step);
  absl::Status pack(const isa::Pack &step);
  absl::Status unpack(const isa::Unpack &step);
  absl::Status launch(const isa::Launch &step);
  absl::Status hostKernel(const isa::HostKernel &step);

  /// Runs `work` and lists it as a host step.
  template <typename Work>
  absl::Status timed(std::string name, const isa::HostKernel *kernel,
                     Work work) {
    auto begin = std::chrono::steady_clock::now();
    absl::Status status = work();
    std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begin;
    execution.hostSteps.push_back({std::move(name), kernel, taken.count()});
    return status;
  }

  Shape tensorShape(const isa::DramTensor &tensor) const {
    return {tensor.shape().begin(), tensor.shape().end()};
  }

  const isa::Program &program;
  isa::Layout layout;
  sim::Device &device;
  const ExecutionOptions &options;
  std::optional<HostCode> code;
  std::vector<Array> buffers;
  std::array<uint64_t, sim::numEngines> retired{}; // by the launches so far
  Execution execution;
};

absl::Status Runner::prepare(absl::Span<const Array> inputs) {
  if (program.executables_size()) {
    auto loaded = HostCode::load(program.executables());
    if (!loaded.ok())
      return loaded.status();
    code.emplace(*std::move(loaded));
  }
  for (const isa::Buffer &buffer : program.buffers()) {
    Shape shape(buffer.shape().begin(), buffer.shape().end());
    std::vector<uint8_t> bytes(elementCount(shape) *
                               runtime::elementBytes(buffer.type()));
    buffers.push_back({buffer.type(), std::move(shape), std::move(bytes)});
  }
  for (int i = 0; i < program.inputs_size(); ++i)
    buffers[program.inputs(i)].bytes = inputs[i].bytes;
  if (auto status = device.allocate(program.dram_bytes()); !status.ok())
    return status;
  for (const isa::Segment &segment : program.segments()) {
    const std::string &data = segment.data();
    auto bytes = absl::MakeConstSpan(
        reinterpret_cast<const uint8_t *>(data.data()), data.size());
    if (auto status = device.write(segment.offset(), bytes); !status.ok())
      return status;
  }
  execution.tensors.resize(program.tensors_size());
  return absl::OkStatus();
}

absl::Status Runner::pack(const isa::Pack &step) {
  const isa::DramTensor &tensor = program.tensors(step.tensor());
  return timed(absl::StrCat("pack ", tensor.name()), nullptr, [&] {
    // Axes that the buffer or the tensor lacks have extent 1.
    Array array = buffers[step.buffer()];
    std::vector<int64_t> axes;
    Shape source;
    for (int32_t axis : step.permutation()) {
      source.push_back(axis < 0 ? 1 : array.shape[axis]);
      if (axis >= 0)
        axes.push_back(axis);
    }
    for (size_t axis = 0; axis < array.shape.size(); ++axis)
      if (!absl::c_linear_search(axes, int64_t(axis)))
        axes.push_back(int64_t(axis));
    array = permute(array, axes);
    addOffset(array.bytes, step.offset());
    if (step.has_fold())
      array.bytes =
          foldWindows(array.bytes, source, step.fold(), tensorShape(tensor));
    BlockedLayout blocked(layout, tensorShape(tensor));
    if (options.keepTensors)
      execution.tensors[step.tensor()] = array.bytes;
    return device.write(tensor.offset(), blocked.block(array.bytes));
  });
}

absl::Status Runner::unpack(const isa::Unpack &step) {
  const isa::DramTensor &tensor = program.tensors(step.tensor());
  return timed(absl::StrCat("unpack ", tensor.name()), nullptr, [&] {
    BlockedLayout blocked(layout, tensorShape(tensor));
    std::vector<uint8_t> bytes(blocked.bytes());
    auto status = device.read(tensor.offset(), absl::MakeSpan(bytes));
    Array array{isa::INT8, tensorShape(tensor), blocked.dense(bytes)};
    addOffset(array.bytes, step.offset());
    std::vector<int64_t> axes(step.permutation().begin(),
                              step.permutation().end());
    buffers[step.buffer()].bytes = permute(array, axes).bytes;
    return status;
  });
}

/// Hardware cannot tell layers apart; a sole one has all of the launch.
static absl::StatusOr<sim::LaunchResult>
launchHardware(sim::Device &device, const sim::LaunchOptions &launch) {
  auto counts = sim::runLaunch(device, launch);
  if (!counts.ok())
    return counts.status();
  sim::LaunchResult result{*counts, {}, {}};
  result.layers.resize(std::max(launch.runs.layers, 1u));
  if (result.layers.size() == 1) {
    result.layers[0].cycles = result.layers[0].lastRetirement = result.cycles;
    result.layers[0].states = result.states;
  }
  return result;
}

absl::Status Runner::launch(const isa::Launch &step) {
  sim::LaunchOptions launch;
  launch.programOffset = step.program_offset();
  launch.instructionCount = step.instruction_count();
  launch.memory = options.memory;
  launch.cycleLimit = options.cycleLimit;
  launch.progress = options.progress;
  launch.nameOf = [&](uint64_t offset) {
    return nameAt(program, layout, offset);
  };
  launch.runs = layerRuns(program, retired);
  std::vector<int> watched;
  sim::Simulator *simulator = device.simulator();
  const bool watches = options.keepTensors && simulator;
  for (int i = 0; watches && i < program.tensors_size(); ++i) {
    const isa::DramTensor &tensor = program.tensors(i);
    if (!tensor.complete_after_stores() ||
        tensor.launch() != execution.launches.size())
      continue;
    watched.push_back(i);
    launch.watches.push_back(
        {tensor.complete_after_stores(), tensor.offset(),
         BlockedLayout(layout, tensorShape(tensor)).bytes()});
  }
  if (options.trace)
    launch.trace = &execution.traces.emplace_back();
  auto result =
      simulator ? simulator->launch(launch) : launchHardware(device, launch);
  if (!result.ok())
    return result.status();
  for (size_t i = 0; i < watched.size(); ++i) {
    BlockedLayout blocked(layout, tensorShape(program.tensors(watched[i])));
    execution.tensors[watched[i]] = blocked.dense(result->snapshots[i]);
  }
  result->snapshots.clear();
  for (unsigned e = 0; e < sim::numEngines; ++e)
    retired[e] += result->retired[e];
  execution.launches.push_back(*std::move(result));
  return absl::OkStatus();
}

absl::Status Runner::hostKernel(const isa::HostKernel &step) {
  if (!code)
    return absl::InvalidArgumentError(absl::StrCat(
        "the program has no host code for kernel '", step.name(), "'"));
  auto kernel = code->kernel(step.symbol());
  if (!kernel.ok())
    return kernel.status();
  std::vector<void *> pointers;
  for (uint32_t input : step.inputs())
    pointers.push_back(buffers[input].bytes.data());
  for (uint32_t output : step.outputs())
    pointers.push_back(buffers[output].bytes.data());
  return timed(step.name(), &step, [&] {
    (*kernel)(pointers.data());
    return absl::OkStatus();
  });
}

absl::Status Runner::step(const isa::Step &step) {
  switch (step.kind_case()) {
  case isa::Step::kPack:
    return pack(step.pack());
  case isa::Step::kUnpack:
    return unpack(step.unpack());
  case isa::Step::kLaunch:
    return launch(step.launch());
  case isa::Step::kHostKernel:
    return hostKernel(step.host_kernel());
  case isa::Step::KIND_NOT_SET:
    break;
  }
  return absl::InvalidArgumentError("the plan has a step of unknown kind");
}

absl::StatusOr<Execution> Runner::run(absl::Span<const Array> inputs) {
  if (auto status = prepare(inputs); !status.ok())
    return status;
  for (const isa::Step &next : program.steps())
    if (auto status = step(next); !status.ok())
      return status;
  for (uint32_t output : program.outputs())
    execution.outputs.push_back(buffers[output]);
  if (options.keepDram) {
    execution.dram.resize(program.dram_bytes());
    auto status = device.read(0, absl::MakeSpan(execution.dram));
    if (!status.ok())
      return status;
  }
  return std::move(execution);
}

} // namespace

std::string nameAt(const isa::Program &program, const isa::Layout &layout,
                   uint64_t offset) {
  std::vector<std::string> names;
  for (const isa::DramTensor &tensor : program.tensors())
    if (offset - tensor.offset() < isa::dramBytes(layout, tensor))
      names.push_back(absl::StrCat("tensor '", tensor.name(), "'"));
  for (const isa::Segment &segment : program.segments())
    if (offset - segment.offset() < segment.data().size())
      names.push_back(absl::StrCat("segment '", segment.name(), "'"));
  // Regions are used again.
  constexpr size_t most = 3;
  if (names.size() > most) {
    names.resize(most);
    names.push_back("others");
  }
  return absl::StrJoin(names, " or ");
}

sim::LayerRuns layerRuns(const isa::Program &program,
                         const std::array<uint64_t, sim::numEngines> &retired) {
  sim::LayerRuns runs;
  runs.layers = program.debug().layers_size();
  int engines = std::min<int>(program.debug().engines_size(), sim::numEngines);
  for (int e = 0; e < engines; ++e)
    for (const isa::Run &run : program.debug().engines(e).runs()) {
      // Runs of earlier launches fold into the first instruction; the last of
      // them is replaced by the one that begins there.
      uint64_t begin = run.begin() > retired[e] ? run.begin() - retired[e] : 0;
      if (begin == 0)
        runs.engines[e].clear();
      runs.engines[e].push_back({begin, run.layer()});
    }
  return runs;
}

absl::Status checkDevice(const isa::Program &program,
                         const sim::Device &device) {
  if (isa::configurationHash(program.configuration()) ==
      isa::configurationHash(device.configuration()))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the program was compiled for configuration '",
      program.configuration().name(), "', the ", device.name(), " device is '",
      device.configuration().name(),
      "'; compile it again with --config=", device.configuration().name()));
}

absl::Status checkInputs(const isa::Program &program,
                         absl::Span<const Array> inputs) {
  if (static_cast<int>(inputs.size()) != program.inputs_size())
    return absl::InvalidArgumentError(
        absl::StrCat("the network has ", program.inputs_size(),
                     " inputs, given are ", inputs.size()));
  for (int i = 0; i < program.inputs_size(); ++i) {
    const isa::Buffer &want = program.buffers(program.inputs(i));
    Shape shape(want.shape().begin(), want.shape().end());
    if (inputs[i].type != want.type() || inputs[i].shape != shape)
      return absl::InvalidArgumentError(absl::StrCat(
          "input '", want.name(), "' must be ", elementName(want.type()), " ",
          shapeText(shape), ", given is ", elementName(inputs[i].type), " ",
          shapeText(inputs[i].shape)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Execution> execute(const isa::Program &program,
                                  sim::Device &device,
                                  absl::Span<const Array> inputs,
                                  const ExecutionOptions &options) {
  if (auto status = checkDevice(program, device); !status.ok())
    return status;
  if (auto status = checkInputs(program, inputs); !status.ok())
    return status;
  auto layout = isa::Layout::get(program.configuration());
  if (!layout.ok())
    return layout.status();
  return Runner(program, *std::move(layout), device, options).run(inputs);
}

} // namespace tenon::runtime
