//===- sim/tlm/clock.h - Cycles and who acts next ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Time is counted in cycles from the first of the launch. Actors (FETCH and the
// engines) act only in cycles in which something can change for them; the
// agenda holds the next one of each. What an actor does in cycle t is seen by
// the others from t + 1 on, as in hardware, so their order within a cycle does
// not matter, but for two: STORE's writes come before reads at the memory, and
// FETCH asks for the read port before LOAD.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_CLOCK_H
#define TENON_SIM_TLM_CLOCK_H

#include <algorithm>
#include <array>
#include <cstdint>

namespace tenon::sim::tlm {

using Cycle = uint64_t;
constexpr Cycle never = ~0ull;

/// In the order in which they act within a cycle.
enum Actor : unsigned {
  StoreActor,
  FetchActor,
  LoadActor,
  GemmActor,
  AluActor
};
constexpr unsigned numActors = 5;

class Agenda {
public:
  /// `actor` acts in `cycle` at the latest. An actor that is due in this cycle
  /// can be woken for the next one, too; what it waits for itself it says again
  /// whenever it acts.
  void wake(unsigned actor, Cycle cycle) {
    if (cycle < cycles[actor])
      std::swap(cycle, cycles[actor]);
    if (cycle != cycles[actor])
      later[actor] = std::min(later[actor], cycle);
  }
  Cycle next() const {
    Cycle first = cycles[0];
    for (unsigned a = 1; a < numActors; ++a)
      first = std::min(first, cycles[a]);
    return first;
  }
  bool isDue(unsigned actor, Cycle now) const { return cycles[actor] == now; }
  /// The actor acts now.
  void begin(unsigned actor) {
    cycles[actor] = later[actor];
    later[actor] = never;
  }

private:
  std::array<Cycle, numActors> cycles = {never, never, never, never, never};
  std::array<Cycle, numActors> later = cycles;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_CLOCK_H
