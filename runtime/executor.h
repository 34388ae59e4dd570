//===- runtime/executor.h - Runs a program's plan on a device ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A program is a list of steps: pack a host array into DRAM, launch the
// accelerator, unpack, call a host kernel. The executor owns the host buffers
// and the order; the device owns DRAM and time.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_EXECUTOR_H
#define TENON_RUNTIME_EXECUTOR_H

#include "runtime/tensor.h"
#include "sim/simulator.h"

namespace tenon::runtime {

/// A step that is not a launch, with the host time it took.
struct HostStep {
  std::string name;                        // "pack input", "softmax", ...
  const isa::HostKernel *kernel = nullptr; // of the program, if it is one
  double milliseconds = 0;
};

struct ExecutionOptions {
  sim::MemoryTiming memory;
  uint64_t cycleLimit = 0; // as of sim::LaunchOptions
  bool keepTensors = true; // snapshot every stored tensor, where it can
  bool keepDram = true;    // copy DRAM at the end
  bool trace = false;      // record the events of each launch
  std::function<void(uint64_t cycles, uint64_t retired)> progress;
};

/// What a run of a program left behind. `tensors[i]` is tensor i of the program
/// as dense NHWC int8 at the time it was complete; empty where it was not kept.
struct Execution {
  std::vector<Array> outputs; // in the order of the program's outputs
  std::vector<HostStep> hostSteps;
  std::vector<sim::LaunchResult> launches;
  std::vector<sim::LaunchTrace> traces; // of each launch, if asked for
  std::vector<std::vector<uint8_t>> tensors;
  std::vector<uint8_t> dram;
};

/// Whether `device` can run `program`; a configuration that differs is refused
/// with both names.
absl::Status checkDevice(const isa::Program &program,
                         const sim::Device &device);

/// Whether `inputs` have the types and shapes that `program` asks for.
absl::Status checkInputs(const isa::Program &program,
                         absl::Span<const Array> inputs);

/// Runs `program`, which must outlive the result, on `device`.
/// InvalidArgument: inputs or program do not fit; other errors as of Device.
absl::StatusOr<Execution> execute(const isa::Program &program,
                                  sim::Device &device,
                                  absl::Span<const Array> inputs,
                                  const ExecutionOptions &options);

/// What lies at `offset` of DRAM in the course of the program, for messages:
/// "tensor 'a' or segment 'b'"; "" where nothing does.
std::string nameAt(const isa::Program &program, const isa::Layout &layout,
                   uint64_t offset);

/// Layers of the debug section, for a device's accounting of one launch. The
/// section counts each engine's instructions over all launches; `retired` are
/// those of the launches before.
sim::LayerRuns
layerRuns(const isa::Program &program,
          const std::array<uint64_t, sim::numEngines> &retired = {});

} // namespace tenon::runtime

#endif // TENON_RUNTIME_EXECUTOR_H
