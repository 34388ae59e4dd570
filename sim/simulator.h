//===- sim/simulator.h - What a simulator shows of a launch -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Beyond Device: DRAM copied while the launch runs, the events and each layer's
// share of the cycles, the memory's timing, limits in cycles, progress. No
// hardware offers this, so a client asks Device::simulator() whether it is
// there.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_SIMULATOR_H
#define TENON_SIM_SIMULATOR_H

#include "sim/device.h"
#include "sim/memory/timing.h"
#include "sim/trace/launch_trace.h"

#include <vector>

namespace tenon::sim {

/// Copy `bytes` bytes of DRAM at `offset` when STORE has retired `afterStores`
/// instructions of this launch (SET included); 0 copies before the launch.
struct Watch {
  uint64_t afterStores = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct LaunchOptions : Launch {
  std::vector<Watch> watches; // in any order
  LayerRuns runs;             // empty: everything is one layer
  MemoryTiming memory;        // ignored by untimed simulators
  /// Filled with the launch's events, if given; untimed simulators leave it
  /// empty.
  LaunchTrace *trace = nullptr;
  /// Most cycles the launch may take, beyond which it is ResourceExhausted; 0
  /// derives a bound from the program that no sound execution reaches.
  uint64_t cycleLimit = 0;
  /// Cycles without retirement, beat of memory or busy engine after which the
  /// launch is given up, on top of those of longestSilence (program_walk.h).
  uint64_t idleLimit = 100000;
  /// Called about ten times a second while the launch runs, from the calling
  /// thread; `retired` counts all engines. May be empty.
  std::function<void(uint64_t cycles, uint64_t retired)> progress;
};

/// `layers` has at least one entry. Untimed simulators leave cycles, states,
/// tokenWaits and each layer's lastRetirement 0.
struct LaunchResult : LaunchCounts {
  std::vector<LayerResult> layers;
  std::vector<std::vector<uint8_t>> snapshots; // one for each watch, its order
};

class Simulator : public Device {
public:
  Simulator *simulator() final { return this; }

  /// Runs the program in DRAM to its end, with no launch outstanding.
  /// InvalidArgument also where the options are bad.
  virtual absl::StatusOr<LaunchResult> launch(const LaunchOptions &options) = 0;

protected:
  absl::Status start(const Launch &launch) final {
    next.Launch::operator=(launch);
    return absl::OkStatus();
  }
  absl::StatusOr<LaunchCounts> await(std::chrono::nanoseconds) final {
    return launch(next);
  }

private:
  LaunchOptions next;
};

} // namespace tenon::sim

#endif // TENON_SIM_SIMULATOR_H
