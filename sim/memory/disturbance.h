//===- sim/memory/disturbance.h - A memory that misbehaves ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Plain data, standard library only: this header is also compiled into the
// Verilated simulators.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_MEMORY_DISTURBANCE_H
#define TENON_SIM_MEMORY_DISTURBANCE_H

#include <cstdint>

namespace tenon::sim {

/// What AXI allows a memory to do and MemoryTiming does not.
struct MemoryDisturbance {
  static constexpr uint64_t nowhere = ~0ull;

  /// A byte of DRAM that has failed: bursts that touch it are answered with
  /// SLVERR, what they read is noise, and they write nothing.
  uint64_t faultOffset = nowhere;
  /// Not 0: ready and valid come and go at random on all five channels, bursts
  /// take up to 4,096 cycles longer, and beats of LOAD and FETCH come in any
  /// order of the two. Data written are taken behind their address or up to 64
  /// beats before it, the address by some seeds only when data are offered;
  /// they are in DRAM when their response is given and not before. A read sees
  /// DRAM as it was in some cycle between its address and its data. A launch
  /// with the same seed is the same again.
  uint64_t jitterSeed = 0;

  /// Cycles that a burst may be late.
  uint64_t mostDelay() const { return jitterSeed ? 4096 : 0; }
};

/// The random numbers of a disturbance: splitmix64.
class JitterSource {
public:
  explicit JitterSource(uint64_t seed) : state(seed) {}

  /// A number in [0, below).
  uint64_t number(uint64_t below) {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (z ^ z >> 31) % below;
  }
  bool oneIn(uint64_t many) { return number(many) == 0; }

private:
  uint64_t state;
};

} // namespace tenon::sim

#endif // TENON_SIM_MEMORY_DISTURBANCE_H
