//===- sim/trace/launch_trace.h - What happened when in a launch -*- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The one schema of events that every timed device records: for each engine its
// instructions in order, each with the cycles it took, split by state; and the
// beats on the memory port over time. Which instruction it was, its layer and
// its tokens follow from the program.
//
// Standard library only: this header is also compiled into the Verilated
// simulators, and the plain structs pass between them and their host.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TRACE_LAUNCH_TRACE_H
#define TENON_SIM_TRACE_LAUNCH_TRACE_H

#include <array>
#include <cstdint>
#include <vector>

namespace tenon::sim {

constexpr unsigned numEngines = 4; // load, gemm, alu, store (isa::Engine)
constexpr unsigned numStates = 7;  // isa::State
constexpr unsigned numNeighbours = 3;

/// One instruction: the cycles of its engine from the retirement of the one
/// before (or the start of the launch) to its own. Invariant: `cycles` add up
/// to exactly that distance, and `tokenWait` and `roomWait` to the cycles in
/// state token.
struct InstructionTrace {
  uint64_t begin = 0;  // first cycle in which the engine worked on it: neither
                       // empty nor waiting for a token
  uint64_t retire = 0; // cycles from the start of the launch to the end of the
                       // one in which it retired
  uint32_t cycles[numStates] = {};
  uint32_t tokenWait[numNeighbours] = {}; // for a token of neighbour i
  uint32_t roomWait[numNeighbours] = {};  // for room in the channel to it
};

/// Beats on the memory port over time. The buckets widen as the launch grows,
/// so that any launch fits: `beats[kind][i]` counts cycles
/// [i * bucketCycles, (i + 1) * bucketCycles).
struct TrafficTrace {
  enum Kind : unsigned { Load, Fetch, Store, numKinds };
  static constexpr unsigned maxBuckets = 4096;

  uint64_t bucketCycles = 64;
  uint32_t beats[numKinds][maxBuckets] = {};

  void add(Kind kind, uint64_t cycle, uint32_t count = 1) {
    while (cycle / bucketCycles >= maxBuckets)
      widen();
    beats[kind][cycle / bucketCycles] += count;
  }

private:
  void widen() {
    for (auto &of : beats) {
      for (unsigned i = 0; i < maxBuckets / 2; ++i)
        of[i] = of[2 * i] + of[2 * i + 1];
      for (unsigned i = maxBuckets / 2; i < maxBuckets; ++i)
        of[i] = 0;
    }
    bucketCycles *= 2;
  }
};

/// Where a device puts its events. Both pointers are of the caller, and stay
/// valid during the launch.
struct TraceSink {
  void *context = nullptr;
  void (*retired)(void *context, uint32_t engine,
                  const InstructionTrace &instruction) = nullptr;
  TrafficTrace *traffic = nullptr;
};

/// The events of one launch, at the host.
struct LaunchTrace {
  std::array<std::vector<InstructionTrace>, numEngines> engines;
  TrafficTrace traffic;

  /// A sink that appends to this trace.
  TraceSink sink() {
    auto append = [](void *context, uint32_t engine,
                     const InstructionTrace &instruction) {
      static_cast<LaunchTrace *>(context)->engines[engine].push_back(
          instruction);
    };
    return {this, append, &traffic};
  }
};

} // namespace tenon::sim

#endif // TENON_SIM_TRACE_LAUNCH_TRACE_H
