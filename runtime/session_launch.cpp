//===- runtime/session_launch.cpp - One launch, observed or not -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/session.h"

#include "runtime/debug_info.h"

#include "isa/program.h"

#include <algorithm>

namespace tenon::runtime {

// Between two looks at a launch whose progress somebody watches.
constexpr std::chrono::milliseconds progressInterval{100};

absl::StatusOr<sim::LaunchResult>
Session::launchHardware(const sim::Launch &launch) {
  if (absl::Status status = device.submit(launch); !status.ok())
    return status;
  for (;;) {
    auto counts = device.wait(progressInterval);
    if (!counts.ok())
      return counts.status();
    if (!counts->done) {
      uint64_t instructions = 0;
      for (uint64_t count : counts->retired)
        instructions += count;
      if (observer->progress)
        observer->progress(counts->cycles, instructions);
      continue;
    }
    // Hardware cannot tell layers apart; a sole one has all of the launch.
    sim::LaunchResult result{*counts, {}, {}};
    result.layers.resize(std::max(loaded->program().debug().layers_size(), 1));
    if (result.layers.size() == 1) {
      result.layers[0].cycles = counts->cycles;
      result.layers[0].lastRetirement = counts->cycles;
      result.layers[0].states = counts->states;
    }
    return result;
  }
}

absl::StatusOr<sim::LaunchResult>
Session::launchSimulator(sim::Simulator &simulator, const sim::Launch &launch) {
  const isa::Program &program = loaded->program();
  Execution &execution = observer->execution;
  sim::LaunchOptions options;
  options.Launch::operator=(launch);
  options.memory = observer->memory;
  options.cycleLimit = observer->cycleLimit;
  options.progress = observer->progress;
  options.runs = layerRuns(program, retired);
  std::vector<int> watched;
  for (int i = 0; observer->keepTensors && i < program.tensors_size(); ++i) {
    const isa::DramTensor &tensor = program.tensors(i);
    if (!tensor.complete_after_stores() ||
        tensor.launch() != execution.launches.size())
      continue;
    watched.push_back(i);
    options.watches.push_back({tensor.complete_after_stores(), tensor.offset(),
                               isa::dramBytes(loaded->layout(), tensor)});
  }
  if (observer->trace)
    options.trace = &execution.traces.emplace_back();
  auto result = simulator.launch(options);
  if (!result.ok())
    return result;
  for (size_t i = 0; i < watched.size(); ++i) {
    const isa::DramTensor &tensor = program.tensors(watched[i]);
    const Shape shape(tensor.shape().begin(), tensor.shape().end());
    execution.tensors[watched[i]] =
        BlockedLayout(loaded->layout(), shape).dense(result->snapshots[i]);
  }
  result->snapshots.clear();
  return result;
}

absl::Status Session::runStep(const LaunchStep &step, size_t) {
  sim::Launch launch;
  launch.programOffset = step.step->program_offset();
  launch.instructionCount = step.step->instruction_count();
  launch.nameOf = [this](uint64_t offset) {
    return nameAt(loaded->program(), loaded->layout(), offset);
  };
  if (!observer)
    return sim::runLaunch(device, std::move(launch)).status();
  sim::Simulator *simulator = device.simulator();
  auto result =
      simulator ? launchSimulator(*simulator, launch) : launchHardware(launch);
  if (!result.ok())
    return result.status();
  for (unsigned e = 0; e < sim::numEngines; ++e)
    retired[e] += result->retired[e];
  observer->execution.launches.push_back(*std::move(result));
  return absl::OkStatus();
}

} // namespace tenon::runtime
