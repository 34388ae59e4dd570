//===- tools/tenon/run_targets.cpp - Where a program runs -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/run_targets.h"

#include "tools/tenon/devices.h"
#include "tools/tenon/diagnostics.h"

#include "compiler/driver/reference.h"
#include "runtime/host_device.h"

#include "absl/strings/str_cat.h"

#include <chrono>

namespace tenon::tools {

using runtime::DeviceBackend;
using Program = std::shared_ptr<const runtime::LoadedProgram>;

namespace {

class Maker {
public:
  Maker(const RunOptions &options, const isa::Program &program,
        const sim::MemoryTiming &memory, Progress &progress)
      : options(options), program(program), memory(memory), progress(progress) {
  }

  absl::StatusOr<RunTargets> make();

private:
  absl::StatusOr<std::unique_ptr<DeviceBackend>>
  onDevice(const std::string &target, runtime::Observer observer);
  absl::StatusOr<std::unique_ptr<runtime::Backend>>
  onCpu(Optimization optimization, bool withTensors);
  absl::StatusOr<RunTargets> withReference(RunTargets result);
  runtime::Observer observerOfTarget() const;

  const RunOptions &options;
  const isa::Program &program;
  const sim::MemoryTiming &memory;
  Progress &progress;
  Program loaded; // once for all devices
};

absl::StatusOr<std::unique_ptr<DeviceBackend>>
Maker::onDevice(const std::string &target, runtime::Observer observer) {
  if (!loaded) {
    auto borrowed = runtime::LoadedProgram::borrow(program, options.trust());
    if (!borrowed.ok())
      return borrowed.status();
    loaded = *std::move(borrowed);
  }
  auto device = makeDevice(target, program.configuration(), progress);
  if (!device.ok())
    return device.status();
  return DeviceBackend::create(loaded, *std::move(device), std::move(observer));
}

/// The network that the program carries, as a program for the CPU alone.
absl::StatusOr<std::unique_ptr<runtime::Backend>>
Maker::onCpu(Optimization optimization, bool withTensors) {
  progress.show("compiling the network for the CPU");
  auto network = compiler::compileReference(program, optimization, withTensors,
                                            options.compile.records,
                                            remarkPrinter(progress));
  if (!network.ok())
    return network.status();
  auto device = std::make_unique<runtime::HostDevice>(network->configuration());
  auto onHost = runtime::LoadedProgram::load(*std::move(network),
                                             runtime::HostCodeTrust::Any);
  if (!onHost.ok())
    return onHost.status();
  return DeviceBackend::create(*std::move(onHost), std::move(device), {});
}

runtime::Observer Maker::observerOfTarget() const {
  runtime::Observer observer = runtime::Observer::ofEverything();
  observer.memory = memory;
  observer.keepTensors = !isHardware(options.target);
  observer.trace = observer.profile = options.reportFiles.wanted();
  observer.progress = [&progress = progress](uint64_t cycles,
                                             uint64_t retired) {
    progress.show(absl::StrCat("running: ", cycles, " cycles, ", retired,
                               " instructions"));
  };
  return observer;
}

absl::StatusOr<RunTargets> Maker::withReference(RunTargets result) {
  if (!options.wants("cpu") || program.reference().empty())
    return result;
  auto cpu = onCpu(Optimization::Plain, /*withTensors=*/true);
  if (!cpu.ok())
    return cpu.status();
  result.cpu = *std::move(cpu);
  return result;
}

absl::StatusOr<RunTargets> Maker::make() {
  RunTargets result;
  result.clockMhz = program.configuration().clock_mhz();
  if (options.target == "cpu") {
    if (program.reference().empty())
      return absl::InvalidArgumentError(
          "the program carries no reference network (--no-reference), so it "
          "cannot run with --target=cpu");
    auto made = onCpu(Optimization::ForSpeed,
                      /*withTensors=*/!options.dumpTensors.empty());
    if (!made.ok())
      return made.status();
    result.target = *std::move(made);
    return withReference(std::move(result));
  }
  auto begin = std::chrono::steady_clock::now();
  auto made = onDevice(options.target, observerOfTarget());
  if (!made.ok())
    return made.status();
  result.buildMs = std::chrono::duration<double, std::milli>(
                       std::chrono::steady_clock::now() - begin)
                       .count();
  result.clockMhz = (*made)->clockMhz();
  result.target = *std::move(made);
  if (options.wants("functional") && options.target != "functional") {
    auto other = onDevice("functional", runtime::Observer::ofEverything());
    if (!other.ok())
      return other.status();
    result.functional = *std::move(other);
  }
  return withReference(std::move(result));
}

} // namespace

absl::StatusOr<RunTargets> makeTargets(const RunOptions &options,
                                       const isa::Program &program,
                                       const sim::MemoryTiming &memory,
                                       Progress &progress) {
  return Maker(options, program, memory, progress).make();
}

} // namespace tenon::tools
