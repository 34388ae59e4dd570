//===- runtime/observer.h - What a run leaves beside its outputs *- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A session that is given an observer records its runs in it; one that is not
// does not pay for it. What only a simulator can tell (tensors that the program
// overwrites, events, each layer's cycles) stays empty of hardware.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_OBSERVER_H
#define TENON_RUNTIME_OBSERVER_H

#include "isa/proto/program.pb.h"
#include "runtime/kernel_memory.h"
#include "sim/simulator.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tenon::runtime {

/// A step that is not a launch, with the host time it took.
struct HostStep {
  std::string name;                        // "pack input", "softmax", ...
  const isa::HostKernel *kernel = nullptr; // of the program, if it is one
  double milliseconds = 0;
  std::vector<NestRun> nests; // of the kernel, if asked for
  size_t launchesBefore = 0;  // of the accelerator, in the same run
};

/// What one run left behind. `tensors[i]` is tensor i of the program as dense
/// NHWC int8 at the time it was complete; empty where it was not kept.
struct Execution {
  std::vector<HostStep> hostSteps;
  std::vector<sim::LaunchResult> launches;
  std::vector<sim::LaunchTrace> traces; // of each launch, if asked for
  std::vector<std::vector<uint8_t>> tensors;
  std::vector<uint8_t> dram;
};

/// Used by one session at a time, and by its thread.
struct Observer {
  /// Tensors and DRAM, for comparisons.
  static Observer ofEverything() {
    Observer observer;
    observer.keepTensors = observer.keepDram = true;
    return observer;
  }

  // What is asked for.
  sim::MemoryTiming memory;
  uint64_t cycleLimit = 0;  // as of sim::LaunchOptions
  bool keepTensors = false; // snapshot every stored tensor
  bool keepDram = false;    // copy DRAM at the end
  bool trace = false;       // record the events of each launch
  bool profile = false;     // time each loop nest of a kernel
  std::function<void(uint64_t cycles, uint64_t retired)> progress;
  // What the last run left.
  Execution execution;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_OBSERVER_H
