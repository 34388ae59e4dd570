//===- sim/memory/timing.h - Parameters of the DRAM model -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Plain data, standard library only: this header is also compiled into the
// Verilated simulators.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_MEMORY_TIMING_H
#define TENON_SIM_MEMORY_TIMING_H

#include <cstdint>

namespace tenon::sim {

/// How fast DRAM is. The defaults are those every comparison uses: one beat a
/// cycle each way, 32 cycles of latency, 64 outstanding bursts. Read and write
/// channels are independent; one address a cycle is accepted on each.
struct MemoryTiming {
  /// Cycles from the one an address is accepted in to the first in which its
  /// first beat of data is valid; for writes, from the last beat accepted to
  /// the response. At least 1.
  uint32_t latency = 32;
  /// Bytes a cycle, of each channel; 0 is one beat a cycle. More than a beat a
  /// cycle is a beat a cycle.
  uint32_t bytesPerCycle = 0;
  /// Bursts accepted and not yet answered, of each channel. At least 1.
  uint32_t outstanding = 64;

  bool operator==(const MemoryTiming &other) const {
    return latency == other.latency && bytesPerCycle == other.bytesPerCycle &&
           outstanding == other.outstanding;
  }
};

} // namespace tenon::sim

#endif // TENON_SIM_MEMORY_TIMING_H
